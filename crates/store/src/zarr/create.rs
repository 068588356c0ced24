//! New arrays and groups, and changes to the metadata of existing ones.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use voxmill_core::{ArrayMeta, DType, Error, ErrorClass, Idx, Result, Scalar, Store};

use super::codec_text::Codec;
use super::elements::fill_to_json;
use super::header::Header;
use super::open::{Found, look, read_json};
use super::{ZarrStore, open};
use crate::bytes::{self, Bytes, Payload};
use crate::location;

/// Bytes that a chunk of the default shape has at most.
const CHUNK_BYTES: usize = 2 << 20;

/// How a new array is laid out. Start from [`ZarrSettings::default`].
#[derive(Debug, Clone, PartialEq)]
pub struct ZarrSettings {
    /// Version of the format: 2 or 3.
    pub zarr_format: u8,
    /// Shape of the chunks, 0 for the whole of an axis; chosen by [`default_chunks`] if not given.
    pub chunks: Option<Vec<usize>>,
    /// Shape of the shards, a multiple of the chunks; no shards if not given.
    pub shards: Option<Vec<usize>>,
    /// Compression.
    pub codec: Codec,
    /// Value of elements that were never written.
    pub fill_value: Scalar,
    /// Between the numbers in chunk keys: `/` or `.`. In folders, `/` keeps them small.
    pub separator: char,
    /// One name per axis, or empty.
    pub dimension_names: Vec<Option<String>>,
    /// Attributes of the array.
    pub attributes: Map<String, Value>,
    /// True to replace an array that is there. A group with arrays in it is never replaced.
    pub overwrite: bool,
}

impl Default for ZarrSettings {
    fn default() -> Self {
        ZarrSettings {
            zarr_format: 3,
            chunks: None,
            shards: None,
            codec: Codec::default(),
            fill_value: Scalar::Int(0),
            separator: '/',
            dimension_names: Vec::new(),
            attributes: Map::new(),
            overwrite: false,
        }
    }
}

/// Creates an array and opens it. No chunk is written: elements read as the fill value.
///
/// ```
/// use voxmill_core::{DType, Store};
/// let folder = tempfile::tempdir().unwrap();
/// let location = folder.path().join("image.zarr");
/// let settings = voxmill_store::ZarrSettings { codec: "zstd:3".parse().unwrap(), ..Default::default() };
/// let store = voxmill_store::create(location.to_str().unwrap(), &[300, 512, 512], DType::U16, &settings).unwrap();
/// assert_eq!(store.meta().grid.largest().as_slice(), [64, 128, 128]);
/// ```
pub fn create(location: &str, shape: &[usize], dtype: DType, settings: &ZarrSettings) -> Result<Arc<dyn Store>> {
    // The metadata is read back before anything is touched, so that what is refused later is refused now.
    let (doc, store) = unwritten(location, shape, dtype, settings)?;
    let bytes = store.bytes();
    make_room(&store.spec().location, &**bytes, settings.overwrite)?;
    if settings.zarr_format == 2 {
        let attributes = attributes_v2(settings);
        if attributes.as_object().is_some_and(|map| !map.is_empty()) {
            write_json(&**bytes, ".zattrs", &attributes)?;
        }
    }
    let key = if settings.zarr_format == 2 { ".zarray" } else { "zarr.json" };
    write_json(&**bytes, key, &doc)?;
    if settings.overwrite {
        relist(&store.spec().location, key, &doc)?;
    }
    Ok(Arc::new(store))
}

/// The array that [`create`] would make, to plan with. Nothing is written, and nobody may write to it.
pub fn draft(location: &str, shape: &[usize], dtype: DType, settings: &ZarrSettings) -> Result<Arc<dyn Store>> {
    Ok(Arc::new(unwritten(location, shape, dtype, settings)?.1))
}

/// The metadata of a new array, and the array as it will be.
fn unwritten(location: &str, shape: &[usize], dtype: DType, settings: &ZarrSettings) -> Result<(Value, ZarrStore)> {
    let location = location::normal(location)?;
    let place = format!("new Zarr array {location}");
    let doc = document(shape, dtype, settings).map_err(|e| e.at(place.clone()))?;
    let header = match settings.zarr_format {
        2 => Header::from_v2(&doc, Some(attributes_v2(settings))),
        _ => Header::from_v3(&doc),
    };
    let bytes = bytes::open(&location)?;
    let store = header.and_then(|header| ZarrStore::new(&location, header, bytes)).map_err(|e| e.at(place))?;
    Ok((doc, store))
}

