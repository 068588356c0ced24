//! From a [`Pipeline`] to lazy arrays.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use voxmill_core::{Error, Result};

use super::{Input, Location, Output, Pipeline, Step, Work, missing};
use crate::text::{Opener, Scope, Term, evaluate, free_names, parse_index, signature};
use crate::{Array, Inputs, OpDef, OpTable};

impl Pipeline {
    /// The results as lazy arrays. Inputs are opened through `opener`; relative paths count from `folder`.
    pub fn build(&self, table: &OpTable, opener: &dyn Opener, folder: &Path) -> Result<Vec<Output>> {
        let opener = Below { opener, folder };
        let mut scope = Scope::new(table, &opener);
        for input in &self.inputs {
            let array = open_input(input, table, &opener).map_err(|e| e.at(format!("input '{}'", input.name)))?;
            scope.set(input.name.clone(), array);
        }
        let mut results: BTreeMap<usize, Array> = BTreeMap::new();
        for k in self.order(table)? {
            let step = &self.steps[k];
            let previous = k.checked_sub(1).and_then(|p| results.get(&p)).cloned();
            let array = build_step(step, previous, &mut scope, &self.inputs).map_err(|e| e.at(self.label(k)))?;
            scope.set(step.name.clone(), array.clone());
            results.insert(k, array);
        }
        self.outputs
            .iter()
            .map(|target| {
                let place = |e: Error| e.at(format!("output '{}'", target.name));
                let array = evaluate(&target.from, &mut scope).and_then(|term| term.to_array()).map_err(place)?;
                Ok(Output { location: resolve(&target.location, folder), array, options: target.options.clone() })
            })
            .collect()
    }

    fn label(&self, k: usize) -> String {
        match self.steps[k].name.strip_prefix('#') {
            Some(number) => format!("step {number}"),
            None => format!("step '{}'", self.steps[k].name),
        }
    }

    /// The steps in an order in which each comes after those it uses.
    fn order(&self, table: &OpTable) -> Result<Vec<usize>> {
        let uses: Vec<Vec<usize>> = (0..self.steps.len()).map(|k| self.uses(k, table)).collect::<Result<_>>()?;
        let mut order = Vec::with_capacity(uses.len());
        let mut done = vec![false; uses.len()];
        while order.len() < uses.len() {
            let ready = (0..uses.len()).find(|&k| !done[k] && uses[k].iter().all(|&u| done[u]));
            let Some(k) = ready else { return Err(self.cycle(&uses, &done)) };
            done[k] = true;
            order.push(k);
        }
        Ok(order)
    }

    /// The steps whose results step `k` uses.
    fn uses(&self, k: usize, table: &OpTable) -> Result<Vec<usize>> {
        let step = &self.steps[k];
        let texts: Vec<&str> = match &step.work {
            Work::Expr(expr) => vec![expr],
            Work::Op { inputs: Some(list), .. } => list.iter().filter_map(Value::as_str).collect(),
            Work::Op { op, inputs: None } if table.find(op).is_ok_and(takes_nothing) => return Ok(Vec::new()),
            Work::Op { inputs: None, .. } => return Ok(k.checked_sub(1).into_iter().collect()),
        };
        let mut uses = Vec::new();
        for text in texts {
            let names = free_names(text).map_err(|e| e.at(self.label(k)))?;
            uses.extend(self.steps.iter().enumerate().filter(|(_, s)| names.contains(&s.name)).map(|(k, _)| k));
        }
        // A parameter beside an expression hides a step of the same name.
        uses.retain(|&u| !step.params.contains_key(&self.steps[u].name) || matches!(step.work, Work::Op { .. }));
        Ok(uses)
    }

