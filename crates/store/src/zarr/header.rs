//! The metadata of one Zarr array, versions 2 and 3 alike.
//!
//! Both are read into one [`Header`], whose codecs are in the form of version 3. Every sentence about what is wrong names the key and
//! the value, since people write these files by hand.

use serde_json::{Map, Value, json};
use voxmill_core::{Axis, DType, Error, Idx, Result};
use zarrs::array::codec::api::{Codec, CodecMetadataOptions};
use zarrs::metadata::v2::MetadataV2;
use zarrs::plugin::{ExtensionName, ZarrVersion};

use super::codec::Compressor;
use super::elements::fill_from_json;
use super::foreign::guarded;

/// What `zarr.json` or `.zarray` says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Header {
    /// 2 or 3.
    pub(crate) format: u8,
    pub(crate) shape: Idx,
    /// Shape of what one key holds: chunks, or shards.
    pub(crate) chunk: Idx,
    pub(crate) dtype: DType,
    /// Bytes of one element that is not stored.
    pub(crate) fill: Vec<u8>,
    pub(crate) keys: ChunkKeys,
    /// Codecs in the form of version 3.
    pub(crate) codecs: Vec<Value>,
    pub(crate) attributes: Map<String, Value>,
    /// One per axis, or empty.
    pub(crate) names: Vec<Option<String>>,
}

/// How the position of a chunk becomes a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChunkKeys {
    /// `c/0/1`, not `0.1`.
    pub(crate) prefixed: bool,
    /// `/` or `.`.
    pub(crate) separator: char,
}

impl ChunkKeys {
    /// The key of the chunk at grid position `at`.
    pub(crate) fn key(&self, at: &[usize]) -> String {
        use std::fmt::Write;
        let mut key = String::with_capacity(4 * at.len() + 2);
        if self.prefixed {
            key.push('c');
        }
        for (axis, i) in at.iter().enumerate() {
            if axis > 0 || self.prefixed {
                key.push(self.separator);
            }
            // Writing to a string cannot fail.
            let _ = write!(key, "{i}");
        }
        if key.is_empty() { "0".to_string() } else { key }
    }
}

impl Header {
    /// Reads `zarr.json` of an array.
    pub(crate) fn from_v3(doc: &Value) -> Result<Header> {
        let map = doc.as_object().ok_or_else(|| Error::corrupt("zarr.json holds no JSON object"))?;
        refuse_unknown(map)?;
        let shape = lengths(map, "shape", 0)?;
        let (grid, config) = named(map, "chunk_grid")?;
        if grid != "regular" {
            return Err(Error::unsupported(format!("chunk_grid '{grid}'; only regular grids are read")));
        }
        let chunk = lengths(config, "chunk_shape", 1)?;
        let (dtype, _) = named(map, "data_type")?;
        let dtype = dtype_v3(dtype)?;
        let keys = chunk_keys_v3(map)?;
        let codecs = map.get("codecs").and_then(Value::as_array).cloned();
        let header = Header {
            format: 3,
            dtype,
            fill: fill_from_json(map.get("fill_value").unwrap_or(&Value::Null), dtype)?,
            keys,
            codecs: codecs.ok_or_else(|| Error::corrupt("zarr.json of an array has no list of codecs"))?,
            attributes: map.get("attributes").and_then(Value::as_object).cloned().unwrap_or_default(),
            names: axis_names(map.get("dimension_names"), shape.len()),
            shape,
            chunk,
        };
        header.check().map(|()| header)
    }