/// Creates a group, or replaces the attributes of one that is there if `overwrite` is set.
pub fn create_group(location: &str, zarr_format: u8, attributes: &Map<String, Value>, overwrite: bool) -> Result<()> {
    let location = location::normal(location)?;
    let bytes = bytes::open(&location)?;
    match look(&*bytes)? {
        Found::Group(format, _) if overwrite && format == zarr_format => {}
        _ => make_room(&location, &*bytes, overwrite)?,
    }
    if zarr_format == 2 {
        write_json(&*bytes, ".zattrs", &Value::Object(attributes.clone()))?;
        return write_json(&*bytes, ".zgroup", &json!({"zarr_format": 2}));
    }
    write_json(&*bytes, "zarr.json", &json!({"zarr_format": 3, "node_type": "group", "attributes": attributes}))
}

/// Replaces the attributes of an array or group.
pub fn write_attributes(location: &str, attributes: &Map<String, Value>) -> Result<()> {
    let location = location::normal(location)?;
    let bytes = bytes::open(&location)?;
    if let Some(mut doc) = read_json(&*bytes, "zarr.json")? {
        doc["attributes"] = Value::Object(attributes.clone());
        write_json(&*bytes, "zarr.json", &doc)?;
        return relist(&location, "zarr.json", &doc);
    }
    let doc = Value::Object(attributes.clone());
    match look(&*bytes)? {
        Found::Nothing => Err(open::missing(&location)),
        _ => write_json(&*bytes, ".zattrs", &doc).and_then(|()| relist(&location, ".zattrs", &doc)),
    }
}

/// Makes an existing array longer by `extra` along `axis` and opens it. Only metadata changes: the new elements read as the fill value
/// until they are written. Groups above that list the metadata of the array (consolidated metadata) are brought up to date.
pub fn append(location: &str, axis: usize, extra: usize) -> Result<Arc<dyn Store>> {
    let store = ZarrStore::open(location)?;
    let rank = store.meta().rank();
    if axis >= rank {
        return Err(Error::invalid(format!("axis {axis} is out of range for an array of rank {rank}"))
            .at(store.spec().to_string()));
    }
    let key = if store.zarr_format() == 3 { "zarr.json" } else { ".zarray" };
    let gone = || Error::not_found(format!("{} is not there", store.bytes().place(key)));
    let mut doc = read_json(&**store.bytes(), key)?.ok_or_else(gone)?;
    let longer = store.meta().shape[axis].checked_add(extra);
    let longer = longer.ok_or_else(|| Error::invalid(format!("axis {axis} cannot grow by {extra}")))?;
    doc["shape"][axis] = longer.into();
    let header = if store.zarr_format() == 3 { Header::from_v3(&doc) } else { Header::from_v2(&doc, None) };
    header.map_err(|e| e.at(format!("growing axis {axis} of {} by {extra}", store.spec())))?;
    write_json(&**store.bytes(), key, &doc)?;
    relist(&store.spec().location, key, &doc)?;
    ZarrStore::open(location).map(|store| Arc::new(store) as Arc<dyn Store>)
}

/// Puts the new metadata `doc` of a node, which lies in its file `key`, into the lists of the groups above that have it.
fn relist(location: &str, key: &str, doc: &Value) -> Result<()> {
    for (above, path) in open::above(location) {
        // A folder above that cannot be read lists nothing.
        let Ok(bytes) = bytes::open(&above) else { continue };
        let (file, pointer, entry) = match key {
            "zarr.json" => ("zarr.json", "/consolidated_metadata/metadata", path),
            _ => (".zmetadata", "/metadata", format!("{path}/{key}")),
        };
        let Ok(Some(mut list)) = read_json(&*bytes, file) else { continue };
        let Some(nodes) = list.pointer_mut(pointer).and_then(Value::as_object_mut) else { continue };
        let Some(listed) = nodes.get_mut(&entry) else { continue };
        *listed = doc.clone();
        write_json(&*bytes, file, &list)?;
    }
    Ok(())
}

