//! Computes single ops for comparison with NumPy: one JSON request per line on standard input (`{"op", "params", "ins": [path or
//! {"weak": number}], "out": path}` or `{"expr", "out"}`), one JSON answer per line on standard output.
//!
//! Every request is cut into random chunks and random tiles, so that the comparison also covers every border.
#![allow(clippy::print_stdout)]

use std::io::BufRead;

use voxmill::plan::samples::Numbers;
use voxmill::store::{MemoryStore, create_npy, open_location};
use voxmill::{Array, Chunk, Error, Limits, Region, Result, Scalar, Session, Value, json};

fn main() {
    let mut numbers = Numbers::new(1);
    for line in std::io::stdin().lock().lines().map_while(std::result::Result::ok) {
        let answer = match answer(&line, &mut numbers) {
            Ok(shape) => json!({"ok": true, "shape": shape}),
            Err(e) => json!({"ok": false, "kind": e.class().kind(), "error": e.to_string()}),
        };
        println!("{answer}");
    }
}

fn answer(line: &str, numbers: &mut Numbers) -> Result<Vec<usize>> {
    let request: Value = serde_json::from_str(line).map_err(|e| Error::invalid(e.to_string()))?;
    let mut session = Session::new(Limits { memory: 2 << 30, threads: 1 + numbers.below(3) });
    session.random_tiles = Some(numbers.bits());
    let ins = request["ins"].as_array().cloned().unwrap_or_default();
    let ins = ins.iter().map(|value| input(value, numbers)).collect::<Result<Vec<_>>>()?;
    let ins: Vec<&Array> = ins.iter().collect();
    let array = session.call(request["op"].as_str().unwrap_or_default(), &ins, request["params"].clone())?;
    let result = session.compute(&[&array])?.remove(0);
    write(request["out"].as_str().unwrap_or_default(), &result)?;
    Ok(result.shape().to_vec())
}

fn input(value: &Value, numbers: &mut Numbers) -> Result<Array> {
    let Value::String(path) = value else {
        let scalar: Scalar =
            serde_json::from_value(value["weak"].clone()).map_err(|e| Error::invalid(e.to_string()))?;
        return Ok(Array::weak(scalar));
    };
    let store = open_location(path)?;
    let meta = store.meta();
    let mut chunk = Chunk::new(&meta.shape, meta.dtype)?;
    store.read(&meta.whole(), &mut chunk.view_mut()?)?;
    let grid = numbers.grid(&meta.shape);
    Ok(Array::from_store(MemoryStore::with_grid(chunk, grid)))
}

fn write(path: &str, result: &Chunk) -> Result<()> {
    let store = create_npy(path, result.shape(), result.dtype(), true)?;
    store.write(&Region::whole(result.shape()), &result.view())
}