    /// Reads `.zarray`, and `.zattrs` where there is one.
    pub(crate) fn from_v2(doc: &Value, attributes: Option<Value>) -> Result<Header> {
        let map = doc.as_object().ok_or_else(|| Error::corrupt(".zarray holds no JSON object"))?;
        let shape = lengths(map, "shape", 0)?;
        let chunk = lengths(map, "chunks", 1)?;
        let text = map.get("dtype").ok_or_else(|| Error::corrupt(".zarray has no dtype"))?;
        let (dtype, big) = dtype_v2(text)?;
        let separator = map.get("dimension_separator").and_then(Value::as_str).unwrap_or(".");
        let attributes = attributes.and_then(|a| a.as_object().cloned()).unwrap_or_default();
        let header = Header {
            format: 2,
            dtype,
            fill: fill_from_json(map.get("fill_value").unwrap_or(&Value::Null), dtype)?,
            keys: ChunkKeys { prefixed: false, separator: one_char(separator)? },
            codecs: codecs_v2(map, shape.len(), dtype, big)?,
            // Written by xarray, and by nothing else in version 2.
            names: axis_names(attributes.get("_ARRAY_DIMENSIONS"), shape.len()),
            attributes,
            shape,
            chunk,
        };
        header.check().map(|()| header)
    }

    /// Axis names in the form of array metadata; empty where none is named.
    pub(crate) fn axes(&self) -> Vec<Axis> {
        if self.names.iter().all(Option::is_none) {
            return Vec::new();
        }
        self.names.iter().map(|name| Axis { name: name.clone(), ..Axis::default() }).collect()
    }

    /// Names of the codecs, first to last, with those inside shards in their place.
    pub(crate) fn codec_names(&self) -> Vec<String> {
        self.codecs.iter().flat_map(codec_name).collect()
    }

    fn check(&self) -> Result<()> {
        if self.shape.len() != self.chunk.len() {
            return Err(Error::corrupt(format!(
                "the array has {} axes, its chunks have {}",
                self.shape.len(),
                self.chunk.len()
            )));
        }
        for shape in [&self.shape, &self.chunk] {
            // Empty axes count as 1 here, so that no product of some of the axes can overflow later.
            let bytes = shape.iter().try_fold(self.dtype.size(), |product, &n| product.checked_mul(n.max(1)));
            if bytes.is_none_or(|bytes| bytes > isize::MAX as usize / 4) {
                return Err(Error::corrupt(format!(
                    "shape {shape:?} of {} is beyond what can be addressed",
                    self.dtype
                )));
            }
        }
        Ok(())
    }
}

fn codec_name(codec: &Value) -> Vec<String> {
    let (name, config) = super::pipeline::name_and_config(codec);
    let inner = config.get("codecs").and_then(Value::as_array).map(|list| list.iter().flat_map(codec_name));
    let cname = config.get("cname").and_then(Value::as_str).map_or(String::new(), |cname| format!("({cname})"));
    std::iter::once(format!("{name}{cname}")).chain(inner.into_iter().flatten()).collect()
}

/// Fields that are not understood must be refused, unless they say otherwise.
fn refuse_unknown(map: &Map<String, Value>) -> Result<()> {
    const KNOWN: [&str; 11] = [
        "zarr_format",
        "node_type",
        "shape",
        "data_type",
        "chunk_grid",
        "chunk_key_encoding",
        "fill_value",
        "codecs",
        "attributes",
        "storage_transformers",
        "dimension_names",
    ];
    if map.get("storage_transformers").and_then(Value::as_array).is_some_and(|list| !list.is_empty()) {
        return Err(Error::unsupported("storage_transformers are not read"));
    }
    for (key, value) in map {
        let optional = value.get("must_understand") == Some(&Value::Bool(false));
        if !KNOWN.contains(&key.as_str()) && !optional && !value.is_null() {
            return Err(Error::unsupported(format!(
                "zarr.json has the unknown field '{key}', which must be understood"
            )));
        }
    }
    Ok(())
}

fn lengths(map: &Map<String, Value>, key: &str, least: u64) -> Result<Idx> {
    let value = map.get(key).ok_or_else(|| Error::corrupt(format!("the array metadata has no '{key}'")))?;
    let length = |n: &Value| n.as_u64().filter(|&n| n >= least).and_then(|n| usize::try_from(n).ok());
    let list = value.as_array().and_then(|list| list.iter().map(length).collect::<Option<Idx>>());
    list.ok_or_else(|| Error::corrupt(format!("'{key}' is {value}, not a list of lengths of at least {least}")))
}

