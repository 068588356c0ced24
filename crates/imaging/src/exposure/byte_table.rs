//! `byte_table` (internal)

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;
use voxmill_core::{DType, Error, Result};
use voxmill_ops::family::map::parametric::{MapParams, Parametric};
use voxmill_ops::family::map::{Operand, Signature};
use voxmill_plan::{Array, Form, Inputs, MapKernel, OpDef, Param, Sample, SampleInput};

/// What each byte becomes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByteTable {
    /// One value for each of the 256.
    pub table: Vec<u8>,
}

/// The op `byte_table`.
pub static DEF: OpDef = OpDef {
    name: "byte_table",
    theme: "exposure",
    summary: "Internal: each uint8 replaced by that of a table.",
    doc: "",
    inputs: Inputs::Named(&["x"]),
    params: &[Param { name: "table", kind: "list of int", default: None, doc: "256 values" }],
    form: Form::Map,
    cost: 0.5,
    hold: false,
    build: Parametric::<ByteTable>::build,
    samples: || {
        let table: Vec<u8> = (0..=255u8).rev().collect();
        vec![Sample { params: json!({"table": table}), ins: vec![SampleInput::new(&[5, 7], DType::U8)] }]
    },
};

impl ByteTable {
    /// The table applied to `image`.
    pub fn of(image: &Array, value: impl Fn(u8) -> f64) -> Result<Array> {
        let table = (0..=255u8).map(|v| value(v) as u8).collect();
        Array::from_op(Arc::new(Parametric(ByteTable { table })), vec![image.clone()])
    }
}

impl MapParams for ByteTable {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn signature(&self, ins: &[Operand]) -> Result<Signature> {
        if self.table.len() != 256 || ins[0].dtype != DType::U8 {
            return Err(Error::internal("a table of bytes has 256 values"));
        }
        Ok(Signature::uniform(1, DType::U8, DType::U8))
    }

    fn kernel(&self, _ins: &[DType]) -> Result<MapKernel> {
        let table = self.table.clone();
        Ok(MapKernel(Arc::new(move |ins, out| {
            out.iter_mut().zip(ins[0]).for_each(|(out, &v)| *out = table[usize::from(v)]);
        })))
    }
}
