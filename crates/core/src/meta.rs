//! What is known of an array without reading it.

use serde::{Deserialize, Serialize};

use crate::{ChunkGrid, DType, Error, Idx, Region, Result, Scalar};

/// Name, unit and spacing of one axis; all optional.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Axis {
    /// Name, such as `"z"` or `"time"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Unit of the spacing, such as `"micrometer"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Distance of neighbouring elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
}

/// Shape, dtype and declared chunks of an array.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArrayMeta {
    /// Length of each axis.
    pub shape: Idx,
    /// Element type.
    pub dtype: DType,
    /// Declared chunks: how a source is stored, how a result would be cut. Tiles are chosen apart from these.
    pub grid: ChunkGrid,
    /// Axis names and units; empty where unknown, else one per axis.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub axes: Vec<Axis>,
    /// The value of a bare number in an expression. Its dtype adapts to the array it meets (NEP 50).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weak: Option<Scalar>,
}

impl ArrayMeta {
    /// An array in one chunk.
    pub fn new(shape: impl AsRef<[usize]>, dtype: DType) -> Self {
        let shape: Idx = shape.as_ref().into();
        let grid = ChunkGrid::single(&shape);
        ArrayMeta { shape, dtype, grid, axes: Vec::new(), weak: None }
    }

    /// The same array with other declared chunks.
    #[must_use]
    pub fn with_grid(mut self, grid: ChunkGrid) -> Self {
        self.grid = grid;
        self
    }

    /// The same array with another dtype.
    #[must_use]
    pub fn with_dtype(mut self, dtype: DType) -> Self {
        self.dtype = dtype;
        self.weak = None;
        self
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Number of elements.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }

    /// Bytes of all elements.
    pub fn n_bytes(&self) -> u64 {
        self.size() as u64 * self.dtype.size() as u64
    }

    /// Bytes of the elements in `region`.
    pub fn bytes_of(&self, region: &Region) -> u64 {
        region.size() as u64 * self.dtype.size() as u64
    }

    /// The box of the whole array.
    pub fn whole(&self) -> Region {
        Region::whole(&self.shape)
    }
}

/// Refuses a shape whose elements or bytes cannot be counted.
pub fn check_size(shape: &[usize], dtype: DType) -> Result<()> {
    // Empty axes do not hide the others: kernels multiply lengths in any order.
    let bytes = shape.iter().try_fold(dtype.size(), |p, &n| p.checked_mul(n.max(1)));
    match bytes.filter(|&bytes| bytes <= isize::MAX as usize) {
        Some(_) => Ok(()),
        None => {
            Err(Error::invalid(format!("an array of shape {shape:?} and type {dtype} is too large to be addressed")))
        }
    }
}