/// Name and configuration of an extension point.
fn named<'a>(map: &'a Map<String, Value>, key: &str) -> Result<(&'a str, &'a Map<String, Value>)> {
    let value = map.get(key).ok_or_else(|| Error::corrupt(format!("zarr.json of an array has no '{key}'")))?;
    let (name, config) = super::pipeline::name_and_config(value);
    if name.is_empty() {
        Err(Error::corrupt(format!("'{key}' is {value}, which has no name")))
    } else {
        Ok((name, config))
    }
}

fn dtype_v3(name: &str) -> Result<DType> {
    let found = DType::ALL.into_iter().find(|dtype| dtype.name() == name);
    found.ok_or_else(|| unsupported_dtype(name))
}

/// The dtype of version 2, and whether it is big-endian.
fn dtype_v2(value: &Value) -> Result<(DType, bool)> {
    let text = value.as_str().ok_or_else(|| unsupported_dtype(&value.to_string()))?;
    if text == "bfloat16" {
        return Ok((DType::BF16, false));
    }
    let known = text.len() > 2 && text.is_ascii() && "<>|".contains(&text[..1]) && "biufc".contains(&text[1..2]);
    let dtype = if known { text.parse().ok() } else { None };
    dtype.map(|dtype| (dtype, text.starts_with('>'))).ok_or_else(|| unsupported_dtype(text))
}

fn unsupported_dtype(name: &str) -> Error {
    let known: Vec<_> = DType::ALL.iter().map(|dtype| dtype.name()).collect();
    Error::unsupported(format!("dtype {name} is not supported; supported are {}", known.join(", ")))
}

fn one_char(text: &str) -> Result<char> {
    match text {
        "." => Ok('.'),
        "/" => Ok('/'),
        _ => Err(Error::corrupt(format!("the key separator is '{text}', not '.' or '/'"))),
    }
}

fn chunk_keys_v3(map: &Map<String, Value>) -> Result<ChunkKeys> {
    let (name, config) = named(map, "chunk_key_encoding")?;
    let (prefixed, default) = match name {
        "default" => (true, "/"),
        "v2" => (false, "."),
        _ => return Err(Error::unsupported(format!("chunk_key_encoding '{name}'; known are default and v2"))),
    };
    let separator = config.get("separator").and_then(Value::as_str).unwrap_or(default);
    Ok(ChunkKeys { prefixed, separator: one_char(separator)? })
}

fn axis_names(value: Option<&Value>, rank: usize) -> Vec<Option<String>> {
    let names = value.and_then(Value::as_array).filter(|names| names.len() == rank);
    names.map_or_else(Vec::new, |names| names.iter().map(|name| name.as_str().map(str::to_string)).collect())
}

/// Order, byte order, filters and compressor of version 2 as a list of codecs of version 3.
fn codecs_v2(map: &Map<String, Value>, rank: usize, dtype: DType, big: bool) -> Result<Vec<Value>> {
    let mut codecs = Vec::new();
    match map.get("order").and_then(Value::as_str) {
        Some("F") if rank > 1 => {
            let order: Vec<usize> = (0..rank).rev().collect();
            codecs.push(json!({"name": "transpose", "configuration": {"order": order}}));
        }
        Some("C" | "F") | None => {}
        Some(other) => return Err(Error::corrupt(format!("order is '{other}', not 'C' or 'F'"))),
    }
    let filters = map.get("filters").and_then(Value::as_array).cloned().unwrap_or_default();
    for filter in &filters {
        codecs.push(codec_v2(filter)?);
    }
    let compressor = map.get("compressor").filter(|value| !value.is_null());
    // A few compressors take elements, not bytes, and then stand in the place of the codec that lays out bytes.
    let takes_elements = |id: &str| matches!(id, "pcodec" | "zfpy");
    // A filter that changes the dtype also says in which byte order its results are stored.
    let stored = filters.iter().rev().find_map(|filter| filter.get("astype").and_then(Value::as_str));
    let big = stored.map_or(big, |code| code.starts_with('>'));
    if !compressor.and_then(|c| c.get("id")).and_then(Value::as_str).is_some_and(takes_elements) {
        codecs.push(json!({"name": "bytes", "configuration": {"endian": if big { "big" } else { "little" }}}));
    }
    if let Some(compressor) = compressor {
        let id = compressor.get("id").and_then(Value::as_str).unwrap_or("");
        let config = compressor.as_object().cloned().unwrap_or_default();
        codecs.push(match Compressor::parse(id, &config, dtype.size())?.and_then(|ours| ours.to_v3()) {
            Some(codec) => codec,
            None => codec_v2(compressor)?,
        });
    }
    Ok(codecs)
}

