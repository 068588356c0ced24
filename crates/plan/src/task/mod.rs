//! Plans and tasks. A plan lists stages; a task is the pair (stage, tile number), and everything about it - boxes, steps,
//! dependencies, bytes - is computed from the plan when asked. Ten million tiles cost nothing until they run.

mod steps;
mod walk;

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use voxmill_core::{ArrayMeta, ChunkGrid, Idx, Region, Result, Store};

use crate::What;

pub use steps::{RUN_BYTES, Step, Steps};
pub use walk::{Piece, PieceInput, walk};

/// Number of a node in its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// As an index into [`Plan::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One array of a plan.
#[derive(Debug, Clone)]
pub struct PlanNode {
    /// What it is.
    pub what: What,
    /// The arrays it is computed from.
    pub ins: Vec<NodeId>,
    /// Shape, dtype and declared chunks.
    pub meta: ArrayMeta,
}

impl PlanNode {
    /// The boxes that it is made in as a whole, if it is of that kind.
    pub fn blocks(&self) -> Option<&ChunkGrid> {
        match &self.what {
            What::Op(op) => op.blocks(),
            _ => None,
        }
    }

    /// A word for people: the op's name, the source's location or the value.
    pub fn label(&self) -> String {
        match &self.what {
            What::Source(store) => store.spec().location.clone(),
            What::Literal(value) => value.to_string(),
            What::Op(op) => op.title().to_string(),
        }
    }
}

/// A checked plan: every task of it fits the memory limit it was made for.
#[derive(Debug, Clone)]
pub struct Plan {
    /// All arrays, inputs first.
    pub nodes: Vec<PlanNode>,
    /// The stages, producers first.
    pub stages: Vec<Stage>,
    /// Where each held array is made: stage and target number.
    pub held: FxHashMap<NodeId, (usize, usize)>,
    /// The bytes that all tasks and held chunks together may take.
    pub memory_limit: u64,
}

/// One pass: the same fused program for every tile of a grid.
#[derive(Debug, Clone)]
pub struct Stage {
    /// What each tile produces.
    pub targets: Vec<Target>,
    /// The tiles, as a grid over the region of the first target.
    pub tiles: ChunkGrid,
    /// The arrays involved, inputs first.
    pub nodes: Vec<StageNode>,
    /// Largest number of bytes that one task needs.
    pub peak: u64,
}

/// A result of a stage.
#[derive(Debug, Clone)]
pub struct Target {
    /// Which array.
    pub node: NodeId,
    /// The part that is asked for.
    pub region: Region,
    /// Where it goes.
    pub home: Home,
}

/// Where a result lives.
#[derive(Debug, Clone)]
pub enum Home {
    /// In a store, at the same coordinates moved by `offset`.
    Store {
        /// The store.
        store: Arc<dyn Store>,
        /// Where element 0 of the result goes.
        offset: Idx,
    },
    /// In memory or on scratch until its last reader is done, cut into these chunks (over the target's region).
    Held(ChunkGrid),
    /// In the caller's memory: the n-th result.
    Result(usize),
}

/// A node as a stage sees it.
#[derive(Debug, Clone)]
pub struct StageNode {
    /// Which array.
    pub id: NodeId,
    /// True if this stage computes it; false if it is read: a source, a literal or the result of an earlier stage.
    pub computed: bool,
    /// True if it is the result of an earlier stage.
    pub held: bool,
    /// Positions of the inputs in [`Stage::nodes`]; empty if not computed.
    pub ins: Vec<usize>,
}

/// A task: which stage, which tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskId {
    /// Index into [`Plan::stages`].
    pub stage: u32,
    /// Tile number in C order.
    pub tile: u32,
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stage {} tile {}", self.stage, self.tile)
    }
}

impl Plan {
    /// The stage of a task.
    pub fn stage(&self, id: TaskId) -> &Stage {
        &self.stages[id.stage as usize]
    }

    /// The steps of a task, in the order in which they run.
    pub fn steps(&self, id: TaskId) -> Result<Steps> {
        let stage = self.stage(id);
        stage.steps(&self.nodes, &stage.target_regions(id.tile as usize))
    }

    /// The held chunks that a task reads: the array and the box it needs.
    pub fn held_reads(&self, id: TaskId) -> Vec<(NodeId, Region)> {
        let stage = self.stage(id);
        if !stage.nodes.iter().any(|n| n.held) {
            return Vec::new();
        }
        let pieces = walk(stage, &self.nodes, &stage.target_regions(id.tile as usize));
        pieces.into_iter().filter(|p| p.held).map(|p| (p.node, p.region)).collect()
    }

    /// The target that holds `node`, if an earlier stage makes it.
    pub fn held_target(&self, node: NodeId) -> Option<(usize, &Target)> {
        let &(stage, target) = self.held.get(&node)?;
        Some((stage, &self.stages[stage].targets[target]))
    }

    /// Number of tasks in all stages.
    pub fn n_tasks(&self) -> u64 {
        self.stages.iter().map(|s| s.tiles.n_chunks() as u64).sum()
    }
}

impl Stage {
    /// The box of each target that tile number `tile` produces, in array coordinates.
    pub fn target_regions(&self, tile: usize) -> Vec<Region> {
        let at = self.tiles.position(tile);
        self.targets.iter().map(|target| self.target_region(target, &at)).collect()
    }

    /// An axis that no tile cuts is taken whole, so that results which differ only there can share a stage.
    fn target_region(&self, target: &Target, at: &[usize]) -> Region {
        let bounds = self.tiles.axes.iter().enumerate().map(|(k, cuts)| {
            let (begin, end) = if cuts.n_chunks() <= 1 { (0, target.region.shape[k]) } else { cuts.bounds(at[k]) };
            (begin + target.region.start[k], end + target.region.start[k])
        });
        Region::from_bounds(bounds)
    }

    /// The steps that produce these boxes of the targets.
    pub fn steps(&self, nodes: &[PlanNode], wanted: &[Region]) -> Result<Steps> {
        Steps::new(self, nodes, walk(self, nodes, wanted), wanted)
    }
}
