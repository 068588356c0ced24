//! Compressors that turn the bytes of a chunk into the bytes of a file and back.
//!
//! These are the common ones, called in the way that copies least: each decodes straight into memory that the caller owns, and never
//! writes more than fits there, so a damaged chunk cannot make us allocate. Rarer codecs are left to `zarrs`, see `pipeline.rs`.

use std::cell::RefCell;
use std::ffi::CStr;
use std::io::{Cursor, Read, Write};

use serde_json::{Map, Value, json};
use voxmill_core::{Error, Result};
use zstd::zstd_safe::{CCtx, CParameter, DCtx};

use crate::sys::{self, BLOSC_MAX, BLOSC_OVERHEAD, BloscParams};

/// The compressors inside blosc.
pub(crate) const BLOSC_NAMES: [(&str, &CStr); 6] = [
    ("blosclz", c"blosclz"),
    ("lz4", c"lz4"),
    ("lz4hc", c"lz4hc"),
    ("snappy", c"snappy"),
    ("zlib", c"zlib"),
    ("zstd", c"zstd"),
];

/// The shuffles of blosc, by number.
pub(crate) const SHUFFLES: [&str; 3] = ["noshuffle", "shuffle", "bitshuffle"];

/// One compressor with its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compressor {
    /// Bytes as they are.
    None,
    /// The blosc container around a fast compressor.
    Blosc(BloscParams),
    /// Zstandard.
    Zstd {
        /// Level.
        level: i32,
        /// True to end frames with a checksum.
        checksum: bool,
    },
    /// Deflate in a gzip file.
    Gzip(u32),
    /// Deflate in a zlib stream.
    Zlib(u32),
    /// One LZ4 block after its length, as numcodecs writes it.
    Lz4,
    /// Bzip2.
    Bz2(u32),
}

impl Compressor {
    /// The compressor of a codec in either version's metadata; `None` if it is not one of these.
    pub(crate) fn parse(name: &str, config: &Map<String, Value>, width: usize) -> Result<Option<Compressor>> {
        let name = name.strip_prefix("numcodecs.").unwrap_or(name);
        let level = |default: i64| config.get("level").and_then(Value::as_i64).unwrap_or(default);
        Ok(Some(match name {
            "blosc" => Compressor::Blosc(blosc_params(config, width)?),
            "zstd" => Compressor::Zstd {
                level: level(0).clamp(-(1 << 17), 22) as i32,
                checksum: config.get("checksum").and_then(Value::as_bool).unwrap_or(false),
            },
            "gzip" => Compressor::Gzip(level(5).clamp(0, 9) as u32),
            "zlib" => Compressor::Zlib(level(1).clamp(0, 9) as u32),
            "lz4" => Compressor::Lz4,
            "bz2" => Compressor::Bz2(level(1).clamp(1, 9) as u32),
            _ => return Ok(None),
        }))
    }

    /// The codec in the metadata of version 3; `None` for no compression.
    pub(crate) fn to_v3(self) -> Option<Value> {
        Some(match self {
            Compressor::None => return None,
            Compressor::Blosc(p) => json!({"name": "blosc", "configuration": {
                "cname": p.cname.to_str().unwrap_or_default(), "clevel": p.level, "typesize": p.typesize,
                "shuffle": SHUFFLES[usize::from(p.shuffle.min(2))], "blocksize": p.blocksize}}),
            Compressor::Zstd { level, checksum } => {
                json!({"name": "zstd", "configuration": {"level": level, "checksum": checksum}})
            }
            Compressor::Gzip(level) => json!({"name": "gzip", "configuration": {"level": level}}),
            Compressor::Zlib(level) => json!({"name": "numcodecs.zlib", "configuration": {"level": level}}),
            Compressor::Lz4 => json!({"name": "numcodecs.lz4", "configuration": {"acceleration": 1}}),
            Compressor::Bz2(level) => json!({"name": "numcodecs.bz2", "configuration": {"level": level}}),
        })
    }

