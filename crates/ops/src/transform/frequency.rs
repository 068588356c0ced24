//! What `fftfreq` and `rfftfreq` share.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, View, ViewMut};
use voxmill_plan::{Op, OpDef, Param, Place, Sample};

use crate::family::params;

/// One of the two lists of frequencies.
pub struct FrequencyDef {
    /// Name, documentation, samples.
    pub op: OpDef,
    /// Only the frequencies from zero up.
    pub half: bool,
}

/// The parameters as help shows them.
pub const PARAMS: &[Param] = &[
    Param { name: "n", kind: "int", default: None, doc: "length of the transform" },
    Param { name: "d", kind: "float", default: Some("1.0"), doc: "distance of neighbouring samples" },
    params::CHUNKS,
];

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FrequencyParams {
    n: i64,
    #[serde(default = "one")]
    d: f64,
    #[serde(default)]
    chunks: params::Chunks,
}

fn one() -> f64 {
    1.0
}

/// The frequencies of a transform.
#[derive(Clone)]
pub struct Frequency {
    def: &'static FrequencyDef,
    params: FrequencyParams,
}

impl std::fmt::Debug for Frequency {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.def.op.name, self.params)
    }
}

impl Frequency {
    /// The op `def` from a JSON object.
    pub fn build(def: &'static FrequencyDef, params: &Value) -> Result<Arc<dyn Op>> {
        let params =
            serde_json::from_value(params.clone()).map_err(|e| Error::invalid(format!("wrong parameter: {e}")))?;
        Ok(Arc::new(Frequency { def, params }))
    }
}

impl Op for Frequency {
    fn def(&self) -> &'static OpDef {
        &self.def.op
    }

    fn params(&self) -> Value {
        json!(self.params)
    }

    fn infer(&self, _ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        let n = self.params.n;
        if n < 1 {
            return Err(Error::invalid(format!("a transform of {n} values is not possible; n must be at least 1")));
        }
        let shape = [if self.def.half { n as usize / 2 + 1 } else { n as usize }];
        Ok(ArrayMeta::new(shape, DType::F64).with_grid(self.params.chunks.grid(&shape, DType::F64)?))
    }

    fn reads(&self, _out: &Region, _ins: &[&ArrayMeta]) -> Vec<Region> {
        Vec::new()
    }

    fn run(&self, at: &Place<'_>, _ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let n = self.params.n;
        let step = 1.0 / (n as f64 * self.params.d);
        let out = out.as_slice_mut::<f64>().ok_or_else(|| Error::internal("frequencies are float64"))?;
        for (i, v) in (at.out.start[0] as i64..).zip(out) {
            let wave = if self.def.half || i <= (n - 1) / 2 { i } else { i - n };
            *v = wave as f64 * step;
        }
        Ok(())
    }
}

/// Samples over lengths and distances.
pub fn samples() -> Vec<Sample> {
    let one = |params: Value| Sample { params, ins: Vec::new() };
    vec![one(json!({"n": 8})), one(json!({"n": 9, "d": 0.25})), one(json!({"n": 1}))]
}
