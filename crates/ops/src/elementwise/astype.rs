//! `astype`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, Casting, DType, Error, Region, Result, dispatch};
use voxmill_plan::{Array, Form, Inputs, MapKernel, Op, OpDef, Param, Sample, SampleInput};

use crate::family::map;
use crate::numeric::convert::ConvertTo;

/// A cast to another element type.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Astype {
    /// The new type.
    pub dtype: DType,
    /// How far the cast may go.
    #[serde(default)]
    pub casting: Casting,
}

impl Astype {
    /// `array` as `dtype`, whatever is lost.
    pub fn apply(array: &Array, dtype: DType) -> Result<Array> {
        Array::from_op(Arc::new(Astype { dtype, casting: Casting::Unsafe }), vec![array.clone()])
    }
}

/// The op `astype`.
pub static DEF: OpDef = OpDef {
    name: "astype",
    theme: "elementwise",
    summary: "Casts an array to another element type.",
    doc: "As NumPy: integers wrap around, floats lose their fraction towards zero, complex numbers lose their imaginary part, \
          everything but zero is true. Floats are rounded once, to the nearest value. A float that the integer type cannot hold gives \
          what NumPy's loops give on x86-64, on every machine: NaN and numbers beyond int32 become the smallest int32 and beyond \
          int64 the smallest int64, types of 8 and 16 bits keep the low bits of an int32, and uint32 and uint64 convert their upper \
          half with an offset (NumPy's own results for uint32 beyond its range depend on the length of the array). With \
          casting=\"safe\" or \"same_kind\" a cast that may lose values is an error.",
    inputs: Inputs::Named(&["x"]),
    params: &[
        Param { name: "dtype", kind: "dtype", default: None, doc: "the new element type, such as \"float32\"" },
        Param {
            name: "casting",
            kind: "\"no\", \"safe\", \"same_kind\" or \"unsafe\"",
            default: Some("\"unsafe\""),
            doc: "how far the cast may go",
        },
    ],
    form: Form::Map,
    cost: 0.3,
    hold: false,
    build: |params| {
        let op: Astype = serde_json::from_value(params.clone()).map_err(|e| Error::invalid(e.to_string()))?;
        Ok(Arc::new(op))
    },
    samples,
};

impl Op for Astype {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!({"dtype": self.dtype, "casting": self.casting})
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        map::expect_inputs(&DEF, ins.len())?;
        if !ins[0].dtype.can_cast(self.dtype, self.casting) {
            return Err(Error::invalid(format!(
                "a cast from {} to {} may lose values, which casting={} does not allow",
                ins[0].dtype,
                self.dtype,
                json!(self.casting)
            )));
        }
        Ok(ins[0].clone().with_dtype(self.dtype))
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let input = &ins[0];
        if input.dtype() == self.dtype && input.meta().weak.is_none() {
            return Ok(Some(input.clone()));
        }
        // Two casts are one where the first loses nothing.
        if let Some(inner) = input.op().filter(|op| std::ptr::eq(op.def(), &DEF)) {
            let first = &input.ins()[0];
            if first.dtype().can_cast(input.dtype(), Casting::Safe) && inner.def().name == DEF.name {
                return Astype::apply(first, self.dtype).map(Some);
            }
        }
        Ok(None)
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        map::broadcast_reads(out, ins)
    }

    fn kernel(&self, ins: &[&ArrayMeta]) -> Result<MapKernel> {
        Ok(
            dispatch!(all ins[0].dtype, A => dispatch!(all self.dtype, B => map::unary(|v: A| ConvertTo::<B>::convert(v)))),
        )
    }
}

fn samples() -> Vec<Sample> {
    let mut all = Vec::new();
    for from in DType::ALL {
        for to in DType::ALL {
            let params = json!({"dtype": to});
            all.push(Sample { params, ins: vec![SampleInput::new(&[4, 5], from).between(0.0, 100.0)] });
        }
    }
    all
}
