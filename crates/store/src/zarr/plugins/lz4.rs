//! `lz4`: one LZ4 block after the length of what it holds.
//!
//! Arrays that are only compressed with it never come here, see `codec.rs`; this is for chains with filters in them.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Map;
use zarrs::array::codec::api::{
    BytesToBytesCodecTraits, Codec, CodecError, CodecMetadataOptions, CodecOptions, CodecPluginV2, CodecPluginV3,
    CodecTraits, CodecTraitsV2, CodecTraitsV3, PartialDecoderCapability, PartialEncoderCapability,
    RecommendedConcurrency,
};
use zarrs::array::{ArrayBytesRaw, BytesRepresentation};
use zarrs::metadata::Configuration;
use zarrs::metadata::v2::MetadataV2;
use zarrs::metadata::v3::MetadataV3;
use zarrs::plugin::{PluginCreateError, ZarrVersion};

use crate::zarr::codec::Compressor;

/// The codec. How hard to compress (`acceleration`) is the writer's business and does not change what is read.
#[derive(Debug, Clone)]
pub(crate) struct Lz4Codec;

zarrs::plugin::impl_extension_aliases!(Lz4Codec, v3: "numcodecs.lz4", ["lz4"], v2: "lz4", []);

inventory::submit! { CodecPluginV3::new::<Lz4Codec>() }
inventory::submit! { CodecPluginV2::new::<Lz4Codec>() }

impl CodecTraitsV3 for Lz4Codec {
    fn create(_metadata: &MetadataV3) -> Result<Codec, PluginCreateError> {
        Ok(Codec::BytesToBytes(Arc::new(Lz4Codec)))
    }
}

impl CodecTraitsV2 for Lz4Codec {
    fn create(_metadata: &MetadataV2) -> Result<Codec, PluginCreateError> {
        Ok(Codec::BytesToBytes(Arc::new(Lz4Codec)))
    }
}

impl CodecTraits for Lz4Codec {
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn configuration(&self, _version: ZarrVersion, _options: &CodecMetadataOptions) -> Option<Configuration> {
        Some(Map::from_iter([("acceleration".to_string(), 1.into())]).into())
    }

    fn partial_decoder_capability(&self) -> PartialDecoderCapability {
        PartialDecoderCapability { partial_read: false, partial_decode: false }
    }

    fn partial_encoder_capability(&self) -> PartialEncoderCapability {
        PartialEncoderCapability { partial_encode: false }
    }
}

impl BytesToBytesCodecTraits for Lz4Codec {
    fn into_dyn(self: Arc<Self>) -> Arc<dyn BytesToBytesCodecTraits> {
        self
    }

    fn recommended_concurrency(&self, _decoded: &BytesRepresentation) -> Result<RecommendedConcurrency, CodecError> {
        Ok(RecommendedConcurrency::new_maximum(1))
    }

    fn encoded_representation(&self, decoded: &BytesRepresentation) -> BytesRepresentation {
        decoded
            .size()
            .map_or(BytesRepresentation::UnboundedSize, |n| BytesRepresentation::BoundedSize(n + n / 64 + 4096))
    }

    fn encode<'a>(&self, decoded: ArrayBytesRaw<'a>, _options: &CodecOptions) -> Result<ArrayBytesRaw<'a>, CodecError> {
        let mut encoded = vec![0; Compressor::Lz4.bound(decoded.len())];
        let n = Compressor::Lz4.encode(&decoded, &mut encoded).map_err(|e| CodecError::from(e.to_string()))?;
        encoded.truncate(n);
        Ok(Cow::Owned(encoded))
    }

    fn decode<'a>(
        &self,
        encoded: ArrayBytesRaw<'a>,
        decoded: &BytesRepresentation,
        _options: &CodecOptions,
    ) -> Result<ArrayBytesRaw<'a>, CodecError> {
        let damaged = || CodecError::from("the lz4 block does not say how long it is");
        let (head, _) = encoded.split_first_chunk::<4>().ok_or_else(damaged)?;
        let n = u32::from_le_bytes(*head);
        // The length is checked against what is possible before memory is taken for it.
        if decoded.size().is_some_and(|most| u64::from(n) > most) {
            return Err(CodecError::from("the lz4 block is longer than its chunk"));
        }
        let mut out = vec![0; n as usize];
        Compressor::Lz4.decode(&encoded, &mut out).map_err(|e| CodecError::from(e.to_string()))?;
        Ok(Cow::Owned(out))
    }
}
