//! From a tree to its value.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use voxmill_core::{DType, ErrorClass, Result, Scalar};

use super::ast::{Argument, Ast, Id, Node, NodeKind, Operator};
use super::call::{Given, call};
use super::fold;
use super::index::{self, Item};
use super::names::{self, Builtin};
use super::parse::parse;
use super::source::{Fault, Outcome, Span};
use super::term::Term;
use crate::op::nearest;
use crate::{Array, OpTable};

/// Opens the arrays that an expression names by path or URL.
pub trait Opener {
    /// The array at `location`.
    fn open(&self, location: &str) -> Result<Array>;
}

/// What names mean: variables, then the ops of a table.
#[derive(Clone)]
pub struct Scope<'a> {
    table: &'a OpTable,
    opener: &'a dyn Opener,
    variables: BTreeMap<String, Term>,
}

impl<'a> Scope<'a> {
    /// A scope without variables.
    pub fn new(table: &'a OpTable, opener: &'a dyn Opener) -> Self {
        Scope { table, opener, variables: BTreeMap::new() }
    }

    /// Gives a variable its value.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<Term>) {
        self.variables.insert(name.into(), value.into());
    }

    /// The table of ops.
    pub fn table(&self) -> &'a OpTable {
        self.table
    }
}

/// The value of the last statement of `text`. Assignments stay in `scope`.
///
/// Nothing is computed: arrays are lazy, and wrong shapes, dtypes and parameters are found here, with their place in the text.
pub fn evaluate(text: &str, scope: &mut Scope<'_>) -> Result<Term> {
    let ast = parse(text).map_err(|fault| fault.show(text))?;
    run(&ast, scope).map_err(|fault| fault.show(text))
}

/// The names in `text` that its own assignments do not define before their use; also names of ops and constants.
pub fn free_names(text: &str) -> Result<BTreeSet<String>> {
    let ast = parse(text).map_err(|fault| fault.show(text))?;
    let mut own = BTreeSet::new();
    let mut free = BTreeSet::new();
    for node in &ast.nodes {
        match &node.kind {
            NodeKind::Assign(name, _) => drop(own.insert(name)),
            NodeKind::Name(name) if !own.contains(name) => drop(free.insert(name.clone())),
            _ => {}
        }
    }
    Ok(free)
}

/// An index as it stands between brackets (`0:100, :, 5:50`), as the parameter of the op `getitem`.
pub fn parse_index(text: &str, table: &OpTable) -> Result<Value> {
    struct Nothing;
    impl Opener for Nothing {
        fn open(&self, location: &str) -> Result<Array> {
            Err(voxmill_core::Error::invalid(format!("'{location}' cannot be opened in an index")))
        }
    }
    // The name and brackets are there only for the parser; places are moved back by them.
    let wrapped = format!("_[{text}\n]");
    let back = |mut fault: Fault| {
        fault.span = Span::new(fault.span.start.saturating_sub(2), fault.span.end.saturating_sub(2));
        fault.show(text)
    };
    let ast = parse(&wrapped).map_err(back)?;
    let whole = ast.nodes.last().map(|node| (&node.kind, node.span));
    let Some((NodeKind::Index(0, ids), _)) = whole.filter(|(_, span)| span.start == 0 && span.end == wrapped.len())
    else {
        return Err(back(Fault::invalid(
            Span::new(2, wrapped.len() - 2),
            "an index is needed, such as 0:100, :, 5:50",
        )));
    };
    let mut scope = Scope::new(table, &Nothing);
    scope.set("_", Term::None);
    let mut done: Vec<Term> = Vec::new();
    for node in &ast.nodes[..ast.nodes.len() - 1] {
        let value = node_value(node, &ast, &mut done, &mut scope).map_err(back)?;
        done.push(value);
    }
    let items = index_items(ids, &ast, &mut done);
    let items = items.iter().map(index::item_json).collect::<Outcome<Vec<Value>>>();
    items.map(Value::Array).map_err(back)
}

