//! From the elements of a chunk to the bytes of a file and back, by the codecs that the metadata lists.
//!
//! Two ways lead there. [`Pipeline::Direct`] is for the chains that nearly all arrays use: elements in some axis order and byte
//! order, one compressor, perhaps a checksum. It decodes straight into the output where that is possible. [`Pipeline::Foreign`] hands
//! any other chain to `zarrs`.

use std::ops::Range;

use serde_json::{Map, Value};
use voxmill_core::{Buffer, DType, Error, Idx, Region, Result, Strides, View, ViewMut, contiguous_strides};

use super::codec::Compressor;
use super::foreign::Foreign;
use super::{blocks, elements};
use crate::bytes::{Blob, Payload};

/// What is encoded as a whole: a chunk, an inner chunk or a shard.
#[derive(Debug, Clone)]
pub(crate) struct Unit {
    /// Its shape, also at the border of the array.
    pub(crate) shape: Idx,
    /// Its elements.
    pub(crate) dtype: DType,
    /// The bytes of one element that is not stored.
    pub(crate) fill: Vec<u8>,
}

impl Unit {
    /// Bytes of the elements.
    pub(crate) fn n_bytes(&self) -> usize {
        self.shape.iter().product::<usize>() * self.dtype.size()
    }
}

/// How a unit is encoded.
#[derive(Debug)]
pub(crate) enum Pipeline {
    /// One of the common chains.
    Direct(Direct),
    /// Any other chain.
    Foreign(Foreign),
}

/// Which parts of a unit can be decoded by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parts {
    /// Any element.
    Any,
    /// Blocks of some length.
    Blocks,
    /// Only the whole.
    Whole,
}

/// Axis order, byte order, compressor, checksums.
#[derive(Debug)]
pub(crate) struct Direct {
    /// Which axis of the array each stored axis is; `None` for C order.
    order: Option<Idx>,
    /// True if the stored byte order is not this machine's.
    swapped: bool,
    compressor: Compressor,
    /// Number of CRC-32C sums after the compressed bytes.
    checksums: usize,
}

impl Pipeline {
    /// The pipeline of a list of codecs in the form of version 3.
    pub(crate) fn new(codecs: &[Value], unit: &Unit) -> Result<Pipeline> {
        Ok(match Direct::new(codecs, unit)? {
            Some(direct) => Pipeline::Direct(direct),
            None => Pipeline::Foreign(Foreign::new(codecs, unit)?),
        })
    }

    /// Decodes the box `part` of a unit into `out`, which has its shape.
    pub(crate) fn decode(&self, unit: &Unit, encoded: &[u8], part: &Region, out: &mut ViewMut<'_>) -> Result<()> {
        match self {
            Pipeline::Direct(direct) => direct.decode(unit, encoded, part, out),
            Pipeline::Foreign(foreign) => {
                let mut bytes = foreign.decode(encoded)?;
                if unit.dtype == DType::Bool {
                    elements::normalize_bools(bytes.to_mut());
                }
                if bytes.len() != unit.n_bytes() {
                    return Err(Error::corrupt(format!("{} decoded bytes, not {}", bytes.len(), unit.n_bytes())));
                }
                View::new(&bytes, &unit.shape, unit.dtype)?.part(part).copy_to(out)
            }
        }
    }