    /// The message for steps that wait for each other: follows one unfinished step after the other until one comes again.
    fn cycle(&self, uses: &[Vec<usize>], done: &[bool]) -> Error {
        let mut path: Vec<usize> = done.iter().position(|d| !d).into_iter().collect();
        while let Some(next) = path.last().and_then(|&k| uses[k].iter().copied().find(|&u| !done[u])) {
            if let Some(at) = path.iter().position(|&k| k == next) {
                let names: Vec<String> = path[at..].iter().chain([&next]).map(|&k| self.label(k)).collect();
                return Error::invalid(format!("the steps form a cycle: {}", names.join(" needs ")));
            }
            path.push(next);
        }
        Error::internal("steps wait for each other without a cycle")
    }
}

/// Opens relative paths below the folder of the file.
struct Below<'a> {
    opener: &'a dyn Opener,
    folder: &'a Path,
}

impl Opener for Below<'_> {
    fn open(&self, location: &str) -> Result<Array> {
        self.opener.open(&resolve(&Location { text: location.to_string(), in_file: true }, self.folder))
    }
}

fn resolve(location: &Location, folder: &Path) -> String {
    let text = &location.text;
    if !location.in_file || text.contains("://") || folder.as_os_str().is_empty() || Path::new(text).is_absolute() {
        return text.clone();
    }
    folder.join(text).to_string_lossy().into_owned()
}

fn open_input(input: &Input, table: &OpTable, opener: &Below<'_>) -> Result<Array> {
    let location = resolve(&input.location, opener.folder);
    let mut array = opener.opener.open(&location)?;
    if let Some(crop) = &input.crop {
        let index = parse_index(crop, table)?;
        array = Array::from_op(table.build("getitem", &json!({"index": index}))?, vec![array])?;
    }
    if let Some(dtype) = &input.dtype {
        array = Array::from_op(table.build("astype", &json!({"dtype": dtype}))?, vec![array])?;
    }
    Ok(array)
}

fn build_step(step: &Step, previous: Option<Array>, scope: &mut Scope<'_>, inputs: &[Input]) -> Result<Array> {
    match &step.work {
        Work::Expr(expr) => build_expr(step, expr, scope),
        Work::Op { op, inputs: given } => {
            let table = scope.table();
            let def = table.find(op)?;
            let ins = match (given, previous, inputs) {
                (Some(list), ..) => list.iter().map(|item| step_input(item, scope)).collect::<Result<_>>()?,
                (None, ..) if takes_nothing(def) => Vec::new(),
                (None, Some(previous), _) => vec![previous],
                (None, None, [only]) => vec![evaluate(&only.name, scope)?.to_array()?],
                (None, None, _) => {
                    return Err(Error::invalid(format!("there is no step before this one; name the inputs of {op}")));
                }
            };
            check_count(def, ins.len())?;
            Array::from_op(table.build(op, &Value::Object(step.params.clone()))?, ins)
        }
    }
}

/// True for ops that create arrays.
fn takes_nothing(def: &OpDef) -> bool {
    def.inputs == Inputs::Named(&[])
}

fn check_count(def: &OpDef, n: usize) -> Result<()> {
    match def.inputs {
        Inputs::Named(names) if names.len() != n => Err(Error::invalid(format!(
            "{} takes {} input{} ({}), {n} given; it is called as {}",
            def.name,
            names.len(),
            if names.len() == 1 { "" } else { "s" },
            names.join(", "),
            signature(def)
        ))),
        _ => Ok(()),
    }
}

/// A step, an input, an expression, or a plain number.
fn step_input(item: &Value, scope: &mut Scope<'_>) -> Result<Array> {
    match item {
        Value::String(text) => evaluate(text, scope)?.to_array(),
        other => Term::from_json(other)?.to_array(),
    }
}

/// Values beside an expression are names in it, for as long as it is evaluated.
fn build_expr(step: &Step, expr: &str, scope: &mut Scope<'_>) -> Result<Array> {
    let used = free_names(expr)?;
    let mut inner = scope.clone();
    for (name, value) in &step.params {
        if !used.contains(name) {
            return Err(missing("name in the expression", name, used.iter().map(String::as_str)));
        }
        inner.set(name.clone(), Term::from_json(value)?);
    }
    evaluate(expr, &mut inner)?.to_array()
}
