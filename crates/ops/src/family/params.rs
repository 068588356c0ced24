//! Parameters that many ops have: axes, chunks, and the step from JSON to an op.

use std::sync::Arc;
pub use voxmill_core::check_size;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use voxmill_core::{ArrayMeta, AxisCuts, ChunkGrid, DType, Error, Result, parse_bytes};
use voxmill_plan::{Op, Param};

/// Makes an op from a JSON object; the message of a wrong value names the parameter.
pub fn build<O: Op + DeserializeOwned + 'static>(params: &Value) -> Result<Arc<dyn Op>> {
    let op: O = serde_json::from_value(params.clone()).map_err(|e| Error::invalid(format!("wrong parameter: {e}")))?;
    Ok(Arc::new(op))
}

/// The parameter `chunks` of ops that create arrays.
pub const CHUNKS: Param = Param {
    name: "chunks",
    kind: "int, list of int or lists of int, \"auto\" or bytes such as \"4 MiB\"",
    default: Some("\"auto\""),
    doc: "how the result is cut where it is stored; never changes a value",
};

/// Declared chunks as users write them: one length for all axes, one per axis, all lengths per axis, or a size in bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Chunks {
    /// `"auto"` or a byte count.
    Word(String),
    /// The same for all axes.
    One(i64),
    /// One entry per axis.
    PerAxis(Vec<AxisChunks>),
}

/// The chunks of one axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AxisChunks {
    /// Even chunks; -1 is the whole axis.
    Even(i64),
    /// The length of each chunk.
    Lengths(Vec<usize>),
}

impl Default for Chunks {
    fn default() -> Self {
        Chunks::Word("auto".into())
    }
}

impl Chunks {
    /// The grid for an array of `shape`.
    pub fn grid(&self, shape: &[usize], dtype: DType) -> Result<ChunkGrid> {
        match self {
            Chunks::Word(word) if word == "auto" => Ok(auto_grid(shape, dtype, 4 << 20)),
            Chunks::Word(word) => Ok(auto_grid(shape, dtype, parse_bytes(word)?)),
            Chunks::One(n) => {
                let axes = shape.iter().enumerate().map(|(k, &len)| even(k, len, *n)).collect::<Result<_>>()?;
                Ok(ChunkGrid { axes })
            }
            Chunks::PerAxis(list) if list.len() != shape.len() => {
                Err(Error::invalid(format!("chunks are given for {} axes, the array has {}", list.len(), shape.len())))
            }
            Chunks::PerAxis(list) => {
                let axis = |(k, (chunks, &len)): (usize, (&AxisChunks, &usize))| match chunks {
                    AxisChunks::Even(n) => even(k, len, *n),
                    AxisChunks::Lengths(lengths) => {
                        let grid = ChunkGrid::from_lengths(&[len], std::slice::from_ref(lengths))?;
                        Ok(grid.axes[0].clone())
                    }
                };
                let axes = list.iter().zip(shape).enumerate().map(axis).collect::<Result<_>>()?;
                Ok(ChunkGrid { axes })
            }
        }
    }
}

fn even(axis: usize, len: usize, chunk: i64) -> Result<AxisCuts> {
    match chunk {
        -1 => Ok(AxisCuts::even(len, 0)),
        n if n > 0 => Ok(AxisCuts::even(len, n as usize)),
        n => Err(Error::invalid(format!(
            "chunk length {n} of axis {axis} is not positive; -1 stands for the whole axis"
        ))),
    }
}

/// Roughly cubic chunks of about `bytes`.
pub fn auto_grid(shape: &[usize], dtype: DType, bytes: u64) -> ChunkGrid {
    let mut lengths: Vec<usize> = shape.iter().map(|&n| n.max(1)).collect();
    let budget = (bytes as usize / dtype.size()).max(1);
    while lengths.iter().product::<usize>() > budget {
        let Some(longest) = (0..lengths.len()).max_by_key(|&k| lengths[k]).filter(|&k| lengths[k] > 1) else { break };
        lengths[longest] = lengths[longest].div_ceil(2);
    }
    ChunkGrid::even(shape, &lengths)
}

/// One axis or several, as users write them: negative ones count from the end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Axes {
    /// One axis.
    One(i64),
    /// Several axes.
    Many(Vec<i64>),
}

/// `axis` of an array of `rank`, counted from the front.
pub fn normalize_axis(axis: i64, rank: usize) -> Result<usize> {
    let normal = if axis < 0 { axis + rank as i64 } else { axis };
    if normal < 0 || normal >= rank as i64 {
        return Err(Error::invalid(format!("axis {axis} is out of range for an array of rank {rank}")));
    }
    Ok(normal as usize)
}

/// The axes of an optional parameter, sorted; all of them where it is not given. Naming an axis twice is an error.
pub fn normalize_axes(axes: Option<&Axes>, rank: usize) -> Result<Vec<usize>> {
    let mut normal = match axes {
        None => (0..rank).collect(),
        Some(Axes::One(axis)) => vec![normalize_axis(*axis, rank)?],
        Some(Axes::Many(axes)) => axes.iter().map(|&a| normalize_axis(a, rank)).collect::<Result<Vec<_>>>()?,
    };
    normal.sort_unstable();
    if let Some(pair) = normal.windows(2).find(|w| w[0] == w[1]) {
        return Err(Error::invalid(format!("axis {} is named twice", pair[0])));
    }
    Ok(normal)
}

/// The axes of an optional parameter in the order they are given; all of them where it is not. Naming an axis twice is an error.
pub fn distinct_axes(axes: Option<&Axes>, rank: usize) -> Result<Vec<usize>> {
    normalize_axes(axes, rank)?;
    match axes {
        Some(Axes::Many(axes)) => axes.iter().map(|&a| normalize_axis(a, rank)).collect(),
        _ => normalize_axes(axes, rank),
    }
}

/// Reads a shape: a list of lengths, or one length for an array of rank 1.
pub fn shape<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Vec<usize>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Shape {
        One(usize),
        Many(Vec<usize>),
    }
    Ok(match Shape::deserialize(from)? {
        Shape::One(n) => vec![n],
        Shape::Many(shape) => shape,
    })
}

/// The parameter `shape` of ops that create arrays.
pub const SHAPE: Param = Param { name: "shape", kind: "int or list of int", default: None, doc: "length of each axis" };

/// The parameter `seed` of random arrays.
pub const SEED: Param =
    Param { name: "seed", kind: "int", default: Some("0"), doc: "which numbers: the same seed gives the same array" };

/// The description of a random array of floats.
pub fn random_meta(shape: &[usize], dtype: Option<DType>, chunks: &Chunks) -> Result<ArrayMeta> {
    let dtype = dtype.unwrap_or(DType::F64);
    if !matches!(dtype, DType::F32 | DType::F64) {
        return Err(Error::invalid(format!("random floats are float64 or float32, not {dtype}")));
    }
    check_size(shape, dtype)?;
    Ok(ArrayMeta::new(shape, dtype).with_grid(chunks.grid(shape, dtype)?))
}
