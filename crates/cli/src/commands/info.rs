//! `voxmill info`

use clap::Args;
use serde_json::Value;
use voxmill::core::{Error, Result, format_bytes};

use crate::engine::Engine;
use crate::output::print;
use voxmill::store::{ArrayNode, Node, NodeKind};

/// Flags of `info`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  voxmill info image.zarr
  voxmill info s3://bucket/image.zarr/0
  voxmill info image.zarr --json | jq .children[].shape")]
pub struct InfoArgs {
    /// Path or URL of a group or array
    #[arg(value_name = "PATH")]
    location: String,

    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Longest text of one attribute.
const ATTRIBUTE_WIDTH: usize = 100;

/// Describes and prints.
pub fn main(engine: &dyn Engine, args: &InfoArgs) -> Result<()> {
    let node = engine.describe(&args.location)?;
    if args.json {
        let text = serde_json::to_string_pretty(&node).map_err(|e| Error::internal(e.to_string()))?;
        return print(&format!("{text}\n"));
    }
    print(&tree(&node))
}

fn tree(node: &Node) -> String {
    let mut text = format!("{}  {}\n", node.location, headline(node));
    details(node, "", &mut text);
    children(node, "", &mut text);
    text
}

/// The branches below a node.
fn children(node: &Node, indent: &str, text: &mut String) {
    for (k, child) in node.children.iter().enumerate() {
        let last = k + 1 == node.children.len();
        let name = child.path.rsplit('/').next().unwrap_or(&child.path);
        let (branch, below) = if last { ("└── ", "    ") } else { ("├── ", "│   ") };
        text.push_str(&format!("{indent}{branch}{name}  {}\n", headline(child)));
        let inner = format!("{indent}{below}");
        details(child, &inner, text);
        children(child, &inner, text);
    }
}

fn headline(node: &Node) -> String {
    match &node.kind {
        NodeKind::Group => format!("group ({})", node.format),
        NodeKind::Broken { error } => format!("unreadable ({}): {error}", node.format),
        NodeKind::Array(array) => format!("array {:?} {} ({})", array.shape, array.dtype, node.format),
    }
}

fn details(node: &Node, indent: &str, text: &mut String) {
    let mut line = |name: &str, value: String| text.push_str(&format!("{indent}  {name:<11} {value}\n"));
    if let NodeKind::Array(array) = &node.kind {
        line("chunks", format!("{:?}", array.chunks));
        if let Some(shards) = &array.shards {
            line("shards", format!("{shards:?}"));
        }
        if !array.codecs.is_empty() {
            line("codecs", array.codecs.join(", "));
        }
        if !array.dimension_names.is_empty() {
            let names = array.dimension_names.iter().map(|name| name.as_deref().unwrap_or("-"));
            line("axes", names.collect::<Vec<_>>().join(", "));
        }
        line("size", size(array));
    }
    for (name, value) in &node.attributes {
        line(name, shortened(value));
    }
}

fn size(array: &ArrayNode) -> String {
    let mut parts = vec![format_bytes(array.n_bytes)];
    if let Some(stored) = array.stored_bytes {
        parts.push(format!("{} on disk", format_bytes(stored)));
    }
    if let Some(ratio) = array.ratio {
        parts.push(format!("ratio {ratio:.2}"));
    }
    if let Some(objects) = array.stored_objects.filter(|_| array.n_chunks > 1) {
        let unit = if array.shards.is_some() { "shards" } else { "chunks" };
        parts.push(format!("{objects} of {} {unit} stored", array.n_chunks));
    }
    parts.join(", ")
}

fn shortened(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= ATTRIBUTE_WIDTH {
        return text;
    }
    let head: String = text.chars().take(ATTRIBUTE_WIDTH).collect();
    format!("{head}... (all of it with --json)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, json};

    fn node(path: &str, kind: NodeKind, children: Vec<Node>) -> Node {
        let (location, format) = (format!("a.zarr/{path}"), "zarr v3".to_string());
        Node { location, path: path.into(), format, kind, attributes: Map::new(), children }
    }

    #[test]
    fn trees_have_branches() {
        let array = ArrayNode {
            shape: vec![4, 6],
            dtype: "uint8".into(),
            chunks: vec![2, 2],
            shards: Some(vec![4, 4]),
            codecs: vec!["bytes".into(), "zstd".into()],
            fill_value: json!(0),
            dimension_names: vec![Some("y".into()), None],
            n_bytes: 24,
            n_chunks: 2,
            stored_bytes: Some(12),
            stored_objects: Some(1),
            ratio: Some(2.0),
        };
        let broken = node("g/b", NodeKind::Broken { error: "no shape".into() }, Vec::new());
        let mut group =
            node("g", NodeKind::Group, vec![node("g/a", NodeKind::Array(Box::new(array)), Vec::new()), broken]);
        group.attributes.insert("note".into(), json!("x".repeat(200)));
        let top = node("", NodeKind::Group, vec![group]);
        let expected = format!(
            "a.zarr/  group (zarr v3)\n\
             └── g  group (zarr v3)\n    \
               note        \"{}... (all of it with --json)\n    \
             ├── a  array [4, 6] uint8 (zarr v3)\n    \
             │     chunks      [2, 2]\n    \
             │     shards      [4, 4]\n    \
             │     codecs      bytes, zstd\n    \
             │     axes        y, -\n    \
             │     size        24 B, 12 B on disk, ratio 2.00, 1 of 2 shards stored\n    \
             └── b  unreadable (zarr v3): no shape\n",
            "x".repeat(99)
        )
        .replace("    note", "      note");
        assert_eq!(tree(&top), expected);
    }
}
