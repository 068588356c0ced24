//! Python on the engine's own threads.
#![allow(unsafe_code)]

use std::cell::Cell;

use pyo3::{Python, ffi};

thread_local! {
    static KNOWN: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` with the interpreter's lock. A thread that Python does not know yet becomes known to it for good, not for one call only:
/// users' thread-local values stay alive from block to block, and calls begin faster.
pub fn with_python<R>(work: impl for<'py> FnOnce(Python<'py>) -> R) -> R {
    if !KNOWN.get() {
        KNOWN.set(true);
        // SAFETY: these calls may be made by any thread while the interpreter lives, which `attach` needs as well. The state that
        // `Ensure` makes is never released, so it is found again by every later `attach`; the lock itself is given back at once.
        unsafe {
            if ffi::PyGILState_GetThisThreadState().is_null() {
                ffi::PyGILState_Ensure();
                ffi::PyEval_SaveThread();
            }
        }
    }
    Python::attach(work)
}