/// Chunks of at most 2 MiB with sides that are powers of two and about equal. The last three axes are cut before any other is joined, so
/// that time points and channels stay apart.
pub fn default_chunks(shape: &[usize], dtype: DType) -> Vec<usize> {
    let mut chunk = vec![1; shape.len()];
    let most = CHUNK_BYTES / dtype.size();
    let inner = shape.len().saturating_sub(3);
    for axes in [inner..shape.len(), 0..inner] {
        loop {
            let open = axes.clone().rev().filter(|&k| chunk[k] < shape[k]);
            let Some(k) = open.min_by_key(|&k| chunk[k]) else { break };
            let longer = (chunk[k] * 2).min(shape[k]);
            if chunk.iter().product::<usize>() / chunk[k] * longer > most {
                break;
            }
            chunk[k] = longer;
        }
    }
    chunk
}

fn document(shape: &[usize], dtype: DType, settings: &ZarrSettings) -> Result<Value> {
    let chunk = side_lengths("chunks", settings.chunks.as_deref(), shape)?
        .unwrap_or_else(|| default_chunks(shape, dtype).into());
    let shard = side_lengths("shards", settings.shards.as_deref(), shape)?;
    let names = &settings.dimension_names;
    if !names.is_empty() && names.len() != shape.len() {
        return Err(Error::invalid(format!("{} dimension names are given for {} axes", names.len(), shape.len())));
    }
    if !matches!(settings.separator, '/' | '.') {
        return Err(Error::invalid(format!("the separator is '{}', not '/' or '.'", settings.separator)));
    }
    if !settings.fill_value.fits(dtype) {
        return Err(Error::invalid(format!("fill value {} does not fit {dtype}", settings.fill_value)));
    }
    match (settings.zarr_format, shard) {
        (2, None) => Ok(document_v2(shape, dtype, &chunk, settings)),
        (2, Some(_)) => Err(Error::invalid("Zarr version 2 has no shards; choose version 3")),
        (3, shard) => document_v3(shape, dtype, &chunk, shard.as_deref(), settings),
        (other, _) => Err(Error::invalid(format!("there is no Zarr version {other}; choose 2 or 3"))),
    }
}

fn side_lengths(what: &str, given: Option<&[usize]>, shape: &[usize]) -> Result<Option<Idx>> {
    let Some(given) = given else { return Ok(None) };
    if given.len() != shape.len() {
        return Err(Error::invalid(format!(
            "{what} {given:?} are for {} axes, the array has {}",
            given.len(),
            shape.len()
        )));
    }
    Ok(Some(given.iter().zip(shape).map(|(&n, &len)| if n == 0 { len.max(1) } else { n }).collect()))
}

fn document_v2(shape: &[usize], dtype: DType, chunk: &[usize], settings: &ZarrSettings) -> Value {
    let code = match dtype.name() {
        "bool" => "|b1".to_string(),
        "bfloat16" => "bfloat16".to_string(),
        name => {
            let order = if dtype.size() == 1 { '|' } else { '<' };
            format!("{order}{}{}", &name[..1], dtype.size())
        }
    };
    json!({
        "zarr_format": 2, "shape": shape, "chunks": chunk, "dtype": code, "order": "C", "filters": null,
        "compressor": settings.codec.compressor(dtype).to_v2(),
        "fill_value": fill_to_json(&settings.fill_value.to_bytes(dtype), dtype),
        "dimension_separator": settings.separator.to_string(),
    })
}

fn attributes_v2(settings: &ZarrSettings) -> Value {
    let mut attributes = settings.attributes.clone();
    if !settings.dimension_names.is_empty() {
        // Where xarray looks for names; it wants a string for each axis.
        let name = |(axis, name): (usize, &Option<String>)| name.clone().unwrap_or_else(|| format!("dim_{axis}"));
        let names: Vec<_> = settings.dimension_names.iter().enumerate().map(name).collect();
        attributes.entry("_ARRAY_DIMENSIONS").or_insert_with(|| json!(names));
    }
    Value::Object(attributes)
}

