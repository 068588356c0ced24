//! A mapped file whose pages leave the resident memory with those who look at them: the limit of a run holds for mapped files too.

use std::ops::Range;
use std::sync::Arc;

use memmap2::Mmap;
use parking_lot::Mutex;
use voxmill_core::FILE_PAGES;

use crate::sys;

/// Bytes that are kept or forgotten together: what one entry of a page table's middle level covers. Looking at one byte may map as much
/// at once, where the system caches the file in large pieces, but never more.
const GRANULE: usize = 2 << 20;

/// Pages that a look at one byte maps, where the system caches the file in small pieces.
const FAULT_AROUND: usize = 64 << 10;

/// A loan that spans more than this many times its own bytes is a thin column: its granules are nearly the whole file.
const WIDEST: usize = 16;

#[derive(Debug)]
pub(crate) struct MappedFile {
    map: Mmap,
    pages: Mutex<Pages>,
}

/// What is known about the pages of a file.
#[derive(Debug)]
struct Pages {
    granules: Vec<Granule>,
    /// Bytes that thin columns may have mapped anywhere in the file since it was last forgotten.
    strewn: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Granule {
    /// Loans that look at it.
    loans: u32,
    /// Stays resident although nobody may look at it.
    kept: bool,
}

impl MappedFile {
    pub(crate) fn new(map: Mmap) -> Self {
        let pages = Pages { granules: vec![Granule::default(); last_granule(&map) + 1], strewn: 0 };
        MappedFile { map, pages: Mutex::new(pages) }
    }

    /// The granules that `bytes` lie in. They are aligned in memory, not in the file.
    fn granules(&self, bytes: &Range<usize>) -> Range<usize> {
        if bytes.is_empty() {
            return 0..0;
        }
        let before = lead(&self.map);
        (before + bytes.start) / GRANULE..(before + bytes.end).div_ceil(GRANULE)
    }

    fn lend(&self, bytes: &Range<usize>) {
        let mut pages = self.pages.lock();
        self.granules(bytes).for_each(|g| pages.granules[g].loans += 1);
    }

    /// Nobody looks at these bytes any more: keeps their pages if that is allowed.
    fn give_back(&self, bytes: &Range<usize>) {
        let mut pages = self.pages.lock();
        if FILE_PAGES.is_over() {
            self.forget_all(&mut pages);
        }
        let mut idle = 0..0;
        for g in self.granules(bytes) {
            let granule = &mut pages.granules[g];
            granule.loans -= 1;
            if granule.loans > 0 || granule.kept {
                continue;
            }
            granule.kept = FILE_PAGES.keep(GRANULE as u64);
            if granule.kept {
                continue;
            }
            if idle.end != g {
                self.forget(&idle);
                idle = g..g;
            }
            idle.end = g + 1;
        }
        self.forget(&idle);
    }

    /// Nobody looks at a thin column any more, which has mapped at most `bytes`.
    fn give_back_strewn(&self, bytes: u64) {
        let mut pages = self.pages.lock();
        if FILE_PAGES.keep(bytes) {
            pages.strewn += bytes;
        } else {
            self.forget_all(&mut pages);
        }
    }

    fn forget(&self, granules: &Range<usize>) {
        let before = lead(&self.map);
        let begin = (granules.start * GRANULE).saturating_sub(before);
        let end = (granules.end * GRANULE).saturating_sub(before).min(self.map.len());
        sys::forget_pages(&self.map, begin, end);
    }

    /// Pages that somebody looks at come back when they are touched.
    fn forget_all(&self, pages: &mut Pages) {
        sys::forget_pages(&self.map, 0, self.map.len());
        FILE_PAGES.give_back(pages.kept_bytes());
        pages.granules.iter_mut().for_each(|granule| granule.kept = false);
        pages.strewn = 0;
    }
}

/// Bytes between the beginning of the first granule and that of the map.
fn lead(map: &Mmap) -> usize {
    map.as_ptr().addr() % GRANULE
}

fn last_granule(map: &Mmap) -> usize {
    (lead(map) + map.len()) / GRANULE
}

impl Pages {
    fn kept_bytes(&self) -> u64 {
        let kept = self.granules.iter().filter(|granule| granule.kept).count();
        (kept * GRANULE) as u64 + self.strewn
    }
}

impl Drop for MappedFile {
    fn drop(&mut self) {
        FILE_PAGES.give_back(self.pages.get_mut().kept_bytes());
    }
}

/// A part of a file that somebody looks at.
#[derive(Debug)]
pub(crate) struct Loan {
    file: Arc<MappedFile>,
    part: Part,
}

#[derive(Debug)]
enum Part {
    Dense(Range<usize>),
    /// At most so many bytes are mapped by looking at it.
    Strewn(u64),
}

impl Loan {
    /// `wanted` bytes, all of which lie in `bytes`.
    pub(crate) fn of(file: &Arc<MappedFile>, bytes: Range<usize>, wanted: usize) -> Loan {
        let part = if bytes.len() <= wanted.saturating_mul(WIDEST).max(GRANULE) {
            file.lend(&bytes);
            Part::Dense(bytes)
        } else {
            Part::Strewn(wanted.saturating_mul(FAULT_AROUND).min(bytes.len()) as u64)
        };
        Loan { file: file.clone(), part }
    }
}

impl AsRef<[u8]> for Loan {
    fn as_ref(&self) -> &[u8] {
        &self.file.map
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        match &self.part {
            Part::Dense(bytes) => self.file.give_back(bytes),
            Part::Strewn(bytes) => self.file.give_back_strewn(*bytes),
        }
    }
}
