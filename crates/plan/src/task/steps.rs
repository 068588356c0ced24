//! A task as a list of steps: what to read, what to compute in one pass, and when each piece can be dropped. The bytes that a task
//! needs are found by walking the same list, so the promise and the run cannot differ.

use rustc_hash::FxHashMap;
use voxmill_core::{ArrayMeta, Buffer, Region, Result};

use super::{Home, Piece, PlanNode, Stage};
use crate::What;
use crate::op::Form;

/// Bytes of one run of elements in a fused pass: half a dozen of these, arrays and repeated numbers, fit a first-level cache of 32 KiB.
pub const RUN_BYTES: usize = 4 << 10;

/// One step of a task.
#[derive(Debug, Clone)]
pub enum Step {
    /// Reads a source, a literal or a held array.
    Read(usize),
    /// Looks at the input's bytes with other strides.
    View(usize),
    /// Runs a kernel.
    Kernel(usize),
    /// Runs element-wise ops in one pass over short runs, and the kernels that take such runs.
    Map {
        /// The pieces computed on the way, inputs first; the first is element-wise.
        members: Vec<usize>,
        /// Those of them that are needed afterwards.
        keep: Vec<usize>,
    },
}

impl Step {
    /// The pieces it makes, in ascending order.
    fn members(&self) -> &[usize] {
        match self {
            Step::Read(p) | Step::View(p) | Step::Kernel(p) => std::slice::from_ref(p),
            Step::Map { members, .. } => members,
        }
    }
}

/// The steps of a task, and what they need.
#[derive(Debug)]
pub struct Steps {
    /// All pieces, inputs first.
    pub pieces: Vec<Piece>,
    /// What to do, in this order.
    pub steps: Vec<Step>,
    /// The pieces that are dropped after each step.
    pub drops: Vec<Vec<usize>>,
    /// The piece of each target, and the wanted box.
    pub targets: Vec<(usize, Region)>,
    /// Bytes at the fullest moment.
    pub peak: u64,
    /// The step at which that is.
    pub peak_step: usize,
}

impl Steps {
    /// Orders the pieces of a task and counts bytes.
    pub(super) fn new(stage: &Stage, nodes: &[PlanNode], pieces: Vec<Piece>, wanted: &[Region]) -> Result<Steps> {
        let targets = locate_targets(stage, &pieces, wanted)?;
        let steps = order(&pieces, &targets);
        let drops = drops(&pieces, &steps, &targets);
        let mut steps = Steps { pieces, steps, drops, targets, peak: 0, peak_step: 0 };
        (steps.peak, steps.peak_step) = steps.count(stage, nodes);
        Ok(steps)
    }

    /// The step at the fullest moment, in words.
    pub fn fullest(&self, nodes: &[PlanNode]) -> String {
        let label = |p: usize| nodes[self.pieces[p].node.index()].label();
        match self.steps.get(self.peak_step) {
            Some(Step::Read(p)) => format!("reading {}", label(*p)),
            Some(Step::View(p) | Step::Kernel(p)) => label(*p),
            Some(Step::Map { members, .. }) => members.iter().map(|&p| label(p)).collect::<Vec<_>>().join(" + "),
            None => "writing the result".to_string(),
        }
    }

    /// Bytes that go to memory and back between steps, because they are in pieces of more than `cache` bytes. Reading a source once is not
    /// counted.
    pub(crate) fn moved(&self, nodes: &[PlanNode], cache: u64) -> u64 {
        let mut times = vec![0u64; self.pieces.len()];
        for step in &self.steps {
            let members = step.members();
            for input in members.iter().flat_map(|&p| &self.pieces[p].ins).filter_map(|i| i.piece) {
                times[input] += u64::from(members.binary_search(&input).is_err());
            }
        }
        for (p, kept) in kept_pieces(&self.steps, self.pieces.len()).into_iter().enumerate() {
            // What is computed is written first; of what is read, the first use is the reading.
            times[p] = match (kept, self.pieces[p].computed) {
                (false, _) => 0,
                (true, true) => times[p] + 1,
                (true, false) => times[p].saturating_sub(1),
            };
        }
        let bytes = |p: usize| self.footprint(p, nodes);
        (0..times.len()).filter(|&p| times[p] > 0 && bytes(p) > cache).map(|p| times[p] * bytes(p)).sum()
    }

