//! Read and write throughput of stores: `io_bench read PATH --threads 2`, `io_bench write PATH --from X.npy --chunks 64,64,64
//! --codec zstd:3 --threads 2`. Prints JSON: seconds, peak resident bytes, and for reads the sum of all elements.
//!
//! Reading decodes every chunk into memory of the array's own size; writing encodes from memory.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use voxmill::core::peak_resident;
use voxmill::store::{MemoryStore, ZarrSettings, create, open_location};
use voxmill::{Array, Chunk, Error, Limits, Result, Session, Sink, json};

fn option(name: &str) -> Option<String> {
    let args: Vec<String> = std::env::args().collect();
    args.iter().position(|a| a == name).and_then(|k| args.get(k + 1)).cloned()
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let threads = option("--threads").and_then(|t| t.parse().ok()).unwrap_or(2);
    let path = args.get(2).cloned().unwrap_or_default();
    let (seconds, sum) = match args.get(1).map(String::as_str) {
        Some("read") => read(&path, threads)?,
        Some("write") => write(&path, threads)?,
        _ => {
            return Err(Error::invalid(
                "usage: io_bench read|write PATH [--from X.npy] [--chunks ..] [--codec ..] [--threads N]",
            ));
        }
    };
    println!("{}", json!({"seconds": seconds, "peak_rss_bytes": peak_resident(), "sum": sum}));
    Ok(())
}

/// Reads the whole array into memory.
fn read(path: &str, threads: usize) -> Result<(f64, Option<f64>)> {
    let session = Session::new(Limits { memory: 16 << 30, threads });
    let started = Instant::now();
    let x = Array::from_store(open_location(path)?);
    let mut report = session.run(&session.plan(&[(x, Sink::Result)])?)?;
    let seconds = started.elapsed().as_secs_f64();
    let chunk = report.results.pop().ok_or_else(|| Error::internal("the run gave no result"))?;
    Ok((seconds, Some(sum(chunk)?)))
}

fn sum(chunk: Chunk) -> Result<f64> {
    let session = Session::new(Limits { memory: 8 << 30, threads: 2 });
    let x = Array::from_store(MemoryStore::new(chunk));
    let total = session.call("sum", &[&x], json!({}))?;
    Ok(session.compute(&[&total])?.remove(0).get(&[]).to_f64())
}

/// Writes an array that is already in memory.
fn write(path: &str, threads: usize) -> Result<(f64, Option<f64>)> {
    let from = open_location(&option("--from").ok_or_else(|| Error::invalid("--from is missing"))?)?;
    let meta = from.meta().clone();
    let mut chunk = Chunk::new(&meta.shape, meta.dtype)?;
    from.read(&meta.whole(), &mut chunk.view_mut()?)?;
    let lengths = |name: &str| option(name).map(|t| t.split(',').filter_map(|n| n.trim().parse().ok()).collect());
    let mut settings = ZarrSettings {
        chunks: lengths("--chunks"),
        shards: lengths("--shards"),
        overwrite: true,
        ..ZarrSettings::default()
    };
    if let Some(codec) = option("--codec") {
        settings.codec = codec.parse()?;
    }
    let store = create(path, &meta.shape, meta.dtype, &settings)?;
    let x = Array::from_store(MemoryStore::new(chunk));
    let session = Session::new(Limits { memory: 4 << 30, threads });
    let started = Instant::now();
    session.run(&session.plan(&[(x, Sink::Store(store, None))])?)?;
    Ok((started.elapsed().as_secs_f64(), None))
}
