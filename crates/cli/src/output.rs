//! Standard output and error messages.

use std::io::{self, ErrorKind, Write};

use voxmill::core::{Error, ErrorClass, Result};

/// Writes to standard output. A reader that has seen enough, such as `head`, ends the program with success.
pub fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        Err(e) if e.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        other => other.map_err(|e| Error::io("writing to standard output", &e)),
    }
}

/// A note for people on standard error; that nobody reads it is no failure.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// The error as the user sees it.
pub fn report(error: &Error) -> String {
    let mut text = format!("error: {error}");
    if let Some(hint) = hint(error.class()) {
        text.push_str("\nhint: ");
        text.push_str(hint);
    }
    text
}

fn hint(class: ErrorClass) -> Option<&'static str> {
    match class {
        ErrorClass::Exists => Some("add --overwrite to replace it, or choose another name"),
        ErrorClass::OverBudget { .. } => Some("raise --memory-limit, or store the input in smaller chunks"),
        ErrorClass::Io { retry: true } => Some("this may pass; run the same command again"),
        ErrorClass::Internal => Some("this is a defect of voxmill; please report it with the command that led to it"),
        _ => None,
    }
}