    /// The largest sum of live bytes over all steps, and where.
    fn count(&self, stage: &Stage, nodes: &[PlanNode]) -> (u64, usize) {
        let (mut live, mut peak, mut at) = (0, 0, 0);
        for (k, (step, drops)) in self.steps.iter().zip(&self.drops).enumerate() {
            let (kept, passing) = self.cost(step, nodes);
            live += kept;
            if live + passing > peak {
                (peak, at) = (live + passing, k);
            }
            live -= drops.iter().map(|&p| self.footprint(p, nodes)).sum::<u64>();
        }
        let writing = live + self.writing(stage, nodes);
        if writing > peak { (writing, self.steps.len()) } else { (peak, at) }
    }

    /// Bytes that a step leaves behind, and bytes that it needs only while it runs.
    fn cost(&self, step: &Step, nodes: &[PlanNode]) -> (u64, u64) {
        match step {
            Step::Read(p) => (self.footprint(*p, nodes), read_scratch(&self.pieces[*p], nodes)),
            Step::View(_) => (0, 0),
            Step::Kernel(p) => (self.footprint(*p, nodes), self.kernel_scratch(*p, nodes)),
            Step::Map { members, keep } => {
                let inputs: usize = members.iter().map(|&p| self.pieces[p].ins.len()).sum();
                let runs = (members.len() + inputs) * (RUN_BYTES + 64);
                let takers = members.iter().filter(|&&p| self.pieces[p].takes_runs);
                let scratch: u64 = takers.map(|&p| self.kernel_scratch(p, nodes)).sum();
                (keep.iter().map(|&p| self.footprint(p, nodes)).sum(), runs as u64 + scratch)
            }
        }
    }

    /// What the kernel allocates, and copies of inputs that do not lie in C order.
    fn kernel_scratch(&self, p: usize, nodes: &[PlanNode]) -> u64 {
        let piece = &self.pieces[p];
        let node = &nodes[piece.node.index()];
        let What::Op(op) = &node.what else { return 0 };
        let metas: Vec<&ArrayMeta> = node.ins.iter().map(|id| &nodes[id.index()].meta).collect();
        let reads: Vec<Region> = piece.ins.iter().map(|i| i.region.clone()).collect();
        let copies = piece.ins.iter().zip(&metas).filter(|(input, _)| !self.is_plain(input.piece, &input.region));
        let copies: u64 = copies.map(|(input, meta)| Buffer::footprint(meta.bytes_of(&input.region) as usize)).sum();
        copies + op.scratch(&piece.region, &reads, &metas)
    }

    /// True if the box is a whole piece that was computed or read into a buffer of its own.
    fn is_plain(&self, piece: Option<usize>, region: &Region) -> bool {
        piece.is_none_or(|p| self.pieces[p].form != Form::Restride && self.pieces[p].region == *region)
    }

    /// Bytes of the buffer of a piece.
    fn footprint(&self, p: usize, nodes: &[PlanNode]) -> u64 {
        let piece = &self.pieces[p];
        if piece.computed && piece.form == Form::Restride {
            return 0;
        }
        Buffer::footprint(nodes[piece.node.index()].meta.bytes_of(&piece.region) as usize)
    }

