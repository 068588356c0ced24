//! THE SEAM: the one file to fill in when the executor and the stores are there.
//!
//! Until then it works on `.npy` files that fit in memory, through the plain evaluator. To wire the engine: `open` becomes
//! `open_location`, `create` becomes `create`/`create_npy`, `run` hands `job.plan` to the executor and its events to `watch`,
//! `describe` becomes the stores' `describe`, and `tree.rs` a re-export of their node types. Nothing else needs to change.

use std::fs;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use voxmill_core::{
    ArrayMeta, Chunk, ChunkGrid, DType, Error, ErrorClass, Latency, Region, Result, Store, StoreSpec, View, ViewMut,
};
use voxmill_plan::text::{Opener, OutputOptions};
use voxmill_plan::{Array, Sink, reference};

use crate::engine::{Engine, Job, Outcome, Progress, Watch};
use crate::tree::{ArrayNode, Node, NodeKind};

/// The engine of this process.
pub struct LocalEngine;

impl Opener for LocalEngine {
    fn open(&self, location: &str) -> Result<Array> {
        Ok(Array::from_store(Arc::new(NpyFile::read_whole(location)?)))
    }
}

impl Engine for LocalEngine {
    fn create(&self, location: &str, meta: &ArrayMeta, options: &OutputOptions) -> Result<Arc<dyn Store>> {
        check_npy(location)?;
        if !options.overwrite && Path::new(location).exists() {
            return Err(Error::new(ErrorClass::Exists, format!("'{location}' exists already")));
        }
        let meta = ArrayMeta::new(&meta.shape, meta.dtype);
        Ok(Arc::new(NpyFile { spec: StoreSpec::new("npy", location), data: Chunk::new(&[], meta.dtype)?, meta }))
    }

    fn write_grid(&self, location: &str, meta: &ArrayMeta, options: &OutputOptions) -> Result<ChunkGrid> {
        let boxes = options.shards.as_ref().or(options.chunks.as_ref());
        Ok(match boxes {
            _ if location.ends_with(".npy") => ChunkGrid::single(&meta.shape),
            Some(lengths) => ChunkGrid::even(&meta.shape, lengths),
            None => meta.grid.clone(),
        })
    }

    fn run(&self, job: &Job<'_>, watch: &dyn Watch) -> Result<Outcome> {
        let mut outcome = Outcome { tasks: job.plan.n_tasks(), ..Outcome::default() };
        for (array, sink) in job.outputs {
            if watch.cancelled() {
                return Err(Error::cancelled());
            }
            let chunk = reference::evaluate(array)?;
            outcome.results.push(match sink {
                Sink::Result => Some(chunk),
                Sink::Store(store, _) => {
                    store.write(&array.meta().whole(), &chunk.to_contiguous()?.view())?;
                    outcome.written_bytes += chunk.n_bytes();
                    None
                }
            });
        }
        let bytes = job.outputs.iter().map(|(array, _)| array.meta().n_bytes()).sum();
        let memory = voxmill_core::live_bytes();
        watch.progress(&Progress { tasks_done: outcome.tasks, tasks: outcome.tasks, bytes_done: bytes, bytes, memory });
        Ok(outcome)
    }

    fn describe(&self, location: &str) -> Result<Node> {
        let file = NpyFile::read_whole(location)?;
        let stored = fs::metadata(location).map_err(|e| Error::io(location, &e))?.len();
        let kind = NodeKind::Array(ArrayNode {
            shape: file.meta.shape.to_vec(),
            dtype: file.meta.dtype.to_string(),
            chunks: file.meta.shape.to_vec(),
            shards: None,
            codecs: Vec::new(),
            fill_value: serde_json::Value::Null,
            dimension_names: Vec::new(),
            n_bytes: file.meta.n_bytes(),
            n_chunks: 1,
            stored_bytes: Some(stored),
            stored_objects: Some(1),
            ratio: Some(file.meta.n_bytes() as f64 / stored.max(1) as f64),
        });
        let (location, path, format) = (location.to_string(), String::new(), "npy".to_string());
        Ok(Node { location, path, format, kind, attributes: Default::default(), children: Vec::new() })
    }
}

