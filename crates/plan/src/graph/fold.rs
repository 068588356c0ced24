//! Constant folding: an element-wise op on plain values is a value.

use voxmill_core::{Result, Scalar};

use crate::What;
use crate::op::Form;
use crate::task::PlanNode;

/// The value of `node`, if it is an element-wise op on literals only.
pub(super) fn constant(node: &PlanNode, nodes: &[PlanNode]) -> Result<Option<Scalar>> {
    let What::Op(op) = &node.what else { return Ok(None) };
    if op.def().form != Form::Map || node.meta.rank() != 0 || node.ins.is_empty() {
        return Ok(None);
    }
    let mut values = Vec::new();
    for id in &node.ins {
        let input = &nodes[id.index()];
        let What::Literal(value) = &input.what else { return Ok(None) };
        values.push(aligned(&value.to_bytes(input.meta.dtype)));
    }
    let metas: Vec<_> = node.ins.iter().map(|id| &nodes[id.index()].meta).collect();
    let widths: Vec<usize> = metas.iter().map(|m| m.dtype.size()).collect();
    let ins: Vec<&[u8]> = values.iter().zip(&widths).map(|(v, &w)| &bytes(v)[..w]).collect();
    let mut out = [0u128; 1];
    let out = &mut voxmill_core::bytemuck::cast_slice_mut::<u128, u8>(&mut out)[..node.meta.dtype.size()];
    (op.kernel(&metas)?.0)(&ins, out);
    Ok(Some(Scalar::from_bytes(out, node.meta.dtype)))
}

/// One element at an address that suits every element type.
fn aligned(element: &[u8]) -> [u128; 1] {
    let mut word = [0u128; 1];
    voxmill_core::bytemuck::cast_slice_mut::<u128, u8>(&mut word)[..element.len()].copy_from_slice(element);
    word
}

fn bytes(word: &[u128; 1]) -> &[u8] {
    voxmill_core::bytemuck::cast_slice(word)
}
