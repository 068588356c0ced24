//! The expression as a list: inputs before users, equal parts once, composite ops replaced by what they consist of.

mod fold;

use rustc_hash::FxHashMap;
use voxmill_core::{ArrayMeta, Error, Result};

use crate::task::{NodeId, PlanNode};
use crate::{Array, What};

/// The nodes of some arrays. Invariant: the inputs of a node come before it.
#[derive(Debug, Default)]
pub struct Graph {
    /// All nodes.
    pub nodes: Vec<PlanNode>,
    known: FxHashMap<Key, NodeId>,
    seen: FxHashMap<usize, NodeId>,
    /// Keeps the arrays alive whose addresses are keys of `seen`.
    alive: Vec<Array>,
}

/// What makes two nodes the same: the thing itself and its inputs.
#[derive(PartialEq, Eq, Hash, Debug)]
struct Key(String, Vec<NodeId>);

/// How deep composites may nest before we suspect that one expands to itself.
const MAX_EXPANSIONS: usize = 10_000;

impl Graph {
    /// The graph of `outputs`, and the node of each.
    pub fn build(outputs: &[Array]) -> Result<(Graph, Vec<NodeId>)> {
        let mut graph = Graph::default();
        let ids = outputs.iter().map(|array| graph.import(array)).collect::<Result<_>>()?;
        Ok((graph, ids))
    }

    /// Adds `array` and all it needs. A loop with its own stack: expressions may be deeper than the thread's stack.
    fn import(&mut self, array: &Array) -> Result<NodeId> {
        let mut stack = vec![(array.clone(), array.clone(), 0)];
        while let Some((asked, current, expansions)) = stack.pop() {
            if self.seen.contains_key(&asked.key()) {
                continue;
            }
            if let Some(simpler) = expand(&current)? {
                if expansions > MAX_EXPANSIONS {
                    return Err(Error::internal(format!("{current:?} expands without end")));
                }
                stack.push((asked, simpler, expansions + 1));
                continue;
            }
            let missing: Vec<&Array> = current.ins().iter().filter(|a| !self.seen.contains_key(&a.key())).collect();
            if missing.is_empty() {
                let id = self.intern(&current)?;
                self.seen.insert(asked.key(), id);
                self.alive.push(asked);
                continue;
            }
            let missing: Vec<Array> = missing.into_iter().cloned().collect();
            stack.push((asked, current, expansions));
            stack.extend(missing.into_iter().map(|a| (a.clone(), a, 0)));
        }
        self.seen.get(&array.key()).copied().ok_or_else(|| Error::internal("an array was not imported"))
    }

    /// The node of an array whose inputs are all known.
    fn intern(&mut self, array: &Array) -> Result<NodeId> {
        let ins: Vec<NodeId> = array.ins().iter().map(|a| self.seen[&a.key()]).collect();
        let mut node = PlanNode { what: array.what().clone(), ins, meta: array.meta().clone() };
        if let Some(value) = fold::constant(&node, &self.nodes)? {
            node = PlanNode { what: What::Literal(value), ins: Vec::new(), meta: node.meta };
        }
        node.meta.weak = None;
        let key = Key(signature(&node.what, &node.meta), node.ins.clone());
        Ok(*self.known.entry(key).or_insert_with(|| {
            self.nodes.push(node);
            NodeId(self.nodes.len() as u32 - 1)
        }))
    }
}

fn expand(array: &Array) -> Result<Option<Array>> {
    match array.op() {
        Some(op) => op.expand(array.ins()).map_err(|e| e.at(op.def().name)),
        None => Ok(None),
    }
}

/// The text that makes two nodes with equal inputs the same.
fn signature(what: &What, meta: &ArrayMeta) -> String {
    match what {
        What::Source(store) => format!("source {}", store.spec()),
        What::Literal(value) => format!("literal {} {}", meta.dtype, value),
        What::Op(op) => format!("{} {}", op.def().name, op.params()),
    }
}