/// A numcodecs entry as a codec of version 3, translated by the codec itself.
fn codec_v2(entry: &Value) -> Result<Value> {
    let unsupported = |why: String| {
        let id = entry.get("id").and_then(Value::as_str).unwrap_or("without an id");
        Error::unsupported(format!(
            "codec '{id}' cannot be used: {why}; rewrite the array with another codec, such as zstd or blosc"
        ))
    };
    let metadata: MetadataV2 = serde_json::from_value(entry.clone()).map_err(|e| unsupported(e.to_string()))?;
    let codec = guarded(|| Codec::from_metadata(&metadata))?.map_err(|e| unsupported(e.to_string()))?;
    let options = CodecMetadataOptions::default().with_codec_store_metadata_if_encode_only(true);
    let (name, config) = guarded(|| (codec.name(ZarrVersion::V3), codec.configuration_v3(&options)))?;
    let name = name.ok_or_else(|| unsupported("it has no form in Zarr version 3".to_string()))?;
    Ok(json!({"name": name, "configuration": config.map(Map::from).unwrap_or_default()}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_both_versions() {
        let v3 = ChunkKeys { prefixed: true, separator: '/' };
        assert_eq!((v3.key(&[0, 12]), v3.key(&[])), ("c/0/12".to_string(), "c".to_string()));
        let v2 = ChunkKeys { prefixed: false, separator: '.' };
        assert_eq!((v2.key(&[0, 12]), v2.key(&[])), ("0.12".to_string(), "0".to_string()));
    }

    #[test]
    fn version_2_is_read_as_version_3() {
        let doc = json!({"zarr_format": 2, "shape": [4, 6], "chunks": [2, 3], "dtype": ">u2", "order": "F", "fill_value": null,
            "filters": null, "compressor": {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}});
        let header = Header::from_v2(&doc, None).unwrap();
        assert_eq!((header.dtype, header.keys.separator), (DType::U16, '.'));
        assert_eq!(header.codecs[0]["configuration"]["order"], json!([1, 0]));
        assert_eq!(header.codecs[1]["configuration"]["endian"], "big");
        assert_eq!(header.codecs[2]["name"], "blosc");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let check = |doc: Value, words: &str| {
            let error = Header::from_v2(&doc, None).unwrap_err();
            assert!(error.message().contains(words), "{error} does not say '{words}'");
        };
        let good = json!({"shape": [4], "chunks": [2], "dtype": "<u2", "compressor": null, "filters": null});
        let with = |key: &str, value: Value| {
            let mut doc = good.clone();
            doc[key] = value;
            doc
        };
        check(with("shape", json!([-1])), "'shape' is [-1]");
        check(with("chunks", json!([0])), "'chunks' is [0]");
        check(with("chunks", json!([1, 1])), "1 axes");
        check(with("dtype", json!("|S3")), "dtype |S3 is not supported");
        check(with("dtype", json!([["a", "<u2"]])), "is not supported");
        check(with("compressor", json!({"id": "jpegxl"})), "codec 'jpegxl'");
        check(with("fill_value", json!("x")), "fill_value");
        check(with("shape", json!([u64::MAX])), "shape");
    }
}
