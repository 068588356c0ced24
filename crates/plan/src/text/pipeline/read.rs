//! From TOML to a [`Pipeline`], with every key checked.

use serde_json::{Map, Value};
use voxmill_core::{Error, Result};

use super::{Input, Location, OutputOptions, Pipeline, Step, Target, Work};
use crate::op::nearest;

pub(super) fn pipeline(text: &str) -> Result<Pipeline> {
    let table: toml::Table = text
        .parse()
        .map_err(|e: toml::de::Error| Error::invalid(format!("the file is not TOML: {}", e.to_string().trim_end())))?;
    let json = serde_json::to_value(table).map_err(|e| Error::invalid(format!("the file cannot be read: {e}")))?;
    let Value::Object(mut top) = json else { return Err(Error::invalid("the file is not a TOML table")) };
    let inputs = object(top.remove("inputs"), "[inputs]")?.unwrap_or_default();
    let outputs = object(top.remove("outputs"), "[outputs]")?.unwrap_or_default();
    let steps = match top.remove("steps") {
        None => Vec::new(),
        Some(Value::Array(steps)) => steps,
        Some(_) => return Err(Error::invalid("steps are written as [[steps]], with two brackets")),
    };
    if let Some(key) = top.keys().next() {
        return Err(unknown_key(key, &["inputs", "steps", "outputs"], "the file"));
    }
    if outputs.is_empty() {
        return Err(Error::invalid("the pipeline has no [outputs]; add for example \"out.zarr\" = \"name of a step\""));
    }
    let pipeline = Pipeline {
        inputs: inputs.into_iter().map(|(name, value)| input(name, value)).collect::<Result<_>>()?,
        steps: steps.into_iter().enumerate().map(|(k, value)| step(k, value)).collect::<Result<_>>()?,
        outputs: outputs.into_iter().map(|(name, value)| output(name, value)).collect::<Result<_>>()?,
    };
    check_names(&pipeline)?;
    Ok(pipeline)
}

fn object(value: Option<Value>, what: &str) -> Result<Option<Map<String, Value>>> {
    match value {
        None => Ok(None),
        Some(Value::Object(object)) => Ok(Some(object)),
        Some(_) => Err(Error::invalid(format!("{what} must be a table of names"))),
    }
}

fn unknown_key(key: &str, known: &[&str], place: &str) -> Error {
    let near = nearest(key, known.iter().copied());
    let hint = if near.is_empty() { known.join(", ") } else { format!("did you mean {}?", near.join(" or ")) };
    let hint = if near.is_empty() { format!("known are {hint}") } else { hint };
    Error::invalid(format!("{place} has the unknown key '{key}'; {hint}"))
}

fn string(value: Value, what: &str) -> Result<String> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(Error::invalid(format!("{what} must be a string, not {other}"))),
    }
}

fn input(name: String, value: Value) -> Result<Input> {
    let place = format!("input '{name}'");
    let mut keys = match value {
        Value::String(text) => {
            return Ok(Input { name, location: Location { text, in_file: true }, crop: None, dtype: None });
        }
        Value::Object(keys) => keys,
        other => return Err(Error::invalid(format!("{place} must be a path or a table with path, not {other}"))),
    };
    let mut take = |key: &str| keys.remove(key).map(|value| string(value, &format!("{key} of {place}"))).transpose();
    let (path, crop, dtype) = (take("path")?, take("crop")?, take("dtype")?);
    if let Some(key) = keys.keys().next() {
        return Err(unknown_key(key, &["path", "crop", "dtype"], &place));
    }
    let text = path.ok_or_else(|| Error::invalid(format!("{place} has no path")))?;
    Ok(Input { name, location: Location { text, in_file: true }, crop, dtype })
}

fn step(k: usize, value: Value) -> Result<Step> {
    let number = format!("step {}", k + 1);
    let Value::Object(mut keys) = value else { return Err(Error::invalid(format!("{number} is not a table"))) };
    let name = keys.remove("name").map(|name| string(name, &format!("name of {number}"))).transpose()?;
    let place = name.as_ref().map_or(number, |name| format!("step '{name}'"));
    let mut take = |key: &str| keys.remove(key).map(|v| string(v, &format!("{key} of {place}"))).transpose();
    let work = match (take("op")?, take("expr")?) {
        (Some(op), None) => Work::Op { op, inputs: None },
        (None, Some(expr)) => Work::Expr(expr),
        (Some(_), Some(_)) => return Err(Error::invalid(format!("{place} has both op and expr; keep one"))),
        (None, None) => return Err(Error::invalid(format!("{place} has neither op nor expr"))),
    };
    let work = match (work, keys.remove("inputs")) {
        (work, None) => work,
        (Work::Op { op, .. }, Some(Value::Array(list))) => Work::Op { op, inputs: Some(list) },
        (Work::Op { op, .. }, Some(one @ Value::String(_))) => Work::Op { op, inputs: Some(vec![one]) },
        (Work::Op { .. }, Some(other)) => {
            return Err(Error::invalid(format!("inputs of {place} must be a list of names, not {other}")));
        }
        (Work::Expr(_), Some(_)) => {
            return Err(Error::invalid(format!("{place} has an expr, which names its inputs itself; remove inputs")));
        }
    };
    Ok(Step { name: name.unwrap_or_else(|| format!("#{}", k + 1)), work, params: keys })
}

