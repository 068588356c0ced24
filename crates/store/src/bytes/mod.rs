//! Where the bytes of an array lie: files under a folder, or objects under a prefix of a bucket or web server.
//!
//! A [`Bytes`] answers for keys below one location; formats are built on it and never see a path or a URL. A key that is not there
//! is `None`, never an error, since Zarr leaves out chunks on purpose.

mod file;
mod object;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use memmap2::Mmap;
use voxmill_core::{Buffer, Error, Latency, Result};

pub(crate) use file::{FileBytes, replace_file_with};
pub(crate) use object::ObjectBytes;

/// Says which bytes are needed, from the first ones and the number of all; `None` for all.
pub(crate) type Needed<'a> = dyn Fn(&[u8], usize) -> Option<Vec<Range<usize>>> + 'a;

/// Keys and their bytes below one location.
pub(crate) trait Bytes: Send + Sync + fmt::Debug {
    /// The full place of `key`, for messages.
    fn place(&self, key: &str) -> String;

    /// All bytes of `key`. More than `limit` bytes are refused as damaged, so that callers can promise what they hold.
    fn read(&self, key: &str, limit: u64) -> Result<Option<Blob>>;

    /// As [`Bytes::read`], for callers that look at a small part: mapped where that is possible.
    fn view(&self, key: &str, limit: u64) -> Result<Option<Blob>> {
        self.read(key, limit)
    }

    /// As [`Bytes::read`], for callers that need only some bytes. The others may be anything in the result.
    fn read_parts(&self, key: &str, limit: u64, needed: &Needed<'_>) -> Result<Option<Blob>> {
        let _ = needed;
        self.read(key, limit)
    }

    /// Reads `key`, which must have exactly the length of `out`, into it; false if it is not there.
    fn read_into(&self, key: &str, out: &mut [u8]) -> Result<bool> {
        let Some(blob) = self.read(key, out.len() as u64)? else { return Ok(false) };
        let bytes = blob.as_ref();
        if bytes.len() != out.len() {
            return Err(wrong_length(&self.place(key), bytes.len() as u64, out.len()));
        }
        out.copy_from_slice(bytes);
        Ok(true)
    }

    /// All bytes of several keys, asked for at the same time where requests are slow.
    fn read_many(&self, keys: &[String], limit: u64) -> Result<Vec<Option<Blob>>> {
        keys.iter().map(|key| self.read(key, limit)).collect()
    }

    /// The last `n` bytes of `key`, or all if there are fewer.
    fn read_tail(&self, key: &str, n: u64) -> Result<Option<Blob>>;

    /// Several ranges of `key`.
    fn read_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<Option<Vec<Blob>>>;

    /// Replaces `key` as a whole: a reader sees the old or the new bytes, never a part.
    fn write(&self, key: &str, bytes: Payload<'_>) -> Result<()>;

    /// Removes `key`; fine if it is not there.
    fn delete(&self, key: &str) -> Result<()>;

    /// Names directly below the folder `prefix` (`""` for the top).
    fn list(&self, prefix: &str) -> Result<Listing>;

    /// Number of objects and bytes of all keys below `prefix`.
    fn usage(&self, prefix: &str) -> Result<Usage>;

    /// Removes everything below the location.
    fn clear(&self) -> Result<()>;

    /// How long one request takes.
    fn latency(&self) -> Latency;
}

fn wrong_length(place: &str, len: u64, want: usize) -> Error {
    Error::corrupt(format!("{place} has {len} bytes, an uncompressed chunk has {want}"))
}

/// What lies directly in a folder.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Listing {
    /// Sub-folders, sorted.
    pub(crate) folders: Vec<String>,
    /// Files or objects, sorted.
    pub(crate) files: Vec<String>,
}

/// Objects and bytes that are stored.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Number of files or objects.
    pub(crate) objects: u64,
    /// Their bytes.
    pub(crate) bytes: u64,
}

/// Bytes that were read or will be written.
#[derive(Debug)]
pub(crate) enum Blob {
    /// The first bytes of a recycled buffer.
    Buffer(Buffer, usize),
    /// A file in memory.
    Mapped(Mmap),
    /// Bytes that came from a network client.
    Shared(bytes::Bytes),
    /// Bytes that a codec made.
    Vec(Vec<u8>),
}

impl AsRef<[u8]> for Blob {
    fn as_ref(&self) -> &[u8] {
        match self {
            Blob::Buffer(buffer, len) => &buffer.as_ref()[..*len],
            Blob::Mapped(map) => map,
            Blob::Shared(bytes) => bytes,
            Blob::Vec(bytes) => bytes,
        }
    }
}

impl Blob {
    /// A recycled buffer for `len` bytes. Sizes are rounded to powers of two, so that the next object of about this size finds
    /// a buffer that fits.
    pub(crate) fn with_room(len: usize) -> Result<Buffer> {
        Buffer::new(Blob::room(len))
    }

    /// Bytes that [`Blob::with_room`] takes.
    pub(crate) fn room(len: usize) -> usize {
        if len >= 128 << 10 { len.next_power_of_two() } else { len }
    }
}

/// Bytes to write: borrowed where the caller has them in memory anyway, owned where a client may keep them.
#[derive(Debug)]
pub(crate) enum Payload<'a> {
    /// Bytes of the caller.
    Borrowed(&'a [u8]),
    /// Bytes made for this write.
    Owned(Blob),
}

impl AsRef<[u8]> for Payload<'_> {
    fn as_ref(&self) -> &[u8] {
        match self {
            Payload::Borrowed(bytes) => bytes,
            Payload::Owned(blob) => blob.as_ref(),
        }
    }
}

/// The bytes below a path or URL. Nothing is read yet.
pub(crate) fn open(location: &str) -> Result<Arc<dyn Bytes>> {
    match crate::location::local_path(location)? {
        Some(path) => Ok(Arc::new(FileBytes::new(path))),
        None => Ok(Arc::new(ObjectBytes::open(location)?)),
    }
}
