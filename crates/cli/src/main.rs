//! The `voxmill` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(voxmill_cli::run(std::env::args_os()))
}
