//! Faults that pass: time-outs, resets, throttling.

use std::time::{Duration, Instant};

use voxmill_core::{ErrorClass, Result};

use crate::{Cancel, Event, Events};

/// Waits before the second, third, ... attempt.
const WAITS: [Duration; 5] = [
    Duration::from_millis(100),
    Duration::from_millis(300),
    Duration::from_secs(1),
    Duration::from_secs(3),
    Duration::from_secs(10),
];

/// Does `work` again while it fails in a way that may pass.
pub(crate) fn retry<R>(
    what: &str,
    cancel: &Cancel,
    events: &dyn Events,
    mut work: impl FnMut() -> Result<R>,
) -> Result<R> {
    for (attempt, wait) in WAITS.iter().enumerate() {
        match work() {
            Err(e) if e.class() == (ErrorClass::Io { retry: true }) => {
                events.on(&Event::Retried { what: what.to_string(), attempt: attempt as u32 + 2 });
                pause(*wait, cancel)?;
            }
            other => return other,
        }
    }
    work().map_err(|e| e.at(format!("{what}, after {} attempts", WAITS.len() + 1)))
}

/// Sleeps in short naps, so that a wish to stop is heard.
fn pause(wait: Duration, cancel: &Cancel) -> Result<()> {
    let end = Instant::now() + wait;
    while Instant::now() < end {
        cancel.check()?;
        std::thread::sleep(Duration::from_millis(50).min(end.saturating_duration_since(Instant::now())));
    }
    Ok(())
}
