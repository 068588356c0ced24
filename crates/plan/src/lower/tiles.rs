//! Which tiles a stage is cut into. Storage chunks only enter as a cost: tiny ones are taken together, huge ones are shared out.

use voxmill_core::{AxisCuts, ChunkGrid, Error, ErrorClass, Idx, Latency, Result, format_bytes};

use super::PlanOptions;
use super::cost::{self, TileCost};
use crate::What;
use crate::task::{Home, PlanNode, Stage, StageNode};

/// A task shorter than this is not worth its overhead.
const SHORTEST_TASK: f64 = 0.4e6;
/// More tiles than this are joined at any cost: their numbers must fit 32 bits.
const MOST_TILES: usize = 1 << 30;
/// A task of this length is long enough: growing it further must pay.
const LONG_TASK: f64 = 20.0e6;

/// Chosen tiles.
#[derive(Debug)]
pub(super) struct Tiles {
    pub grid: ChunkGrid,
    pub peak: u64,
}

/// Chooses the tiles of a stage with one target, or says which op needs how many bytes.
pub(super) fn choose(nodes: &[PlanNode], stage: &Stage, options: &PlanOptions) -> Result<Tiles> {
    if let Some(tiles) = blocks(nodes, stage, options)? {
        return Ok(tiles);
    }
    let units = Units::of(nodes, stage);
    if let Some(seed) = options.random_tiles {
        return random(nodes, stage, &units, seed);
    }
    let mut search = Search { nodes, stage, options, units };
    let first = search.first()?;
    let grown = search.grow(first)?;
    let best = search.shrink(grown)?;
    Ok(Tiles { peak: search.largest_peak(&best.0)?, grid: best.0 })
}

/// The tiles of a target that is made in blocks, if this stage makes it.
fn blocks(nodes: &[PlanNode], stage: &Stage, options: &PlanOptions) -> Result<Option<Tiles>> {
    let target = &stage.targets[0];
    let made_here = stage.nodes.iter().any(|n| n.id == target.node && n.computed);
    let Some(blocks) = nodes[target.node.index()].blocks().filter(|_| made_here) else { return Ok(None) };
    let cut = |(cuts, (begin, end)): (&AxisCuts, (usize, usize))| cuts.slice(begin, end);
    let grid = ChunkGrid { axes: blocks.axes.iter().zip(target.region.bounds()).map(cut).collect() };
    let stage = Stage { tiles: grid, nodes: stage.nodes.clone(), targets: stage.targets.clone(), peak: 0 };
    let peak = largest_peak(nodes, &stage)?;
    if peak > options.memory_limit {
        return Err(refusal(nodes, &stage, &stage.tiles, peak, options.memory_limit));
    }
    Ok(Some(Tiles { grid: stage.tiles, peak }))
}

/// The lengths that tiles are multiples of.
struct Units {
    lengths: Idx,
    /// Distance from the start of the region to the first unit border.
    lead: Idx,
    /// A tile must not cut a unit: it is written as a whole.
    fixed: bool,
}

impl Units {
    fn of(nodes: &[PlanNode], stage: &Stage) -> Units {
        let target = &stage.targets[0];
        if let Home::Store { store, offset } = &target.home {
            let grid = store.write_grid();
            if grid.axes.iter().all(|a| matches!(a, AxisCuts::Even { .. })) {
                let lengths: Idx = grid.axes.iter().map(|a| a.longest().max(1)).collect();
                let lead = offset.iter().zip(&lengths).map(|(&o, &u)| (u - o % u) % u).collect();
                return Units { lengths, lead, fixed: true };
            }
        }
        let lead = Idx::from_elem(0, target.region.rank());
        // Chunks on disk, and blocks that ops make as a whole, are best read as they are.
        let whole = |n: &StageNode| match &nodes[n.id.index()].what {
            What::Source(store) => !n.held && store.latency() != Latency::Memory,
            What::Op(op) => n.held && op.blocks().is_some(),
            What::Literal(_) => false,
        };
        let stored = stage.nodes.iter().any(whole);
        let grid = &nodes[target.node.index()].meta.grid;
        let declared = |k: usize| grid.axes[k].longest().clamp(1, target.region.shape[k].max(1));
        let lengths = (0..lead.len()).map(|k| if stored { declared(k) } else { 1 }).collect();
        Units { lengths, lead, fixed: false }
    }

