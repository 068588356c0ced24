//! Computes single ops whole, with the reference evaluator, for comparison with NumPy: one JSON request per line on standard input
//! (`{"op", "params", "ins": [path or {"weak": number}], "out": path}`), one JSON answer per line on standard output.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::io::BufRead;
use std::sync::Arc;

use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, Chunk, DType, Error, Latency, Region, Result, Scalar, Store, StoreSpec, View, ViewMut};
use voxmill_ops::TABLE;
use voxmill_plan::{Array, reference::evaluate};

fn main() {
    for line in std::io::stdin().lock().lines() {
        let answer = match answer(&line.unwrap()) {
            Ok(shape) => json!({"ok": true, "shape": shape}),
            Err(e) => json!({"ok": false, "kind": e.class().kind(), "error": e.to_string()}),
        };
        println!("{answer}");
    }
}

fn answer(line: &str) -> Result<Vec<usize>> {
    let request: Value = serde_json::from_str(line).map_err(|e| Error::invalid(e.to_string()))?;
    let ins = request["ins"].as_array().cloned().unwrap_or_default();
    let ins = ins.iter().map(input).collect::<Result<Vec<_>>>()?;
    let op = TABLE.build(request["op"].as_str().unwrap_or_default(), &request["params"])?;
    let result = evaluate(&Array::from_op(op, ins)?)?;
    write_npy(request["out"].as_str().unwrap_or_default(), &result)?;
    Ok(result.shape().to_vec())
}

fn input(value: &Value) -> Result<Array> {
    match value {
        Value::String(path) => read_npy(path),
        other => {
            let scalar: Scalar =
                serde_json::from_value(other["weak"].clone()).map_err(|e| Error::invalid(e.to_string()))?;
            Ok(Array::weak(scalar))
        }
    }
}

/// Reads little-endian C-ordered files of version 1, which is what the tests write.
fn read_npy(path: &str) -> Result<Array> {
    let bytes = std::fs::read(path).map_err(|e| Error::io(path, &e))?;
    let header_len = u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
    let header = String::from_utf8_lossy(&bytes[10..10 + header_len]).to_string();
    let field = |name: &str| header.split(&format!("'{name}':")).nth(1).unwrap_or_default().trim().to_string();
    let dtype: DType = field("descr").split('\'').nth(1).unwrap_or_default().parse()?;
    let dims = field("shape");
    let dims = dims.trim_start_matches('(').split(')').next().unwrap_or_default().to_string();
    let shape: Vec<usize> = dims.split(',').filter_map(|d| d.trim().parse().ok()).collect();
    let mut chunk = Chunk::new(&shape, dtype)?;
    chunk.view_mut()?.bytes_mut().unwrap().copy_from_slice(&bytes[10 + header_len..]);
    let meta = ArrayMeta::new(&shape, dtype);
    Ok(Array::from_store(Arc::new(Loaded { spec: StoreSpec::new("memory", path), meta, chunk })))
}

fn write_npy(path: &str, chunk: &Chunk) -> Result<()> {
    let dims: Vec<String> = chunk.shape().iter().map(|n| format!("{n},")).collect();
    let kind = match chunk.dtype() {
        DType::Bool => "|b1".to_string(),
        d => format!("<{}{}", &d.name()[..1], d.size()),
    };
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({}), }}", dims.join(" "));
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(chunk.to_contiguous()?.view().bytes().unwrap_or_default());
    std::fs::write(path, bytes).map_err(|e| Error::io(path, &e))
}

#[derive(Debug)]
struct Loaded {
    spec: StoreSpec,
    meta: ArrayMeta,
    chunk: Chunk,
}

impl Store for Loaded {
    fn spec(&self) -> &StoreSpec {
        &self.spec
    }
    fn meta(&self) -> &ArrayMeta {
        &self.meta
    }
    fn read(&self, region: &Region, out: &mut ViewMut<'_>) -> Result<()> {
        self.chunk.view().part(region).copy_to(out)
    }
    fn write(&self, _: &Region, _: &View<'_>) -> Result<()> {
        Err(Error::unsupported("read only"))
    }
    fn read_scratch(&self, _: &Region) -> u64 {
        0
    }
    fn write_scratch(&self, _: &Region) -> u64 {
        0
    }
    fn latency(&self) -> Latency {
        Latency::Memory
    }
}
