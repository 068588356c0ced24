//! `voxmill ops`

use clap::Args;
use serde_json::{Value, json};
use voxmill::TABLE;
use voxmill::core::Result;
use voxmill::plan::text::signature;
use voxmill::plan::{Inputs, OpDef};

use crate::output::print;

/// Flags of `ops`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  voxmill ops
  voxmill ops transpose
  voxmill ops --json | jq .[].name")]
pub struct OpsArgs {
    /// The op to explain; all are listed if not given
    name: Option<String>,

    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Prints the list or one page.
pub fn main(args: &OpsArgs) -> Result<()> {
    let text = match (&args.name, args.json) {
        (None, false) => list(),
        (None, true) => format!("{:#}\n", Value::Array(TABLE.iter().map(as_json).collect())),
        (Some(name), false) => page(TABLE.find(name)?),
        (Some(name), true) => format!("{:#}\n", as_json(TABLE.find(name)?)),
    };
    print(&text)
}

fn list() -> String {
    let shown = || TABLE.iter().filter(|def| !is_internal(def));
    let width = shown().map(|def| def.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    let mut theme = "";
    for def in shown() {
        if def.theme != theme {
            let gap = if theme.is_empty() { "" } else { "\n" };
            text.push_str(&format!("{gap}{}\n", def.theme));
            theme = def.theme;
        }
        text.push_str(&format!("  {:<width$}  {}\n", def.name, def.summary));
    }
    text.push_str("\n`voxmill ops NAME` explains one of them.\n");
    text
}

/// True for the steps that composite ops expand to; their texts say so. They can be called, but nobody looks for them in a list.
fn is_internal(def: &OpDef) -> bool {
    [def.summary, def.doc].iter().any(|text| text.contains("Internal:"))
}

fn page(def: &OpDef) -> String {
    let mut text = format!("{}\n\n{}\n", signature(def), wrapped(def.summary, ""));
    if !def.doc.is_empty() {
        text.push_str(&format!("\n{}\n", wrapped(def.doc, "")));
    }
    text.push_str(&format!("\nInputs: {}\n", inputs(def)));
    if !def.params.is_empty() {
        text.push_str("\nParameters:\n");
    }
    for param in def.params {
        let default =
            param.default.map_or("required".to_string(), |default| format!("default {}", python_text(default)));
        text.push_str(&format!("  {} ({}; {default})\n{}\n", param.name, param.kind, wrapped(param.doc, "      ")));
    }
    text.push_str(&format!("\nExample:\n  voxmill eval '{}'\n", example(def)));
    text
}

fn inputs(def: &OpDef) -> String {
    match def.inputs {
        Inputs::Named([]) => "none".into(),
        Inputs::Named(names) => names.join(", "),
        Inputs::Many(name) => format!("a list of {name}"),
    }
}

/// A call with the parameters of the op's first sample that must be given.
fn example(def: &OpDef) -> String {
    let files = ["open(\"a.zarr\")", "open(\"b.zarr\")", "open(\"c.zarr\")", "open(\"d.zarr\")"];
    let mut parts: Vec<String> = match def.inputs {
        Inputs::Named(names) => files.iter().cycle().take(names.len()).map(|file| file.to_string()).collect(),
        Inputs::Many(_) => vec![format!("[{}, {}]", files[0], files[1])],
    };
    let sample = (def.samples)().into_iter().next().map(|sample| sample.params).unwrap_or(Value::Null);
    for param in def.params.iter().filter(|param| param.default.is_none()) {
        parts.push(format!("{}={}", param.name, sample.get(param.name).map_or("...".into(), python)));
    }
    format!("{}({})", def.name, parts.join(", "))
}

/// A JSON value as it is written in an expression.
fn python(value: &Value) -> String {
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Array(items) => format!("[{}]", items.iter().map(python).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

fn python_text(json: &str) -> String {
    serde_json::from_str(json).map_or_else(|_| json.to_string(), |value: Value| python(&value))
}

fn as_json(def: &OpDef) -> Value {
    let inputs = match def.inputs {
        Inputs::Named(names) => json!(names),
        Inputs::Many(name) => json!([format!("{name}...")]),
    };
    let param = |param: &voxmill::plan::Param| {
        let default = param.default.map(|d| serde_json::from_str(d).unwrap_or_else(|_| json!(d)));
        json!({
            "name": param.name,
            "kind": param.kind,
            "required": default.is_none(),
            "default": default.unwrap_or(Value::Null),
            "doc": param.doc,
        })
    };
    json!({
        "name": def.name,
        "theme": def.theme,
        "internal": is_internal(def),
        "signature": signature(def),
        "summary": def.summary,
        "doc": def.doc,
        "inputs": inputs,
        "params": def.params.iter().map(param).collect::<Vec<_>>(),
    })
}

/// `text` in lines of at most 96 characters.
fn wrapped(text: &str, indent: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= 96 => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("{indent}{word}")),
        }
    }
    lines.join("\n")
}
