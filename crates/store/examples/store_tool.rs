//! Copies arrays between formats, for the tests that compare with other programs.
//!
//! `store_tool npy2zarr IN.npy OUT.zarr [--chunks 4,4] [--shards 8,8] [--codec zstd] [--format 2|3] [--fill 0] [--separator .]
//! [--overwrite]`, `store_tool zarr2npy IN OUT.npy`, `store_tool info LOCATION`, `store_tool bench-read LOCATION [THREADS]`,
//! `store_tool bench-write IN.npy OUT.zarr [settings] [--threads N]`.
#![allow(clippy::print_stdout)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use voxmill_core::{Chunk, Error, Region, Result, Scalar, Store};
use voxmill_store::{ZarrSettings, create, create_npy, describe, open_location};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let Err(error) = run(&args) {
        eprintln!("error: {error}");
        std::process::exit(error.class().exit_code().into());
    }
}

fn run(args: &[String]) -> Result<()> {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["npy2zarr", from, to, rest @ ..] => {
            let from = open_location(from)?;
            let to = create(to, &from.meta().shape, from.meta().dtype, &settings(rest)?)?;
            copy(&*from, &*to, 2)
        }
        ["bench-write", from, to, rest @ ..] => {
            let from = open_location(from)?;
            let to = create(to, &from.meta().shape, from.meta().dtype, &settings(rest)?)?;
            let threads = option(rest, "--threads").map_or(Ok(1), number)?;
            timed(from.meta().n_bytes(), || copy(&*from, &*to, threads))
        }
        ["zarr2npy", from, to] => {
            let from = open_location(from)?;
            let to = create_npy(to, &from.meta().shape, from.meta().dtype, true)?;
            // One axis at a time in odd steps, so that parts of chunks are read as well.
            let steps: Vec<usize> = from.meta().grid.largest().iter().map(|n| (n * 2 / 3).max(1)).collect();
            let grid = voxmill_core::ChunkGrid::even(&from.meta().shape, &steps);
            each(&grid, 2, &|region| transfer(&*from, &*to, region))
        }
        ["bench-read", location, rest @ ..] => {
            let store = open_location(location)?;
            let threads = rest.first().map_or(Ok(1), |n| number(n))?;
            timed(store.meta().n_bytes(), || bench_read(&store, threads))
        }
        ["info", location] => {
            let node = describe(location)?;
            println!("{}", serde_json::to_string_pretty(&node).map_err(|e| Error::internal(e.to_string()))?);
            Ok(())
        }
        _ => Err(Error::invalid("usage: store_tool npy2zarr|zarr2npy|info|bench-read|bench-write ...")),
    }
}

fn option<'a>(rest: &[&'a str], name: &str) -> Option<&'a str> {
    let at = rest.iter().position(|word| *word == name)?;
    rest.get(at + 1).copied()
}

fn number(text: &str) -> Result<usize> {
    text.parse().map_err(|_| Error::invalid(format!("'{text}' is not a number")))
}

fn settings(rest: &[&str]) -> Result<ZarrSettings> {
    let lengths =
        |name: &str| option(rest, name).map(|text| text.split(',').map(number).collect::<Result<Vec<_>>>()).transpose();
    let mut settings = ZarrSettings {
        chunks: lengths("--chunks")?,
        shards: lengths("--shards")?,
        overwrite: rest.contains(&"--overwrite"),
        ..Default::default()
    };
    if let Some(codec) = option(rest, "--codec") {
        settings.codec = codec.parse()?;
    }
    if let Some(format) = option(rest, "--format") {
        settings.zarr_format = if format == "2" { 2 } else { 3 };
    }
    if let Some(fill) = option(rest, "--fill") {
        let wrong = |_| Error::invalid(format!("'{fill}' is not a number"));
        settings.fill_value =
            fill.parse().map(Scalar::Int).or_else(|_| fill.parse().map(Scalar::Float)).map_err(wrong)?;
    }
    if let Some(separator) = option(rest, "--separator").and_then(|text| text.chars().next()) {
        settings.separator = separator;
    }
    Ok(settings)
}

fn copy(from: &dyn Store, to: &dyn Store, threads: usize) -> Result<()> {
    each(to.write_grid(), threads, &|region| transfer(from, to, region))
}

fn transfer(from: &dyn Store, to: &dyn Store, region: &Region) -> Result<()> {
    if let Some(chunk) = from.borrow(region) {
        return to.write(region, &chunk.view());
    }
    let mut chunk = Chunk::new(&region.shape, from.meta().dtype)?;
    from.read(region, &mut chunk.view_mut()?)?;
    to.write(region, &chunk.view())
}

/// Reads every chunk; with 0 threads, the whole array at once.
fn bench_read(store: &Arc<dyn Store>, threads: usize) -> Result<()> {
    if threads == 0 {
        let mut all = Chunk::new(&store.meta().shape, store.meta().dtype)?;
        return store.read(&store.meta().whole(), &mut all.view_mut()?);
    }
    each(store.write_grid(), threads, &|region| {
        let mut chunk = Chunk::new(&region.shape, store.meta().dtype)?;
        store.read(region, &mut chunk.view_mut()?)
    })
}

/// Calls `work` with every box of a grid, from several threads.
fn each(grid: &voxmill_core::ChunkGrid, threads: usize, work: &(dyn Fn(&Region) -> Result<()> + Sync)) -> Result<()> {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let run = || {
            loop {
                let n = next.fetch_add(1, Ordering::Relaxed);
                if n >= grid.n_chunks() {
                    return Ok(());
                }
                work(&grid.region(n))?;
            }
        };
        let handles: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(run)).collect();
        handles
            .into_iter()
            .try_for_each(|handle| handle.join().unwrap_or_else(|_| Err(Error::internal("a thread panicked"))))
    })
}

fn timed(bytes: u64, work: impl FnOnce() -> Result<()>) -> Result<()> {
    let start = Instant::now();
    work()?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{:.3} s, {:.0} MiB/s", seconds, bytes as f64 / seconds / 1048576.0);
    Ok(())
}
