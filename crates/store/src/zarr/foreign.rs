//! Chains of codecs that are left to `zarrs`: filters, rare compressors, shards inside shards.
//!
//! `zarrs` runs on the calling thread here, and a panic in it becomes an error.

use std::borrow::Cow;
use std::num::NonZeroU64;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::Value;
use voxmill_core::{Error, Result, View, ViewMut};
use zarrs::array::codec::api::{ArrayBytes, ArrayToBytesCodecTraits, Codec, CodecOptions};
use zarrs::array::{CodecChain, DataType, FillValue};
use zarrs::metadata::v3::MetadataV3;

use super::pipeline::Unit;
use crate::bytes::{Blob, Payload};

/// A chain of `zarrs` codecs.
pub(crate) struct Foreign {
    chain: Arc<CodecChain>,
    shape: Vec<NonZeroU64>,
    dtype: DataType,
    fill: FillValue,
}

impl std::fmt::Debug for Foreign {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Foreign").field("chain", &self.chain).finish_non_exhaustive()
    }
}

impl Foreign {
    pub(super) fn new(codecs: &[Value], unit: &Unit) -> Result<Foreign> {
        let codecs = codecs.iter().map(metadata).collect::<Result<Vec<_>>>()?;
        for codec in &codecs {
            let made = guarded(|| Codec::from_metadata(codec)).map_err(|e| e.to_string());
            if let Err(why) = made.and_then(|made| made.map_err(|e| e.to_string())) {
                return Err(Error::unsupported(format!(
                    "codec '{}' cannot be used: {why}; rewrite the array with another codec, such as zstd or blosc",
                    codec.name()
                )));
            }
        }
        let chain = guarded(|| CodecChain::from_metadata(&codecs))?
            .map_err(|e| Error::corrupt(format!("the list of codecs is not sound: {e}")))?;
        let dtype = guarded(|| DataType::from_metadata(&MetadataV3::new(unit.dtype.name())))?
            .map_err(|e| Error::unsupported(format!("dtype {} with these codecs: {e}", unit.dtype)))?;
        let shape = unit.shape.iter().map(|&n| NonZeroU64::new(n as u64)).collect::<Option<_>>();
        let shape = shape.ok_or_else(|| Error::corrupt("a chunk has an axis of length 0"))?;
        Ok(Foreign { chain: Arc::new(chain), shape, dtype, fill: FillValue::new(unit.fill.clone()) })
    }

    pub(super) fn decode<'a>(&self, encoded: &'a [u8]) -> Result<Cow<'a, [u8]>> {
        let decoded = guarded(|| {
            let options = CodecOptions::default().with_concurrent_target(1);
            self.chain.decode(Cow::Borrowed(encoded), &self.shape, &self.dtype, &self.fill, &options)
        })?;
        let bytes = decoded.map_err(|e| Error::corrupt(e.to_string()))?.into_fixed();
        bytes.map_err(|e| Error::corrupt(e.to_string()))
    }

    pub(super) fn encode<'a>(&self, unit: &Unit, from: &View<'a>) -> Result<Payload<'a>> {
        let bytes: Cow<'_, [u8]> = match from.bytes() {
            Some(bytes) => Cow::Borrowed(bytes),
            None => {
                let mut copy = vec![0; unit.n_bytes()];
                from.copy_to(&mut ViewMut::new(&mut copy, &unit.shape, unit.dtype)?)?;
                Cow::Owned(copy)
            }
        };
        let encoded = guarded(|| {
            let options = CodecOptions::default().with_concurrent_target(1);
            let encoded = self.chain.encode(ArrayBytes::from(bytes), &self.shape, &self.dtype, &self.fill, &options);
            encoded.map(Cow::into_owned)
        })?;
        encoded.map(|bytes| Payload::Owned(Blob::Vec(bytes))).map_err(|e| Error::internal(format!("encoding: {e}")))
    }

    pub(super) fn bound(&self, unit: &Unit) -> u64 {
        let n = unit.n_bytes() as u64;
        let size = guarded(|| self.chain.encoded_representation(&self.shape, &self.dtype, &self.fill));
        let size = size.ok().and_then(|size| size.ok()).and_then(|size| size.size());
        // Filters may widen elements, at most to sixteen bytes each; a chain that cannot tell gets room for that.
        size.unwrap_or(n * 4).max(n) + n / 64 + 4096
    }
}

/// Runs code of another crate that may panic on metadata or bytes it does not expect.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Error::corrupt(format!("a codec gave up: {text}"))
    })
}

fn metadata(codec: &Value) -> Result<MetadataV3> {
    serde_json::from_value(codec.clone()).map_err(|e| Error::corrupt(format!("codec {codec} is not sound: {e}")))
}
