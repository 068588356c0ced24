//! What is in a Zarr hierarchy, for people and scripts.

use serde::Serialize;
use serde_json::{Map, Value};
use voxmill_core::{Result, Store};

use crate::bytes::{self, Bytes, Usage};
use crate::zarr::{Found, Header, ZarrStore, consolidated, look, missing};
use crate::{NpyStore, location};

/// A group or array, with all that lies in it.
#[derive(Debug, Clone, Serialize)]
pub struct Node {
    /// Path or URL.
    pub location: String,
    /// Path from the node that was asked for; empty for that one.
    pub path: String,
    /// Format and version: `"zarr v3"`, `"npy"`.
    pub format: String,
    /// Group or array.
    #[serde(flatten)]
    pub kind: NodeKind,
    /// Attributes.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub attributes: Map<String, Value>,
    /// Nodes directly inside, sorted by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Node>,
}

/// What a node is.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum NodeKind {
    /// Holds other nodes.
    Group,
    /// Holds elements.
    Array(Box<ArrayNode>),
    /// Holds metadata that cannot be used.
    Broken {
        /// Why.
        error: String,
    },
}

/// What is known of an array.
#[derive(Debug, Clone, Serialize)]
pub struct ArrayNode {
    /// Length of each axis.
    pub shape: Vec<usize>,
    /// Element type.
    pub dtype: String,
    /// Shape of the chunks.
    pub chunks: Vec<usize>,
    /// Shape of the shards, where there are shards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shards: Option<Vec<usize>>,
    /// Names of the codecs, first to last; those inside shards are listed in their place.
    pub codecs: Vec<String>,
    /// Value of elements that are not stored.
    pub fill_value: Value,
    /// Axis names; empty where none is named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dimension_names: Vec<Option<String>>,
    /// Bytes of all elements.
    pub n_bytes: u64,
    /// Chunks or shards that a full array has.
    pub n_chunks: u64,
    /// Bytes on disk with metadata; `None` where they cannot be listed.
    pub stored_bytes: Option<u64>,
    /// Files or objects on disk without metadata; `None` where they cannot be listed.
    pub stored_objects: Option<u64>,
    /// Bytes of all elements by bytes on disk.
    pub ratio: Option<f64>,
}

/// Lists the array or the tree of groups and arrays at a path or URL.
///
/// Local folders and buckets are listed; a web server is asked for consolidated metadata, since it has no list. A node whose metadata is
/// damaged is listed as such and does not stop the others.
pub fn describe(location: &str) -> Result<Node> {
    let normal = location::normal(location)?;
    if location::local_path(&normal)?.is_some_and(|path| path.is_file()) {
        return describe_npy(&normal);
    }
    let bytes = bytes::open(&normal)?;
    match look(&*bytes)? {
        Found::Nothing => Err(missing(&normal)),
        found @ Found::Array(_) => Ok(node(&normal, "", found, &*bytes)),
        found @ Found::Group(..) => {
            let mut top = node(&normal, "", found, &*bytes);
            match consolidated(&*bytes)? {
                Some(nodes) => {
                    for (path, found) in nodes.into_iter().filter(|(path, _)| !path.is_empty()) {
                        insert(&mut top, &normal, &path, found, &*bytes);
                    }
                }
                None => walk(&mut top, &normal, &*bytes)?,
            }
            Ok(top)
        }
    }
}

fn describe_npy(location: &str) -> Result<Node> {
    let store = NpyStore::open(location)?;
    let meta = store.meta();
    let array = ArrayNode {
        shape: meta.shape.to_vec(),
        dtype: meta.dtype.to_string(),
        chunks: meta.grid.largest().to_vec(),
        shards: None,
        codecs: Vec::new(),
        fill_value: Value::Null,
        dimension_names: Vec::new(),
        n_bytes: meta.n_bytes(),
        n_chunks: 1,
        stored_bytes: Some(meta.n_bytes()),
        stored_objects: Some(1),
        ratio: Some(1.0),
    };
    Ok(Node {
        location: location.to_string(),
        path: String::new(),
        format: "npy".into(),
        kind: NodeKind::Array(Box::new(array)),
        attributes: Map::new(),
        children: Vec::new(),
    })
}

