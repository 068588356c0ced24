//! From the arguments of a call to the inputs and parameters of an op.

use serde_json::{Map, Value};
use voxmill_core::{Error, Scalar};

use super::source::{Fault, Outcome, Span};
use super::term::Term;
use crate::op::nearest;
use crate::{Array, Inputs, OpDef, OpTable};

/// One argument as it was given.
pub(super) struct Given {
    pub name: Option<(String, Span)>,
    pub term: Term,
    pub span: Span,
}

/// How an op is called, with defaults: `clip(x, min=None, max=None)`.
pub fn signature(def: &OpDef) -> String {
    let mut parts: Vec<String> = match def.inputs {
        Inputs::Named(names) => names.iter().map(|name| name.to_string()).collect(),
        Inputs::Many(name) => vec![format!("[{name}, ...]")],
    };
    parts.extend(def.params.iter().map(|param| match param.default {
        Some(default) => format!("{}={}", param.name, as_python(default)),
        None => param.name.to_string(),
    }));
    format!("{}({})", def.name, parts.join(", "))
}

fn as_python(default: &str) -> &str {
    match default {
        "null" => "None",
        "true" => "True",
        "false" => "False",
        other => other,
    }
}

/// Calls the op. The first arguments fill the inputs, the others the parameters, in the order of the op; names fill either.
pub(super) fn call(
    table: &OpTable,
    def: &'static OpDef,
    of: Option<Array>,
    given: Vec<Given>,
    span: Span,
) -> Outcome<Term> {
    let mut binding = Binding { def, inputs: Vec::new(), many: Vec::new(), params: Map::new(), next_param: 0 };
    if let Inputs::Named(names) = def.inputs {
        binding.inputs.resize(names.len(), None);
    }
    let bound = binding.bind_all(of, given, span).map_err(|fault| match fault.hint {
        None => fault.with_hint(signature(def)),
        Some(_) => fault,
    });
    bound?;
    let usage = |error: Error| Fault { span, error, hint: Some(signature(def)) };
    let inputs: Vec<Array> = binding.inputs.into_iter().flatten().chain(binding.many).collect();
    let op = table.build(def.name, &Value::Object(binding.params)).map_err(usage)?;
    Array::from_op(op, inputs).map(Term::Array).map_err(usage)
}

/// Which arguments went where so far.
struct Binding {
    def: &'static OpDef,
    /// One place per named input.
    inputs: Vec<Option<Array>>,
    /// The inputs of an op that takes any number.
    many: Vec<Array>,
    params: Map<String, Value>,
    next_param: usize,
}

impl Binding {
    fn bind_all(&mut self, of: Option<Array>, mut given: Vec<Given>, span: Span) -> Outcome<()> {
        if let Some(array) = of {
            given = self.gathered(given);
            match self.inputs.first_mut() {
                Some(first) => *first = Some(array),
                None => self.many.push(array),
            }
        }
        for argument in given {
            match &argument.name {
                Some((name, place)) => self.named(name, *place, &argument)?,
                None => self.positional(&argument)?,
            }
        }
        self.check_inputs(span)
    }

    /// `x.reshape(4, 6)` and `x.transpose(1, 0)` are `x.reshape([4, 6])` and `x.transpose([1, 0])`, as in NumPy.
    fn gathered(&self, given: Vec<Given>) -> Vec<Given> {
        let takes_list = self.def.params.first().is_some_and(|param| param.kind.contains("list of int"));
        let too_many = given.len() > self.def.params.len().max(1);
        let is_int = |g: &Given| g.name.is_none() && matches!(g.term, Term::Number(Scalar::Int(_)));
        if !takes_list || self.inputs.len() != 1 || !too_many || !given.iter().all(is_int) {
            return given;
        }
        let span = given[0].span.to(given[given.len() - 1].span);
        vec![Given { name: None, term: Term::List(given.into_iter().map(|g| g.term).collect()), span }]
    }

