//! Ops that consist of others: short ways to call these, and a macro that leaves only what is special about an op.

use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_ops::TABLE;
use voxmill_plan::{Array, OpDef};

/// An op of the table of `ops` on arrays.
pub fn call(name: &str, ins: &[&Array], params: Value) -> Result<Array> {
    Array::from_op(TABLE.build(name, &params)?, ins.iter().map(|a| (*a).clone()).collect())
}

/// An op of this crate on arrays.
pub fn apply(def: &'static OpDef, ins: &[&Array], params: Value) -> Result<Array> {
    Array::from_op((def.build)(&params)?, ins.iter().map(|a| (*a).clone()).collect())
}

/// An op on two arrays without parameters.
pub fn both(name: &str, a: &Array, b: &Array) -> Result<Array> {
    call(name, &[a, b], json!({}))
}

/// An op on one array without parameters.
pub fn one(name: &str, a: &Array) -> Result<Array> {
    call(name, &[a], json!({}))
}

/// An op on an array and a number that adapts to it.
pub fn with(name: &str, a: &Array, number: f64) -> Result<Array> {
    both(name, a, &Array::weak(number))
}

/// `array` with elements of `dtype`.
pub fn cast(array: &Array, dtype: DType) -> Result<Array> {
    if array.dtype() == dtype {
        return Ok(array.clone());
    }
    call("astype", &[array], json!({"dtype": dtype}))
}

/// The float that results have for images of a dtype, as scikit-image chooses it: small floats are single, all else is double.
pub fn float_of(dtype: DType) -> Result<DType> {
    match dtype {
        DType::F32 | DType::F16 | DType::BF16 => Ok(DType::F32),
        dtype if dtype.is_complex() => {
            Err(Error::invalid(format!("images of complex numbers are not supported, got {dtype}")))
        }
        _ => Ok(DType::F64),
    }
}

/// The values that a dtype stands for in scikit-image: all that whole numbers have, -1 to 1 for floats.
pub fn limits(dtype: DType) -> (f64, f64) {
    match dtype {
        DType::Bool => (0.0, 1.0),
        DType::U8 => (0.0, f64::from(u8::MAX)),
        DType::U16 => (0.0, f64::from(u16::MAX)),
        DType::U32 => (0.0, f64::from(u32::MAX)),
        DType::U64 => (0.0, u64::MAX as f64),
        DType::I8 => (f64::from(i8::MIN), f64::from(i8::MAX)),
        DType::I16 => (f64::from(i16::MIN), f64::from(i16::MAX)),
        DType::I32 => (f64::from(i32::MIN), f64::from(i32::MAX)),
        DType::I64 => (i64::MIN as f64, i64::MAX as f64),
        _ => (-1.0, 1.0),
    }
}

/// The image in floats: whole numbers divided by the largest one of their dtype, floats as they are.
pub fn float_image(image: &Array) -> Result<Array> {
    let dtype = image.dtype();
    float_of(dtype)?;
    if dtype.is_float() {
        return Ok(image.clone());
    }
    let wide = cast(image, DType::F64)?;
    if dtype == DType::Bool {
        return Ok(wide);
    }
    let (low, high) = limits(dtype);
    let scaled = with("multiply", &wide, 1.0 / high)?;
    if low < 0.0 { with("maximum", &scaled, -1.0) } else { Ok(scaled) }
}

/// An op that consists of others: its parameters with defaults, what help says, samples, and what it is made of.
macro_rules! composite_op {
    (
        $op:ident, $name:literal, $theme:literal, $summary:expr, $doc:expr, [$($input:literal),+],
        { $($field:ident: $t:ty = $default:expr, $param:expr;)* },
        $samples:expr,
        |$self:ident, $ins:ident| $body:expr
    ) => {
        /// Its parameters.
        #[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $op {
            $(
                /// See the parameter of that name.
                pub $field: $t,
            )*
        }

        impl Default for $op {
            fn default() -> Self {
                $op { $($field: $default),* }
            }
        }

        #[doc = concat!("The op `", $name, "`.")]
        pub static DEF: voxmill_plan::OpDef = voxmill_plan::OpDef {
            name: $name,
            theme: $theme,
            summary: $summary,
            doc: $doc,
            inputs: voxmill_plan::Inputs::Named(&[$($input),+]),
            params: &[$($param),*],
            form: voxmill_plan::Form::Composite,
            cost: 0.0,
            hold: false,
            build: voxmill_ops::family::composite::Composite::<$op>::build,
            samples: $samples,
        };

        impl voxmill_ops::family::composite::Compose for $op {
            fn def() -> &'static voxmill_plan::OpDef {
                &DEF
            }

            fn compose(&self, $ins: &[voxmill_plan::Array]) -> voxmill_core::Result<voxmill_plan::Array> {
                let $self = self;
                $body
            }
        }
    };
}

pub(crate) use composite_op;
