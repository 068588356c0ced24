//! From the graph to a plan: where to cut it into stages, and into which tiles each stage.
//!
//! Stages are made from the results back to the sources. A stage first takes in everything up to the sources; then [`breaks`]
//! looks for an array that the tiles would compute or decode again and again, and holds that one instead; until nothing is left
//! to gain. Reductions, transforms along several axes, rechunking and wide halos are all cut by this one rule.

mod breaks;
mod cost;
mod merge;
mod tiles;

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use voxmill_core::{AxisCuts, ChunkGrid, Error, Idx, Region, Result, Store};

use crate::graph::Graph;
use crate::task::{Home, NodeId, Plan, PlanNode, Stage, StageNode, Target, walk};
use crate::{Array, What};

/// What the planner may use.
#[derive(Debug, Clone)]
pub struct PlanOptions {
    /// Bytes for all tasks and held chunks together.
    pub memory_limit: u64,
    /// Tasks that run at the same time.
    pub threads: usize,
    /// For tests: cut every stage into random tiles that follow from this number.
    pub random_tiles: Option<u64>,
}

/// Where a result goes.
#[derive(Debug, Clone)]
pub enum Sink {
    /// Into memory.
    Result,
    /// Into a store of the same shape, or into the part of a larger store that starts at the given position.
    Store(Arc<dyn Store>, Option<Idx>),
}

/// A held array of at most this part of the memory limit is expected to stay in memory.
const HELD_IN_PLACE: u64 = 8;

/// How often the plan is made anew because an array turned out to be better held.
const MAX_ROUNDS: usize = 16;

/// Plans the computation of `outputs`.
pub fn plan(outputs: &[(Array, Sink)], options: &PlanOptions) -> Result<Plan> {
    let arrays: Vec<Array> = outputs.iter().map(|(array, _)| array.clone()).collect();
    let (graph, ids) = Graph::build(&arrays)?;
    let sinks: Vec<(NodeId, &Sink)> = ids.into_iter().zip(outputs.iter().map(|(_, sink)| sink)).collect();
    let mut lowering =
        Lowering { nodes: graph.nodes, options, held: FxHashSet::default(), read_back: FxHashSet::default() };
    lowering.hold_small_results();
    for _ in 0..MAX_ROUNDS {
        let stages = lowering.stages(&sinks)?;
        match breaks::shared(&lowering, &stages) {
            Some(node) => lowering.held.insert(node),
            None => return lowering.finish(stages),
        };
    }
    let stages = lowering.stages(&sinks)?;
    lowering.finish(stages)
}

/// The state of planning: the graph, and which nodes are held between stages.
pub(crate) struct Lowering<'a> {
    nodes: Vec<PlanNode>,
    options: &'a PlanOptions,
    held: FxHashSet<NodeId>,
    /// Outputs that are first held and then written, because their boxes cannot be computed one by one.
    read_back: FxHashSet<NodeId>,
}

/// What the users of a held array need of it.
#[derive(Debug, Clone)]
struct Demand {
    region: Region,
    /// Lengths of the boxes that tiles read, per axis: where the held chunks are cut.
    cuts: Vec<Idx>,
}

