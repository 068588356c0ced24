//! `voxmill completions`

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use voxmill::core::{Error, Result};

use crate::output::print;

/// Flags of `completions`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  voxmill completions bash > ~/.local/share/bash-completion/completions/voxmill
  voxmill completions zsh > ~/.zfunc/_voxmill
  voxmill completions fish > ~/.config/fish/completions/voxmill.fish")]
pub struct CompletionsArgs {
    /// Which shell
    shell: Shell,
}

/// Prints the script.
pub fn main(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::Cli::command(), "voxmill", &mut script);
    let script = String::from_utf8(script).map_err(|e| Error::internal(format!("the script is not text: {e}")))?;
    print(&script)
}