    /// Encodes a whole unit.
    pub(crate) fn encode<'a>(&self, unit: &Unit, from: &View<'a>) -> Result<Payload<'a>> {
        match self {
            Pipeline::Direct(direct) => direct.encode(unit, from),
            Pipeline::Foreign(foreign) => foreign.encode(unit, from),
        }
    }

    /// Encodes a whole unit into `encoded`, which has room for the bound; the number of bytes written.
    pub(crate) fn encode_into(&self, unit: &Unit, from: &View<'_>, encoded: &mut [u8]) -> Result<usize> {
        match self {
            Pipeline::Direct(direct) => direct.encode_into(unit, from, encoded),
            Pipeline::Foreign(foreign) => {
                let payload = foreign.encode(unit, from)?;
                let bytes = payload.as_ref();
                let room = encoded.get_mut(..bytes.len());
                room.ok_or_else(|| Error::internal("an encoded chunk is longer than its bound"))?
                    .copy_from_slice(bytes);
                Ok(bytes.len())
            }
        }
    }

    /// True if the encoded bytes are the elements in C order, as this machine has them.
    pub(crate) fn is_plain(&self, unit: &Unit) -> bool {
        matches!(self, Pipeline::Direct(Direct { order: None, swapped: false, compressor: Compressor::None, checksums: 0 })
            if unit.dtype != DType::Bool)
    }

    /// What can be decoded without looking at all encoded bytes.
    pub(crate) fn parts(&self) -> Parts {
        match self {
            Pipeline::Direct(Direct { compressor: Compressor::None, checksums: 0, .. }) => Parts::Any,
            Pipeline::Direct(Direct { compressor: Compressor::Blosc(_), checksums: 0, .. }) => Parts::Blocks,
            _ => Parts::Whole,
        }
    }

    /// The encoded bytes that `part` of a unit needs, from the first ones and the length; `None` for all.
    pub(crate) fn needed(&self, unit: &Unit, part: &Region, head: &[u8], len: usize) -> Option<Vec<Range<usize>>> {
        match self {
            Pipeline::Direct(direct) => blocks::needed(head, len, &direct.runs(unit, part)?),
            Pipeline::Foreign(_) => None,
        }
    }

    /// As [`Pipeline::decode`], from the bytes that [`Pipeline::needed`] asks for; false if all bytes are needed.
    pub(crate) fn decode_part(
        &self,
        unit: &Unit,
        encoded: &[u8],
        part: &Region,
        out: &mut ViewMut<'_>,
    ) -> Result<bool> {
        match self {
            Pipeline::Direct(direct) if direct.checksums == 0 => direct.decode_part(unit, encoded, part, out),
            _ => Ok(false),
        }
    }

    /// Bytes that are decoded to get `part` of a unit, roughly.
    pub(crate) fn decoded_bytes(&self, unit: &Unit, part: &Region) -> usize {
        let n = unit.n_bytes();
        let Pipeline::Direct(direct) = self else { return n };
        match self.parts() {
            _ if part.is_empty() => 0,
            Parts::Any => part.size() * unit.dtype.size(),
            Parts::Blocks => match (direct.runs(unit, part), direct.block(unit)) {
                (Some(runs), Some(block)) => blocks::decoded(&runs, block).min(n),
                _ => n,
            },
            Parts::Whole => n,
        }
    }

    /// Most bytes that an encoded unit has.
    pub(crate) fn bound(&self, unit: &Unit) -> u64 {
        match self {
            Pipeline::Direct(direct) => direct.bound(unit) as u64,
            Pipeline::Foreign(foreign) => foreign.bound(unit),
        }
    }

    /// Most bytes that decoding one unit takes beside the encoded bytes and the output. `direct` says that the output is the whole
    /// unit without gaps.
    pub(crate) fn decode_scratch(&self, unit: &Unit, direct: bool) -> u64 {
        let n = unit.n_bytes();
        match self {
            Pipeline::Direct(d) => {
                let copy = if direct && d.order.is_none() { 0 } else { Buffer::footprint(n) };
                copy + d.compressor.workspace(n) as u64
            }
            // The chain may keep the results of two codecs at a time.
            Pipeline::Foreign(_) => 2 * self.bound(unit).max(n as u64),
        }
    }

    /// Most bytes that encoding one unit takes beside its elements, the encoded bytes included.
    pub(crate) fn encode_scratch(&self, unit: &Unit) -> u64 {
        let n = unit.n_bytes();
        let bound = self.bound(unit) as usize;
        match self {
            Pipeline::Direct(d) => {
                let copy = if d.order.is_some() || d.swapped { Buffer::footprint(n) } else { 0 };
                copy + Buffer::footprint(Blob::room(bound)) + d.compressor.workspace(n) as u64
            }
            Pipeline::Foreign(_) => (n + 2 * bound.max(n)) as u64,
        }
    }
}

impl Direct {
    fn new(codecs: &[Value], unit: &Unit) -> Result<Option<Direct>> {
        let mut direct = Direct { order: None, swapped: false, compressor: Compressor::None, checksums: 0 };
        let mut codecs = codecs.iter().map(name_and_config).peekable();
        while let Some((_, config)) = codecs.next_if(|(name, _)| *name == "transpose") {
            // Two transposes in a row are too rare to compose here.
            let Some(order) = transpose_order(config, unit.shape.len()).filter(|_| direct.order.is_none()) else {
                return Ok(None);
            };
            direct.order = Some(order);
        }
        let Some((_, config)) = codecs.next_if(|(name, _)| matches!(*name, "bytes" | "endian")) else {
            return Ok(None);
        };
        let endian = config.get("endian").and_then(Value::as_str);
        direct.swapped =
            unit.dtype.size() > 1 && endian.is_some_and(|e| (e == "big") == cfg!(target_endian = "little"));
        if let Some((name, config)) = codecs.peek()
            && let Some(compressor) = Compressor::parse(name, config, unit.dtype.size())?
        {
            direct.compressor = compressor;
            codecs.next();
        }
        while codecs.next_if(|(name, _)| *name == "crc32c").is_some() {
            direct.checksums += 1;
        }
        direct.order = direct.order.filter(|order| order.iter().enumerate().any(|(i, &axis)| i != axis));
        Ok(codecs.next().is_none().then_some(direct))
    }

