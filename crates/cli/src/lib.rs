//! The `voxmill` command: look at arrays, run pipelines and expressions, copy, list the ops.
//!
//! One file per command in `commands/`. Everything a command needs of executor and stores goes through the trait in `engine.rs`,
//! which `local.rs` implements; `job.rs` holds what commands that compute have in common.

mod commands;
mod engine;
mod job;
mod local;
mod output;
mod picture;
mod progress;
mod render;

use std::ffi::OsString;
use std::sync::Mutex;

use clap::{Parser, Subcommand};
use voxmill::core::{Error, Result};

use commands::{completions, copy, demo, eval, info, ops};

/// Lazy arrays larger than memory: NumPy-style expressions over Zarr, in bounded memory, at native speed.
#[derive(Debug, Parser)]
#[command(name = "voxmill", version, propagate_version = true, max_term_width = 100, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  voxmill info image.zarr
  voxmill eval 'x = open(\"image.zarr\"); x.mean(axis=0)' -o mean.zarr
  voxmill run pipeline.toml --set smooth.sigma=2 --memory-limit 2GiB
  voxmill copy image.zarr small.zarr --chunks 64,64,64 --codec zstd
  voxmill ops gaussian_filter

Exit codes: 0 done, 2 wrong argument, 3 not supported, 4 not found, 5 exists already,
6 damaged data, 7 reading or writing failed, 8 memory limit too small, 70 defect of voxmill,
130 stopped.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Show what is in a Zarr hierarchy or array file
    Info(info::InfoArgs),
    /// Run a pipeline from a TOML file
    Run(commands::run::PipelineArgs),
    /// Evaluate an expression; print the result or store it
    Eval(eval::EvalArgs),
    /// List all ops, or explain one
    Ops(ops::OpsArgs),
    /// Copy an array, with other chunks, codec, dtype or a part of it
    Copy(copy::CopyArgs),
    /// Make a sample volume, process it and draw a picture
    Demo(demo::DemoArgs),
    /// Print the completion script of a shell
    Completions(completions::CompletionsArgs),
}

/// Runs a command line, its first word being the name of the program, and gives the exit code.
pub fn run(words: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::try_parse_from(words) {
        Ok(cli) => cli,
        Err(answer) => {
            // Help and version come this way, too. A closed pipe is no failure.
            let _ = answer.print();
            return answer.exit_code().try_into().unwrap_or(2);
        }
    };
    match guarded(&cli.command) {
        Ok(()) => 0,
        Err(error) => {
            output::note(&output::report(&error));
            error.class().exit_code()
        }
    }
}

/// Runs the command; a panic becomes an error like any other, without a stack trace.
fn guarded(command: &Command) -> Result<()> {
    static PANIC: Mutex<Option<String>> = Mutex::new(None);
    std::panic::set_hook(Box::new(|panic| {
        if let Ok(mut seen) = PANIC.lock() {
            seen.get_or_insert(panic.to_string());
        }
    }));
    std::panic::catch_unwind(|| dispatch(command)).unwrap_or_else(|_| {
        let seen = PANIC.lock().ok().and_then(|mut seen| seen.take()).unwrap_or_default();
        Err(Error::internal(seen.replace('\n', " ")))
    })
}

fn dispatch(command: &Command) -> Result<()> {
    let engine = local::LocalEngine;
    match command {
        Command::Info(args) => info::main(&engine, args),
        Command::Run(args) => commands::run::main(&engine, args),
        Command::Eval(args) => eval::main(&engine, args),
        Command::Ops(args) => ops::main(args),
        Command::Copy(args) => copy::main(&engine, args),
        Command::Demo(args) => demo::main(&engine, args),
        Command::Completions(args) => completions::main(args),
    }
}