    /// Bytes needed while the results are handed over. Held results are counted twice: cutting them into chunks copies them.
    fn writing(&self, stage: &Stage, nodes: &[PlanNode]) -> u64 {
        let one = |(target, (p, region)): (&super::Target, &(usize, Region))| {
            let bytes = Buffer::footprint(nodes[target.node.index()].meta.bytes_of(region) as usize);
            match &target.home {
                Home::Store { store, offset } => {
                    let copy = if self.is_plain(Some(*p), region) { 0 } else { bytes };
                    copy + store.write_scratch(&region.shifted_by(offset))
                }
                Home::Held(_) => bytes,
                Home::Result(_) => 0,
            }
        };
        stage.targets.iter().zip(&self.targets).map(one).sum()
    }
}

fn read_scratch(piece: &Piece, nodes: &[PlanNode]) -> u64 {
    match &nodes[piece.node.index()].what {
        What::Source(store) if !piece.held => store.read_scratch(&piece.region),
        _ => 0,
    }
}

fn locate_targets(stage: &Stage, pieces: &[Piece], wanted: &[Region]) -> Result<Vec<(usize, Region)>> {
    let find = |(target, region): (&super::Target, &Region)| {
        // Pieces come in the order of their nodes.
        let first = pieces.partition_point(|p| p.node < target.node);
        let mut own = (first..pieces.len()).take_while(|&p| pieces[p].node == target.node);
        let found = own.find(|&p| pieces[p].region.contains(region));
        let found = found.ok_or_else(|| voxmill_core::Error::internal("a target has no piece"))?;
        Ok((found, region.clone()))
    };
    stage.targets.iter().zip(wanted).map(find).collect()
}

/// The pass in which each piece can be computed. Kernels and views open a new one; element-wise ops stay in the one of their latest
/// input, so that those of one pass and one box can run together without waiting for each other.
fn levels(pieces: &[Piece]) -> Vec<u32> {
    let mut levels: Vec<u32> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let latest = piece.ins.iter().filter_map(|i| i.piece).map(|p| levels[p]).max();
        let new_pass = u32::from(piece.computed && piece.form != Form::Map);
        levels.push(latest.map_or(0, |level| level + new_pass));
    }
    levels
}

/// Element-wise pieces that run in one pass. A longer chain is cut: its registers would no longer fit the cache, nor its arrays the
/// memory.
const LONGEST_PASS: usize = 64;

/// The element-wise piece whose runs the piece `p` takes as they are made: as a whole, and nothing else.
fn run_maker(pieces: &[Piece], p: usize) -> Option<usize> {
    let input = pieces[p].ins.first().filter(|_| pieces[p].takes_runs)?;
    let maker = input.piece?;
    let made = pieces[maker].computed && pieces[maker].form == Form::Map && pieces[maker].region == input.region;
    made.then_some(maker)
}

/// The pieces that run together, and who needs them.
struct Passes {
    /// The pass of each piece.
    of: Vec<usize>,
    /// The pieces of each pass, inputs first.
    members: Vec<Vec<usize>>,
    /// True for a piece that is a target or that another pass reads.
    wanted_outside: Vec<bool>,
}

impl Passes {
    /// Element-wise pieces of the same level and box share a pass, which kernels that take runs join; every other piece has its own.
    fn new(pieces: &[Piece], targets: &[(usize, Region)]) -> Self {
        let levels = levels(pieces);
        let mut passes = Passes {
            of: Vec::with_capacity(pieces.len()),
            members: Vec::new(),
            wanted_outside: vec![false; pieces.len()],
        };
        let mut open: FxHashMap<(u32, &Region), usize> = FxHashMap::default();
        for (p, piece) in pieces.iter().enumerate() {
            let fused = piece.computed && piece.form == Form::Map;
            let shared = if fused {
                open.get(&(levels[p], &piece.region)).copied()
            } else {
                run_maker(pieces, p).map(|maker| passes.of[maker])
            };
            let pass = match shared {
                Some(pass) if passes.members[pass].len() < LONGEST_PASS => pass,
                _ => {
                    passes.members.push(Vec::new());
                    passes.members.len() - 1
                }
            };
            if fused {
                open.insert((levels[p], &piece.region), pass);
            }
            passes.members[pass].push(p);
            passes.of.push(pass);
            passes.wanted_outside[p] |= piece.takes_runs;
            for input in piece.ins.iter().filter_map(|i| i.piece) {
                passes.wanted_outside[input] |= passes.of[input] != pass;
            }
        }
        targets.iter().for_each(|(target, _)| passes.wanted_outside[*target] = true);
        passes
    }

