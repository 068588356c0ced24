//! `affine_transform`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::spline_image::{CVAL, MODE, ORDER, PREFILTER, RULES, Splines};
use super::spline_sample::Mapping;
use crate::family::neighborhood::PerAxis;
use crate::filter::line::OUTPUT;

/// A matrix as users write it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Linear {
    /// Its diagonal.
    Diagonal(Vec<f64>),
    /// Its rows, perhaps with an offset at their ends, and perhaps with a last row of zeros and a one.
    Rows(Vec<Vec<f64>>),
}

/// Its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AffineTransform {
    /// The matrix.
    pub matrix: Linear,
    /// Where the first element of the result comes from.
    #[serde(default = "zero")]
    pub offset: PerAxis<f64>,
    /// The shape of the result.
    #[serde(default)]
    pub output_shape: Option<Vec<usize>>,
    /// Splines and borders.
    #[serde(flatten)]
    pub splines: Splines,
}

fn zero() -> PerAxis<f64> {
    PerAxis::One(0.0)
}

/// The op `affine_transform`.
pub static DEF: OpDef = OpDef {
    name: "affine_transform",
    theme: "geometry",
    summary: "An image turned, scaled, sheared and moved.",
    doc: RULES,
    inputs: Inputs::Named(&["input"]),
    params: &[
        Param {
            name: "matrix",
            kind: "list of float or list of rows",
            default: None,
            doc: "the element o of the result comes from matrix o + offset; a list is a diagonal, rows may have the offset at their ends",
        },
        Param {
            name: "offset",
            kind: "float or list of float",
            default: Some("0.0"),
            doc: "where the first element of the result comes from",
        },
        Param {
            name: "output_shape",
            kind: "list of int",
            default: Some("null"),
            doc: "the shape of the result; that of the image by default",
        },
        OUTPUT,
        ORDER,
        MODE,
        CVAL,
        PREFILTER,
    ],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<AffineTransform>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![
            one(json!({"matrix": [[0.9, 0.2], [-0.3, 1.1]], "offset": 0.5}), &[6, 7], DType::U8),
            one(json!({"matrix": [0.5, 2.0], "offset": [1, 2], "order": 1, "mode": "mirror"}), &[6, 7], DType::F32),
            one(json!({"matrix": [[1, 0.5, 2], [0, 1, 1], [0, 0, 1]], "output_shape": [4, 9]}), &[6, 7], DType::F64),
        ]
    },
};

impl AffineTransform {
    /// The mapping for an image of `rank`.
    fn mapping(&self, rank: usize, out_rank: usize) -> Result<Mapping> {
        let offset = self.offset.values("offset", rank)?;
        let rows = match &self.matrix {
            Linear::Diagonal(zoom) if zoom.len() == rank && zoom.iter().all(|&z| z != 0.0) && out_rank == rank => {
                let shift = offset.iter().zip(zoom).map(|(offset, zoom)| offset / zoom).collect();
                return Ok(Mapping::Axes { shift, zoom: zoom.clone(), grid: false });
            }
            Linear::Diagonal(zoom) => {
                let row = |k: usize| (0..zoom.len()).map(|l| if k == l { zoom[k] } else { 0.0 }).collect();
                (0..zoom.len()).map(row).collect::<Vec<Vec<f64>>>()
            }
            Linear::Rows(rows) => rows.clone(),
        };
        let homogeneous = !rows.is_empty() && rows.iter().all(|row| row.len() == rank + 1);
        if homogeneous && rows.len() == rank + 1 {
            let last: Vec<f64> = (0..=rank).map(|k| f64::from(u8::from(k == rank))).collect();
            if rows[rank] != last {
                return Err(Error::invalid(format!(
                    "the last row of a homogeneous matrix must be {last:?}, it is {:?}",
                    rows[rank]
                )));
            }
        }
        if homogeneous && (rank..rank + 2).contains(&rows.len()) {
            let offset = rows[..rank].iter().map(|row| row[rank]).collect();
            let matrix: Vec<Vec<f64>> = rows[..rank].iter().map(|row| row[..rank].to_vec()).collect();
            return check(Mapping::Matrix { matrix, offset }, rank, out_rank);
        }
        check(Mapping::Matrix { matrix: rows, offset }, rank, out_rank)
    }
}

fn check(mapping: Mapping, rank: usize, out_rank: usize) -> Result<Mapping> {
    if let Mapping::Matrix { matrix, .. } = &mapping
        && (matrix.len() != rank || matrix.iter().any(|row| row.len() != out_rank))
    {
        return Err(Error::invalid(format!(
            "the matrix has {} rows; it must have {rank} rows of {out_rank} numbers, or be homogeneous",
            matrix.len()
        )));
    }
    Ok(mapping)
}

impl Compose for AffineTransform {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        self.splines.check(&ins[0])?;
        let shape = self.output_shape.clone().unwrap_or_else(|| ins[0].shape().to_vec());
        let mapping = self.mapping(ins[0].rank(), shape.len())?;
        self.splines.sampled(&ins[0], mapping, &shape, &[])
    }
}
