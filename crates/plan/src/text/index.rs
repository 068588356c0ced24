//! `x[...]`: of arrays the op `getitem`, of lists the item itself.

use serde_json::{Value, json};
use voxmill_core::Scalar;

use super::source::{Fault, Outcome, Span};
use super::term::Term;
use crate::{Array, OpTable};

/// One item between the brackets.
pub(super) struct Item {
    pub term: Term,
    pub span: Span,
}

/// `array[items]`.
pub(super) fn of_array(table: &OpTable, array: &Array, items: &[Item], span: Span) -> Outcome<Term> {
    let index = Value::Array(items.iter().map(item_json).collect::<Outcome<_>>()?);
    let op = table.build("getitem", &json!({"index": index}));
    let result = op.and_then(|op| Array::from_op(op, vec![array.clone()]));
    result.map(Term::Array).map_err(|error| Fault { span, error, hint: None })
}

/// The index as the parameter of `getitem`.
pub(super) fn item_json(item: &Item) -> Outcome<Value> {
    let wrong = |message: String| Fault::invalid(item.span, message);
    match &item.term {
        Term::Number(Scalar::Int(i)) => {
            let i = i64::try_from(*i).map_err(|_| wrong(format!("the index {i} does not fit 64 bits")))?;
            Ok(json!(i))
        }
        Term::None => Ok(Value::Null),
        Term::Ellipsis => Ok(json!("...")),
        Term::Slice([start, stop, step]) => Ok(json!({"start": start, "stop": stop, "step": step})),
        Term::Array(_) => Err(wrong(
            "an array cannot be an index, since the shape of the result would not be known; keep the shape with \
             where(mask, x, 0), or pick positions with take"
                .into(),
        )),
        Term::List(_) => Err(wrong("a list cannot be an index; pick positions with take(x, [...], axis=0)".into())),
        other => Err(wrong(format!("an index is an integer, a slice, None or ..., not {}", other.words()))),
    }
}

/// `list[items]`.
pub(super) fn of_list(list: &[Term], items: &[Item], span: Span) -> Outcome<Term> {
    let [item] = items else { return Err(Fault::invalid(span, "a list takes one index")) };
    let n = list.len() as i64;
    match &item.term {
        Term::Number(Scalar::Int(i)) => {
            let at = if *i < 0 { i + i128::from(n) } else { *i };
            let found = usize::try_from(at).ok().and_then(|at| list.get(at));
            found.cloned().ok_or_else(|| {
                Fault::invalid(
                    item.span,
                    format!("index {i} is out of range for a list of {n} item{}", if n == 1 { "" } else { "s" }),
                )
            })
        }
        Term::Slice(slice) => Ok(Term::List(slice_list(list, *slice, item.span)?)),
        other => Err(Fault::invalid(
            item.span,
            format!("the index of a list is an integer or a slice, not {}", other.words()),
        )),
    }
}

/// Python's rules for slices of lists.
fn slice_list(list: &[Term], [start, stop, step]: [Option<i64>; 3], span: Span) -> Outcome<Vec<Term>> {
    let n = list.len() as i64;
    let step = step.unwrap_or(1);
    if step == 0 {
        return Err(Fault::invalid(span, "the step of a slice must not be 0"));
    }
    let (low, high) = if step > 0 { (0, n) } else { (-1, n - 1) };
    let clip = |at: i64| if at < 0 { at.saturating_add(n) } else { at }.clamp(low, high);
    let mut at = start.map_or(if step > 0 { low } else { high }, clip);
    let stop = stop.map_or(if step > 0 { high } else { low }, clip);
    let mut picked = Vec::new();
    while (step > 0 && at < stop) || (step < 0 && at > stop) {
        picked.extend(list.get(at as usize).cloned());
        at = at.saturating_add(step);
    }
    Ok(picked)
}
