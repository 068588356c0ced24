//! Products of arrays: NumPy's `matmul`, `dot`, `tensordot` and their kin.
//!
//! All of them are one op, `contract`, under different rules for the axes: `labels.rs` says which axes meet, `product.rs` turns boxes
//! into stacks of matrices, the loops are in `numeric/gemm.rs`. Long sums go through `contract_part` and `contract_join`, so that no
//! box has to hold a whole row of a huge matrix.

use serde_json::json;
use voxmill_core::Result;
use voxmill_plan::{Array, OpDef};

use crate::TABLE;
use contract::Contract;
use labels::letters;

pub mod contract;
pub mod contract_join;
pub mod contract_part;
pub mod dot;
pub mod inner;
pub mod labels;
pub mod matmul;
pub mod outer;
mod product;
pub mod tensordot;
pub mod vdot;

/// The ops of this theme.
pub static OPS: &[&OpDef] = &[
    &matmul::DEF,
    &tensordot::DEF,
    &dot::DEF,
    &inner::DEF,
    &outer::DEF,
    &vdot::DEF,
    &contract::DEF,
    &contract_part::DEF,
    &contract_join::DEF,
];

/// `array` with all its elements on one axis.
fn flattened(array: &Array) -> Result<Array> {
    if array.rank() == 1 {
        return Ok(array.clone());
    }
    Array::from_op(TABLE.build("reshape", &json!({"shape": [array.size()]}))?, vec![array.clone()])
}

/// The sum of products over the last axis of the first input and axis `axis(rank)` of the second; a single number is multiplied.
fn product_over_last(ins: &[Array], axis: impl Fn(usize) -> usize) -> Result<Array> {
    let (a, b) = (ins[0].rank(), ins[1].rank());
    if a == 0 || b == 0 {
        return Array::from_op(TABLE.build("multiply", &json!({}))?, ins.to_vec());
    }
    let (label_a, kept_a) = (letters(0, a), letters(0, a - 1));
    let mut label_b: Vec<char> = letters(a, b).chars().collect();
    let summed = axis(b);
    let kept_b: String = label_b.iter().enumerate().filter(|&(k, _)| k != summed).map(|(_, c)| *c).collect();
    label_b.splice(summed..=summed, label_a.chars().last());
    Contract::apply(&label_a, &String::from_iter(label_b), &(kept_a + &kept_b), ins)
}
