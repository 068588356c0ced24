//! Files under a folder.

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use voxmill_core::{Error, Latency, Result, format_bytes};

use super::{Blob, Bytes, Listing, Needed, Payload, Usage, wrong_length};

/// Ends the names of files that are being written. No Zarr key ends like this.
const PARTIAL: &str = ".voxmill-partial";

/// Bytes that are read first to find out which others are needed.
const HEAD: usize = 4096;

/// Files under one folder; a key is a relative path with slashes.
#[derive(Debug)]
pub(crate) struct FileBytes {
    root: PathBuf,
}

impl FileBytes {
    /// The files under `root`, which need not exist yet.
    pub(crate) fn new(root: PathBuf) -> Self {
        FileBytes { root }
    }

    fn path(&self, key: &str) -> PathBuf {
        if key.is_empty() { self.root.clone() } else { self.root.join(key) }
    }

    fn open(&self, key: &str) -> Result<Option<(File, u64)>> {
        let path = self.path(key);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(e) if is_absent(&e) => return Ok(None),
            Err(e) => return Err(Error::io(format_args!("opening {}", path.display()), &e)),
        };
        let meta = file.metadata().map_err(|e| Error::io(format_args!("looking at {}", path.display()), &e))?;
        // A folder where a chunk file could be is not that chunk.
        Ok(meta.is_file().then_some((file, meta.len())))
    }

    fn read_here(&self, key: &str, file: &mut File, len: u64) -> Result<Blob> {
        let len = usize::try_from(len).map_err(|_| Error::corrupt(format!("{} is too large", self.place(key))))?;
        let mut buffer = Blob::with_room(len)?;
        file.read_exact(&mut buffer.as_mut()[..len]).map_err(|e| match e.kind() {
            ErrorKind::UnexpectedEof => Error::corrupt(format!("{} became shorter while it was read", self.place(key))),
            _ => Error::io(format_args!("reading {}", self.place(key)), &e),
        })?;
        Ok(Blob::Buffer(buffer, len))
    }

    fn read_at(&self, key: &str, file: &mut File, range: &Range<u64>, len: u64) -> Result<Blob> {
        if range.end > len || range.start > range.end {
            return Err(Error::corrupt(format!(
                "{} has {len} bytes, but bytes {}..{} are asked for; the file is truncated or its index is damaged",
                self.place(key),
                range.start,
                range.end
            )));
        }
        file.seek(SeekFrom::Start(range.start))
            .map_err(|e| Error::io(format_args!("reading {}", self.place(key)), &e))?;
        self.read_here(key, file, range.end - range.start)
    }
}

impl Bytes for FileBytes {
    fn place(&self, key: &str) -> String {
        self.path(key).display().to_string()
    }

    fn read(&self, key: &str, limit: u64) -> Result<Option<Blob>> {
        let Some((mut file, len)) = self.open(key)? else { return Ok(None) };
        check_limit(&self.place(key), len, limit)?;
        self.read_here(key, &mut file, len).map(Some)
    }

    fn view(&self, key: &str, limit: u64) -> Result<Option<Blob>> {
        let Some((file, len)) = self.open(key)? else { return Ok(None) };
        check_limit(&self.place(key), len, limit)?;
        let map = crate::sys::map(&file).map_err(|e| Error::io(format_args!("mapping {}", self.place(key)), &e))?;
        Ok(Some(Blob::Mapped(map)))
    }

    fn read_parts(&self, key: &str, limit: u64, needed: &Needed<'_>) -> Result<Option<Blob>> {
        let Some((mut file, len)) = self.open(key)? else { return Ok(None) };
        check_limit(&self.place(key), len, limit)?;
        let len = usize::try_from(len).map_err(|_| Error::corrupt(format!("{} is too large", self.place(key))))?;
        let mut buffer = Blob::with_room(len)?;
        let bytes = &mut buffer.as_mut()[..len];
        let mut fetch = |range: Range<usize>, bytes: &mut [u8]| {
            let read = file.seek(SeekFrom::Start(range.start as u64)).and_then(|_| file.read_exact(&mut bytes[range]));
            read.map_err(|e| Error::io(format_args!("reading {}", self.place(key)), &e))
        };
        let head = len.min(HEAD);
        fetch(0..head, bytes)?;
        let ranges = needed(&bytes[..head], len).unwrap_or_else(|| std::iter::once(0..len).collect());
        for range in ranges.into_iter().filter(|range| range.end > head) {
            fetch(range, bytes)?;
        }
        Ok(Some(Blob::Buffer(buffer, len)))
    }

    fn read_into(&self, key: &str, out: &mut [u8]) -> Result<bool> {
        let Some((mut file, len)) = self.open(key)? else { return Ok(false) };
        if len != out.len() as u64 {
            return Err(wrong_length(&self.place(key), len, out.len()));
        }
        file.read_exact(out).map_err(|e| Error::io(format_args!("reading {}", self.place(key)), &e))?;
        Ok(true)
    }