    /// The compressor in the metadata of version 2; null for no compression.
    pub(crate) fn to_v2(self) -> Value {
        match self {
            Compressor::None => Value::Null,
            Compressor::Blosc(p) => {
                json!({"id": "blosc", "cname": p.cname.to_str().unwrap_or_default(), "clevel": p.level,
                "shuffle": p.shuffle, "blocksize": p.blocksize})
            }
            // Some readers know no checksum here, so it is only named where there is one.
            Compressor::Zstd { level, checksum: false } => json!({"id": "zstd", "level": level}),
            Compressor::Zstd { level, checksum } => json!({"id": "zstd", "level": level, "checksum": checksum}),
            Compressor::Gzip(level) => json!({"id": "gzip", "level": level}),
            Compressor::Zlib(level) => json!({"id": "zlib", "level": level}),
            Compressor::Lz4 => json!({"id": "lz4", "acceleration": 1}),
            Compressor::Bz2(level) => json!({"id": "bz2", "level": level}),
        }
    }

    /// Name, for messages.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Compressor::None => "none",
            Compressor::Blosc(_) => "blosc",
            Compressor::Zstd { .. } => "zstd",
            Compressor::Gzip(_) => "gzip",
            Compressor::Zlib(_) => "zlib",
            Compressor::Lz4 => "lz4",
            Compressor::Bz2(_) => "bz2",
        }
    }

    /// Most bytes that an encoding of `n` bytes has, with room for writers that spend more on framing than ours does.
    pub(crate) fn bound(&self, n: usize) -> usize {
        match self {
            Compressor::None => n,
            _ => n + n / 64 + 4096,
        }
    }

    /// Bytes that the library takes for itself while it works on `n` bytes.
    pub(crate) fn workspace(&self, n: usize) -> usize {
        match self {
            Compressor::None => 0,
            // Three blocks. Those that blosc chooses by itself are not larger than this.
            Compressor::Blosc(params) => 3 * n.min(if params.blocksize == 0 { 2 << 20 } else { params.blocksize }),
            Compressor::Bz2(_) => 8 << 20,
            _ => 1 << 20,
        }
    }

    /// Decodes `src`, which must hold exactly `dst.len()` bytes.
    pub(crate) fn decode(&self, src: &[u8], dst: &mut [u8]) -> Result<()> {
        let ok = match self {
            Compressor::None => {
                let fits = src.len() == dst.len();
                if fits {
                    dst.copy_from_slice(src);
                }
                fits
            }
            Compressor::Blosc(_) => sys::blosc_decode(src, dst),
            Compressor::Zstd { .. } => zstd_decode(src, dst),
            Compressor::Gzip(_) => read_all(flate2::read::MultiGzDecoder::new(src), dst),
            Compressor::Zlib(_) => read_all(flate2::read::ZlibDecoder::new(src), dst),
            Compressor::Lz4 => lz4_decode(src, dst),
            Compressor::Bz2(_) => read_all(bzip2::read::MultiBzDecoder::new(src), dst),
        };
        if ok {
            return Ok(());
        }
        Err(Error::corrupt(format!("{} bytes do not decode to {} bytes by {}", src.len(), dst.len(), self.name())))
    }

    /// Decodes the bytes from `start` on that fill `dst`, out of `size`; false if only the whole can be decoded, which then also finds out
    /// whether it is damaged.
    pub(crate) fn decode_range(&self, src: &[u8], size: usize, start: usize, dst: &mut [u8]) -> bool {
        matches!(self, Compressor::Blosc(_)) && sys::blosc_decode_range(src, size, start, dst)
    }

    /// Encodes `src` into `dst`, which has [`Compressor::bound`] bytes; the number of bytes written.
    pub(crate) fn encode(&self, src: &[u8], dst: &mut [u8]) -> Result<usize> {
        let n = match self {
            Compressor::None => {
                dst[..src.len()].copy_from_slice(src);
                Some(src.len())
            }
            Compressor::Blosc(_) if src.len() > BLOSC_MAX => {
                return Err(Error::invalid("blosc takes chunks of at most 2 GiB; choose smaller chunks or codec zstd"));
            }
            Compressor::Blosc(params) => {
                // With no more room than this, blosc stores what it cannot make smaller; with more, it may make it larger.
                let room = dst.len().min(src.len() + BLOSC_OVERHEAD);
                sys::blosc_encode(params, src, &mut dst[..room])
            }
            Compressor::Zstd { level, checksum } => zstd_encode(*level, *checksum, src, dst),
            Compressor::Gzip(level) => write_all(dst, |out| {
                let mut encoder = flate2::write::GzEncoder::new(out, flate2::Compression::new(*level));
                encoder.write_all(src)?;
                encoder.finish().map(|_| ())
            }),
            Compressor::Zlib(level) => write_all(dst, |out| {
                let mut encoder = flate2::write::ZlibEncoder::new(out, flate2::Compression::new(*level));
                encoder.write_all(src)?;
                encoder.finish().map(|_| ())
            }),
            Compressor::Lz4 => lz4_encode(src, dst),
            Compressor::Bz2(level) => write_all(dst, |out| {
                let mut encoder = bzip2::write::BzEncoder::new(out, bzip2::Compression::new(*level));
                encoder.write_all(src)?;
                encoder.finish().map(|_| ())
            }),
        };
        n.ok_or_else(|| Error::internal(format!("{} could not encode {} bytes", self.name(), src.len())))
    }
}