fn node(root: &str, path: &str, found: Found, bytes: &dyn Bytes) -> Node {
    let (format, kind, attributes) = match found {
        Found::Array(header) => {
            let format = header.format;
            let attributes = header.attributes.clone();
            (format, array_kind(root, path, *header, bytes), attributes)
        }
        Found::Group(format, attributes) => (format, NodeKind::Group, attributes),
        Found::Nothing => (3, NodeKind::Group, Map::new()),
    };
    Node {
        location: location::join(root, path),
        path: path.to_string(),
        format: format!("zarr v{format}"),
        kind,
        attributes,
        children: Vec::new(),
    }
}

fn array_kind(root: &str, path: &str, header: Header, bytes: &dyn Bytes) -> NodeKind {
    let usage = bytes.usage(path).ok();
    let opened = bytes::open(&location::join(root, path))
        .and_then(|bytes| ZarrStore::new(&location::join(root, path), header.clone(), bytes));
    let store = match opened {
        Ok(store) => store,
        Err(e) => return NodeKind::Broken { error: e.message().to_string() },
    };
    let metadata_files = if header.format == 3 || header.attributes.is_empty() { 1 } else { 2 };
    let meta = store.meta();
    let (chunks, units) = (store.chunk_shape().to_vec(), store.write_grid());
    let shards = store.is_sharded().then(|| header.chunk.to_vec());
    let ratio = |usage: Usage| (usage.bytes > 0).then(|| meta.n_bytes() as f64 / usage.bytes as f64);
    NodeKind::Array(Box::new(ArrayNode {
        shape: meta.shape.to_vec(),
        dtype: meta.dtype.to_string(),
        chunks,
        shards,
        codecs: header.codec_names(),
        fill_value: crate::zarr::fill_to_json(&header.fill, header.dtype),
        dimension_names: header.names.clone(),
        n_bytes: meta.n_bytes(),
        n_chunks: units.n_chunks() as u64,
        stored_bytes: usage.map(|usage| usage.bytes),
        stored_objects: usage.map(|usage| usage.objects.saturating_sub(metadata_files)),
        ratio: usage.and_then(ratio),
    }))
}

/// Puts a consolidated node in its place, with groups above it that were not listed.
fn insert(top: &mut Node, root: &str, path: &str, found: Found, bytes: &dyn Bytes) {
    let mut here = top;
    let mut at = String::new();
    let mut found = Some(found);
    let n_parts = path.split('/').count();
    for (i, part) in path.split('/').enumerate() {
        at = if at.is_empty() { part.to_string() } else { format!("{at}/{part}") };
        let known = here.children.iter().position(|child| child.path == at);
        let known = known.unwrap_or_else(|| {
            let what = if i + 1 == n_parts { found.take() } else { None };
            here.children.push(node(root, &at, what.unwrap_or(Found::Nothing), bytes));
            here.children.len() - 1
        });
        here = &mut here.children[known];
    }
}

fn walk(group: &mut Node, root: &str, bytes: &dyn Bytes) -> Result<()> {
    for name in bytes.list(&group.path)?.folders {
        let path = if group.path.is_empty() { name } else { format!("{}/{name}", group.path) };
        let below = bytes::open(&location::join(root, &path))?;
        let mut child = match look(&*below) {
            Ok(Found::Nothing) => continue,
            Ok(found) => node(root, &path, found, bytes),
            Err(e) => {
                let mut broken = node(root, &path, Found::Nothing, bytes);
                broken.kind = NodeKind::Broken { error: e.to_string() };
                broken
            }
        };
        if matches!(child.kind, NodeKind::Group) {
            walk(&mut child, root, bytes)?;
        }
        group.children.push(child);
    }
    Ok(())
}
