//! Plans as data: what another process needs to run any task of a plan.
//!
//! Only specs travel. Stores are opened again where the plan arrives, with the credentials and caches of that machine.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, ChunkGrid, Error, Idx, Region, Result, Scalar, Store, StoreOpener, StoreSpec};

use crate::task::{Home, NodeId, Plan, PlanNode, Stage, StageNode, Target};
use crate::{OpTable, What};

/// A plan in serial form.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PlanSpec {
    nodes: Vec<NodeSpec>,
    stages: Vec<StageSpec>,
    memory_limit: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct NodeSpec {
    what: WhatSpec,
    ins: Vec<u32>,
    meta: ArrayMeta,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WhatSpec {
    Source(StoreSpec),
    Literal(Scalar),
    Op { name: String, params: Value },
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct StageSpec {
    targets: Vec<TargetSpec>,
    tiles: ChunkGrid,
    /// Number, computed, held, positions of the inputs.
    nodes: Vec<(u32, bool, bool, Vec<usize>)>,
    peak: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct TargetSpec {
    node: u32,
    region: Region,
    home: HomeSpec,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum HomeSpec {
    Store { store: StoreSpec, offset: Idx },
    Held(ChunkGrid),
    Result(usize),
}

impl Plan {
    /// A word for what is computed and where it goes, the same for every way to cut the work. What its serial form does not tell apart
    /// from one process to the next is `known` by something else.
    pub fn identity(&self, known: &dyn Fn(&What) -> Option<Value>) -> String {
        let spec = self.spec();
        let outputs = spec.stages.iter().flat_map(|stage| &stage.targets);
        let outputs: Vec<_> = outputs.filter(|target| !matches!(target.home, HomeSpec::Held(_))).collect();
        let whats = self.nodes.iter().zip(&spec.nodes);
        let whats = whats.map(|(node, spec)| known(&node.what).unwrap_or_else(|| json!(spec.what)));
        let rest = spec.nodes.iter().map(|node| (&node.ins, &node.meta));
        let nodes: Vec<_> = whats.zip(rest).collect();
        // Values in a plan have a serial form; without one there is nothing to compare, and no run goes on with it.
        let text = serde_json::to_string(&(nodes, outputs)).unwrap_or_else(|error| error.to_string());
        blake3::hash(text.as_bytes()).to_hex().to_string()
    }

    /// The plan as data.
    pub fn spec(&self) -> PlanSpec {
        let node = |node: &PlanNode| NodeSpec {
            what: match &node.what {
                What::Source(store) => WhatSpec::Source(store.spec().clone()),
                What::Literal(value) => WhatSpec::Literal(*value),
                What::Op(op) => WhatSpec::Op { name: op.def().name.to_string(), params: op.params() },
            },
            ins: node.ins.iter().map(|id| id.0).collect(),
            meta: node.meta.clone(),
        };
        PlanSpec {
            nodes: self.nodes.iter().map(node).collect(),
            stages: self.stages.iter().map(stage_spec).collect(),
            memory_limit: self.memory_limit,
        }
    }
}

fn stage_spec(stage: &Stage) -> StageSpec {
    let target = |target: &Target| TargetSpec {
        node: target.node.0,
        region: target.region.clone(),
        home: match &target.home {
            Home::Store { store, offset } => HomeSpec::Store { store: store.spec().clone(), offset: offset.clone() },
            Home::Held(grid) => HomeSpec::Held(grid.clone()),
            Home::Result(n) => HomeSpec::Result(*n),
        },
    };
    StageSpec {
        targets: stage.targets.iter().map(target).collect(),
        tiles: stage.tiles.clone(),
        nodes: stage.nodes.iter().map(|n| (n.id.0, n.computed, n.held, n.ins.clone())).collect(),
        peak: stage.peak,
    }
}

impl PlanSpec {
    /// The plan again, with ops from `table` and stores opened by `stores`.
    pub fn open(&self, table: &OpTable, stores: &dyn StoreOpener) -> Result<Plan> {
        let mut opened: FxHashMap<StoreSpec, Arc<dyn Store>> = FxHashMap::default();
        let mut open = |spec: &StoreSpec| -> Result<Arc<dyn Store>> {
            if let Some(store) = opened.get(spec) {
                return Ok(store.clone());
            }
            let store = stores.open(spec)?;
            opened.insert(spec.clone(), store.clone());
            Ok(store)
        };
        let mut nodes = Vec::new();
        for node in &self.nodes {
            let what = match &node.what {
                WhatSpec::Source(spec) => What::Source(open(spec)?),
                WhatSpec::Literal(value) => What::Literal(*value),
                WhatSpec::Op { name, params } => What::Op(table.build(name, params)?),
            };
            let ins = node.ins.iter().map(|&n| checked(n, self.nodes.len())).collect::<Result<_>>()?;
            nodes.push(PlanNode { what, ins, meta: node.meta.clone() });
        }
        let mut stages = Vec::new();
        let mut held = FxHashMap::default();
        for (s, stage) in self.stages.iter().enumerate() {
            let stage = stage.open(nodes.len(), &mut open)?;
            for (t, target) in stage.targets.iter().enumerate() {
                if matches!(target.home, Home::Held(_)) {
                    held.insert(target.node, (s, t));
                }
            }
            stages.push(stage);
        }
        Ok(Plan { nodes, stages, held, memory_limit: self.memory_limit })
    }
}

impl StageSpec {
    fn open(&self, n_nodes: usize, open: &mut dyn FnMut(&StoreSpec) -> Result<Arc<dyn Store>>) -> Result<Stage> {
        let mut targets = Vec::new();
        for target in &self.targets {
            let home = match &target.home {
                HomeSpec::Store { store, offset } => Home::Store { store: open(store)?, offset: offset.clone() },
                HomeSpec::Held(grid) => Home::Held(grid.clone()),
                HomeSpec::Result(n) => Home::Result(*n),
            };
            targets.push(Target { node: checked(target.node, n_nodes)?, region: target.region.clone(), home });
        }
        let mut nodes = Vec::new();
        for (id, computed, held, ins) in &self.nodes {
            if ins.iter().any(|&i| i >= self.nodes.len()) {
                return Err(damaged());
            }
            let id = checked(*id, n_nodes)?;
            nodes.push(StageNode { id, computed: *computed, held: *held, ins: ins.clone() });
        }
        Ok(Stage { targets, tiles: self.tiles.clone(), nodes, peak: self.peak })
    }
}

fn checked(n: u32, n_nodes: usize) -> Result<NodeId> {
    if (n as usize) < n_nodes { Ok(NodeId(n)) } else { Err(damaged()) }
}

fn damaged() -> Error {
    Error::corrupt("the plan is damaged: it names a node that it does not have")
}