impl Lowering<'_> {
    /// Results of ops that say so are always held, and those that cannot be made in boxes of any size.
    fn hold_small_results(&mut self) {
        for (k, node) in self.nodes.iter().enumerate() {
            if matches!(&node.what, What::Op(op) if op.def().hold || op.blocks().is_some()) {
                self.held.insert(NodeId(k as u32));
            }
        }
    }

    /// What a user's function makes is an output and used by other arrays as well: it is held, so that the function is called once.
    fn hold_shared_blocks(&mut self, sinks: &[(NodeId, &Sink)]) {
        for &(node, _) in sinks {
            let users = self.nodes.iter().flat_map(|user| &user.ins).filter(|&&used| used == node).count();
            let outputs = sinks.iter().filter(|(other, _)| *other == node).count();
            if self.nodes[node.index()].blocks().is_some() && users + outputs > 1 {
                self.read_back.insert(node);
            }
        }
    }

    /// All stages, users first.
    fn stages(&mut self, sinks: &[(NodeId, &Sink)]) -> Result<Vec<Stage>> {
        let mut stages = Vec::new();
        let mut demands: BTreeMap<NodeId, Demand> = BTreeMap::new();
        self.hold_shared_blocks(sinks);
        for (n, (node, sink)) in sinks.iter().enumerate() {
            let target = self.output_target(*node, sink, n)?;
            let stage = self.stage(target)?;
            self.add_demands(&stage, &mut demands);
            stages.push(stage);
        }
        // Users have larger numbers than what they use, so all demands on the largest one are known.
        while let Some((node, mut demand)) = demands.pop_last() {
            if let Some(blocks) = self.nodes[node.index()].blocks() {
                demand.region = blocks.cover(&demand.region);
            }
            // What stays in memory is looked at in place; what goes to scratch is read back in the boxes it was cut into.
            let bytes = self.nodes[node.index()].meta.bytes_of(&demand.region);
            if bytes <= self.options.memory_limit / HELD_IN_PLACE {
                demand.cuts.clear();
            }
            // The users' boxes are known first: tiles that would be cut into crumbs for them cost more.
            let home = Home::Held(held_grid(&ChunkGrid::single(&demand.region.shape), &demand.cuts));
            let mut stage = self.stage(Target { node, region: demand.region.clone(), home })?;
            stage.targets[0].home = Home::Held(held_grid(&stage.tiles, &demand.cuts));
            self.add_demands(&stage, &mut demands);
            stages.push(stage);
        }
        Ok(stages)
    }

    fn output_target(&self, node: NodeId, sink: &Sink, n: usize) -> Result<Target> {
        let meta = &self.nodes[node.index()].meta;
        let home = match sink {
            Sink::Result => Home::Result(n),
            Sink::Store(store, offset) => {
                check_fits(meta, store.as_ref(), offset.as_deref())?;
                let offset = offset.clone().unwrap_or_else(|| Idx::from_elem(0, meta.rank()));
                Home::Store { store: store.clone(), offset }
            }
        };
        Ok(Target { node, region: meta.whole(), home })
    }

    /// The stage of one target, cut where cutting pays.
    fn stage(&mut self, target: Target) -> Result<Stage> {
        let mut own = matches!(target.home, Home::Held(_)) || !self.read_back.contains(&target.node);
        if own && !self.blocks_fit(&target) {
            own = false;
            self.read_back.insert(target.node);
        }
        loop {
            let mut stage = self.collect(&target, own);
            match tiles::choose(&self.nodes, &stage, self.options) {
                Ok(tiles) => {
                    (stage.tiles, stage.peak) = (tiles.grid, tiles.peak);
                    match breaks::repeated(&self.nodes, &stage, self.options) {
                        Some(node) if node == target.node => own = false,
                        Some(node) => drop(self.held.insert(node)),
                        None => return Ok(stage),
                    }
                }
                Err(error) => match breaks::to_fit(&self.nodes, &stage, self.options, &self.held) {
                    Some(node) if node == target.node && !matches!(target.home, Home::Held(_)) => own = false,
                    Some(node) if node != target.node => drop(self.held.insert(node)),
                    _ => return Err(error),
                },
            }
            if !own {
                self.held.insert(target.node);
                self.read_back.insert(target.node);
            }
        }
    }

    /// False if the result is made in blocks that share units of the store it goes to: then it is held first.
    fn blocks_fit(&self, target: &Target) -> bool {
        let (Some(blocks), Home::Store { store, offset }) = (self.nodes[target.node.index()].blocks(), &target.home)
        else {
            return true;
        };
        let units = store.write_grid();
        (0..blocks.rank()).all(|k| {
            let (cuts, n) = (&blocks.axes[k], units.axes[k].len());
            (0..cuts.n_chunks()).map(|i| cuts.bounds(i).1 + offset[k]).all(|end| {
                // The last block may end inside a unit, which then belongs to it alone.
                end >= n || end == cuts.len() + offset[k] || units.axes[k].bounds(units.axes[k].find(end)).0 == end
            })
        })
    }

    /// The stage with everything up to sources, literals and held arrays, not yet cut into tiles.
    fn collect(&self, target: &Target, own: bool) -> Stage {
        let mut wanted = vec![target.node];
        let mut found: BTreeMap<NodeId, (bool, bool)> = BTreeMap::new();
        while let Some(id) = wanted.pop() {
            let stops = self.held.contains(&id) && !(own && id == target.node);
            let computed = matches!(self.nodes[id.index()].what, What::Op(_)) && !stops;
            if found.insert(id, (computed, stops)).is_none() && computed {
                wanted.extend(&self.nodes[id.index()].ins);
            }
        }
        let position: FxHashMap<NodeId, usize> = found.keys().enumerate().map(|(k, id)| (*id, k)).collect();
        let nodes = found.iter().map(|(&id, &(computed, held))| {
            let ins = if computed { &self.nodes[id.index()].ins[..] } else { &[] };
            StageNode { id, computed, held, ins: ins.iter().map(|i| position[i]).collect() }
        });
        let tiles = ChunkGrid::single(&target.region.shape);
        Stage { nodes: nodes.collect(), targets: vec![target.clone()], tiles, peak: 0 }
    }

    /// Records which parts of held arrays a stage reads.
    fn add_demands(&self, stage: &Stage, demands: &mut BTreeMap<NodeId, Demand>) {
        let wanted: Vec<Region> = stage.targets.iter().map(|t| t.region.clone()).collect();
        let all = walk(stage, &self.nodes, &wanted);
        let first = walk(stage, &self.nodes, &stage.target_regions(0));
        for piece in all.iter().filter(|p| p.held) {
            let demand =
                demands.entry(piece.node).or_insert_with(|| Demand { region: piece.region.clone(), cuts: Vec::new() });
            demand.region = demand.region.hull(&piece.region);
            demand.cuts.extend(first.iter().filter(|p| p.node == piece.node).map(|p| p.region.shape.clone()));
        }
    }

    /// Joins stages that read the same, and numbers them producers first.
    fn finish(self, mut stages: Vec<Stage>) -> Result<Plan> {
        stages.reverse();
        let stages = merge::merge(&self.nodes, stages, self.options)?;
        let mut held = FxHashMap::default();
        for (s, stage) in stages.iter().enumerate() {
            for (t, target) in stage.targets.iter().enumerate() {
                if matches!(target.home, Home::Held(_)) {
                    held.insert(target.node, (s, t));
                }
            }
        }
        Ok(Plan { nodes: self.nodes, stages, held, memory_limit: self.options.memory_limit })
    }
}