    fn decode(&self, unit: &Unit, encoded: &[u8], part: &Region, out: &mut ViewMut<'_>) -> Result<()> {
        let encoded = self.checked(encoded)?;
        let whole = part.shape == unit.shape;
        if whole
            && self.order.is_none()
            && let Some(bytes) = out.bytes_mut()
        {
            self.compressor.decode(encoded, bytes)?;
            self.finish(unit, bytes);
            return Ok(());
        }
        let n = unit.n_bytes();
        let plain = self.compressor == Compressor::None && !self.swapped && unit.dtype != DType::Bool;
        if plain && encoded.len() == n {
            return self.elements(unit, encoded)?.part(part).copy_to(out);
        }
        if self.decode_part(unit, encoded, part, out)? {
            return Ok(());
        }
        let mut scratch = Buffer::new(n)?;
        self.compressor.decode(encoded, scratch.as_mut())?;
        self.finish(unit, scratch.as_mut());
        self.elements(unit, scratch.as_ref())?.part(part).copy_to(out)
    }

    /// Decodes only what `part` covers, where the compressor works in blocks and enough is saved; false if it was not done. A slice of a
    /// large chunk costs about what it covers.
    fn decode_part(&self, unit: &Unit, encoded: &[u8], part: &Region, out: &mut ViewMut<'_>) -> Result<bool> {
        let Some(runs) = self.runs(unit, part) else { return Ok(false) };
        let mut scratch: Option<Buffer> = None;
        for (k, run) in runs.iter().enumerate() {
            // A run is the whole part, or what it covers at one place of the first axis.
            let inner = if runs.len() == 1 {
                Region::whole(&part.shape)
            } else {
                Region::whole(&part.shape).with_axis(0, k, 1)
            };
            let mut out = out.part(&inner);
            let straight = self.order.is_none() && run.len() == inner.size() * unit.dtype.size();
            if let Some(bytes) = out.bytes_mut().filter(|_| straight) {
                if !self.compressor.decode_range(encoded, unit.n_bytes(), run.start, bytes) {
                    return Ok(false);
                }
                self.finish(unit, bytes);
                continue;
            }
            let scratch = match &mut scratch {
                Some(scratch) => scratch,
                None => scratch.insert(Buffer::new(run.len())?),
            };
            if !self.compressor.decode_range(encoded, unit.n_bytes(), run.start, scratch.as_mut()) {
                return Ok(false);
            }
            self.finish(unit, scratch.as_mut());
            View::strided(scratch.as_ref(), unit.dtype, 0, &inner.shape, self.strides(unit))?.copy_to(&mut out)?;
        }
        Ok(true)
    }

    /// The decoded bytes that `part` needs, as one run from its first to its last element, or as one for each place along the first axis;
    /// `None` if decoding the whole unit costs no more. All runs have the same length.
    fn runs(&self, unit: &Unit, part: &Region) -> Option<Vec<Range<usize>>> {
        let block = self.block(unit)?;
        let span = self.span(unit, part)?;
        let pays = |runs: &[Range<usize>]| blocks::decoded(runs, block) * 4 <= unit.n_bytes() * 3;
        let one: Vec<Range<usize>> = std::iter::once(span).collect();
        if pays(&one) {
            return Some(one);
        }
        let rows = part.shape.first().copied().filter(|&n| n > 1)?;
        let by_row = (0..rows).map(|i| self.span(unit, &part.with_axis(0, part.start[0] + i, 1)));
        let by_row = by_row.collect::<Option<Vec<_>>>()?;
        pays(&by_row).then_some(by_row)
    }

    /// Bytes of a block of a compressor that works in blocks, roughly.
    fn block(&self, unit: &Unit) -> Option<usize> {
        match &self.compressor {
            Compressor::Blosc(params) => Some(blocks::usual_length(params, unit.n_bytes())),
            _ => None,
        }
    }

    /// The decoded bytes from the first to the last element of `part`; `None` if it has none.
    fn span(&self, unit: &Unit, part: &Region) -> Option<Range<usize>> {
        if part.is_empty() {
            return None;
        }
        let strides = self.strides(unit);
        let at = |index: &dyn Fn(usize) -> usize| {
            strides.iter().enumerate().map(|(k, &step)| index(k) * step as usize).sum::<usize>()
        };
        Some(at(&|k| part.start[k])..at(&|k| part.end(k) - 1) + unit.dtype.size())
    }

