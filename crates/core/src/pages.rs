//! How many pages of mapped files may stay resident.

use std::sync::atomic::{AtomicU64, Ordering};

/// The allowance of the whole process, set by whoever runs tasks.
pub static FILE_PAGES: FilePages = FilePages { allowance: AtomicU64::new(256 << 20), kept: AtomicU64::new(0) };

/// Pages of mapped files that nobody looks at any more. Keeping them spares page faults when an array is read again; they count as
/// memory of the process, so there may only be so many.
#[derive(Debug)]
pub struct FilePages {
    allowance: AtomicU64,
    kept: AtomicU64,
}

impl FilePages {
    /// Sets how many bytes may be kept.
    pub fn allow(&self, bytes: u64) {
        self.allowance.store(bytes, Ordering::Relaxed);
    }

    /// Asks to keep `bytes` more. First come, first served: of an array that is read over and over, the beginning stays.
    pub fn keep(&self, bytes: u64) -> bool {
        let before = self.kept.fetch_add(bytes, Ordering::Relaxed);
        let fits = before + bytes <= self.allowance.load(Ordering::Relaxed);
        if !fits {
            self.give_back(bytes);
        }
        fits
    }

    /// Notes that `bytes` are no longer kept.
    pub fn give_back(&self, bytes: u64) {
        self.kept.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// True if more is kept than allowed by now.
    pub fn is_over(&self) -> bool {
        self.kept.load(Ordering::Relaxed) > self.allowance.load(Ordering::Relaxed)
    }
}
