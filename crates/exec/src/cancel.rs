//! The user's wish to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use voxmill_core::{Error, Result};

/// A flag that anybody may raise and every task looks at.
#[derive(Debug, Clone, Default)]
pub struct Cancel {
    raised: Arc<AtomicBool>,
}

impl Cancel {
    /// Asks the run to stop.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::Relaxed);
    }

    /// True once somebody asked.
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }

    /// An error once somebody asked.
    pub fn check(&self) -> Result<()> {
        if self.is_raised() { Err(Error::cancelled()) } else { Ok(()) }
    }
}