    /// The pieces of other passes that `pass` reads.
    fn inputs<'a>(&'a self, pieces: &'a [Piece], pass: usize) -> impl Iterator<Item = usize> + 'a {
        let ins = self.members[pass].iter().flat_map(|&m| &pieces[m].ins).filter_map(|i| i.piece);
        ins.filter(move |&i| self.of[i] != pass)
    }

    fn step(&self, pieces: &[Piece], pass: usize) -> Step {
        let members = &self.members[pass];
        let p = members[0];
        match pieces[p].form {
            _ if !pieces[p].computed => Step::Read(p),
            Form::Restride => Step::View(p),
            Form::Kernel | Form::Composite => Step::Kernel(p),
            Form::Map => {
                let keep = members.iter().copied().filter(|&m| self.wanted_outside[m]).collect();
                Step::Map { members: members.clone(), keep }
            }
        }
    }
}

/// Steps in an order that keeps little alive: depth first, so that a long chain keeps only its head, and what is read comes just before it
/// is used.
fn order(pieces: &[Piece], targets: &[(usize, Region)]) -> Vec<Step> {
    let passes = Passes::new(pieces, targets);
    let mut steps = Vec::new();
    let mut done = vec![false; passes.members.len()];
    for &(target, _) in targets {
        let mut stack = vec![passes.of[target]];
        while let Some(&pass) = stack.last() {
            if done[pass] {
                stack.pop();
                continue;
            }
            let waiting = stack.len();
            stack.extend(passes.inputs(pieces, pass).map(|i| passes.of[i]).filter(|&other| !done[other]));
            if stack.len() == waiting {
                done[pass] = true;
                steps.push(passes.step(pieces, pass));
                stack.pop();
            }
        }
    }
    steps
}

/// After each step, the pieces whose bytes nobody needs any more. A view keeps what it looks at.
fn drops(pieces: &[Piece], steps: &[Step], targets: &[(usize, Region)]) -> Vec<Vec<usize>> {
    const NEVER: usize = usize::MAX;
    let mut last = vec![0; pieces.len()];
    for (k, step) in steps.iter().enumerate() {
        for &p in step.members() {
            last[p] = last[p].max(k);
            for input in pieces[p].ins.iter().filter_map(|i| i.piece) {
                last[input] = last[input].max(k);
            }
        }
    }
    for (target, _) in targets {
        last[*target] = NEVER;
    }
    for p in (0..pieces.len()).rev() {
        if pieces[p].computed && pieces[p].form == Form::Restride {
            for input in pieces[p].ins.iter().filter_map(|i| i.piece) {
                last[input] = last[input].max(last[p]);
            }
        }
    }
    let mut drops = vec![Vec::new(); steps.len()];
    let kept = kept_pieces(steps, pieces.len());
    for (p, &k) in last.iter().enumerate() {
        if k != NEVER && kept[p] && k < drops.len() {
            drops[k].push(p);
        }
    }
    drops
}

/// The pieces that exist as chunks: all but those computed on the way in a fused pass.
fn kept_pieces(steps: &[Step], n: usize) -> Vec<bool> {
    let mut kept = vec![false; n];
    for step in steps {
        match step {
            Step::Read(p) | Step::View(p) | Step::Kernel(p) => kept[*p] = true,
            Step::Map { keep, .. } => keep.iter().for_each(|&p| kept[p] = true),
        }
    }
    kept
}
