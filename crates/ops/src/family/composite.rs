//! Ops that are only a way to write other ops: one function says which, and everything else follows from it.
//!
//! Checks, shape, dtype, chunks and axis names of a composite are those of the ops it consists of: [`Op::infer`] composes the result
//! from stand-ins that have nothing but a description. A composite therefore cannot promise anything that its parts do not keep.

use std::fmt::Debug;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, Error, Region, Result};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef};

use super::map::expect_inputs;

/// Parameters of an op that consists of others.
pub trait Compose: Serialize + DeserializeOwned + Debug + Send + Sync + 'static {
    /// Name, documentation, samples.
    fn def() -> &'static OpDef;

    /// The result in other ops. Checks the arguments; must not look at values.
    fn compose(&self, ins: &[Array]) -> Result<Array>;
}

/// The op of some [`Compose`] parameters.
#[derive(Debug)]
pub struct Composite<T>(pub T);

impl<T: Compose> Composite<T> {
    /// The op applied to `ins`.
    pub fn call(params: T, ins: &[&Array]) -> Result<Array> {
        Array::from_op(Arc::new(Composite(params)), ins.iter().map(|a| (*a).clone()).collect())
    }

    /// For [`OpDef::build`].
    pub fn build(params: &Value) -> Result<Arc<dyn Op>> {
        let params: T =
            serde_json::from_value(params.clone()).map_err(|e| Error::invalid(format!("wrong parameter: {e}")))?;
        Ok(Arc::new(Composite(params)))
    }
}

impl<T: Compose> Op for Composite<T> {
    fn def(&self) -> &'static OpDef {
        T::def()
    }

    fn params(&self) -> Value {
        json!(self.0)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(T::def(), ins.len())?;
        let stand_ins = ins.iter().map(|meta| stand_in(meta)).collect::<Result<Vec<_>>>()?;
        let meta = self.0.compose(&stand_ins)?.meta().clone();
        let dtype = meta.dtype;
        Ok(meta.with_dtype(dtype))
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        self.0.compose(ins).map(Some)
    }

    fn reads(&self, _out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        ins.iter().map(|meta| meta.whole()).collect()
    }
}

/// An array of which only the description exists.
fn stand_in(meta: &ArrayMeta) -> Result<Array> {
    Array::from_op(Arc::new(StandIn(meta.clone())), Vec::new())
}

#[derive(Debug)]
struct StandIn(ArrayMeta);

static STAND_IN: OpDef = OpDef {
    name: "stand_in",
    theme: "composite",
    summary: "An array of which only the description exists.",
    doc: "",
    inputs: Inputs::Named(&[]),
    params: &[],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: |_| Err(Error::internal("a stand-in was asked for")),
    samples: Vec::new,
};

impl Op for StandIn {
    fn def(&self) -> &'static OpDef {
        &STAND_IN
    }

    fn params(&self) -> Value {
        json!({})
    }

    fn infer(&self, _ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        Ok(self.0.clone())
    }

    fn reads(&self, _out: &Region, _ins: &[&ArrayMeta]) -> Vec<Region> {
        Vec::new()
    }
}

/// The parameters of `array`'s op, if that is the op `def`.
pub fn params_of<O: DeserializeOwned>(array: &Array, def: &'static OpDef) -> Option<O> {
    let op = array.op().filter(|op| std::ptr::eq(op.def(), def))?;
    serde_json::from_value(op.params()).ok()
}
