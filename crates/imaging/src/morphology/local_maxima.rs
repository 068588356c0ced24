//! `local_maxima`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result, Scalar};
use voxmill_ops::TABLE;
use voxmill_ops::elementwise::astype::Astype;
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::grey::call;
use super::keep_unmarked::KeepUnmarked;
use crate::family::grid::Grid;
use crate::family::neighborhood::{Border, PerAxis};
use crate::filter::maximum_filter::MaximumFilter;
use crate::filter::window_filter::WindowFilter;
use crate::measure::label::{BLOCK, STRUCTURE};

/// Plateaus without a higher neighbour.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LocalMaxima {
    /// Which neighbours count; all by default.
    pub structure: Option<Grid>,
    /// Plateaus that reach the border of the array may be maxima.
    pub allow_borders: bool,
    /// Lengths of the blocks that plateaus are first looked for in; chosen by default.
    pub block: Option<Vec<usize>>,
}

impl Default for LocalMaxima {
    fn default() -> Self {
        LocalMaxima { structure: None, allow_borders: true, block: None }
    }
}

/// The op `local_maxima`.
pub static DEF: OpDef = OpDef {
    name: "local_maxima",
    theme: "morphology",
    summary: "True in connected plateaus of equal values whose neighbours are all lower.",
    doc: "As skimage.morphology: plateaus are compared as a whole, across all chunks. All neighbours count by default. An image of one value \
          has no maxima. NaN is never one.",
    inputs: Inputs::Named(&["image"]),
    params: &[
        STRUCTURE,
        Param {
            name: "allow_borders",
            kind: "bool",
            default: Some("true"),
            doc: "plateaus that reach the border of the array may be maxima",
        },
        BLOCK,
    ],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<LocalMaxima>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype: DType| Sample {
            params,
            ins: vec![SampleInput::new(shape, dtype).between(0.0, 4.0)],
        };
        vec![
            one(json!({"block": [4, 5]}), &[9, 12], DType::U8),
            one(json!({"structure": [[0, 1, 0], [1, 1, 1], [0, 1, 0]], "allow_borders": false}), &[9, 12], DType::I16),
            one(json!({"block": [2, 3, 2]}), &[5, 6, 4], DType::F32),
            one(json!({}), &[40], DType::Bool),
        ]
    },
};

/// The smallest value of a dtype.
fn lowest(dtype: DType) -> Scalar {
    match dtype {
        DType::I8 => Scalar::Int(i8::MIN.into()),
        DType::I16 => Scalar::Int(i16::MIN.into()),
        DType::I32 => Scalar::Int(i32::MIN.into()),
        DType::I64 => Scalar::Int(i64::MIN.into()),
        dtype if dtype.is_exact() => Scalar::Int(0),
        _ => Scalar::Float(f64::NEG_INFINITY),
    }
}

impl Compose for LocalMaxima {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let mut image = ins[0].clone();
        if image.dtype().is_complex() {
            return Err(Error::unsupported("complex numbers have no order; take real or abs first"));
        }
        if image.dtype() == DType::Bool {
            image = Astype::apply(&image, DType::U8)?;
        }
        let rank = image.rank();
        if rank == 0 || image.meta().size() == 0 {
            return Astype::apply(&call("not_equal", &[&image, &image])?, DType::Bool);
        }
        let structure = self.structure.clone().unwrap_or_else(|| Grid::structure(rank, rank));
        let low = lowest(image.dtype());
        let largest = |x: &Array, cval: Scalar| {
            let filter = WindowFilter {
                size: None,
                footprint: Some(structure.clone()),
                output: None,
                mode: PerAxis::One(Border::Constant),
                cval,
                origin: PerAxis::One(0),
                axes: None,
            };
            Composite::call(MaximumFilter(filter), &[x])
        };
        // Nothing higher beside it: connected ones of these are equal. They are part of a maximum unless something equal beside them is not.
        let top = call("greater_equal", &[&image, &largest(&image, low)?])?;
        let slope = call("logical_not", &[&top])?;
        let falling = call("where", &[&slope, &image, &Array::weak(low)])?;
        let equal = call("equal", &[&largest(&falling, low)?, &image])?;
        let marks = call("logical_and", &[&largest(&slope, Scalar::Bool(false))?, &equal])?;
        let keep =
            KeepUnmarked { structure: Some(structure.clone()), border: !self.allow_borders, block: self.block.clone() };
        let maxima = Composite::call(keep, &[&top, &marks])?;
        let least = Array::from_op(TABLE.build("min", &json!({}))?, vec![image.clone()])?;
        call("logical_and", &[&maxima, &call("greater", &[&image, &least])?])
    }
}
