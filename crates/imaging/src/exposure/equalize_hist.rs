//! `equalize_hist`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_plan::{Array, Form, Inputs, OpDef, Sample, SampleInput};

use super::bins::{Bins, NBINS, RANGE};
use super::equalize_by::EqualizeBy;
use crate::family::compose::float_of;

/// Its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EqualizeHist {
    /// Bins for floats.
    pub nbins: usize,
    /// Smallest and largest value of an image of more than 16 bits.
    pub range: Option<(i64, i64)>,
}

impl Default for EqualizeHist {
    fn default() -> Self {
        EqualizeHist { nbins: 256, range: None }
    }
}

/// The op `equalize_hist`.
pub static DEF: OpDef = OpDef {
    name: "equalize_hist",
    theme: "exposure",
    summary: "Brightness such that all values are equally frequent: the share of elements that are not brighter.",
    doc: "As skimage.exposure, over the whole image; with a second input, a mask, only the elements where that is true are counted. Whole \
          numbers have a bin for each value, floats equal bins between whose middles shares are interpolated. float32 stays float32, \
          everything else gives float64. NaN among floats makes everything NaN.",
    inputs: Inputs::Many("image, and perhaps a mask"),
    params: &[NBINS, RANGE],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<EqualizeHist>::build,
    samples: || {
        let one = |params: Value, dtype: DType| Sample { params, ins: vec![SampleInput::new(&[16, 17], dtype)] };
        let mut all = vec![
            one(json!({}), DType::U8),
            one(json!({"nbins": 20}), DType::F32),
            one(json!({"range": [-100, 100]}), DType::I32),
        ];
        for sample in [one(json!({}), DType::I16), one(json!({"nbins": 9}), DType::F64)] {
            let mask = SampleInput::new(&[16, 17], DType::Bool).between(0.0, 1.9);
            all.push(Sample { ins: vec![sample.ins[0].clone(), mask], ..sample });
        }
        all
    },
};

impl Compose for EqualizeHist {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let [image, masks @ ..] = ins else { return Err(Error::invalid("equalize_hist needs an image")) };
        if masks.len() > 1 || masks.iter().any(|mask| mask.shape() != image.shape()) {
            return Err(Error::invalid("equalize_hist takes an image, and perhaps a mask of the same shape"));
        }
        let dtype = float_of(image.dtype())?;
        let bins = Bins::within(image, masks.first(), self.nbins, self.range)?;
        let ins = [image.clone()].into_iter().chain(bins.arrays()).collect();
        Array::from_op(Arc::new(EqualizeBy { first: bins.first, dtype }), ins)
    }
}
