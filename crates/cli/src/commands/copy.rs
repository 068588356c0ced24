//! `voxmill copy`

use clap::Args;
use serde_json::json;
use voxmill::TABLE;
use voxmill::core::{AxisCuts, DType, Result};
use voxmill::plan::Array;
use voxmill::plan::text::{Output, parse_index};

use crate::engine::Engine;
use crate::job::{self, RunArgs, StoreArgs};
use crate::progress;

/// Flags of `copy`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  voxmill copy image.zarr copy.zarr
  voxmill copy image.npy image.zarr --chunks 64,64,64 --shards 256,256,256 --codec zstd
  voxmill copy image.zarr part.npy --crop '0:100, :, 5:50' --dtype float32
  voxmill copy old.zarr new.zarr --zarr-format 3 --overwrite")]
pub struct CopyArgs {
    /// Path or URL of the array
    #[arg(value_name = "IN")]
    input: String,

    /// Path or URL of the copy
    #[arg(value_name = "OUT")]
    output: String,

    /// Element type of the copy
    #[arg(long, value_name = "DTYPE", value_parser = dtype)]
    dtype: Option<DType>,

    /// Copy only this part, written as an index: '0:100, :, 5:50'
    #[arg(long, value_name = "INDEX", allow_hyphen_values = true)]
    crop: Option<String>,

    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    run: RunArgs,
}

fn dtype(text: &str) -> Result<DType, String> {
    text.parse().map_err(|e: voxmill::core::Error| e.message().to_string())
}

/// Opens, crops, casts and stores.
pub fn main(engine: &dyn Engine, args: &CopyArgs) -> Result<()> {
    let source = engine.open(&args.input)?;
    let mut array = source.clone();
    if let Some(crop) = &args.crop {
        let index = parse_index(crop, &TABLE).map_err(|e| e.at("--crop"))?;
        array = Array::from_op(TABLE.build("getitem", &json!({"index": index}))?, vec![array])
            .map_err(|e| e.at(format!("--crop of '{}'", args.input)))?;
    }
    if let Some(dtype) = args.dtype {
        array = Array::from_op(TABLE.build("astype", &json!({"dtype": dtype}))?, vec![array])?;
    }
    let mut options = args.store.options(args.run.overwrite);
    if options.chunks.is_none() && array.rank() == source.rank() {
        options.chunks = source_chunks(&source);
    }
    progress::catch_interrupts()?;
    job::store(engine, &[Output { location: args.output.clone(), array, options }], &args.run)
}

/// The chunks of the source, which a copy keeps; an array in one piece says nothing about chunks.
fn source_chunks(source: &Array) -> Option<Vec<usize>> {
    let grid = &source.meta().grid;
    let length = |cuts: &AxisCuts| match cuts {
        AxisCuts::Even { chunk, .. } => Some(*chunk),
        AxisCuts::Irregular(_) => None,
    };
    if grid.n_chunks() < 2 { None } else { grid.axes.iter().map(length).collect() }
}
