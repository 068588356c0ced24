//! Errors of the engine as Python's own kinds of exceptions.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use pyo3::exceptions::{
    PyFileExistsError, PyFileNotFoundError, PyKeyboardInterrupt, PyMemoryError, PyOSError, PyRuntimeError, PyTypeError,
    PyValueError,
};
use pyo3::prelude::*;
use voxmill::{Error, ErrorClass};

/// What users' functions raised, until the run that called them ends. The engine carries only the number.
static RAISED: Mutex<BTreeMap<u64, PyErr>> = Mutex::new(BTreeMap::new());

/// Begins the message of an error that stands for a Python exception.
const RAISED_WORDS: &str = "a Python function raised exception number ";

/// A Python exception on its way through the engine.
pub fn from_python(error: PyErr) -> Error {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    RAISED.lock().insert(number, error);
    Error::new(ErrorClass::Invalid, format!("{RAISED_WORDS}{number}"))
}

/// An error of the engine as a Python exception.
pub fn to_python(error: Error) -> PyErr {
    if let Some(number) = error.message().strip_prefix(RAISED_WORDS)
        && let Some(raised) = number.parse().ok().and_then(|number: u64| RAISED.lock().remove(&number))
    {
        return raised;
    }
    let places = error.trail().iter().map(|place| format!("\n  in {place}"));
    let text = error.message().to_string() + &places.collect::<String>();
    match error.class() {
        ErrorClass::Unsupported => PyTypeError::new_err(text),
        ErrorClass::NotFound => PyFileNotFoundError::new_err(text),
        ErrorClass::Exists => PyFileExistsError::new_err(text),
        ErrorClass::Corrupt | ErrorClass::Io { .. } => PyOSError::new_err(text),
        ErrorClass::OverBudget { .. } => PyMemoryError::new_err(text),
        ErrorClass::Cancelled => PyKeyboardInterrupt::new_err(text),
        ErrorClass::Internal => PyRuntimeError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}