    /// Even tiles of `lengths`, with a shorter first one where the region starts inside a unit.
    fn grid(&self, shape: &[usize], lengths: &[usize]) -> ChunkGrid {
        let axis = |k: usize| {
            let (n, len, lead) = (shape[k], lengths[k].max(1), self.lead[k]);
            if lead == 0 || lead >= n {
                return AxisCuts::even(n, len);
            }
            let mut pieces = vec![lead];
            let mut left = n - lead;
            while left > 0 {
                pieces.push(len.min(left));
                left -= len.min(left);
            }
            AxisCuts::from_lengths(&pieces)
        };
        ChunkGrid { axes: (0..shape.len()).map(axis).collect() }
    }
}

struct Search<'a> {
    nodes: &'a [PlanNode],
    stage: &'a Stage,
    options: &'a PlanOptions,
    units: Units,
}

/// A grid, its cost, and the tile lengths it was made from.
type Candidate = (ChunkGrid, TileCost, Idx);

impl Search<'_> {
    fn shape(&self) -> &[usize] {
        &self.stage.targets[0].region.shape
    }

    /// Bytes that one task should stay under, so that all threads can work.
    fn comfortable(&self) -> u64 {
        self.options.memory_limit / 10 * 7 / self.options.threads.max(1) as u64
    }

    fn cost(&self, lengths: Idx) -> Result<Candidate> {
        let grid = self.units.grid(self.shape(), &lengths);
        let stage =
            Stage { tiles: grid, nodes: self.stage.nodes.clone(), targets: self.stage.targets.clone(), peak: 0 };
        let n = stage.tiles.n_chunks();
        let tiles: Vec<usize> = if n > 2 { vec![0, middle(&stage.tiles)] } else { vec![0] };
        let cost = if n == 0 { TileCost { task: 0.0, peak: 0 } } else { cost::of_tiles(self.nodes, &stage, &tiles)? };
        Ok((stage.tiles, cost, lengths))
    }

    /// One unit, cut smaller until it fits.
    fn first(&mut self) -> Result<Candidate> {
        let mut candidate = self.cost(self.units.lengths.clone())?;
        let comfortable = self.comfortable();
        while candidate.1.peak > comfortable && !self.units.fixed {
            // Halving the longest axis keeps tiles compact; ties go to the first axis, which keeps rows whole.
            let lengths = &candidate.2;
            let Some(axis) =
                (0..lengths.len()).filter(|&k| lengths[k] > 1).max_by_key(|&k| (lengths[k], usize::MAX - k))
            else {
                break;
            };
            let mut lengths = lengths.clone();
            lengths[axis] = lengths[axis].div_ceil(2);
            candidate = self.cost(lengths)?;
        }
        if candidate.1.peak > self.options.memory_limit {
            return Err(self.refusal(&candidate));
        }
        Ok(candidate)
    }

    /// Doubles one axis after the other while that makes an element cheaper.
    fn grow(&self, first: Candidate) -> Result<Candidate> {
        let mut best = first;
        loop {
            let mut next: Option<Candidate> = None;
            for axis in (0..self.shape().len()).rev() {
                let Some(lengths) = self.doubled(&best.2, axis) else { continue };
                let candidate = self.cost(lengths)?;
                if candidate.1.peak > self.comfortable() {
                    continue;
                }
                let better = next.as_ref().is_none_or(|n| self.total(&candidate) < self.total(n) * 0.999);
                if better {
                    next = Some(candidate);
                }
            }
            match next {
                Some(next) if self.worth(&best, &next) => best = next,
                _ => return Ok(best),
            }
        }
    }

    /// Halves one axis after the other while that makes the stage cheaper: less memory to touch for the first time, better shared out.
    fn shrink(&self, first: Candidate) -> Result<Candidate> {
        let mut best = first;
        if self.units.fixed {
            return Ok(best);
        }
        loop {
            let mut next: Option<Candidate> = None;
            for axis in (0..best.2.len()).filter(|&k| best.2[k].min(self.shape()[k]) > 1) {
                let mut lengths = best.2.clone();
                lengths[axis] = lengths[axis].min(self.shape()[axis]).div_ceil(2);
                let candidate = self.cost(lengths)?;
                if candidate.0.n_chunks() > MOST_TILES {
                    continue;
                }
                if next.as_ref().is_none_or(|n| self.total(&candidate) < self.total(n)) {
                    next = Some(candidate);
                }
            }
            match next {
                Some(next) if next.1.task > SHORTEST_TASK && self.total(&next) < self.total(&best) * 0.97 => {
                    best = next
                }
                _ => return Ok(best),
            }
        }
    }

    fn doubled(&self, lengths: &Idx, axis: usize) -> Option<Idx> {
        let n = self.shape()[axis];
        if lengths[axis] >= n {
            return None;
        }
        let mut lengths = lengths.clone();
        lengths[axis] *= 2;
        if lengths[axis] >= n {
            let unit = self.units.lengths[axis];
            lengths[axis] = n.div_ceil(unit) * unit;
        }
        Some(lengths)
    }

    /// Nanoseconds of the whole stage, summed over all threads: the last round of tasks may leave some idle, and memory is touched for the
    /// first time once per thread.
    fn total(&self, candidate: &Candidate) -> f64 {
        let (n, threads) = (candidate.0.n_chunks(), self.options.threads.max(1));
        // Short tasks are better done by one thread than shared out.
        let slots = if candidate.1.task < SHORTEST_TASK { n } else { n.div_ceil(threads) * threads };
        let fresh = n.min(threads) as f64 * candidate.1.peak as f64;
        candidate.1.task * slots as f64 + fresh * cost::PER_FRESH_BYTE
    }

    fn worth(&self, now: &Candidate, next: &Candidate) -> bool {
        if now.0.n_chunks() > MOST_TILES {
            return true;
        }
        let gain = 1.0 - self.total(next) / self.total(now);
        let few = next.0.n_chunks() < 4 * self.options.threads && self.total(now) > 2.0 * SHORTEST_TASK;
        let wanted = match now.1.task {
            t if t < SHORTEST_TASK => 0.0,
            t if t < LONG_TASK => 0.03,
            _ => 0.05,
        };
        gain >= if few { 0.25 } else { wanted }
    }

    /// The largest peak over a good sample of tiles: all of them where they are few.
    fn largest_peak(&self, grid: &ChunkGrid) -> Result<u64> {
        let stage = Stage {
            tiles: grid.clone(),
            nodes: self.stage.nodes.clone(),
            targets: self.stage.targets.clone(),
            peak: 0,
        };
        largest_peak(self.nodes, &stage)
    }

    fn refusal(&self, candidate: &Candidate) -> Error {
        refusal(self.nodes, self.stage, &candidate.0, candidate.1.peak, self.options.memory_limit)
    }
}