/// Evaluates every node in the order of the list: children come before their parents, statements before later ones.
fn run(ast: &Ast, scope: &mut Scope<'_>) -> Outcome<Term> {
    let mut done: Vec<Term> = Vec::with_capacity(ast.nodes.len());
    for node in &ast.nodes {
        let value = node_value(node, ast, &mut done, scope)?;
        done.push(value);
    }
    let last = ast.nodes.last().map_or(Span::new(0, 0), |node| node.span);
    match done.pop() {
        Some(term @ (Term::Function(_) | Term::Method(..) | Term::Builtin(_) | Term::Module | Term::Ellipsis)) => {
            Err(Fault::invalid(last, format!("the result is {}", term.words())))
        }
        Some(term) => Ok(term),
        None => Err(Fault::invalid(last, "the expression is empty")),
    }
}

/// Each value has exactly one user, so it is moved out of the list.
fn take(done: &mut [Term], id: Id) -> Term {
    std::mem::replace(&mut done[id], Term::None)
}

fn node_value(node: &Node, ast: &Ast, done: &mut [Term], scope: &mut Scope<'_>) -> Outcome<Term> {
    let span = node.span;
    let place = |id: Id| ast.nodes[id].span;
    match &node.kind {
        NodeKind::Number(value) => Ok(Term::Number(*value)),
        NodeKind::Text(text) => Ok(Term::Text(text.clone())),
        NodeKind::None => Ok(Term::None),
        NodeKind::Ellipsis => Ok(Term::Ellipsis),
        NodeKind::Name(name) => name_value(name, span, scope),
        NodeKind::List(items) => Ok(Term::List(items.iter().map(|&id| take(done, id)).collect())),
        NodeKind::Dict(entries) => {
            Ok(Term::Dict(entries.iter().map(|(name, id)| (name.clone(), take(done, *id))).collect()))
        }
        NodeKind::Unary(operator, of) => unary(operator, take(done, *of), span, scope.table),
        NodeKind::Binary(operator, a, b) => {
            let (a, b) = (take(done, *a), take(done, *b));
            binary(operator, a, b, span, scope.table)
        }
        NodeKind::Attribute(of, name) => attribute(take(done, *of), name, span, scope.table),
        NodeKind::Call(function, arguments) => {
            let given = arguments.iter().map(|argument| given(argument, ast, done)).collect();
            apply(take(done, *function), given, span, place(*function), scope)
        }
        NodeKind::Index(of, ids) => {
            let items = index_items(ids, ast, done);
            match take(done, *of) {
                Term::Array(array) => index::of_array(scope.table, &array, &items, span),
                Term::List(list) => index::of_list(&list, &items, span),
                other => Err(Fault::invalid(place(*of), format!("{} cannot be indexed", other.words()))),
            }
        }
        NodeKind::Slice(parts) => {
            let mut slice = [None; 3];
            for (part, id) in slice.iter_mut().zip(parts) {
                *part = id.map_or(Ok(None), |id| slice_part(take(done, id), place(id)))?;
            }
            Ok(Term::Slice(slice))
        }
        NodeKind::Assign(name, value) => {
            let value = take(done, *value);
            scope.variables.insert(name.clone(), value.clone());
            Ok(value)
        }
    }
}

fn given(argument: &Argument, ast: &Ast, done: &mut [Term]) -> Given {
    let term = take(done, argument.value);
    Given { name: argument.name.clone(), term, span: ast.nodes[argument.value].span }
}

fn index_items(ids: &[Id], ast: &Ast, done: &mut [Term]) -> Vec<Item> {
    ids.iter().map(|&id| Item { term: take(done, id), span: ast.nodes[id].span }).collect()
}

fn slice_part(term: Term, span: Span) -> Outcome<Option<i64>> {
    match term {
        Term::None => Ok(None),
        Term::Number(Scalar::Int(i)) => {
            i64::try_from(i).map(Some).map_err(|_| Fault::invalid(span, format!("{i} does not fit 64 bits")))
        }
        other => Err(Fault::invalid(span, format!("the parts of a slice are integers, not {}", other.words()))),
    }
}

