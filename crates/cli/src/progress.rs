//! The progress bar, and stopping with Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use voxmill::core::{Error, Result, format_bytes};

use crate::engine::{Progress, Watch};

static STOPPED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C asks the run to stop; pressed again, it ends the process at once.
pub fn catch_interrupts() -> Result<()> {
    ctrlc::set_handler(|| {
        if STOPPED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    })
    .map_err(|e| Error::internal(format!("Ctrl-C cannot be caught: {e}")))
}

/// Shows a run on standard error, if that is a terminal.
pub struct Bar {
    bar: ProgressBar,
    memory_limit: u64,
}

impl Bar {
    /// A bar for results of `bytes`.
    pub fn new(bytes: u64, memory_limit: u64, quiet: bool) -> Bar {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(8) };
        let bar = ProgressBar::with_draw_target(Some(bytes.max(1)), target);
        let template = "{percent:>3}% [{bar:30}] {binary_bytes_per_sec}, {msg}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message("starting");
        bar.enable_steady_tick(Duration::from_millis(250));
        Bar { bar, memory_limit }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Watch for Bar {
    fn progress(&self, now: &Progress) {
        self.bar.set_length(now.bytes.max(1));
        self.bar.set_position(now.bytes_done);
        self.bar.set_message(format!(
            "{}/{} tiles, memory {} of {}",
            now.tasks_done,
            now.tasks,
            format_bytes(now.memory),
            format_bytes(self.memory_limit)
        ));
    }

    fn cancelled(&self) -> bool {
        STOPPED.load(Ordering::Relaxed)
    }
}
