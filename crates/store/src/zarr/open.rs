//! Finding an array: its own metadata, or what a group above it says of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};
use voxmill_core::{Error, Result};

use super::{Header, ZarrStore};
use crate::bytes::{self, Bytes};
use crate::location;

/// Metadata larger than this is no metadata.
const MOST_METADATA: u64 = 1 << 30;

/// How many names a message lists.
const MOST_NAMES: usize = 12;

/// What lies at a location.
#[derive(Debug)]
pub(crate) enum Found {
    /// An array.
    Array(Box<Header>),
    /// A group, with the version of its format and its attributes.
    Group(u8, Map<String, Value>),
    /// Nothing that Zarr knows.
    Nothing,
}

/// Opens the array at a normal location.
pub(super) fn open(location: &str) -> Result<ZarrStore> {
    let bytes = bytes::open(location)?;
    match look(&*bytes)? {
        Found::Array(header) => ZarrStore::new(location, *header, bytes),
        Found::Group(..) => Err(is_a_group(location, &bytes)),
        Found::Nothing => match from_above(location)? {
            Some(header) => ZarrStore::new(location, header, bytes),
            None => Err(missing(location)),
        },
    }
}

/// Looks at the metadata that lies at the location itself.
pub(crate) fn look(bytes: &dyn Bytes) -> Result<Found> {
    if let Some(doc) = read_json(bytes, "zarr.json")? {
        return node_v3(&doc).map_err(|e| e.at(bytes.place("zarr.json")));
    }
    if let Some(doc) = read_json(bytes, ".zarray")? {
        let attributes = read_json(bytes, ".zattrs")?;
        let header = Header::from_v2(&doc, attributes).map_err(|e| e.at(bytes.place(".zarray")))?;
        return Ok(Found::Array(Box::new(header)));
    }
    if read_json(bytes, ".zgroup")?.is_some() {
        let attributes = read_json(bytes, ".zattrs")?.and_then(|a| a.as_object().cloned());
        return Ok(Found::Group(2, attributes.unwrap_or_default()));
    }
    Ok(Found::Nothing)
}

fn node_v3(doc: &Value) -> Result<Found> {
    match doc.get("node_type").and_then(Value::as_str) {
        Some("array") => Header::from_v3(doc).map(|header| Found::Array(Box::new(header))),
        Some("group") => {
            Ok(Found::Group(3, doc.get("attributes").and_then(Value::as_object).cloned().unwrap_or_default()))
        }
        _ => Err(Error::corrupt("zarr.json says neither 'array' nor 'group' as node_type")),
    }
}

/// A JSON file, if it is there.
pub(super) fn read_json(bytes: &dyn Bytes, key: &str) -> Result<Option<Value>> {
    let Some(blob) = bytes.read(key, MOST_METADATA)? else { return Ok(None) };
    serde_json::from_slice(&plain_json(blob.as_ref())).map(Some).map_err(|e| {
        Error::corrupt(format!(
            "{} is not JSON: {e}; restore it from a copy, or write the array again",
            bytes.place(key)
        ))
    })
}

/// Python writes bare `NaN` and `Infinity`, which are not JSON; inside quotes they are.
fn plain_json(text: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    let has = |word: &[u8]| text.windows(word.len()).any(|part| part == word);
    if !has(b"NaN") && !has(b"Infinity") {
        return text.into();
    }
    let (mut out, mut quoted, mut i) = (Vec::with_capacity(text.len() + 16), false, 0);
    while i < text.len() {
        let word =
            [&b"NaN"[..], b"-Infinity", b"Infinity"].into_iter().find(|word| !quoted && text[i..].starts_with(word));
        if let Some(word) = word {
            out.push(b'"');
            out.extend_from_slice(word);
            out.push(b'"');
            i += word.len();
            continue;
        }
        match text[i] {
            b'\\' if quoted && i + 1 < text.len() => {
                out.push(b'\\');
                i += 1;
            }
            b'"' => quoted = !quoted,
            _ => {}
        }
        out.push(text[i]);
        i += 1;
    }
    out.into()
}

/// The nodes that a group lists in its consolidated metadata, by path; `None` if it has none. The group itself is `""`.
pub(crate) fn consolidated(bytes: &dyn Bytes) -> Result<Option<BTreeMap<String, Found>>> {
    if let Some(doc) = read_json(bytes, ".zmetadata")? {
        return doc.get("metadata").and_then(Value::as_object).map(nodes_v2).transpose();
    }
    let Some(doc) = read_json(bytes, "zarr.json")? else { return Ok(None) };
    let Some(list) = doc.pointer("/consolidated_metadata/metadata").and_then(Value::as_object) else { return Ok(None) };
    let nodes = list.iter().map(|(path, doc)| Ok((path.trim_matches('/').to_string(), node_v3(doc)?)));
    nodes.collect::<Result<_>>().map(Some)
}

fn nodes_v2(entries: &Map<String, Value>) -> Result<BTreeMap<String, Found>> {
    let mut nodes = BTreeMap::new();
    for (key, doc) in entries {
        let (path, file) = key.rsplit_once('/').unwrap_or(("", key));
        let beside = |file: &str| if path.is_empty() { file.to_string() } else { format!("{path}/{file}") };
        let attributes = entries.get(&beside(".zattrs"));
        let found = match file {
            ".zarray" => {
                Found::Array(Box::new(Header::from_v2(doc, attributes.cloned()).map_err(|e| e.at(key.clone()))?))
            }
            ".zgroup" => Found::Group(2, attributes.and_then(Value::as_object).cloned().unwrap_or_default()),
            _ => continue,
        };
        nodes.insert(path.to_string(), found);
    }
    Ok(nodes)
}