/// The tile in the middle, which is as large as any.
pub(super) fn middle(grid: &ChunkGrid) -> usize {
    let at: Idx = grid.counts().iter().map(|&n| n / 2).collect();
    grid.number(&at)
}

/// The largest peak over the corners and an even sample of all tiles.
pub(super) fn largest_peak(nodes: &[PlanNode], stage: &Stage) -> Result<u64> {
    let n = stage.tiles.n_chunks();
    if n == 0 {
        return Ok(0);
    }
    let mut sample: Vec<usize> = (0..32).map(|i| i * (n - 1) / 31).collect();
    sample.push(middle(&stage.tiles));
    sample.sort_unstable();
    sample.dedup();
    Ok(cost::of_tiles(nodes, stage, &sample)?.peak)
}

fn refusal(nodes: &[PlanNode], stage: &Stage, grid: &ChunkGrid, need: u64, have: u64) -> Error {
    let stage = Stage { tiles: grid.clone(), nodes: stage.nodes.clone(), targets: stage.targets.clone(), peak: 0 };
    let regions = stage.target_regions(middle(grid));
    let fullest = stage.steps(nodes, &regions).map(|s| s.fullest(nodes)).unwrap_or_default();
    let unit: Vec<usize> = regions.first().map(|r| r.shape.to_vec()).unwrap_or_default();
    Error::new(
        ErrorClass::OverBudget { need, have },
        format!(
            "the memory limit of {} is too small: the smallest piece of work, a box of {unit:?}, needs {} at '{fullest}'; \
             raise the limit to at least {} or choose smaller output chunks",
            format_bytes(have),
            format_bytes(need),
            format_bytes(need)
        ),
    )
}

/// Tiles that follow from a number, for tests: any cut must give the same answer.
fn random(nodes: &[PlanNode], stage: &Stage, units: &Units, seed: u64) -> Result<Tiles> {
    let mut state = seed ^ (stage.targets[0].node.0 as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let shape = &stage.targets[0].region.shape;
    let axis = |k: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let unit = if units.fixed { units.lengths[k] } else { 1 };
        let n_units = shape[k].div_ceil(unit).max(1);
        unit * (1 + (state >> 33) as usize % n_units)
    };
    let lengths: Idx = (0..shape.len()).map(axis).collect();
    let grid = units.grid(shape, &lengths);
    let stage = Stage { tiles: grid, nodes: stage.nodes.clone(), targets: stage.targets.clone(), peak: 0 };
    Ok(Tiles { peak: largest_peak(nodes, &stage)?, grid: stage.tiles })
}
