//! `voxmill demo`

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use voxmill::TABLE;
use voxmill::core::{Chunk, Error, Result};
use voxmill::plan::text::{Output, OutputOptions, Pipeline, Scope, evaluate};

use crate::engine::Engine;
use crate::job::{self, RunArgs};
use crate::output::print;
use crate::{picture, progress};

/// Flags of `demo`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  voxmill demo
  voxmill demo --dir /tmp/voxmill-demo --size 512 --memory-limit 256MiB")]
pub struct DemoArgs {
    /// Folder for everything the demo makes
    #[arg(long, value_name = "DIR", default_value = "voxmill-demo")]
    dir: PathBuf,

    /// Length of each axis of the volume
    #[arg(long, value_name = "S", default_value_t = 192, value_parser = clap::value_parser!(u32).range(16..=8192))]
    size: u32,

    #[command(flatten)]
    run: RunArgs,
}

/// Blobs of several sizes from products of waves, and noise from the digits of a fast one; a function of position alone.
const VOLUME: &str = "\
z = arange(size)[:, None, None] / size
y = arange(size)[None, :, None] / size
x = arange(size)[None, None, :] / size
large = sin(9 * x + 3 * sin(5 * y)) * sin(8 * y + 2 * sin(7 * z)) * sin(10 * z + 2 * sin(6 * x))
small = sin(41 * x + 2 * y) * sin(37 * y + 3 * z) * sin(43 * z + x)
noise = (sin(12.9898 * x * size + 78.233 * y * size + 37.719 * z * size) * 43758.5453) % 1.0
clip(9000 * large + 2500 * small + 6000 * noise + 9000, 0, 65535).astype(\"uint16\")";

const PIPELINE: &str = r#"# Made by `voxmill demo`; run it again with `voxmill run pipeline.toml --overwrite`.
[inputs]
raw = "volume.zarr"

[[steps]]
name = "smooth"
op = "gaussian_filter"
inputs = ["raw"]
sigma = 2

[[steps]]
name = "bright"
expr = "smooth > factor * smooth.mean()"
factor = 1.3

[outputs]
"smooth.zarr" = "smooth"
"bright.zarr" = "bright"
"projection_raw.npy" = "raw.max(axis=0)"
"projection_smooth.npy" = "smooth.max(axis=0)"
"projection_bright.npy" = "bright.astype(\"float32\").mean(axis=0)"
"#;

/// The projections that the picture shows, left to right.
const PANELS: [&str; 3] = ["projection_raw.npy", "projection_smooth.npy", "projection_bright.npy"];

/// Makes a volume, runs a pipeline over it, draws the result.
pub fn main(engine: &dyn Engine, args: &DemoArgs) -> Result<()> {
    let dir = &args.dir;
    fs::create_dir_all(dir).map_err(|e| Error::io(format_args!("making the folder '{}'", dir.display()), &e))?;
    progress::catch_interrupts()?;
    make_volume(engine, dir, args)?;
    let file = dir.join("pipeline.toml");
    fs::write(&file, PIPELINE).map_err(|e| Error::io(format_args!("writing '{}'", file.display()), &e))?;
    let outputs = Pipeline::parse(PIPELINE)?.build(&TABLE, engine, dir)?;
    job::store(engine, &outputs, &args.run)?;
    if args.run.explain || args.run.dry_run {
        return Ok(());
    }
    let panels: Vec<Chunk> = PANELS.iter().map(|name| load(engine, &dir.join(name), args)).collect::<Result<_>>()?;
    let png = dir.join("picture.png");
    picture::write(&png, &panels)?;
    print(&summary(dir, &args.size.to_string()))
}

fn make_volume(engine: &dyn Engine, dir: &Path, args: &DemoArgs) -> Result<()> {
    let text = format!("size = {}\n{VOLUME}", args.size);
    let array = evaluate(&text, &mut Scope::new(&TABLE, engine))?.to_array()?;
    let chunk = 64.min(args.size as usize);
    let options = OutputOptions { chunks: Some(vec![chunk; 3]), ..OutputOptions::default() };
    let location = dir.join("volume.zarr").to_string_lossy().into_owned();
    // The pipeline needs the volume even to be explained, so it is made in any case.
    let run = RunArgs { explain: false, dry_run: false, stats_json: None, ..args.run.clone() };
    job::store(engine, &[Output { location, array, options }], &run).map_err(|e| e.at("making the sample volume"))
}

fn load(engine: &dyn Engine, path: &Path, args: &DemoArgs) -> Result<Chunk> {
    let array = engine.open(&path.to_string_lossy())?;
    job::compute(engine, &array, &args.run)?.ok_or_else(|| Error::internal("the projection was not computed"))
}

fn summary(dir: &Path, size: &str) -> String {
    let dir = dir.display();
    format!(
        "{dir}/volume.zarr     a synthetic volume of {size} x {size} x {size}\n\
         {dir}/pipeline.toml   the pipeline that was run\n\
         {dir}/smooth.zarr     gaussian_filter(volume, sigma=2)\n\
         {dir}/bright.zarr     smooth > 1.3 * smooth.mean()\n\
         {dir}/picture.png     projections of volume, smooth and bright side by side\n\
         \n\
         Try: voxmill info {dir}/volume.zarr\n\
         \x20    voxmill run {dir}/pipeline.toml --set smooth.sigma=4 --overwrite\n"
    )
}