fn blosc_params(config: &Map<String, Value>, width: usize) -> Result<BloscParams> {
    let cname = config.get("cname").and_then(Value::as_str).unwrap_or("lz4");
    let (_, cname) = BLOSC_NAMES
        .iter()
        .find(|(name, _)| *name == cname)
        .ok_or_else(|| Error::unsupported(format!("blosc compressor '{cname}' is not known")))?;
    // Version 2 writes numbers, where -1 means bits for bytes and bytes for all else; version 3 writes words.
    let shuffle = match config.get("shuffle") {
        Some(Value::String(word)) if word == "noshuffle" => 0,
        Some(Value::String(word)) if word == "bitshuffle" => 2,
        Some(Value::Number(n)) if n.as_i64() == Some(0) => 0,
        Some(Value::Number(n)) if n.as_i64() == Some(2) => 2,
        Some(Value::Number(n)) if n.as_i64() == Some(-1) && width == 1 => 2,
        _ => 1,
    };
    let number = |key: &str| config.get(key).and_then(Value::as_u64).unwrap_or(0);
    let typesize = match number("typesize") {
        0 => width,
        n => usize::try_from(n).unwrap_or(width),
    };
    let level = config.get("clevel").and_then(Value::as_u64).unwrap_or(5).min(9) as u8;
    // A block size beyond the chunk only costs memory, so it is left to blosc.
    let blocksize = usize::try_from(number("blocksize")).unwrap_or(0);
    Ok(BloscParams { cname, level, shuffle, typesize, blocksize: if blocksize > 64 << 20 { 0 } else { blocksize } })
}

thread_local! {
    static UNZSTD: RefCell<Option<DCtx<'static>>> = const { RefCell::new(None) };
    static ZSTD: RefCell<Option<CCtx<'static>>> = const { RefCell::new(None) };
}

fn zstd_decode(src: &[u8], dst: &mut [u8]) -> bool {
    UNZSTD.with_borrow_mut(|context| {
        let context = context.get_or_insert_with(DCtx::create);
        context.decompress(dst, src) == Ok(dst.len())
    })
}