fn name_value(name: &str, span: Span, scope: &Scope<'_>) -> Outcome<Term> {
    if let Some(term) = scope.variables.get(name) {
        return Ok(term.clone());
    }
    names::global(scope.table, name).ok_or_else(|| unknown(name, span, scope.table, scope.variables.keys()))
}

fn unknown<'a>(name: &str, span: Span, table: &OpTable, variables: impl Iterator<Item = &'a String>) -> Fault {
    let known: Vec<&'a str> =
        variables.map(String::as_str).chain(names::known(table).map(|name| -> &'a str { name })).collect();
    let near = nearest(name, known.into_iter());
    let hint = if near.is_empty() {
        "; `voxmill ops` lists all functions, and files are read with open(\"...\")".to_string()
    } else {
        format!("; did you mean {}?", near.join(" or "))
    };
    Fault::new(ErrorClass::NotFound, span, format!("there is no variable or function '{name}'{hint}"))
}

fn unary(operator: &Operator, of: Term, span: Span, table: &OpTable) -> Outcome<Term> {
    match of {
        Term::Number(value) => {
            fold::unary(operator.mark, value).map(Term::Number).map_err(|why| Fault::invalid(span, why))
        }
        of => operate(operator, vec![of], span, table),
    }
}

fn binary(operator: &Operator, a: Term, b: Term, span: Span, table: &OpTable) -> Outcome<Term> {
    match (operator.mark, a, b) {
        (mark, Term::Number(a), Term::Number(b)) => {
            fold::binary(mark, a, b).map(Term::Number).map_err(|why| Fault::invalid(span, why))
        }
        ("+", Term::List(mut a), Term::List(b)) => {
            a.extend(b);
            Ok(Term::List(a))
        }
        ("==", Term::Text(a), Term::Text(b)) => Ok(Term::Number((a == b).into())),
        ("!=", Term::Text(a), Term::Text(b)) => Ok(Term::Number((a != b).into())),
        (_, a, b) => operate(operator, vec![a, b], span, table),
    }
}

/// The op behind an operator.
fn operate(operator: &Operator, terms: Vec<Term>, span: Span, table: &OpTable) -> Outcome<Term> {
    let wrong = |error| Fault { span, error, hint: None };
    let side = |e: voxmill_core::Error| Fault::invalid(span, format!("operator '{}': {}", operator.mark, e.message()));
    let ins: Vec<Array> = terms.iter().map(Term::to_array).collect::<Result<_>>().map_err(side)?;
    let Some(def) = names::op(table, operator.op) else {
        return Err(wrong(
            table
                .find(operator.op)
                .err()
                .unwrap_or_else(|| voxmill_core::Error::internal(format!("the operator {} has no op", operator.mark))),
        ));
    };
    let op = table.build(def.name, &Value::Object(Default::default())).map_err(wrong)?;
    Array::from_op(op, ins).map(Term::Array).map_err(wrong)
}

fn attribute(of: Term, name: &str, span: Span, table: &OpTable) -> Outcome<Term> {
    let is_module = matches!(&of, Term::Function(def) if names::is_module(def.name));
    match of {
        Term::Module => module_member(name, span, table),
        _ if is_module => module_member(name, span, table),
        Term::Array(array) => array_attribute(array, name, span, table),
        other => Err(Fault::invalid(span, format!("{} has no attribute '{name}'", other.words()))),
    }
}

fn module_member(name: &str, span: Span, table: &OpTable) -> Outcome<Term> {
    names::global(table, name).ok_or_else(|| unknown(name, span, table, std::iter::empty()))
}

fn array_attribute(array: Array, name: &str, span: Span, table: &OpTable) -> Outcome<Term> {
    let number = |n: usize| Term::Number(n.into());
    let numbers = |list: &[usize]| Term::List(list.iter().map(|&n| number(n)).collect());
    let meta = array.meta();
    Ok(match name {
        "shape" => numbers(&meta.shape),
        "chunks" => numbers(&meta.grid.largest()),
        "ndim" => number(meta.rank()),
        "size" => number(meta.size()),
        "itemsize" => number(meta.dtype.size()),
        "nbytes" => number(meta.n_bytes() as usize),
        "dtype" => Term::Text(meta.dtype.name().into()),
        "T" | "real" | "imag" => {
            let op = if name == "T" { "transpose" } else { name };
            let wrong = |error| Fault { span, error, hint: None };
            return call(table, table.find(op).map_err(wrong)?, Some(array), Vec::new(), span);
        }
        _ => match names::op(table, name).filter(|def| def.inputs != crate::Inputs::Named(&[])) {
            Some(def) => Term::Method(array, def),
            None => {
                let members = ["shape", "dtype", "ndim", "size", "nbytes", "chunks", "T", "real", "imag"];
                let near = nearest(name, members.into_iter().chain(table.iter().map(|def| def.name)));
                let hint =
                    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) };
                return Err(Fault::new(ErrorClass::NotFound, span, format!("arrays have no attribute '{name}'{hint}")));
            }
        },
    })
}

