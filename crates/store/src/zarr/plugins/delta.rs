//! `delta`: each element as its difference to the one before, perhaps in a narrower dtype.
//!
//! Integers wrap and floats round as in numcodecs: differences and sums are made in the dtype of the array, one after the other.

use std::borrow::Cow;
use std::num::NonZeroU64;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;
use voxmill_core::{Complex32, Complex64, DType, Element, bf16, bytemuck, dispatch, f16};
use zarrs::array::codec::api::{
    ArrayBytes, ArrayCodecTraits, ArrayToArrayCodecTraits, Codec, CodecError, CodecMetadataOptions, CodecOptions,
    CodecPluginV2, CodecPluginV3, CodecTraits, CodecTraitsV2, CodecTraitsV3, PartialDecoderCapability,
    PartialEncoderCapability, RecommendedConcurrency,
};
use zarrs::array::{DataType, FillValue};
use zarrs::metadata::Configuration;
use zarrs::metadata::v2::MetadataV2;
use zarrs::metadata::v3::MetadataV3;
use zarrs::plugin::{PluginCreateError, ZarrVersion};

/// The codec.
#[derive(Debug, Clone)]
pub(crate) struct DeltaCodec {
    texts: DeltaConfiguration,
    /// Of the array.
    dtype: DType,
    /// Of the differences.
    stored: DType,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct DeltaConfiguration {
    dtype: String,
    #[serde(default)]
    astype: Option<String>,
}

zarrs::plugin::impl_extension_aliases!(DeltaCodec, v3: "numcodecs.delta", ["delta"], v2: "delta", []);

inventory::submit! { CodecPluginV3::new::<DeltaCodec>() }
inventory::submit! { CodecPluginV2::new::<DeltaCodec>() }

impl CodecTraitsV3 for DeltaCodec {
    fn create(metadata: &MetadataV3) -> Result<Codec, PluginCreateError> {
        DeltaCodec::from_texts(metadata.to_typed_configuration()?)
    }
}

impl CodecTraitsV2 for DeltaCodec {
    fn create(metadata: &MetadataV2) -> Result<Codec, PluginCreateError> {
        DeltaCodec::from_texts(metadata.to_typed_configuration()?)
    }
}

impl DeltaCodec {
    fn from_texts(texts: DeltaConfiguration) -> Result<Codec, PluginCreateError> {
        // Byte orders are in these words, too, but elements come here in the order of this machine.
        let parse = |text: &str| match text.parse::<DType>() {
            Ok(DType::Bool) | Err(_) => Err(PluginCreateError::from(format!("delta of dtype '{text}'"))),
            Ok(dtype) => Ok(dtype),
        };
        let dtype = parse(&texts.dtype)?;
        let stored = texts.astype.as_deref().map_or(Ok(dtype), parse)?;
        Ok(Codec::ArrayToArray(Arc::new(DeltaCodec { texts, dtype, stored })))
    }

    fn check(&self, dtype: &DataType) -> Result<(), CodecError> {
        let same = DataType::from_metadata(&MetadataV3::new(self.dtype.name())).is_ok_and(|ours| ours == *dtype);
        if same { Ok(()) } else { Err(CodecError::from(format!("delta of {} in an array of {dtype}", self.dtype))) }
    }
}

impl CodecTraits for DeltaCodec {
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn configuration(&self, _version: ZarrVersion, _options: &CodecMetadataOptions) -> Option<Configuration> {
        json!(self.texts).as_object().cloned().map(Configuration::from)
    }

    fn partial_decoder_capability(&self) -> PartialDecoderCapability {
        PartialDecoderCapability { partial_read: false, partial_decode: false }
    }

    fn partial_encoder_capability(&self) -> PartialEncoderCapability {
        PartialEncoderCapability { partial_encode: false }
    }
}

impl ArrayCodecTraits for DeltaCodec {
    fn recommended_concurrency(
        &self,
        _shape: &[NonZeroU64],
        _dtype: &DataType,
    ) -> Result<RecommendedConcurrency, CodecError> {
        Ok(RecommendedConcurrency::new_maximum(1))
    }
}

impl ArrayToArrayCodecTraits for DeltaCodec {
    fn into_dyn(self: Arc<Self>) -> Arc<dyn ArrayToArrayCodecTraits> {
        self
    }

    fn encoded_data_type(&self, decoded: &DataType) -> Result<DataType, CodecError> {
        self.check(decoded)?;
        DataType::from_metadata(&MetadataV3::new(self.stored.name())).map_err(|e| CodecError::from(e.to_string()))
    }

    fn encode<'a>(
        &self,
        bytes: ArrayBytes<'a>,
        _shape: &[NonZeroU64],
        _dtype: &DataType,
        _fill: &FillValue,
        _options: &CodecOptions,
    ) -> Result<ArrayBytes<'a>, CodecError> {
        let bytes = bytes.into_fixed()?;
        let out = dispatch!(number self.dtype, T => differences::<T>(&bytes, self.stored), else Vec::new());
        Ok(ArrayBytes::from(Cow::Owned(out)))
    }

    fn decode<'a>(
        &self,
        bytes: ArrayBytes<'a>,
        _shape: &[NonZeroU64],
        _dtype: &DataType,
        _fill: &FillValue,
        _options: &CodecOptions,
    ) -> Result<ArrayBytes<'a>, CodecError> {
        let bytes = bytes.into_fixed()?;
        let out = dispatch!(number self.dtype, T => sums::<T>(&bytes, self.stored), else Vec::new());
        Ok(ArrayBytes::from(Cow::Owned(out)))
    }
}

fn differences<T: Element + Group>(bytes: &[u8], stored: DType) -> Vec<u8> {
    let mut before = None;
    let mut out = Vec::with_capacity(bytes.len() / size_of::<T>() * stored.size());
    for element in bytes.chunks_exact(size_of::<T>()) {
        let element: T = bytemuck::pod_read_unaligned(element);
        let difference = before.map_or(element, |before| element.minus(before));
        before = Some(element);
        if stored == T::DTYPE {
            out.extend_from_slice(bytemuck::bytes_of(&difference));
        } else {
            out.extend_from_slice(&difference.to_scalar().to_bytes(stored));
        }
    }
    out
}

fn sums<T: Element + Group>(bytes: &[u8], stored: DType) -> Vec<u8> {
    let mut sum: Option<T> = None;
    let mut out = Vec::with_capacity(bytes.len() / stored.size() * size_of::<T>());
    for difference in bytes.chunks_exact(stored.size()) {
        let difference: T = if stored == T::DTYPE {
            bytemuck::pod_read_unaligned(difference)
        } else {
            T::from_scalar(voxmill_core::Scalar::from_bytes(difference, stored))
        };
        let next = sum.map_or(difference, |sum| sum.plus(difference));
        sum = Some(next);
        out.extend_from_slice(bytemuck::bytes_of(&next));
    }
    out
}

/// Sums and differences that wrap where the type does.
trait Group: Copy {
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
}

macro_rules! wrapping {
    ($($t:ty),*) => {$(
        impl Group for $t {
            fn plus(self, other: Self) -> Self { self.wrapping_add(other) }
            fn minus(self, other: Self) -> Self { self.wrapping_sub(other) }
        }
    )*};
}

macro_rules! rounding {
    ($($t:ty),*) => {$(
        impl Group for $t {
            fn plus(self, other: Self) -> Self { self + other }
            fn minus(self, other: Self) -> Self { self - other }
        }
    )*};
}

wrapping!(u8, u16, u32, u64, i8, i16, i32, i64);
rounding!(f16, bf16, f32, f64, Complex32, Complex64);