    fn read_tail(&self, key: &str, n: u64) -> Result<Option<Blob>> {
        let Some((mut file, len)) = self.open(key)? else { return Ok(None) };
        self.read_at(key, &mut file, &(len.saturating_sub(n)..len), len).map(Some)
    }

    fn read_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<Option<Vec<Blob>>> {
        let Some((mut file, len)) = self.open(key)? else { return Ok(None) };
        ranges.iter().map(|range| self.read_at(key, &mut file, range, len)).collect::<Result<Vec<_>>>().map(Some)
    }

    fn write(&self, key: &str, bytes: Payload<'_>) -> Result<()> {
        replace_file(&self.path(key), bytes.as_ref())
    }

    fn delete(&self, key: &str) -> Result<()> {
        match fs::remove_file(self.path(key)) {
            Err(e) if !is_absent(&e) => Err(Error::io(format_args!("removing {}", self.place(key)), &e)),
            _ => Ok(()),
        }
    }

    fn list(&self, prefix: &str) -> Result<Listing> {
        let mut listing = Listing::default();
        let path = self.path(prefix);
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(e) if is_absent(&e) => return Ok(listing),
            Err(e) => return Err(Error::io(format_args!("listing {}", path.display()), &e)),
        };
        for entry in entries {
            let entry = entry.map_err(|e| Error::io(format_args!("listing {}", path.display()), &e))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            // Links are followed: data sets are often assembled from them.
            let is_dir = fs::metadata(entry.path()).is_ok_and(|m| m.is_dir());
            if is_dir { &mut listing.folders } else { &mut listing.files }.push(name);
        }
        listing.folders.sort();
        listing.files.sort();
        Ok(listing)
    }

    fn usage(&self, prefix: &str) -> Result<Usage> {
        let mut usage = Usage::default();
        let mut folders = vec![self.path(prefix)];
        while let Some(folder) = folders.pop() {
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(e) if is_absent(&e) => continue,
                Err(e) => return Err(Error::io(format_args!("listing {}", folder.display()), &e)),
            };
            for entry in entries.flatten() {
                match entry.metadata() {
                    Ok(meta) if meta.is_dir() => folders.push(entry.path()),
                    Ok(meta) if !entry.file_name().to_string_lossy().ends_with(PARTIAL) => {
                        usage.objects += 1;
                        usage.bytes += meta.len();
                    }
                    _ => {}
                }
            }
        }
        Ok(usage)
    }

    fn clear(&self) -> Result<()> {
        match fs::remove_dir_all(&self.root) {
            Err(e) if !is_absent(&e) => Err(Error::io(format_args!("removing {}", self.root.display()), &e)),
            _ => Ok(()),
        }
    }

    fn latency(&self) -> Latency {
        Latency::Local
    }
}

/// Writes `bytes` beside `path` and renames: the file appears whole or not at all, also when this process is killed. The bytes are
/// not forced to the disk, so a power cut may still lose what was written last.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> Result<()> {
    replace_file_with(path, |file| file.write_all(bytes))
}

/// As [`replace_file`], with contents that `write` puts into the new file.
pub(crate) fn replace_file_with(path: &Path, write: impl FnOnce(&mut File) -> std::io::Result<()>) -> Result<()> {
    let partial = partial_name(path)?;
    let written = new_file(&partial).and_then(|mut file| write(&mut file)).and_then(|()| fs::rename(&partial, path));
    written.map_err(|e| {
        // The half-written file is of no use; that it may already be gone changes nothing.
        let _ = fs::remove_file(&partial);
        Error::io(format_args!("writing {}", path.display()), &e)
    })
}

/// A name in the same folder that no other thread or process uses.
fn partial_name(path: &Path) -> Result<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().ok_or_else(|| Error::invalid(format!("'{}' names no file", path.display())))?;
    let n = COUNT.fetch_add(1, Ordering::Relaxed);
    Ok(path.with_file_name(format!(".{}.{}-{n}{PARTIAL}", name.to_string_lossy(), std::process::id())))
}

fn new_file(path: &Path) -> std::io::Result<File> {
    match File::create_new(path) {
        // Folders are made when one turns out to be missing: asking first would cost every other write a system call.
        Err(e) if e.kind() == ErrorKind::NotFound => {
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            File::create_new(path)
        }
        other => other,
    }
}

fn check_limit(place: &str, len: u64, limit: u64) -> Result<()> {
    if len <= limit {
        return Ok(());
    }
    Err(Error::corrupt(format!(
        "{place} has {}, more than any encoding of its contents ({})",
        format_bytes(len),
        format_bytes(limit)
    )))
}

/// True where the reason is that nothing is there; a file in the place of a folder counts.
fn is_absent(e: &std::io::Error) -> bool {
    matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
