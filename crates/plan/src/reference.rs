//! The plainest way to compute an array: every node whole, one after the other, with no tiles, fusion or threads. Slow and
//! memory-hungry on purpose: it is what tests compare the engine with.

use std::cell::RefCell;
use std::collections::BTreeMap;

use voxmill_core::{ArrayMeta, Chunk, Error, Region, Result, View};

use crate::graph::Graph;
use crate::op::{Form, NoRows, Op, Place, RowBook, Rows};
use crate::task::{NodeId, PlanNode};
use crate::{Array, What};

/// Computes `array` whole.
pub fn evaluate(array: &Array) -> Result<Chunk> {
    let (graph, ids) = Graph::build(std::slice::from_ref(array))?;
    let mut done: Vec<Chunk> = Vec::with_capacity(graph.nodes.len());
    let attached = RefCell::new(BTreeMap::new());
    for (k, node) in graph.nodes.iter().enumerate() {
        let ins: Vec<Chunk> = node.ins.iter().map(|id| done[id.index()].clone()).collect();
        let book = NodeRows { node: NodeId(k as u32), ins: &node.ins, attached: &attached };
        done.push(evaluate_node(node, &graph.nodes, &ins, &book)?);
    }
    Ok(done[ids[0].index()].clone())
}

/// The rows of all nodes, as one of them sees them.
#[derive(Debug)]
struct NodeRows<'a> {
    node: NodeId,
    ins: &'a [NodeId],
    attached: &'a RefCell<BTreeMap<(NodeId, Vec<usize>), Rows>>,
}

impl RowBook for NodeRows<'_> {
    fn rows(&self, input: usize, at: &[usize]) -> Result<Rows> {
        Ok(self.attached.borrow().get(&(self.ins[input], at.to_vec())).cloned().unwrap_or_else(|| Rows::from([])))
    }

    fn attach(&self, at: &[usize], rows: Vec<u8>) {
        self.attached.borrow_mut().insert((self.node, at.to_vec()), rows.into());
    }
}

fn evaluate_node(node: &PlanNode, nodes: &[PlanNode], ins: &[Chunk], rows: &dyn RowBook) -> Result<Chunk> {
    match &node.what {
        What::Literal(value) => Chunk::from_scalar(*value, node.meta.dtype),
        What::Source(store) => {
            let mut chunk = Chunk::new(&node.meta.shape, node.meta.dtype)?;
            store.read(&node.meta.whole(), &mut chunk.view_mut()?)?;
            Ok(chunk)
        }
        What::Op(op) => {
            let metas: Vec<&ArrayMeta> = node.ins.iter().map(|id| &nodes[id.index()].meta).collect();
            run_box_with(op.as_ref(), (&node.meta, &node.meta.whole()), &metas, ins, rows)
        }
    }
}

/// Runs one op for the box `out` of its result, on whole inputs.
pub fn run_box(op: &dyn Op, meta: &ArrayMeta, out: &Region, metas: &[&ArrayMeta], ins: &[Chunk]) -> Result<Chunk> {
    run_box_with(op, (meta, out), metas, ins, &NoRows)
}

/// Runs one op that takes runs for the box `out` of its result, in runs of lengths that `next` gives; `None` if it does not take them.
pub fn run_box_in_runs(
    op: &dyn Op,
    (meta, out): (&ArrayMeta, &Region),
    metas: &[&ArrayMeta],
    ins: &[Chunk],
    next: &mut dyn FnMut() -> usize,
) -> Result<Option<Chunk>> {
    let reads = op.reads(out, metas);
    if reads.len() != 1 || !op.takes_runs(&reads[0], metas) {
        return Ok(None);
    }
    let mut taker = op.taker(&Place { out, out_meta: meta, reads: &reads, ins: metas, rows: &NoRows })?;
    let part = ins[0].part(&reads[0]).to_contiguous()?;
    let (view, width) = (part.view(), part.dtype().size());
    let mut rest = view.bytes().unwrap_or_default();
    while !rest.is_empty() {
        let (run, more) = rest.split_at((next() * width).min(rest.len()));
        taker.take(run);
        rest = more;
    }
    let mut result = Chunk::new(&out.shape, meta.dtype)?;
    taker.finish(&mut result.view_mut()?)?;
    Ok(Some(result))
}

fn run_box_with(
    op: &dyn Op,
    (meta, out): (&ArrayMeta, &Region),
    metas: &[&ArrayMeta],
    ins: &[Chunk],
    rows: &dyn RowBook,
) -> Result<Chunk> {
    let reads = op.reads(out, metas);
    let parts: Vec<Chunk> = ins.iter().zip(&reads).map(|(chunk, read)| chunk.part(read)).collect();
    let at = Place { out, out_meta: meta, reads: &reads, ins: metas, rows };
    let mut result = Chunk::new(&out.shape, meta.dtype)?;
    match op.def().form {
        Form::Map => {
            let parts: Vec<Chunk> = parts.iter().map(|p| broadcast(p, &out.shape)).collect::<Result<_>>()?;
            let bytes: Vec<&[u8]> = parts.iter().map(|p| p.view().bytes().unwrap_or_default()).collect();
            if let Some(out) = result.view_mut()?.bytes_mut() {
                (op.kernel(metas)?.0)(&bytes, out);
            }
        }
        Form::Restride => op.restride(&at, &parts[0].view())?.copy_to(&mut result.view_mut()?)?,
        Form::Kernel => {
            let parts: Vec<Chunk> = parts.iter().map(Chunk::to_contiguous).collect::<Result<_>>()?;
            let views: Vec<View<'_>> = parts.iter().map(Chunk::view).collect();
            op.run(&at, &views, &mut result.view_mut()?)?;
        }
        Form::Composite => return Err(Error::internal(format!("{} did not expand", op.def().name))),
    }
    Ok(result)
}

/// A contiguous copy of `part`, repeated along axes of length 1 and new leading axes to reach `shape`.
fn broadcast(part: &Chunk, shape: &[usize]) -> Result<Chunk> {
    let view = part.view();
    let lead = shape.len() - view.shape().len();
    let strides: Vec<isize> = (0..shape.len())
        .map(|k| if k < lead || view.shape()[k - lead] != shape[k] { 0 } else { view.strides()[k - lead] })
        .collect();
    let mut out = Chunk::new(shape, part.dtype())?;
    if out.size() > 0 {
        view.restrided(view.offset(), shape, strides)?.copy_to(&mut out.view_mut()?)?;
    }
    Ok(out)
}