    /// The bytes without their checksums, which must be right.
    fn checked<'a>(&self, mut encoded: &'a [u8]) -> Result<&'a [u8]> {
        for _ in 0..self.checksums {
            let (body, sum) =
                encoded.split_last_chunk::<4>().ok_or_else(|| Error::corrupt("the bytes end before their checksum"))?;
            if crc32c::crc32c(body) != u32::from_le_bytes(*sum) {
                return Err(Error::corrupt("the crc32c checksum does not match the bytes"));
            }
            encoded = body;
        }
        Ok(encoded)
    }

    /// Byte order and truth values as this machine has them.
    fn finish(&self, unit: &Unit, bytes: &mut [u8]) {
        if self.swapped {
            elements::swap_bytes(bytes, unit.dtype);
        }
        if unit.dtype == DType::Bool {
            elements::normalize_bools(bytes);
        }
    }

    /// Decoded bytes as an array in the axis order of the user.
    fn elements<'a>(&self, unit: &Unit, bytes: &'a [u8]) -> Result<View<'a>> {
        View::strided(bytes, unit.dtype, 0, &unit.shape, self.strides(unit))
    }

    /// Bytes from one decoded element to the next along each axis of the user.
    fn strides(&self, unit: &Unit) -> Strides {
        let Some(order) = &self.order else { return contiguous_strides(&unit.shape, unit.dtype) };
        let stored: Idx = order.iter().map(|&axis| unit.shape[axis]).collect();
        let steps = contiguous_strides(&stored, unit.dtype);
        let mut strides = Strides::from_elem(0, order.len());
        for (&axis, &step) in order.iter().zip(&steps) {
            strides[axis] = step;
        }
        strides
    }

    fn encode<'a>(&self, unit: &Unit, from: &View<'a>) -> Result<Payload<'a>> {
        let straight = if self.order.is_none() && !self.swapped { from.bytes() } else { None };
        if let Some(bytes) = straight.filter(|_| self.compressor == Compressor::None && self.checksums == 0) {
            return Ok(Payload::Borrowed(bytes));
        }
        let mut encoded = Blob::with_room(self.bound(unit))?;
        let n = self.encode_into(unit, from, encoded.as_mut())?;
        Ok(Payload::Owned(Blob::Buffer(encoded, n)))
    }

    fn bound(&self, unit: &Unit) -> usize {
        self.compressor.bound(unit.n_bytes()) + 4 * self.checksums
    }

    /// Encodes into `encoded`, which has room for the bound; the number of bytes written.
    fn encode_into(&self, unit: &Unit, from: &View<'_>, encoded: &mut [u8]) -> Result<usize> {
        let straight = if self.order.is_none() && !self.swapped { from.bytes() } else { None };
        let copy = if straight.is_none() { Some(self.stored(unit, from)?) } else { None };
        let bytes = straight.or(copy.as_ref().map(AsRef::as_ref)).unwrap_or_default();
        let mut n = self.compressor.encode(bytes, encoded)?;
        for _ in 0..self.checksums {
            let sum = crc32c::crc32c(&encoded[..n]).to_le_bytes();
            encoded[n..n + 4].copy_from_slice(&sum);
            n += 4;
        }
        Ok(n)
    }

    /// A copy of the elements in stored order.
    fn stored(&self, unit: &Unit, from: &View<'_>) -> Result<Buffer> {
        let mut copy = Buffer::new(unit.n_bytes())?;
        let order: Idx = self.order.clone().unwrap_or_else(|| (0..unit.shape.len()).collect());
        let shape: Idx = order.iter().map(|&axis| from.shape()[axis]).collect();
        let strides: Strides = order.iter().map(|&axis| from.strides()[axis]).collect();
        let turned = from.restrided(from.offset(), &shape, &strides)?;
        turned.copy_to(&mut ViewMut::new(copy.as_mut(), &shape, unit.dtype)?)?;
        if self.swapped {
            elements::swap_bytes(copy.as_mut(), unit.dtype);
        }
        Ok(copy)
    }
}

/// Name and configuration of a codec, which may be written as a bare name.
pub(super) fn name_and_config(codec: &Value) -> (&str, &Map<String, Value>) {
    static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    let name = codec.as_str().or_else(|| codec.get("name").and_then(Value::as_str)).unwrap_or("");
    (name, codec.get("configuration").and_then(Value::as_object).unwrap_or(&EMPTY))
}

/// The order of a transpose: a permutation, or the words of early drafts.
fn transpose_order(config: &Map<String, Value>, rank: usize) -> Option<Idx> {
    let order: Idx = match config.get("order")? {
        Value::String(word) if word == "C" => (0..rank).collect(),
        Value::String(word) if word == "F" => (0..rank).rev().collect(),
        Value::Array(axes) => axes.iter().map(|a| a.as_u64().map(|a| a as usize)).collect::<Option<_>>()?,
        _ => return None,
    };
    let mut seen = order.to_vec();
    seen.sort_unstable();
    seen.into_iter().eq(0..rank).then_some(order)
}
