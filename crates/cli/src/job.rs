//! What `run`, `eval` and `copy` share: flags, planning, running, the report.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use serde_json::{Value, json};
use voxmill::core::{
    ArrayMeta, Chunk, Error, ErrorClass, Result, format_bytes, machine_memory, parse_bytes, peak_resident,
};
use voxmill::exec::Journal;
use voxmill::job_name;
use voxmill::plan::text::{Output, OutputOptions};
use voxmill::plan::{Array, Plan, PlanOptions, Sink, What, explain, plan};

use crate::engine::{Engine, Job, Outcome};
use crate::output::{note, print};
use crate::progress::Bar;

/// Flags of every command that computes.
#[derive(Debug, Clone, Args)]
pub struct RunArgs {
    /// Number of tasks that run at the same time [default: all cores]
    #[arg(long, value_name = "N", env = "VOXMILL_THREADS", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,

    /// Memory that may be used, such as 512MiB or 4GB [default: 60% of what this process may have]
    #[arg(long, value_name = "BYTES", env = "VOXMILL_MEMORY_LIMIT", value_parser = bytes)]
    pub memory_limit: Option<u64>,

    /// Folder for data that does not fit the memory limit [default: the system's temporary folder]
    #[arg(long, value_name = "DIR", env = "VOXMILL_SCRATCH")]
    pub scratch: Option<PathBuf>,

    /// Disk space that may be used there, such as 200GB [default: all that is free]
    #[arg(long, value_name = "BYTES", env = "VOXMILL_SCRATCH_LIMIT", value_parser = bytes)]
    pub scratch_limit: Option<u64>,

    /// Print the plan (stages, tiles, bytes) instead of running it
    #[arg(long)]
    pub explain: bool,

    /// Check everything and say what would be written, without writing
    #[arg(long)]
    pub dry_run: bool,

    /// Replace outputs that exist already
    #[arg(long)]
    pub overwrite: bool,

    /// Write time, bytes and peak memory of the run to this file
    #[arg(long, value_name = "FILE")]
    pub stats_json: Option<PathBuf>,

    /// No progress bar and no closing line
    #[arg(long, short)]
    pub quiet: bool,
}

/// How a result is stored.
#[derive(Debug, Args)]
pub struct StoreArgs {
    /// Shape of the chunks of the output, such as 64,64,64
    #[arg(long, value_name = "LENGTHS", value_delimiter = ',')]
    pub chunks: Option<Vec<usize>>,

    /// Shape of the shards of the output: multiples of the chunks
    #[arg(long, value_name = "LENGTHS", value_delimiter = ',')]
    pub shards: Option<Vec<usize>>,

    /// Compression: zstd, zstd:9, blosc-lz4, blosc-zstd:3, gzip, none
    #[arg(long, value_name = "NAME")]
    pub codec: Option<String>,

    /// Version of the Zarr format
    #[arg(long, value_name = "2|3", value_parser = clap::value_parser!(u8).range(2..=3))]
    pub zarr_format: Option<u8>,
}

impl StoreArgs {
    /// As options for the engine.
    pub fn options(&self, overwrite: bool) -> OutputOptions {
        OutputOptions {
            chunks: self.chunks.clone(),
            shards: self.shards.clone(),
            codec: self.codec.clone(),
            zarr_format: self.zarr_format,
            overwrite,
        }
    }
}

fn bytes(text: &str) -> Result<u64, String> {
    parse_bytes(text).map_err(|e| e.message().to_string())
}

impl RunArgs {
    /// The limits for the planner.
    pub fn plan_options(&self) -> PlanOptions {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        PlanOptions {
            memory_limit: self.memory_limit.unwrap_or_else(|| machine_memory() / 10 * 6),
            threads: self.threads.map_or(cores, usize::from),
            random_tiles: None,
        }
    }
}

/// Computes one array into memory.
pub fn compute(engine: &dyn Engine, array: &Array, args: &RunArgs) -> Result<Option<Chunk>> {
    let outputs = [(array.clone(), Sink::Result)];
    let start = Instant::now();
    let plan = plan(&outputs, &args.plan_options())?;
    planned(&plan, start, args)?;
    if args.explain {
        print(&explain::explain(&plan))?;
        return Ok(None);
    }
    if args.dry_run {
        print(&format!("would compute {}, nothing is written\n", words(array.meta())))?;
        return Ok(None);
    }
    let outcome = watched(engine, &plan, &outputs, &[], args, &[])?;
    outcome.results.into_iter().next().flatten().map(Some).ok_or_else(|| Error::internal("the run gave no result"))
}

/// Computes arrays into stores, or says what that would take.
pub fn store(engine: &dyn Engine, outputs: &[Output], args: &RunArgs) -> Result<()> {
    // The first plan touches nothing: whatever is wrong is found before an output is created or replaced.
    let sketches: Vec<(Array, Sink)> = outputs.iter().map(|output| sketch(engine, output)).collect::<Result<_>>()?;
    let start = Instant::now();
    let first = plan(&sketches, &args.plan_options())?;
    check_sources(&first, outputs)?;
    planned(&first, start, args)?;
    if args.explain {
        return print(&explain::explain(&first));
    }
    if args.dry_run {
        let lines: Vec<String> =
            outputs.iter().map(|o| format!("would write {} to {}\n", words(o.array.meta()), o.location)).collect();
        return print(&lines.concat());
    }
    let job = job_name(&first, &|_| None);
    let (mut sinks, mut journals) = (Vec::new(), Vec::new());
    for output in outputs {
        let mut options = output.options.clone();
        options.overwrite |= args.overwrite;
        let begun = engine.create(&output.location, output.array.meta(), &options, &job)?;
        if let Some(share) =
            begun.journal.as_ref().map(|journal| journal.share()).filter(|share| *share > 0.0 && !args.quiet)
        {
            note(&format!("going on with {}: {:.0}% is there already", output.location, share * 100.0));
        }
        sinks.push((output.array.clone(), Sink::Store(begun.store, None)));
        journals.extend(begun.journal);
    }
    let plan = plan(&sinks, &args.plan_options())?;
    let start = Instant::now();
    watched(engine, &plan, &sinks, &journals, args, outputs).map_err(|e| advised(e, &journals))?;
    journals.iter().try_for_each(|journal| journal.finish())?;
    if !args.quiet {
        for output in outputs {
            note(&format!("wrote {} to {}", words(output.array.meta()), output.location));
        }
        note(&format!("done in {:.1} s", start.elapsed().as_secs_f64()));
    }
    Ok(())
}

