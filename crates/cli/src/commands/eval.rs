//! `voxmill eval`

use std::io::Read;

use clap::Args;
use voxmill::TABLE;
use voxmill::core::{Error, Result, Scalar, format_bytes};
use voxmill::plan::Array;
use voxmill::plan::text::{Output, Scope, Term, evaluate};

use crate::engine::Engine;
use crate::job::{self, RunArgs, StoreArgs};
use crate::output::print;
use crate::{progress, render};

/// Largest result that is computed only to be printed.
const MOST_PRINTED: u64 = 256 << 20;

/// Flags of `eval`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  voxmill eval 'open(\"image.zarr\").mean(axis=0)'
  voxmill eval 'x = open(\"a.npy\"); (x - x.mean()) / x.std()' -o normal.zarr --codec zstd
  voxmill eval 'x = open(\"s3://bucket/image.zarr\"); x[0, ::2, ::2]' -o half.npy
  voxmill eval 'gaussian_filter(open(\"image.zarr\"), sigma=2) > 100' -o mask.zarr --explain

Expressions are written as in NumPy: operators, x.mean(axis=0), x[0, 1:5, ..., None], x.T, x.shape,
functions with or without np. before them. Statements are separated by ; or line ends; the last one
is the result. `voxmill ops` lists the functions.")]
pub struct EvalArgs {
    /// The expression; - reads it from standard input
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    expression: String,

    /// Store the result here: .npy, .zarr or a URL; printed if not given
    #[arg(long, short, value_name = "OUT")]
    output: Option<String>,

    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    run: RunArgs,
}

/// Evaluates, then prints or stores.
pub fn main(engine: &dyn Engine, args: &EvalArgs) -> Result<()> {
    let text = match &args.expression[..] {
        "-" => read_stdin()?,
        text => text.to_string(),
    };
    let term = evaluate(&text, &mut Scope::new(&TABLE, engine))?;
    progress::catch_interrupts()?;
    match (&args.output, &term) {
        (Some(location), term) => {
            let options = args.store.options(args.run.overwrite);
            let output = Output { location: location.clone(), array: settled(term)?, options };
            job::store(engine, &[output], &args.run)
        }
        (None, Term::Array(array)) => print_array(engine, array, &args.run),
        (None, term) => print(&format!("{}\n", plain(term))),
    }
}

/// A bare number takes the dtype it has by itself.
fn settled(term: &Term) -> Result<Array> {
    let array = term.to_array()?;
    Ok(match array.meta().weak {
        Some(value) => Array::scalar(value, value.default_dtype()),
        None => array,
    })
}

fn read_stdin() -> Result<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|e| Error::io("reading standard input", &e))?;
    Ok(text)
}

fn print_array(engine: &dyn Engine, array: &Array, args: &RunArgs) -> Result<()> {
    let meta = array.meta();
    let most = MOST_PRINTED.min(args.plan_options().memory_limit / 2);
    if meta.n_bytes() > most && !args.explain && !args.dry_run {
        return Err(Error::invalid(format!(
            "the result has {}, which is too much to print (at most {}); store it with -o out.zarr, or print a part such as \
             (...)[0, :5, :5]",
            job::words(meta),
            format_bytes(most)
        )));
    }
    let Some(chunk) = job::compute(engine, array, args)? else { return Ok(()) };
    let shape: Vec<String> = meta.shape.iter().map(usize::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    print(&format!("{}\nshape ({}{comma}), dtype {}\n", render::values(&chunk), shape.join(", "), meta.dtype))
}

/// A plain value as Python prints it.
fn plain(term: &Term) -> String {
    match term {
        Term::Number(Scalar::Bool(b)) => if *b { "True" } else { "False" }.into(),
        Term::Number(value) => value.to_string(),
        Term::Text(text) => text.clone(),
        Term::List(items) => format!("[{}]", items.iter().map(plain).collect::<Vec<_>>().join(", ")),
        other => other.words(),
    }
}
