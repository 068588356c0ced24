//! What an expression gives.

use serde_json::{Value, json};
use voxmill_core::{Error, Result, Scalar};

use super::names::Builtin;
use crate::{Array, OpDef};

/// The value of an expression: a lazy array, or something that serves as a parameter.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Term {
    /// A lazy array.
    Array(Array),
    /// A plain number, whose dtype adapts to the array it meets.
    Number(Scalar),
    /// A string.
    Text(String),
    /// No value.
    None,
    /// `...` in an index.
    Ellipsis,
    /// A list or tuple.
    List(Vec<Term>),
    /// Names and values.
    Dict(Vec<(String, Term)>),
    /// `start:stop:step` in an index.
    Slice([Option<i64>; 3]),
    /// An op that is still to be called.
    Function(&'static OpDef),
    /// An op that is still to be called, with its first input.
    Method(Array, &'static OpDef),
    /// `open`, `len`.
    Builtin(Builtin),
    /// `np` and the like, which stand for nothing.
    Module,
}

impl Term {
    /// As an array; a number becomes one whose dtype adapts to what it meets.
    pub fn to_array(&self) -> Result<Array> {
        match self {
            Term::Array(array) => Ok(array.clone()),
            Term::Number(Scalar::Int(i)) if i64::try_from(*i).is_err() && u64::try_from(*i).is_err() => {
                Err(Error::invalid(format!("the number {i} does not fit 64 bits")))
            }
            Term::Number(value) => Ok(Array::weak(*value)),
            Term::Text(text) => Err(Error::invalid(format!(
                "an array is needed, not the string '{text}'; read a file with open(\"...\")"
            ))),
            other => Err(Error::invalid(format!("an array is needed, not {}", other.words()))),
        }
    }

    /// As the value of a parameter.
    pub fn to_json(&self) -> Result<Value> {
        Ok(match self {
            Term::Number(Scalar::Int(i)) if i64::try_from(*i).is_err() && u64::try_from(*i).is_err() => {
                return Err(Error::invalid(format!("the number {i} does not fit 64 bits")));
            }
            Term::Number(value) => json!(value),
            Term::Text(text) => json!(text),
            Term::None => Value::Null,
            Term::Builtin(Builtin::Cast(dtype, _)) => json!(dtype),
            Term::Ellipsis => json!("..."),
            Term::List(items) => Value::Array(items.iter().map(Term::to_json).collect::<Result<_>>()?),
            Term::Dict(entries) => {
                let entries = entries.iter().map(|(name, term)| Ok((name.clone(), term.to_json()?)));
                Value::Object(entries.collect::<Result<_>>()?)
            }
            Term::Slice([start, stop, step]) => json!({"start": start, "stop": stop, "step": step}),
            Term::Array(_) => {
                return Err(Error::invalid(
                    "a plain value is needed, not an array: parameters must be known before anything is computed",
                ));
            }
            other => return Err(Error::invalid(format!("a plain value is needed, not {}", other.words()))),
        })
    }

    /// The term of a JSON value.
    pub fn from_json(value: &Value) -> Result<Term> {
        Ok(match value {
            Value::Null => Term::None,
            Value::Bool(b) => Term::Number((*b).into()),
            Value::Number(n) => Term::Number(match (n.as_i64(), n.as_u64()) {
                (Some(i), _) => i.into(),
                (None, Some(u)) => u.into(),
                (None, None) => n.as_f64().unwrap_or(f64::NAN).into(),
            }),
            Value::String(text) => Term::Text(text.clone()),
            Value::Array(items) => Term::List(items.iter().map(Term::from_json).collect::<Result<_>>()?),
            Value::Object(entries) => {
                let entries = entries.iter().map(|(name, value)| Ok((name.clone(), Term::from_json(value)?)));
                Term::Dict(entries.collect::<Result<_>>()?)
            }
        })
    }

    /// What it is, in words for messages.
    pub fn words(&self) -> String {
        match self {
            Term::Array(_) => "an array".into(),
            Term::Number(value) => format!("the number {value}"),
            Term::Text(text) => format!("the string '{text}'"),
            Term::None => "None".into(),
            Term::Ellipsis => "'...'".into(),
            Term::List(_) => "a list".into(),
            Term::Dict(_) => "names and values in braces".into(),
            Term::Slice(_) => "a slice".into(),
            Term::Function(def) => format!("the function {0}; call it: {0}(...)", def.name),
            Term::Method(_, def) => format!("the method {0}; call it: .{0}()", def.name),
            Term::Builtin(builtin) => format!("the function {}", builtin.name()),
            Term::Module => "a module".into(),
        }
    }
}

impl From<Array> for Term {
    fn from(array: Array) -> Term {
        Term::Array(array)
    }
}