/// A job that was stopped on the way goes on when it is started again.
fn advised(error: Error, journals: &[Arc<Journal>]) -> Error {
    let passing = matches!(error.class(), ErrorClass::Cancelled | ErrorClass::Io { .. });
    if journals.is_empty() || !passing {
        return error;
    }
    error.hint("the same command again goes on where this one stopped")
}

/// Writes the statistics of a plan that will not run.
fn planned(plan: &Plan, start: Instant, args: &RunArgs) -> Result<()> {
    let Some(file) = args.stats_json.as_ref().filter(|_| args.explain || args.dry_run) else { return Ok(()) };
    write_json(
        file,
        &json!({
            "status": "planned",
            "seconds": start.elapsed().as_secs_f64(),
            "plan_seconds": start.elapsed().as_secs_f64(),
            "tasks": plan.n_tasks(),
            "stages": plan.stages.len(),
            "memory_limit": plan.memory_limit,
            "peak_rss_bytes": peak_resident(),
        }),
    )
}

/// Shape, dtype and size in words.
pub fn words(meta: &ArrayMeta) -> String {
    let shape: Vec<String> = meta.shape.iter().map(usize::to_string).collect();
    format!("[{}] {} ({})", shape.join(", "), meta.dtype, format_bytes(meta.n_bytes()))
}

fn watched(
    engine: &dyn Engine,
    plan: &Plan,
    outputs: &[(Array, Sink)],
    journals: &[Arc<Journal>],
    args: &RunArgs,
    to: &[Output],
) -> Result<Outcome> {
    let options = args.plan_options();
    let bytes = outputs.iter().map(|(array, _)| array.meta().n_bytes()).sum();
    let bar = Bar::new(bytes, options.memory_limit, args.quiet);
    let start = Instant::now();
    let scratch = (args.scratch.as_deref(), args.scratch_limit);
    let outcome =
        engine.run(&Job { plan, outputs, journals: journals.to_vec(), threads: options.threads, scratch }, &bar);
    bar.finish();
    let seconds = start.elapsed().as_secs_f64();
    if let Some(file) = &args.stats_json {
        write_stats(file, &outcome, seconds, &options, to)?;
    }
    outcome
}

fn write_stats(
    file: &Path,
    outcome: &Result<Outcome>,
    seconds: f64,
    options: &PlanOptions,
    to: &[Output],
) -> Result<()> {
    let outputs: Vec<_> = to
        .iter()
        .map(|o| json!({"location": o.location, "shape": o.array.shape(), "dtype": o.array.dtype()}))
        .collect();
    let mut stats = json!({
        "status": outcome.as_ref().map_or_else(|e| e.class().kind(), |_| "done"),
        "seconds": seconds,
        "threads": options.threads,
        "memory_limit": options.memory_limit,
        "outputs": outputs,
        "peak_rss_bytes": peak_resident(),
    });
    if let Ok(outcome) = outcome {
        stats["tasks"] = json!(outcome.tasks);
        stats["read_bytes"] = json!(outcome.read_bytes);
        stats["written_bytes"] = json!(outcome.written_bytes);
        stats["peak_bytes"] = json!(outcome.peak_bytes);
    }
    write_json(file, &stats)
}

fn write_json(file: &Path, value: &Value) -> Result<()> {
    fs::write(file, format!("{value:#}\n")).map_err(|e| Error::io(format_args!("writing '{}'", file.display()), &e))
}

/// An output that overwrites what it is computed from would lose both.
fn check_sources(plan: &Plan, outputs: &[Output]) -> Result<()> {
    let real = |location: &str| fs::canonicalize(location).unwrap_or_else(|_| PathBuf::from(location));
    for node in &plan.nodes {
        let What::Source(source) = &node.what else { continue };
        let from = real(&source.spec().location);
        if let Some(output) = outputs.iter().find(|output| real(&output.location) == from) {
            return Err(Error::invalid(format!(
                "'{}' is both read and written; write to another place",
                output.location
            )));
        }
    }
    Ok(())
}

fn sketch(engine: &dyn Engine, output: &Output) -> Result<(Array, Sink)> {
    let meta = output.array.meta();
    for (what, lengths) in [("chunks", &output.options.chunks), ("shards", &output.options.shards)] {
        if let Some(lengths) = lengths.as_ref().filter(|lengths| lengths.len() != meta.rank()) {
            return Err(Error::invalid(format!(
                "{what} {lengths:?} have {} axes, the result has {}: {:?}",
                lengths.len(),
                meta.rank(),
                &meta.shape[..]
            ))
            .at(format!("output '{}'", output.location)));
        }
    }
    let store = engine.draft(&output.location, meta, &output.options)?;
    Ok((output.array.clone(), Sink::Store(store, None)))
}