/// The folders above `location`, nearest first, and the path from each of them to it.
pub(super) fn above(location: &str) -> Vec<(String, String)> {
    /// Deeper hierarchies are not listed at their top.
    const MOST: usize = 4;
    let (mut at, mut path, mut found) = (location, String::new(), Vec::new());
    while let Some((parent, name)) = location::parent(at).filter(|_| found.len() < MOST) {
        path = if path.is_empty() { name.to_string() } else { format!("{name}/{path}") };
        at = parent;
        found.push((at.to_string(), path.clone()));
    }
    found
}

/// The array as a group above lists it, for stores that keep metadata only there.
fn from_above(location: &str) -> Result<Option<Header>> {
    for (above, path) in above(location) {
        // A folder above that cannot be read says nothing about the array.
        let listed = bytes::open(&above).and_then(|bytes| consolidated(&*bytes)).ok().flatten();
        if let Some(Found::Array(header)) = listed.and_then(|mut nodes| nodes.remove(&path)) {
            return Ok(Some(*header));
        }
    }
    Ok(None)
}

fn is_a_group(location: &str, bytes: &Arc<dyn Bytes>) -> Error {
    let names = arrays_below(&**bytes).unwrap_or_default();
    let shown: Vec<_> =
        names.iter().take(MOST_NAMES).map(|name| format!("'{}'", location::join(location, name))).collect();
    let what = match names.len() {
        0 => "no arrays were found in it".to_string(),
        n if n > MOST_NAMES => format!("open one of its {n} arrays or more: {}, ...", shown.join(", ")),
        _ => format!("open one of its arrays: {}", shown.join(", ")),
    };
    Error::invalid(format!("'{location}' is a Zarr group, not an array; {what}"))
}

/// Paths of arrays in a group: all that are consolidated, else those one and two levels down.
fn arrays_below(bytes: &dyn Bytes) -> Result<Vec<String>> {
    if let Some(nodes) = consolidated(bytes)? {
        let arrays = nodes.into_iter().filter(|(_, node)| matches!(node, Found::Array(_)));
        return Ok(arrays.map(|(path, _)| path).collect());
    }
    let is_array = |listing: &bytes::Listing, path: &str| -> Result<bool> {
        if listing.files.iter().any(|file| file == ".zarray") {
            return Ok(true);
        }
        let v3 = listing.files.iter().any(|file| file == "zarr.json");
        let doc = if v3 { read_json(bytes, &format!("{path}/zarr.json"))? } else { None };
        Ok(doc.is_some_and(|doc| doc["node_type"] == "array"))
    };
    let mut arrays = Vec::new();
    for name in bytes.list("")?.folders {
        let listing = bytes.list(&name)?;
        if is_array(&listing, &name)? {
            arrays.push(name);
            continue;
        }
        for child in listing.folders.iter().take(64) {
            let path = format!("{name}/{child}");
            if is_array(&bytes.list(&path)?, &path)? {
                arrays.push(path);
            }
        }
        if arrays.len() > MOST_NAMES {
            break;
        }
    }
    Ok(arrays)
}

/// The error for a location where nothing is, with names nearby that look alike.
pub(crate) fn missing(location: &str) -> Error {
    let near = nearby(location).unwrap_or_default();
    let hint = if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) };
    let is_folder = location::local_path(location).ok().flatten().is_some_and(|path| path.exists());
    if is_folder {
        return Error::not_found(format!("'{location}' exists, but holds no Zarr array and is no .npy file{hint}"));
    }
    Error::not_found(format!("there is no array at '{location}'{hint}"))
}

fn nearby(location: &str) -> Option<Vec<String>> {
    let (parent, name) = location::parent(location)?;
    // Asking a network for names is not cheap, and some servers have no list.
    location::local_path(parent).ok()??;
    let listing = bytes::open(parent).ok()?.list("").ok()?;
    let names = listing.folders.into_iter().chain(listing.files.into_iter().filter(|name| name.ends_with(".npy")));
    let alike = names.filter(|other| edits(other, name) <= 2 || other.starts_with(name));
    Some(alike.take(3).map(|other| format!("'{}'", location::join(parent, &other))).collect())
}

/// Number of letters to add, drop or change to get from one name to the other.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let change = corner + usize::from(ca != *cb);
            corner = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_python_numbers_are_read() {
        let text = br#"{"fill_value": NaN, "a": "is NaN \" NaN", "b": [-Infinity, Infinity, 1]}"#;
        let doc: Value = serde_json::from_slice(&plain_json(text)).unwrap();
        assert_eq!(doc["fill_value"], "NaN");
        assert_eq!(doc["a"], "is NaN \" NaN");
        assert_eq!(doc["b"][0], "-Infinity");
    }

    #[test]
    fn edit_distance() {
        assert_eq!((edits("nuclei", "nuclie"), edits("a", "a"), edits("", "abc")), (2, 0, 3));
    }
}
