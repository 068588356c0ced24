//! `threshold_multiotsu`

use std::sync::Arc;

use serde_json::{Value, json};
use voxmill_core::{DType, Error};
use voxmill_plan::{Array, Param, Sample, SampleInput};

use super::bins::{Bins, NBINS, RANGE};
use super::thresholds_of_counts::ThresholdsOfCounts;
use crate::family::compose::composite_op;

composite_op!(
    ThresholdMultiotsu, "threshold_multiotsu", "exposure",
    "Thresholds with the largest variance between several classes (Otsu).",
    "As skimage.filters, over the whole image, one threshold less than classes. Whole numbers have a bin for each value and give int64; \
     floats give middles of bins. The work is done in double precision, where scikit-image uses float32, and takes little more than time \
     in proportion to the bins, so that 16 bits are no problem. An image with fewer values than classes is an error when it is met.",
    ["image"],
    {
        classes: usize = 3, Param { name: "classes", kind: "int", default: Some("3"), doc: "number of classes, at least 2" };
        nbins: usize = 256, NBINS;
        range: Option<(i64, i64)> = None, RANGE;
    },
    || {
        let one = |params: Value, dtype: DType| Sample { params, ins: vec![SampleInput::new(&[40, 50], dtype)] };
        vec![one(json!({}), DType::U8), one(json!({"classes": 4, "nbins": 30}), DType::F32)]
    },
    |op, ins| {
        if op.classes < 2 {
            return Err(Error::invalid(format!("classes must be at least 2, got {}", op.classes)));
        }
        let bins = Bins::of(&ins[0], op.nbins, op.range)?;
        let (first, dtype) = (bins.first, bins.dtype());
        Array::from_op(Arc::new(ThresholdsOfCounts { classes: op.classes, first, dtype }), bins.arrays())
    }
);
