//! What lies at a location, for `info`. The fields are those of the tree that the stores describe.

use serde::Serialize;
use serde_json::{Map, Value};

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
#[allow(dead_code, clippy::large_enum_variant, reason = "a tree of .npy files has no groups; nodes are few")]
pub enum NodeKind {
    /// Holds other nodes.
    Group,
    /// Holds elements.
    Array(ArrayNode),
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
    /// Names of the codecs, first to last.
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
