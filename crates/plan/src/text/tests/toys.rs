//! Ops that remember their parameters and check the number of inputs; nothing is ever computed with them.

use std::sync::Arc;

use serde_json::Value;
use voxmill_core::{ArrayMeta, Error, Latency, Region, Result, Store, StoreSpec, View, ViewMut};

use crate::{Array, Form, Inputs, Op, OpDef, OpTable, Param};

#[derive(Debug)]
struct Toy {
    def: &'static OpDef,
    params: Value,
}

impl Op for Toy {
    fn def(&self) -> &'static OpDef {
        self.def
    }

    fn params(&self) -> Value {
        self.params.clone()
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        if self.params.get("sigma").is_some_and(|sigma| sigma.as_f64() == Some(-1.0)) {
            return Err(Error::invalid("sigma -1 is negative"));
        }
        Ok(ins.first().map_or(ArrayMeta::new([2], voxmill_core::DType::F64), |meta| {
            let mut meta = (*meta).clone();
            meta.weak = None;
            meta
        }))
    }

    fn reads(&self, _out: &Region, _ins: &[&ArrayMeta]) -> Vec<Region> {
        Vec::new()
    }
}

const fn param(name: &'static str, default: Option<&'static str>) -> Param {
    Param { name, kind: "any", default, doc: "a parameter" }
}

macro_rules! toys {
    ($($id:ident $name:literal $inputs:expr, [$($param:expr),*];)*) => {
        $(static $id: OpDef = OpDef {
            name: $name,
            theme: "toys",
            summary: "",
            doc: "",
            inputs: $inputs,
            params: &[$($param),*],
            form: Form::Composite,
            cost: 0.0,
            hold: false,
            build: |params| Ok(Arc::new(Toy { def: &$id, params: params.clone() })),
            samples: Vec::new,
        };)*
        /// The toys.
        pub static TABLE: OpTable = OpTable::new(&[&[$(&$id),*]]);
    };
}

const ONE: Inputs = Inputs::Named(&["x"]);
const TWO: Inputs = Inputs::Named(&["x1", "x2"]);

toys! {
    ADD "add" TWO, [];
    SUBTRACT "subtract" TWO, [];
    MULTIPLY "multiply" TWO, [];
    DIVIDE "divide" TWO, [];
    POWER "power" TWO, [];
    MATMUL "matmul" TWO, [];
    GREATER "greater" TWO, [];
    LESS "less" TWO, [];
    AND "bitwise_and" TWO, [];
    OR "bitwise_or" TWO, [];
    NEGATIVE "negative" ONE, [];
    INVERT "invert" ONE, [];
    ABSOLUTE "absolute" ONE, [];
    REAL "real" ONE, [];
    FFT "fft" ONE, [param("axis", Some("-1"))];
    ASTYPE "astype" ONE, [param("dtype", None)];
    TRANSPOSE "transpose" ONE, [Param { kind: "list of int", ..param("axes", Some("null")) }];
    MEAN "mean" ONE, [param("axis", Some("null")), param("keepdims", Some("false"))];
    WHERE "where" Inputs::Named(&["condition", "x", "y"]), [];
    EINSUM "einsum" Inputs::Many("arrays"), [param("subscripts", None)];
    CLIP "clip" ONE, [param("min", Some("null")), param("max", Some("null"))];
    FULL "full" Inputs::Named(&[]), [param("shape", None), param("fill_value", None), param("dtype", Some("null"))];
    GAUSSIAN "gaussian_filter" ONE, [param("sigma", None), param("mode", Some("\"reflect\""))];
    CONCATENATE "concatenate" Inputs::Many("arrays"), [param("axis", Some("0"))];
    GETITEM "getitem" ONE, [param("index", None)];
}

/// An array that is stored nowhere.
pub fn source(meta: ArrayMeta) -> Result<Array> {
    Ok(Array::from_store(Arc::new(Nowhere { spec: StoreSpec::new("toy", "nowhere"), meta })))
}

#[derive(Debug)]
struct Nowhere {
    spec: StoreSpec,
    meta: ArrayMeta,
}

impl Store for Nowhere {
    fn spec(&self) -> &StoreSpec {
        &self.spec
    }

    fn meta(&self) -> &ArrayMeta {
        &self.meta
    }

    fn read(&self, _region: &Region, _out: &mut ViewMut<'_>) -> Result<()> {
        Err(Error::internal("toys are not read"))
    }

    fn write(&self, _region: &Region, _from: &View<'_>) -> Result<()> {
        Err(Error::internal("toys are not written"))
    }

    fn read_scratch(&self, _region: &Region) -> u64 {
        0
    }

    fn write_scratch(&self, _region: &Region) -> u64 {
        0
    }

    fn latency(&self) -> Latency {
        Latency::Memory
    }
}
