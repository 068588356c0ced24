//! `voxmill run`

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use voxmill::TABLE;
use voxmill::core::{Error, Result};
use voxmill::plan::text::Pipeline;

use crate::engine::Engine;
use crate::job::{self, RunArgs};
use crate::progress;

/// Flags of `run`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  voxmill run pipeline.toml
  voxmill run pipeline.toml --explain
  voxmill run pipeline.toml --set smooth.sigma=[1,2,2] --set inputs.raw=other.zarr --overwrite
  voxmill run pipeline.toml --memory-limit 2GiB --threads 8 --stats-json stats.json

A pipeline:
  [inputs]
  raw = \"raw.zarr\"
  [[steps]]
  name = \"smooth\"
  op = \"gaussian_filter\"
  inputs = [\"raw\"]
  sigma = [1, 2, 2]
  [[steps]]
  name = \"bright\"
  expr = \"smooth > smooth.mean()\"
  [outputs]
  \"out.zarr\" = { from = \"bright\", chunks = [64, 64, 64], codec = \"zstd\" }")]
pub struct PipelineArgs {
    /// The pipeline; relative paths in it count from its folder
    #[arg(value_name = "PIPELINE.toml")]
    file: PathBuf,

    /// Change a value: step.param=value, step.expr=..., inputs.name=path, outputs.name=path
    #[arg(long, value_name = "STEP.PARAM=VALUE")]
    set: Vec<String>,

    #[command(flatten)]
    run: RunArgs,
}

/// Builds the pipeline and runs it.
pub fn main(engine: &dyn Engine, args: &PipelineArgs) -> Result<()> {
    let name = args.file.display();
    let text = fs::read_to_string(&args.file).map_err(|e| Error::io(format_args!("reading '{name}'"), &e))?;
    let mut pipeline = Pipeline::parse(&text).map_err(|e| e.at(name.to_string()))?;
    for assignment in &args.set {
        pipeline.set(assignment, &TABLE).map_err(|e| e.at("--set"))?;
    }
    let folder = args.file.parent().unwrap_or(Path::new(""));
    let outputs = pipeline.build(&TABLE, engine, folder).map_err(|e| e.at(name.to_string()))?;
    progress::catch_interrupts()?;
    job::store(engine, &outputs, &args.run)
}
