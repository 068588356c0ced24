//! The words every other crate speaks: element types, boxes, grids, buffers, errors and the store trait.
//!
//! Start with [`Region`] (a half-open box), then [`ArrayMeta`] (what is known of an array without reading it),
//! then [`Chunk`] / [`View`] (bytes with a shape), then [`Store`] (where arrays live).
//!
//! What is deliberately absent: no operation, no plan, no thread and no file format. Nothing here does I/O, apart from
//! asking the operating system for memory.

mod buffer;
mod chunk;
mod dtype;
mod element;
mod error;
mod grid;
mod limits;
mod meta;
mod pages;
mod region;
mod scalar;
mod store;
mod view;

pub use buffer::{Buffer, MemoryPool, POOL, SharedArray, live_bytes, prefetch};
pub use chunk::Chunk;
pub use dtype::{Casting, DType, Kind};
pub use element::{B8, Element};
pub use error::{Error, ErrorClass, Result};
pub use grid::{AxisCuts, ChunkGrid, positions};
pub use limits::{format_bytes, machine_memory, parse_bytes, peak_resident};
pub use meta::{ArrayMeta, Axis, check_size};
pub use pages::{FILE_PAGES, FilePages};
pub use region::{Idx, Region};
pub use scalar::Scalar;
pub use store::{Latency, Store, StoreOpener, StoreSpec};
pub use view::{Strides, View, ViewMut, contiguous_strides};

pub use bytemuck;
pub use half::{bf16, f16};
pub use num_complex::{Complex32, Complex64};
pub use smallvec;
