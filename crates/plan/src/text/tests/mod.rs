//! Rows of text and what becomes of it, on a small table of ops that only check their arguments.

mod errors;
mod expressions;
mod fuzz;
mod pipelines;
mod toys;

use voxmill_core::{ArrayMeta, DType, Error, Result};

use super::{Opener, Scope, Term, evaluate};
use crate::{Array, Value, What};

/// Opens any name as an array; `missing` does not exist.
struct Files;

impl Opener for Files {
    fn open(&self, location: &str) -> Result<Array> {
        if location.ends_with("missing") {
            return Err(Error::not_found(format!("'{location}' does not exist")));
        }
        toys::source(ArrayMeta::new([4, 6, 8], DType::U16))
    }
}

fn run(text: &str) -> Result<Term> {
    let mut scope = Scope::new(&toys::TABLE, &Files);
    scope.set("x", toys::source(ArrayMeta::new([3, 4], DType::F32))?);
    scope.set("y", toys::source(ArrayMeta::new([3, 4], DType::U8))?);
    evaluate(text, &mut scope)
}

/// A term in words: arrays as the calls they are made of.
fn show(term: &Term) -> String {
    match term {
        Term::Array(array) => show_array(array),
        Term::Number(value) => value.to_string(),
        Term::List(items) => format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(", ")),
        Term::Text(text) => format!("{text:?}"),
        other => other.words(),
    }
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Object(entries) => {
            let mut entries: Vec<(String, Value)> = entries.into_iter().map(|(k, v)| (k, sorted(v))).collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(entries.into_iter().collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        other => other,
    }
}

fn show_array(array: &Array) -> String {
    match array.what() {
        What::Source(_) => format!("source{:?}", array.shape()),
        What::Literal(value) => value.to_string(),
        What::Op(op) => {
            let mut parts: Vec<String> = array.ins().iter().map(show_array).collect();
            // Whether objects keep their order depends on what else is in the build.
            let params = sorted(op.params());
            parts.extend(params.as_object().into_iter().flatten().map(|(name, value)| format!("{name}={value}")));
            format!("{}({})", op.def().name, parts.join(", "))
        }
    }
}
