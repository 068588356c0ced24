//! Arrays of one value: `zeros`, `ones`, `empty` and their `_like` forms, which differ in a name and a number.

/// An op that makes an array of `$value`: `constant!("zeros", Zeros, 0, "summary", "doc")`.
macro_rules! constant {
    ($name:literal, $Op:ident, $value:literal, $summary:literal, $doc:literal) => {
        #[doc = $summary]
        #[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $Op {
            /// Length of each axis.
            #[serde(deserialize_with = "crate::family::params::shape")]
            pub shape: Vec<usize>,
            /// Element type; `float64` by default.
            #[serde(default)]
            pub dtype: Option<voxmill_core::DType>,
            /// Declared chunks.
            #[serde(default)]
            pub chunks: crate::family::params::Chunks,
        }

        #[doc = concat!("The op `", $name, "`.")]
        pub static DEF: voxmill_plan::OpDef = voxmill_plan::OpDef {
            name: $name,
            theme: "creation",
            summary: $summary,
            doc: $doc,
            inputs: voxmill_plan::Inputs::Named(&[]),
            params: &[
                crate::family::params::SHAPE,
                voxmill_plan::Param {
                    name: "dtype",
                    kind: "dtype",
                    default: Some("null"),
                    doc: "element type; float64 by default",
                },
                crate::family::params::CHUNKS,
            ],
            form: voxmill_plan::Form::Composite,
            cost: 0.1,
            hold: false,
            build: crate::family::composite::Composite::<$Op>::build,
            samples: crate::family::constant::samples,
        };

        impl crate::family::composite::Compose for $Op {
            fn def() -> &'static voxmill_plan::OpDef {
                &DEF
            }

            fn compose(&self, _ins: &[voxmill_plan::Array]) -> voxmill_core::Result<voxmill_plan::Array> {
                let full = crate::creation::full::Full {
                    shape: self.shape.clone(),
                    fill_value: voxmill_core::Scalar::Int($value),
                    dtype: Some(self.dtype.unwrap_or(voxmill_core::DType::F64)),
                    chunks: self.chunks.clone(),
                };
                voxmill_plan::Array::from_op(std::sync::Arc::new(full), Vec::new())
            }
        }
    };
}
pub(crate) use constant;

/// As [`constant`], with the shape, chunks and element type of another array.
macro_rules! constant_like {
    ($name:literal, $Op:ident, $value:literal, $summary:literal, $doc:literal) => {
        #[doc = $summary]
        #[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $Op {
            /// Element type; that of the other array by default.
            #[serde(default)]
            pub dtype: Option<voxmill_core::DType>,
        }

        #[doc = concat!("The op `", $name, "`.")]
        pub static DEF: voxmill_plan::OpDef = voxmill_plan::OpDef {
            name: $name,
            theme: "creation",
            summary: $summary,
            doc: $doc,
            inputs: voxmill_plan::Inputs::Named(&["x"]),
            params: &[voxmill_plan::Param {
                name: "dtype",
                kind: "dtype",
                default: Some("null"),
                doc: "element type; that of the other array by default",
            }],
            form: voxmill_plan::Form::Composite,
            cost: 0.1,
            hold: false,
            build: crate::family::composite::Composite::<$Op>::build,
            samples: crate::family::constant::samples_like,
        };

        impl crate::family::composite::Compose for $Op {
            fn def() -> &'static voxmill_plan::OpDef {
                &DEF
            }

            fn compose(&self, ins: &[voxmill_plan::Array]) -> voxmill_core::Result<voxmill_plan::Array> {
                let (value, dtype) = (voxmill_core::Scalar::Int($value), self.dtype.unwrap_or(ins[0].dtype()));
                let full = crate::creation::full::Full::apply(ins[0].shape(), value, dtype)?;
                Ok(full.with_grid(ins[0].meta().grid.clone()))
            }
        }
    };
}
pub(crate) use constant_like;

use serde_json::{Value, json};
use voxmill_core::DType;
use voxmill_plan::{Sample, SampleInput};

/// Some shapes and dtypes.
pub fn samples() -> Vec<Sample> {
    let one =
        |shape: &[usize], dtype: DType| Sample { params: json!({"shape": shape, "dtype": dtype}), ins: Vec::new() };
    vec![one(&[3, 4], DType::F32), one(&[], DType::U8), one(&[0, 2], DType::Bool)]
}

/// Some arrays to be like.
pub fn samples_like() -> Vec<Sample> {
    let one = |params: Value, shape: &[usize]| Sample { params, ins: vec![SampleInput::new(shape, DType::U16)] };
    vec![one(json!({}), &[3, 4]), one(json!({"dtype": "float32"}), &[])]
}