fn output(name: String, value: Value) -> Result<Target> {
    let place = format!("output '{name}'");
    let mut keys = match value {
        Value::String(from) => {
            let location = Location { text: name.clone(), in_file: true };
            return Ok(Target { name, from, location, options: OutputOptions::default() });
        }
        Value::Object(keys) => keys,
        other => {
            return Err(Error::invalid(format!(
                "{place} must be the name of a step or a table with from, not {other}"
            )));
        }
    };
    let mut options = OutputOptions::default();
    let mut take = |key: &str| keys.remove(key);
    let from =
        take("from").ok_or_else(|| Error::invalid(format!("{place} has no from: the step whose result it is")))?;
    let from = string(from, &format!("from of {place}"))?;
    let text =
        take("path").map(|v| string(v, &format!("path of {place}"))).transpose()?.unwrap_or_else(|| name.clone());
    options.chunks = take("chunks").map(|v| lengths(v, &format!("chunks of {place}"))).transpose()?;
    options.shards = take("shards").map(|v| lengths(v, &format!("shards of {place}"))).transpose()?;
    options.codec = take("codec").map(|v| string(v, &format!("codec of {place}"))).transpose()?;
    options.zarr_format = match take("zarr_format") {
        None => None,
        Some(Value::Number(n)) if matches!(n.as_u64(), Some(2 | 3)) => n.as_u64().map(|n| n as u8),
        Some(other) => return Err(Error::invalid(format!("zarr_format of {place} must be 2 or 3, not {other}"))),
    };
    options.overwrite = match take("overwrite") {
        None => false,
        Some(Value::Bool(yes)) => yes,
        Some(other) => return Err(Error::invalid(format!("overwrite of {place} must be true or false, not {other}"))),
    };
    if let Some(key) = keys.keys().next() {
        let known = ["from", "path", "chunks", "shards", "codec", "zarr_format", "overwrite"];
        return Err(unknown_key(key, &known, &place));
    }
    Ok(Target { name, from, location: Location { text, in_file: true }, options })
}

fn lengths(value: Value, what: &str) -> Result<Vec<usize>> {
    let list = value.as_array().map(|items| items.iter().map(Value::as_u64).collect::<Option<Vec<u64>>>());
    let list = list.flatten().filter(|list| list.iter().all(|n| *n < 1 << 48));
    list.map(|list| list.into_iter().map(|n| n as usize).collect())
        .ok_or_else(|| Error::invalid(format!("{what} must be a list of lengths, not {value}")))
}

/// Names must be unique, and such that expressions can use them.
fn check_names(pipeline: &Pipeline) -> Result<()> {
    let inputs = pipeline.inputs.iter().map(|input| ("input", &input.name));
    let steps = pipeline.steps.iter().map(|step| ("step", &step.name));
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for (what, name) in inputs.chain(steps).filter(|(_, name)| !is_unnamed(name)) {
        let mut chars = name.chars();
        let first = chars.next().is_some_and(|c| c == '_' || c.is_alphabetic());
        if !first || !chars.all(|c| c == '_' || c.is_alphanumeric()) {
            return Err(Error::invalid(format!(
                "the {what} name '{name}' must be made of letters, digits and _, and not begin with a digit"
            )));
        }
        if matches!(&name[..], "inputs" | "outputs") {
            return Err(Error::invalid(format!("a {what} cannot be called '{name}'")));
        }
        if let Some((other, _)) = seen.iter().find(|(_, n)| n == name) {
            return Err(Error::invalid(
                format!("the name '{name}' is used twice, by a {what} and by a {other} before it")
                    .replace("a input", "an input"),
            ));
        }
        seen.push((what, name));
    }
    Ok(())
}

/// True for the stand-in name of a step without one.
fn is_unnamed(name: &str) -> bool {
    name.strip_prefix('#').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}
