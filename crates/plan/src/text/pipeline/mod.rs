//! Pipelines: named inputs, steps and outputs in a TOML file.
//!
//! ```toml
//! [inputs]                 # name = "path", or { path = "...", crop = "0:100, :, :", dtype = "float32" }
//! raw = "raw.zarr"
//!
//! [[steps]]
//! name = "smooth"
//! op = "gaussian_filter"
//! inputs = ["raw"]         # names or expressions; the previous step by default
//! sigma = [1, 2, 2]        # parameters sit beside
//!
//! [[steps]]
//! name = "bright"
//! expr = "smooth > k * smooth.mean()"
//! k = 1.5                  # beside an expression: a name in it
//!
//! [outputs]                # "path" = "expression", or { from = "...", path = "...", chunks = [64, 64, 64], codec = "zstd", ... }
//! "out.zarr" = "bright"
//! ```
//!
//! `read` turns text into a [`Pipeline`] and finds what is wrong with its form; `build` turns that into lazy arrays. Steps may stand
//! in any order. Relative paths count from the folder of the file.

mod build;
mod read;

use serde_json::{Map, Value};
use voxmill_core::{Error, Result};

use super::{Scope, Term, evaluate};
use crate::op::nearest;
use crate::{Array, OpTable};

/// A pipeline as it stands in a file, after `--set`.
#[derive(Debug, Clone, Default)]
pub struct Pipeline {
    inputs: Vec<Input>,
    steps: Vec<Step>,
    outputs: Vec<Target>,
}

#[derive(Debug, Clone)]
struct Input {
    name: String,
    location: Location,
    crop: Option<String>,
    dtype: Option<String>,
}

#[derive(Debug, Clone)]
struct Step {
    /// The name in the file, or `#2` for the second step without one, which no expression can spell.
    name: String,
    work: Work,
    /// Parameters of the op, or names in the expression.
    params: Map<String, Value>,
}

#[derive(Debug, Clone)]
enum Work {
    Op { op: String, inputs: Option<Vec<Value>> },
    Expr(String),
}

#[derive(Debug, Clone)]
struct Target {
    name: String,
    from: String,
    location: Location,
    options: OutputOptions,
}

/// A path or URL, and whether a relative one counts from the folder of the file.
#[derive(Debug, Clone)]
struct Location {
    text: String,
    in_file: bool,
}

/// How a result is stored. What is not given is chosen by the store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutputOptions {
    /// Shape of the chunks.
    pub chunks: Option<Vec<usize>>,
    /// Shape of the shards.
    pub shards: Option<Vec<usize>>,
    /// Compression, such as `"zstd"` or `"blosc-lz4:5"`.
    pub codec: Option<String>,
    /// Version of the Zarr format: 2 or 3.
    pub zarr_format: Option<u8>,
    /// True to replace what is there.
    pub overwrite: bool,
}

/// A result of a pipeline and where it goes.
#[derive(Debug, Clone)]
pub struct Output {
    /// Path or URL.
    pub location: String,
    /// The lazy result.
    pub array: Array,
    /// How it is stored.
    pub options: OutputOptions,
}

impl Pipeline {
    /// Reads a pipeline. Unknown keys, names used twice and cycles are errors that name the step.
    pub fn parse(text: &str) -> Result<Pipeline> {
        read::pipeline(text)
    }

    /// Changes one value: `step.param=value`, `step.expr=...`, `inputs.name=path` or `outputs.name=path`.
    ///
    /// Values are written as in expressions; what is none, is a string: `smooth.mode=nearest`. Paths count from the current folder.
    pub fn set(&mut self, assignment: &str, table: &OpTable) -> Result<()> {
        let form = || {
            Error::invalid(format!(
                "'{assignment}' has not the form step.param=value, inputs.name=path or outputs.name=path"
            ))
        };
        let (target, value) = assignment.split_once('=').ok_or_else(form)?;
        let (target, value) = (target.trim(), value.trim());
        if let Some(name) = target.strip_prefix("inputs.") {
            return self.set_location(name, value, false);
        }
        if let Some(name) = target.strip_prefix("outputs.") {
            return self.set_location(name, value, true);
        }
        let (step, param) = target.split_once('.').ok_or_else(form)?;
        let names: Vec<String> = self.steps.iter().map(|step| step.name.clone()).collect();
        let Some(found) = self.steps.iter_mut().find(|s| s.name == step) else {
            return Err(missing("step", step, names.iter().map(String::as_str)));
        };
        found.set(param, value, table)
    }

    fn set_location(&mut self, name: &str, path: &str, output: bool) -> Result<()> {
        let location = Location { text: path.to_string(), in_file: false };
        if output {
            let names: Vec<String> = self.outputs.iter().map(|output| output.name.clone()).collect();
            match self.outputs.iter_mut().find(|output| output.name == name) {
                Some(output) => output.location = location,
                None => return Err(missing("output", name, names.iter().map(String::as_str))),
            }
        } else {
            let names: Vec<String> = self.inputs.iter().map(|input| input.name.clone()).collect();
            match self.inputs.iter_mut().find(|input| input.name == name) {
                Some(input) => input.location = location,
                None => return Err(missing("input", name, names.iter().map(String::as_str))),
            }
        }
        Ok(())
    }
}

impl Step {
    fn set(&mut self, param: &str, text: &str, table: &OpTable) -> Result<()> {
        match (&mut self.work, param) {
            (Work::Expr(expr), "expr") => {
                *expr = text.to_string();
                return Ok(());
            }
            (Work::Op { op, .. }, _) => {
                let def = table.find(op).map_err(|e| e.at(format!("step '{}'", self.name)))?;
                if !def.params.iter().any(|p| p.name == param) {
                    return Err(missing(
                        &format!("parameter of {op} in step '{}'", self.name),
                        param,
                        def.params.iter().map(|p| p.name),
                    ));
                }
            }
            (Work::Expr(_), _) => {
                if !self.params.contains_key(param) {
                    let known = self.params.keys().map(String::as_str).chain(["expr"]);
                    return Err(missing(&format!("name in step '{}'", self.name), param, known));
                }
            }
        }
        self.params.insert(param.to_string(), plain_value(text, table));
        Ok(())
    }
}

/// `text` as a value of the expression language, or as a string if it is none.
fn plain_value(text: &str, table: &OpTable) -> Value {
    struct NoFiles;
    impl super::Opener for NoFiles {
        fn open(&self, _location: &str) -> Result<Array> {
            Err(Error::invalid("files cannot be opened in a value"))
        }
    }
    let value = evaluate(text, &mut Scope::new(table, &NoFiles));
    value.as_ref().ok().and_then(|term: &Term| term.to_json().ok()).unwrap_or_else(|| Value::String(text.to_string()))
}

/// There is no such name; says which there are.
fn missing<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Error {
    let near = nearest(name, known.clone());
    let all: Vec<&str> = known.filter(|name| !name.starts_with('#')).collect();
    let hint = match (near.is_empty(), all.is_empty()) {
        (false, _) => format!("; did you mean {}?", near.join(" or ")),
        (true, false) => format!("; there are {}", all.join(", ")),
        (true, true) => "; there are none".into(),
    };
    Error::not_found(format!("there is no {what} called '{name}'{hint}"))
}
