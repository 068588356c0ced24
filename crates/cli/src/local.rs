//! The engine of this process: the only file of the command line that knows executors and stores.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;
use std::time::Duration;

use voxmill::core::{ArrayMeta, AxisCuts, Result, Store};
use voxmill::exec::{self, Cancel, Events, ScratchSettings, Settings};
use voxmill::plan::text::{Opener, OutputOptions};
use voxmill::plan::{Array, Sink};
use voxmill::store::{self, Node, ZarrSettings};
use voxmill::{Output, begin_output};

use crate::engine::{Engine, Job, Outcome, Progress, Watch};

/// The engine of this process.
pub struct LocalEngine;

impl Opener for LocalEngine {
    fn open(&self, location: &str) -> Result<Array> {
        Ok(Array::from_store(store::open_location(location)?))
    }
}

impl Engine for LocalEngine {
    fn create(&self, location: &str, meta: &ArrayMeta, options: &OutputOptions, job: &str) -> Result<Output> {
        let draft = self.draft(location, meta, options)?;
        begin_output(draft.as_ref(), job, options.overwrite, || {
            if is_npy(location) {
                return store::create_npy(location, &meta.shape, meta.dtype, options.overwrite);
            }
            store::create(location, &meta.shape, meta.dtype, &settings(meta, options)?)
        })
    }

    fn draft(&self, location: &str, meta: &ArrayMeta, options: &OutputOptions) -> Result<Arc<dyn Store>> {
        if is_npy(location) {
            return store::draft_npy(location, &meta.shape, meta.dtype);
        }
        store::draft(location, &meta.shape, meta.dtype, &settings(meta, options)?)
    }

    fn run(&self, job: &Job<'_>, watch: &dyn Watch) -> Result<Outcome> {
        let cancel = Cancel::default();
        let events = Arc::new(exec::Progress::default());
        let settings = Settings {
            threads: job.threads,
            scratch: scratch(job),
            cancel: cancel.clone(),
            events: events.clone() as Arc<dyn Events>,
            journals: job.journals.clone(),
        };
        let bytes: u64 = job.outputs.iter().map(|(array, _)| array.meta().n_bytes()).sum();
        let over = AtomicBool::new(false);
        let report = std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    if watch.cancelled() {
                        cancel.raise();
                    }
                    watch.progress(&progress(&events, bytes));
                    std::thread::park_timeout(Duration::from_millis(50));
                }
            });
            // Dropped on every way out, so that the scope never waits for a watcher that was not told.
            let _told = Told { over: &over, watcher: watcher.thread().clone() };
            exec::run(job.plan, &settings)
        })?;
        let now = events.snapshot();
        let mut computed = report.results.into_iter();
        let result = |(_, sink): &(Array, Sink)| if matches!(sink, Sink::Result) { computed.next() } else { None };
        Ok(Outcome {
            results: job.outputs.iter().map(result).collect(),
            tasks: report.tasks,
            read_bytes: now.bytes_read,
            written_bytes: now.bytes_written,
            peak_bytes: report.peak_reserved,
        })
    }

    fn describe(&self, location: &str) -> Result<Node> {
        store::describe(location)
    }
}

fn scratch(job: &Job<'_>) -> ScratchSettings {
    let usual = ScratchSettings::default();
    let (folder, quota) = job.scratch;
    ScratchSettings { folder: folder.map_or(usual.folder, Path::to_path_buf), quota: quota.unwrap_or(usual.quota) }
}

/// Tells the watcher that the run is over, and wakes it.
struct Told<'a> {
    over: &'a AtomicBool,
    watcher: Thread,
}

impl Drop for Told<'_> {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        self.watcher.unpark();
    }
}

/// Tasks stand for bytes: a run that reads much and writes little still moves.
fn progress(events: &exec::Progress, bytes: u64) -> Progress {
    let now = events.snapshot();
    let share = now.done as f64 / now.tasks.max(1) as f64;
    let moved = now.bytes_read + now.bytes_written;
    let whole = if share > 0.0 { (moved as f64 / share) as u64 } else { bytes };
    Progress { tasks_done: now.done, tasks: now.tasks, bytes_done: moved, bytes: whole, memory: now.memory }
}

fn is_npy(location: &str) -> bool {
    location.ends_with(".npy")
}

/// What the user asked for; chunks that the result declares (by `rechunk`, or from its source) where the user did not say.
fn settings(meta: &ArrayMeta, options: &OutputOptions) -> Result<ZarrSettings> {
    let mut settings = ZarrSettings {
        chunks: options.chunks.clone().or_else(|| declared_chunks(meta)),
        shards: options.shards.clone(),
        overwrite: options.overwrite,
        dimension_names: meta.axes.iter().map(|axis| axis.name.clone()).collect(),
        ..ZarrSettings::default()
    };
    if let Some(codec) = &options.codec {
        settings.codec = codec.parse()?;
    }
    if let Some(format) = options.zarr_format {
        settings.zarr_format = format;
    }
    Ok(settings)
}

/// The declared chunks, if they are even and of a size that suits a file.
fn declared_chunks(meta: &ArrayMeta) -> Option<Vec<usize>> {
    const SIZES: std::ops::Range<u64> = 4 << 10..512 << 20;
    let even = meta.grid.axes.iter().all(|cuts| matches!(cuts, AxisCuts::Even { .. }));
    let chunk = meta.grid.largest();
    let bytes = chunk.iter().product::<usize>() as u64 * meta.dtype.size() as u64;
    (even && meta.grid.n_chunks() > 1 && SIZES.contains(&bytes)).then(|| chunk.to_vec())
}
