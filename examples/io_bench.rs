//! Read and write throughput of stores: `io_bench read PATH --threads 2`, `io_bench write PATH --from X.npy --chunks 64,64,64
//! --codec zstd:3 --threads 2`. Prints JSON: seconds, peak resident bytes, and for reads the sum of all elements.
//!
//! Reading decodes every chunk into memory of the array's own size; writing encodes from memory.
#![allow(clippy::print_stdout)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use voxmill::core::{SharedArray, ViewMut};
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
    println!("{}", json!({"seconds": seconds, "peak_rss_bytes": peak_rss(), "sum": sum}));
    Ok(())
}

/// Reads every chunk, with threads that take the next one when they are free.
fn read(path: &str, threads: usize) -> Result<(f64, Option<f64>)> {
    let store = open_location(path)?;
    let meta = store.meta();
    let out = SharedArray::new(meta.dtype, meta.grid.clone())?;
    let next = AtomicUsize::new(0);
    let started = Instant::now();
    let work = || -> Result<()> {
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n >= meta.grid.n_chunks() {
                return Ok(());
            }
            out.fill_tile(n, |view: &mut ViewMut<'_>| store.read(&meta.grid.region(n), view))?;
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|w| w.join().map_err(|_| Error::internal("a reader panicked"))?)
    })?;
    let seconds = started.elapsed().as_secs_f64();
    Ok((seconds, Some(sum(out.into_chunk()?)?)))
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

fn peak_rss() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}