fn document_v3(
    shape: &[usize],
    dtype: DType,
    chunk: &[usize],
    shard: Option<&[usize]>,
    settings: &ZarrSettings,
) -> Result<Value> {
    let little = json!({"name": "bytes", "configuration": {"endian": "little"}});
    let mut codecs = vec![if dtype.size() == 1 { json!({"name": "bytes"}) } else { little.clone() }];
    codecs.extend(settings.codec.compressor(dtype).to_v3());
    if let Some(shard) = shard {
        if !shard.iter().zip(chunk).all(|(s, c)| s % c == 0) {
            return Err(Error::invalid(format!("shards {shard:?} are no multiple of chunks {chunk:?}")));
        }
        codecs = vec![json!({"name": "sharding_indexed", "configuration": {
            "chunk_shape": chunk, "codecs": codecs, "index_codecs": [little, {"name": "crc32c"}], "index_location": "end"}})];
    }
    let mut doc = json!({
        "zarr_format": 3, "node_type": "array", "shape": shape, "data_type": dtype.name(),
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shard.unwrap_or(chunk)}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": settings.separator.to_string()}},
        "fill_value": fill_to_json(&settings.fill_value.to_bytes(dtype), dtype),
        "codecs": codecs, "attributes": settings.attributes, "storage_transformers": [],
    });
    if !settings.dimension_names.is_empty() {
        doc["dimension_names"] = json!(settings.dimension_names);
    }
    Ok(doc)
}

/// Sees to it that nothing is at the location. Only Zarr arrays and empty groups are ever removed.
fn make_room(location: &str, bytes: &dyn Bytes, overwrite: bool) -> Result<()> {
    let exists = |what: &str, hint: &str| Err(Error::new(ErrorClass::Exists, format!("'{location}' {what}; {hint}")));
    match look(bytes) {
        Ok(Found::Array(_)) if overwrite => bytes.clear(),
        // What we cannot read is an array all the same.
        Err(e) if e.class() == ErrorClass::Unsupported && overwrite => bytes.clear(),
        // Damaged metadata could be that of a group with all its arrays.
        Err(e) if e.class() == ErrorClass::Corrupt => {
            exists("holds damaged Zarr metadata", "remove it first, or choose another name")
                .map_err(|error| error.at(e.to_string()))
        }
        Ok(Found::Array(header)) => {
            let meta = ArrayMeta::new(&header.shape, header.dtype);
            let what = format!("is an array already ({:?} {})", meta.shape.as_slice(), meta.dtype);
            exists(&what, "set overwrite to replace it, or choose another name")
        }
        Ok(Found::Group(..)) => {
            if overwrite && bytes.list("")?.folders.is_empty() {
                return bytes.clear();
            }
            exists("is a Zarr group", "choose a name inside it, or remove it first")
        }
        Ok(Found::Nothing) => match location::local_path(location)? {
            Some(path) if path.is_file() => exists("is a file", "choose another name"),
            Some(_) if bytes.list("")? != bytes::Listing::default() => exists(
                "is a folder with other files in it",
                "choose another name; it is not removed even with overwrite",
            ),
            _ => Ok(()),
        },
        Err(e) => Err(e),
    }
}

fn write_json(bytes: &dyn Bytes, key: &str, doc: &Value) -> Result<()> {
    let text =
        serde_json::to_vec_pretty(doc).map_err(|e| Error::internal(format!("metadata cannot be written: {e}")))?;
    bytes.write(key, Payload::Owned(bytes::Blob::Vec(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_chunks_are_near_cubes() {
        let check = |shape: &[usize], dtype, want: &[usize]| assert_eq!(default_chunks(shape, dtype), want);
        check(&[300, 512, 512], DType::U16, &[64, 128, 128]);
        check(&[300, 512, 512], DType::U8, &[128, 128, 128]);
        check(&[4096, 4096], DType::F32, &[512, 1024]);
        check(&[50, 3, 20, 2048, 2048], DType::U16, &[1, 1, 20, 128, 256]);
        check(&[1000, 3, 8, 8], DType::U8, &[1000, 3, 8, 8]);
        check(&[], DType::U8, &[]);
        check(&[0, 5], DType::U8, &[1, 5]);
    }
}
