//! The histogram of a whole image as scikit-image makes it: whole numbers have a bin for each value, floats have equal bins.

use serde_json::json;
use voxmill_core::{DType, Error, Result, View};
use voxmill_ops::reduce::bin_edges::BinEdges;
use voxmill_ops::reduce::histogram::count;
use voxmill_plan::{Array, Param};

use crate::family::compose::{call, cast};

/// The parameter `nbins`.
pub const NBINS: Param = Param {
    name: "nbins",
    kind: "int",
    default: Some("256"),
    doc: "number of equal bins for floats; whole numbers have a bin for each value",
};

/// The parameter `range`.
pub const RANGE: Param = Param {
    name: "range",
    kind: "pair of int",
    default: Some("null"),
    doc: "smallest and largest value of an image of whole numbers; needed where these have more than 16 bits",
};

/// More bins than this are refused.
const MOST: i64 = 1 << 28;

/// Counts of a whole image, and where the bins are.
#[derive(Debug)]
pub struct Bins {
    /// How many elements each bin has.
    pub counts: Array,
    /// The value of the first bin, where bins are whole numbers.
    pub first: Option<i64>,
    /// The edges of equal bins.
    pub edges: Option<Array>,
}

impl Bins {
    /// The histogram of all elements.
    pub fn of(image: &Array, nbins: usize, range: Option<(i64, i64)>) -> Result<Bins> {
        Bins::within(image, None, nbins, range)
    }

    /// The histogram of the elements where `mask` is true.
    pub fn within(image: &Array, mask: Option<&Array>, nbins: usize, range: Option<(i64, i64)>) -> Result<Bins> {
        if image.size() == 0 {
            return Err(Error::invalid("an image without elements has no threshold and no histogram"));
        }
        if image.dtype().is_float() { equal_bins(image, mask, nbins) } else { whole_numbers(image, mask, range) }
    }

    /// The dtype of what stands for a bin.
    pub fn dtype(&self) -> DType {
        self.edges.as_ref().map_or(DType::I64, Array::dtype)
    }

    /// Counts, and edges if there are any.
    pub fn arrays(&self) -> Vec<Array> {
        [Some(&self.counts), self.edges.as_ref()].into_iter().flatten().cloned().collect()
    }
}

/// A bin for each value, with edges between the values.
fn whole_numbers(image: &Array, mask: Option<&Array>, range: Option<(i64, i64)>) -> Result<Bins> {
    let dtype = image.dtype();
    let Some((low, high)) = range.or_else(|| values(dtype)) else {
        return Err(Error::invalid(format!(
            "a threshold is not defined for {dtype} without a range, as there is a bin for each value: give the smallest and the \
             largest value of the image, or cast to uint16 or a float first"
        )));
    };
    if dtype.is_complex() || low > high || high - low >= MOST {
        return Err(Error::invalid(format!(
            "a bin for each value from {low} to {high} of {dtype} is too much; cast to uint16 or a float first"
        )));
    }
    let image = match mask {
        // What does not count lies below all bins.
        Some(mask) => call("where", &[mask, &cast(image, DType::I64)?, &Array::weak(low - 1)], json!({}))?,
        None => image.clone(),
    };
    let (bins, range) = (high - low + 1, [low as f64 - 0.5, high as f64 + 0.5]);
    let counts = call("histogram", &[&image], json!({"bins": bins, "range": range}))?;
    Ok(Bins { counts, first: Some(low), edges: None })
}

fn equal_bins(image: &Array, mask: Option<&Array>, nbins: usize) -> Result<Bins> {
    let Some(mask) = mask else {
        let bins = json!({"bins": nbins});
        let edges = call("histogram_bin_edges", &[image], bins.clone())?;
        return Ok(Bins { counts: call("histogram", &[image], bins)?, first: None, edges: Some(edges) });
    };
    let dtype = image.dtype();
    let chosen = cast(&call("where", &[mask, image, &Array::weak(f64::NAN)], json!({}))?, dtype)?;
    let (low, high) = (call("nanmin", &[&chosen], json!({}))?, call("nanmax", &[&chosen], json!({}))?);
    let edges = Array::from_op(std::sync::Arc::new(BinEdges { bins: nbins, dtype }), vec![low, high])?;
    let wide = if matches!(dtype, DType::F16 | DType::BF16) { DType::F32 } else { dtype };
    let counts = count(&cast(&chosen, wide)?, Some(&edges), nbins, true)?;
    Ok(Bins { counts, first: None, edges: Some(edges) })
}

/// The values that a type of up to 16 bits has.
fn values(dtype: DType) -> Option<(i64, i64)> {
    match dtype {
        DType::Bool => Some((0, 1)),
        DType::U8 => Some((0, u8::MAX.into())),
        DType::I8 => Some((i8::MIN.into(), i8::MAX.into())),
        DType::U16 => Some((0, u16::MAX.into())),
        DType::I16 => Some((i16::MIN.into(), i16::MAX.into())),
        _ => None,
    }
}

/// Middles of bins, rounded as the edges are.
pub fn centers(edges: &View<'_>) -> Result<Vec<f64>> {
    if let Some(edges) = edges.as_slice::<f32>() {
        return Ok(edges.windows(2).map(|e| f64::from((e[0] + e[1]) / 2.0)).collect());
    }
    let edges = edges.as_slice::<f64>().ok_or_else(|| Error::internal("edges of bins are floats"))?;
    Ok(edges.windows(2).map(|e| (e[0] + e[1]) / 2.0).collect())
}