    fn positional(&mut self, given: &Given) -> Outcome<()> {
        if let Inputs::Many(_) = self.def.inputs {
            match &given.term {
                Term::Array(array) => {
                    self.many.push(array.clone());
                    return Ok(());
                }
                Term::List(items) if self.many.is_empty() && self.next_param == 0 => {
                    return self.fill_many(items, given.span);
                }
                Term::Number(_) if self.many.is_empty() => {
                    self.many.push(array_of(given)?);
                    return Ok(());
                }
                _ => {}
            }
        }
        // Strings and None are never arrays, so they go past open inputs: einsum("ij->ji", x).
        let may_be_array = !matches!(given.term, Term::Text(_) | Term::None);
        match self.inputs.iter_mut().find(|input| input.is_none()) {
            Some(open) if may_be_array => *open = Some(array_of(given)?),
            _ => {
                let Some(param) = self.def.params.get(self.next_param) else { return Err(self.too_many(given)) };
                self.next_param += 1;
                self.fill_param(param.name, given)?;
            }
        }
        Ok(())
    }

    fn named(&mut self, name: &str, place: Span, given: &Given) -> Outcome<()> {
        match self.def.inputs {
            Inputs::Named(names) => {
                if let Some(k) = names.iter().position(|input| *input == name) {
                    if self.inputs[k].replace(array_of(given)?).is_some() {
                        return Err(Fault::invalid(place, format!("'{name}' is given twice")));
                    }
                    return Ok(());
                }
            }
            Inputs::Many(input) if input == name => {
                return match &given.term {
                    Term::List(items) => self.fill_many(items, given.span),
                    _ => Err(Fault::invalid(given.span, format!("'{name}' must be a list of arrays"))),
                };
            }
            Inputs::Many(_) => {}
        }
        if self.def.params.iter().any(|param| param.name == name) {
            return self.fill_param(name, given);
        }
        let known: Vec<&str> = self.def.params.iter().map(|param| param.name).collect();
        let near = nearest(name, known.iter().copied());
        let hint = match (near.is_empty(), known.is_empty()) {
            (false, _) => format!("; did you mean {}?", near.join(" or ")),
            (true, false) => format!("; it takes {}", known.join(", ")),
            (true, true) => "; it takes none".into(),
        };
        Err(Fault::invalid(place, format!("{} has no parameter '{name}'{hint}", self.def.name)))
    }

    fn fill_many(&mut self, items: &[Term], span: Span) -> Outcome<()> {
        for item in items {
            self.many.push(item.to_array().map_err(|error| Fault { span, error, hint: None })?);
        }
        Ok(())
    }

    fn fill_param(&mut self, name: &str, given: &Given) -> Outcome<()> {
        let value = given.term.to_json().map_err(|e| {
            Fault::invalid(given.span, format!("parameter '{name}' of {}: {}", self.def.name, e.message()))
        })?;
        if self.params.insert(name.to_string(), value).is_some() {
            return Err(Fault::invalid(given.span, format!("'{name}' is given twice")));
        }
        Ok(())
    }

    fn too_many(&self, given: &Given) -> Fault {
        let n = self.inputs.len() + self.def.params.len();
        let s = if n == 1 { "" } else { "s" };
        Fault::invalid(given.span, format!("{} takes {n} argument{s}, this is one more", self.def.name))
    }

    fn check_inputs(&self, span: Span) -> Outcome<()> {
        match self.def.inputs {
            Inputs::Named(names) => {
                let missing: Vec<&str> = names
                    .iter()
                    .zip(&self.inputs)
                    .filter(|(_, given)| given.is_none())
                    .map(|(name, _)| *name)
                    .collect();
                if missing.is_empty() {
                    return Ok(());
                }
                Err(Fault::invalid(span, format!("{} needs the input {}", self.def.name, missing.join(" and "))))
            }
            Inputs::Many(name) if self.many.is_empty() => {
                Err(Fault::invalid(span, format!("{} needs a list of {name}", self.def.name)))
            }
            Inputs::Many(_) => Ok(()),
        }
    }
}

fn array_of(given: &Given) -> Outcome<Array> {
    given.term.to_array().map_err(|error| Fault { span: given.span, error, hint: None })
}
