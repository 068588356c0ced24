//! Two pools in one: more threads than cores wait for the network, while only as many as there are cores compute.

use parking_lot::{Condvar, Mutex};

/// Permits to compute. A thread gives its permit back while it waits for a remote store.
#[derive(Debug)]
pub(crate) struct Gate {
    free: Mutex<usize>,
    freed: Condvar,
}

impl Gate {
    pub(crate) fn new(permits: usize) -> Self {
        Gate { free: Mutex::new(permits), freed: Condvar::new() }
    }

    /// Waits for a permit, and holds it until the guard is dropped.
    pub(crate) fn enter(&self) -> Permit<'_> {
        let mut free = self.free.lock();
        while *free == 0 {
            self.freed.wait(&mut free);
        }
        *free -= 1;
        Permit { gate: self }
    }
}

pub(crate) struct Permit<'a> {
    gate: &'a Gate,
}

impl Permit<'_> {
    /// Runs `work` without the permit, then waits for one again.
    pub(crate) fn without<R>(&mut self, work: impl FnOnce() -> R) -> R {
        self.gate.leave();
        let result = work();
        std::mem::forget(self.gate.enter());
        result
    }
}

impl Gate {
    fn leave(&self) {
        *self.free.lock() += 1;
        self.freed.notify_one();
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.gate.leave();
    }
}
