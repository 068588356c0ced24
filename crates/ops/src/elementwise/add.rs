//! `add`

use voxmill_core::{B8, Complex32, Complex64, DType, bf16, dispatch, f16};
use voxmill_plan::{Form, Inputs, OpDef};

use crate::family::map::{self, Signature, Ufunc, UfuncDef};

/// Sum of two arrays.
pub static DEF: UfuncDef = UfuncDef {
    op: OpDef {
        name: "add",
        theme: "elementwise",
        summary: "Adds two arrays element by element.",
        doc: "Integers wrap around, as in NumPy; for booleans it is a logical or.",
        inputs: Inputs::Named(&["x1", "x2"]),
        params: &[],
        form: Form::Map,
        cost: 0.3,
        hold: false,
        build: |_| Ok(std::sync::Arc::new(Ufunc(&DEF))),
        samples: || map::samples(2, &DType::ALL, 0.0, 200.0),
    },
    signature: |ins| map::promote(ins).map(|d| Signature::uniform(2, d, d)),
    kernel: |ins| {
        Ok(match ins[0] {
            DType::Bool => map::binary(|a: B8, b: B8| B8(a.0 | b.0)),
            DType::F16 => map::binary(|a: f16, b: f16| f16::from_f32(a.to_f32() + b.to_f32())),
            DType::BF16 => map::binary(|a: bf16, b: bf16| bf16::from_f32(a.to_f32() + b.to_f32())),
            DType::F32 => map::binary(|a: f32, b: f32| a + b),
            DType::F64 => map::binary(|a: f64, b: f64| a + b),
            DType::C64 => map::binary(|a: Complex32, b: Complex32| a + b),
            DType::C128 => map::binary(|a: Complex64, b: Complex64| a + b),
            dtype => dispatch!(int dtype, T => map::binary(|a: T, b: T| a.wrapping_add(b)),
                else return Err(map::no_kernel("add", ins))),
        })
    },
};
