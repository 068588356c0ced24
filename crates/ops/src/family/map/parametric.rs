//! Element-wise ops with parameters.

use std::fmt::Debug;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use voxmill_core::smallvec::SmallVec;
use voxmill_core::{ArrayMeta, DType, Region, Result};
use voxmill_plan::{Array, MapKernel, Op, OpDef};

use super::{Operand, Signature, broadcast_meta, broadcast_reads, casts, expect_dtypes, expect_inputs};

/// The parameters of an element-wise op; [`Parametric`] makes an op of them.
pub trait MapParams: Clone + Debug + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Name, documentation, samples.
    fn def() -> &'static OpDef;
    /// The dtypes for these inputs, or why there are none.
    fn signature(&self, ins: &[Operand]) -> Result<Signature>;
    /// The loop for inputs of exactly these dtypes.
    fn kernel(&self, ins: &[DType]) -> Result<MapKernel>;
}

/// The op of some [`MapParams`].
#[derive(Clone)]
pub struct Parametric<P>(pub P);

impl<P: MapParams> Parametric<P> {
    /// Makes the op from a JSON object.
    pub fn build(params: &Value) -> Result<Arc<dyn Op>> {
        let params: P = serde_json::from_value(params.clone())
            .map_err(|e| voxmill_core::Error::invalid(format!("wrong parameter: {e}")))?;
        Ok(Arc::new(Parametric(params)))
    }

    fn signature(&self, ins: &[&ArrayMeta]) -> Result<Signature> {
        let operands: SmallVec<[Operand; 3]> = ins.iter().map(|m| Operand::from(*m)).collect();
        self.0.signature(&operands)
    }
}

impl<P: MapParams> Debug for Parametric<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl<P: MapParams> Op for Parametric<P> {
    fn def(&self) -> &'static OpDef {
        P::def()
    }

    fn params(&self) -> Value {
        serde_json::to_value(&self.0).unwrap_or_else(|_| json!({}))
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(P::def(), ins.len())?;
        Ok(broadcast_meta(ins)?.with_dtype(self.signature(ins)?.out))
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let metas: SmallVec<[&ArrayMeta; 3]> = ins.iter().map(Array::meta).collect();
        match casts(ins, &self.signature(&metas)?.ins)? {
            Some(ins) => Array::from_op(Arc::new(self.clone()), ins).map(Some),
            None => Ok(None),
        }
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        broadcast_reads(out, ins)
    }

    fn kernel(&self, ins: &[&ArrayMeta]) -> Result<MapKernel> {
        let dtypes: SmallVec<[DType; 3]> = ins.iter().map(|m| m.dtype).collect();
        expect_dtypes(P::def(), &dtypes, &self.signature(ins)?)?;
        self.0.kernel(&dtypes)
    }
}