/// Held chunks are cut where the producer's tiles end, and where the users' boxes end if these are few.
fn held_grid(tiles: &ChunkGrid, cuts: &[Idx]) -> ChunkGrid {
    const MOST: usize = 4096;
    let axis = |(k, own): (usize, &AxisCuts)| {
        let n = own.len();
        let mut bounds: Vec<usize> = (0..own.n_chunks()).map(|i| own.bounds(i).1).collect();
        for cut in cuts.iter().map(|c| c[k]).filter(|&c| c > 0 && c < n && n / c <= MOST) {
            bounds.extend((1..=n / cut).map(|i| i * cut));
        }
        bounds.sort_unstable();
        bounds.dedup();
        let lengths: Vec<usize> = bounds.iter().scan(0, |at, &b| Some(b - std::mem::replace(at, b))).collect();
        AxisCuts::from_lengths(&lengths)
    };
    ChunkGrid { axes: tiles.axes.iter().enumerate().map(axis).collect() }
}

fn check_fits(meta: &voxmill_core::ArrayMeta, store: &dyn Store, offset: Option<&[usize]>) -> Result<()> {
    let into = store.meta();
    let zero = Idx::from_elem(0, meta.rank());
    let offset = offset.unwrap_or(&zero);
    let fits = offset.len() == into.rank()
        && meta.rank() == into.rank()
        && (0..meta.rank()).all(|k| offset[k] + meta.shape[k] <= into.shape[k]);
    if !fits {
        return Err(Error::invalid(format!(
            "an array of shape {:?} does not fit {} of shape {:?} at {:?}",
            &meta.shape[..],
            store.spec(),
            &into.shape[..],
            offset
        )));
    }
    if into.dtype != meta.dtype {
        return Err(Error::invalid(format!(
            "the result is {}, {} holds {}; cast it with astype",
            meta.dtype,
            store.spec(),
            into.dtype
        )));
    }
    Ok(())
}