fn zstd_encode(level: i32, checksum: bool, src: &[u8], dst: &mut [u8]) -> Option<usize> {
    ZSTD.with_borrow_mut(|context| {
        let context = context.get_or_insert_with(CCtx::create);
        context.set_parameter(CParameter::CompressionLevel(level)).ok()?;
        context.set_parameter(CParameter::ChecksumFlag(checksum)).ok()?;
        context.compress2(dst, src).ok()
    })
}

fn lz4_decode(src: &[u8], dst: &mut [u8]) -> bool {
    let Some((head, block)) = src.split_first_chunk::<4>() else { return false };
    u32::from_le_bytes(*head) as usize == dst.len()
        && lz4_flex::block::decompress_into(block, dst).is_ok_and(|n| n == dst.len())
}

fn lz4_encode(src: &[u8], dst: &mut [u8]) -> Option<usize> {
    let (head, block) = dst.split_first_chunk_mut::<4>()?;
    *head = u32::try_from(src.len()).ok()?.to_le_bytes();
    lz4_flex::block::compress_into(src, block).ok().map(|n| n + 4)
}

/// Fills `dst` from a decoder that must end there.
fn read_all(mut decoder: impl Read, dst: &mut [u8]) -> bool {
    decoder.read_exact(dst).is_ok() && matches!(decoder.read(&mut [0]), Ok(0))
}

fn write_all(dst: &mut [u8], encode: impl FnOnce(&mut Cursor<&mut [u8]>) -> std::io::Result<()>) -> Option<usize> {
    let mut out = Cursor::new(dst);
    encode(&mut out).ok()?;
    usize::try_from(out.position()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Compressor> {
        let config = |text: &str| serde_json::from_str::<Map<String, Value>>(text).unwrap();
        let mut all = vec![Compressor::None];
        for (name, settings) in [
            ("zstd", r#"{"level": 1, "checksum": true}"#),
            ("gzip", r#"{"level": 1}"#),
            ("numcodecs.zlib", "{}"),
            ("lz4", "{}"),
            ("bz2", "{}"),
        ] {
            all.extend(Compressor::parse(name, &config(settings), 2).unwrap());
        }
        for (name, _) in BLOSC_NAMES {
            let settings = format!(r#"{{"cname": "{name}", "clevel": 5, "shuffle": "bitshuffle"}}"#);
            all.extend(Compressor::parse("blosc", &config(&settings), 2).unwrap());
        }
        all
    }

    #[test]
    fn every_compressor_gives_back_what_it_took() {
        let smooth: Vec<u8> = (0..10_000u32).map(|i| (i / 50) as u8).collect();
        let noisy: Vec<u8> = (0..10_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for compressor in all() {
            for data in [&smooth, &noisy, &vec![7]] {
                let mut encoded = vec![0; compressor.bound(data.len())];
                let n = compressor.encode(data, &mut encoded).unwrap();
                let mut decoded = vec![0; data.len()];
                compressor.decode(&encoded[..n], &mut decoded).unwrap();
                assert_eq!(&decoded, data, "{compressor:?}");
            }
        }
    }

    #[test]
    fn damaged_bytes_are_an_error_and_never_a_panic() {
        let data: Vec<u8> = (0..5_000u32).map(|i| (i / 50) as u8).collect();
        for compressor in all() {
            let mut encoded = vec![0; compressor.bound(data.len())];
            let n = compressor.encode(&data, &mut encoded).unwrap();
            let mut decoded = vec![0; data.len()];
            for len in [0, 1, 3, n / 2, n.saturating_sub(1)] {
                assert!(compressor.decode(&encoded[..len], &mut decoded).is_err(), "{compressor:?} cut to {len}");
            }
            for at in (0..n).step_by(7) {
                let mut bent = encoded[..n].to_vec();
                bent[at] ^= 0x55;
                let _ = compressor.decode(&bent, &mut decoded);
            }
            assert!(compressor.decode(&encoded[..n], &mut vec![0; data.len() + 1]).is_err());
        }
    }
}