fn check_npy(location: &str) -> Result<()> {
    match location.ends_with(".npy") && !location.contains("://") {
        true => Ok(()),
        false => Err(Error::unsupported(format!("'{location}': this build reads and writes local .npy files only"))),
    }
}

/// A `.npy` file as a whole in memory.
#[derive(Debug)]
struct NpyFile {
    spec: StoreSpec,
    meta: ArrayMeta,
    data: Chunk,
}

impl NpyFile {
    fn read_whole(location: &str) -> Result<NpyFile> {
        if !Path::new(location).exists() {
            return Err(Error::not_found(format!("'{location}' does not exist")));
        }
        check_npy(location)?;
        let bytes = fs::read(location).map_err(|e| Error::io(format_args!("reading '{location}'"), &e))?;
        let damaged = || Error::corrupt(format!("'{location}' is not a .npy file in C order"));
        let (header, body) = split(&bytes).ok_or_else(damaged)?;
        let dtype = field(header, "'descr': '", "'").and_then(|d| DType::from_str(d).ok()).ok_or_else(damaged)?;
        let shape = field(header, "'shape': (", ")").ok_or_else(damaged)?;
        let shape = shape.split(',').map(str::trim).filter(|n| !n.is_empty()).map(|n| n.parse().ok());
        let shape: Vec<usize> = shape.collect::<Option<_>>().ok_or_else(damaged)?;
        if header.contains("'fortran_order': True") || body.len() != shape.iter().product::<usize>() * dtype.size() {
            return Err(damaged());
        }
        let mut data = Chunk::new(&shape, dtype)?;
        View::new(body, &shape, dtype)?.copy_to(&mut data.view_mut()?)?;
        Ok(NpyFile { spec: StoreSpec::new("npy", location), meta: ArrayMeta::new(&shape, dtype), data })
    }
}

/// Header text and elements.
fn split(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let length = u16::from_le_bytes([*bytes.get(8)?, *bytes.get(9)?]) as usize;
    let header = bytes.strip_prefix(b"\x93NUMPY\x01\x00").and_then(|rest| rest.get(2..2 + length))?;
    Some((std::str::from_utf8(header).ok()?, bytes.get(10 + length..)?))
}

fn field<'a>(header: &'a str, open: &str, close: &str) -> Option<&'a str> {
    header.split_once(open)?.1.split_once(close).map(|(value, _)| value)
}

fn descr(dtype: DType) -> String {
    let kind = match dtype.kind() {
        voxmill_core::Kind::Bool => "|b",
        voxmill_core::Kind::Unsigned => "<u",
        voxmill_core::Kind::Signed => "<i",
        voxmill_core::Kind::Float => "<f",
        voxmill_core::Kind::Complex => "<c",
    };
    format!("{kind}{}", dtype.size())
}

impl Store for NpyFile {
    fn spec(&self) -> &StoreSpec {
        &self.spec
    }

    fn meta(&self) -> &ArrayMeta {
        &self.meta
    }

    fn read(&self, region: &Region, out: &mut ViewMut<'_>) -> Result<()> {
        self.data.view().part(region).copy_to(out)
    }

    fn write(&self, _region: &Region, from: &View<'_>) -> Result<()> {
        let shape: Vec<String> = from.shape().iter().map(|n| format!("{n},")).collect();
        let mut header =
            format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr(from.dtype()), shape.join(" "));
        header.push_str(&" ".repeat(63 - (header.len() + 10) % 64));
        header.push('\n');
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.bytes());
        bytes.extend(from.bytes().unwrap_or_default());
        fs::write(&self.spec.location, bytes)
            .map_err(|e| Error::io(format_args!("writing '{}'", self.spec.location), &e))
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