fn apply(function: Term, given: Vec<Given>, span: Span, place: Span, scope: &Scope<'_>) -> Outcome<Term> {
    match function {
        Term::Function(def) => call(scope.table, def, None, given, span),
        Term::Method(array, def) => call(scope.table, def, Some(array), given, span),
        Term::Builtin(builtin) => apply_builtin(builtin, given, span, scope),
        other => Err(Fault::invalid(place, format!("{} cannot be called", other.words()))),
    }
}

fn apply_builtin(builtin: Builtin, given: Vec<Given>, span: Span, scope: &Scope<'_>) -> Outcome<Term> {
    let [Given { name: None, term, span: place }] = &given[..] else {
        return Err(Fault::invalid(span, format!("{} takes exactly one argument", builtin.name())));
    };
    let wrong = |error| Fault { span: *place, error, hint: None };
    match (builtin, term) {
        (Builtin::Open, Term::Text(location)) => scope.opener.open(location).map(Term::Array).map_err(wrong),
        (Builtin::Open, other) => {
            Err(Fault::invalid(*place, format!("open needs a path in quotes, not {}", other.words())))
        }
        (Builtin::Len, Term::List(items)) => Ok(Term::Number(items.len().into())),
        (Builtin::Len, Term::Array(array)) if array.rank() > 0 => Ok(Term::Number(array.shape()[0].into())),
        (Builtin::Len, other) => Err(Fault::invalid(*place, format!("{} has no length", other.words()))),
        (Builtin::Cast(dtype, true), Term::Number(value)) => plain_cast(dtype, *value, *place),
        (Builtin::Cast(dtype, false), Term::Number(value)) => Ok(Term::Array(Array::scalar(*value, dtype))),
        (Builtin::Cast(dtype, _), term) => {
            let array = term.to_array().map_err(wrong)?;
            let params = serde_json::json!({"dtype": dtype});
            let op = scope.table.build("astype", &params).map_err(wrong)?;
            Array::from_op(op, vec![array]).map(Term::Array).map_err(wrong)
        }
    }
}

/// `int(2.7)` and the like between plain numbers.
fn plain_cast(dtype: DType, value: Scalar, span: Span) -> Outcome<Term> {
    Ok(Term::Number(match (dtype, value) {
        (DType::Bool, value) => Scalar::Bool(value.to_bool()),
        (DType::C128, value) => Scalar::Complex(value.to_c128()),
        (_, Scalar::Complex(_)) => return Err(Fault::invalid(span, "a complex number is not a real one; use .real")),
        (DType::F64, value) => Scalar::Float(value.to_f64()),
        (_, Scalar::Float(f)) if !f.is_finite() => return Err(Fault::invalid(span, format!("{f} is not an integer"))),
        (_, Scalar::Float(f)) => Scalar::Int(f as i128),
        (_, Scalar::Bool(b)) => Scalar::Int(b.into()),
        (_, value) => value,
    }))
}
