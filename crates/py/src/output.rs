//! Results that go into stores.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};
use voxmill::core::{Idx, Result, Scalar, Store};
use voxmill::plan::{Op, Sink, What};
use voxmill::store::{self, ZarrSettings};
use voxmill::{Array, begin_output, job_name, unique};

use crate::compute::{self, Limits};
use crate::error::to_python;
use crate::expr::Expr;
use crate::host::HostCall;
use crate::value;

/// How a new array is laid out, from a dict with the names of [`ZarrSettings`].
fn settings(options: &Bound<'_, PyDict>) -> PyResult<ZarrSettings> {
    let mut settings = ZarrSettings::default();
    for (name, value) in options.iter() {
        match name.extract::<&str>()? {
            "zarr_format" => settings.zarr_format = value.extract()?,
            "chunks" => settings.chunks = value.extract()?,
            "shards" => settings.shards = value.extract()?,
            "codec" => settings.codec = value.extract::<&str>()?.parse().map_err(to_python)?,
            "fill_value" => settings.fill_value = fill_value(&value)?,
            "separator" => settings.separator = value.extract()?,
            "dimension_names" => settings.dimension_names = value.extract()?,
            "attributes" => settings.attributes = value::object_of(value.cast()?)?,
            "overwrite" => settings.overwrite = value.extract()?,
            other => return Err(PyValueError::new_err(format!("there is no setting '{other}' of Zarr arrays"))),
        }
    }
    Ok(settings)
}

fn fill_value(value: &Bound<'_, PyAny>) -> PyResult<Scalar> {
    value::plain_number(value)?.ok_or_else(|| PyValueError::new_err("the fill value must be a number"))
}

/// What a result is stored as.
struct Target {
    location: String,
    settings: ZarrSettings,
}

impl Target {
    fn is_npy(&self) -> bool {
        self.location.ends_with(".npy")
    }

    fn draft(&self, array: &Array) -> Result<Arc<dyn Store>> {
        if self.is_npy() {
            return store::draft_npy(&self.location, array.shape(), array.dtype());
        }
        store::draft(&self.location, array.shape(), array.dtype(), &self.settings)
    }

    fn create(&self, array: &Array) -> Result<Arc<dyn Store>> {
        if self.is_npy() {
            return store::create_npy(&self.location, array.shape(), array.dtype(), self.settings.overwrite);
        }
        store::create(&self.location, array.shape(), array.dtype(), &self.settings)
    }
}

/// Computes arrays into new Zarr arrays, or `.npy` files where the location says so.
#[pyfunction]
pub fn write_new(
    py: Python<'_>,
    exprs: Vec<PyRef<'_, Expr>>,
    locations: Vec<String>,
    options: Vec<Bound<'_, PyDict>>,
    limits: &Limits,
) -> PyResult<()> {
    let arrays: Vec<Array> = exprs.iter().map(|expr| expr.0.clone()).collect();
    let targets = locations
        .into_iter()
        .zip(&options)
        .map(|(location, options)| Ok(Target { location, settings: settings(options)? }))
        .collect::<PyResult<Vec<Target>>>()?;
    let pairs: Vec<(&Array, &Target)> = arrays.iter().zip(&targets).collect();
    // The first plan touches nothing: whatever is wrong is found before an output is created or replaced.
    let drafts =
        pairs.iter().map(|(array, target)| target.draft(array)).collect::<Result<Vec<_>>>().map_err(to_python)?;
    let sinks = |stores: &[Arc<dyn Store>]| -> Vec<(Array, Sink)> {
        arrays.iter().cloned().zip(stores.iter().map(|store| Sink::Store(store.clone(), None))).collect()
    };
    let first = compute::plan(py, limits, &sinks(&drafts))?;
    refuse_own_sources(&first, &drafts)?;
    let job = job_name(&first, &|op| function_digest(py, op));
    let begin = |(pair, draft): (&(&Array, &Target), &Arc<dyn Store>)| {
        let (array, target) = pair;
        begin_output(draft.as_ref(), &job, target.settings.overwrite, || target.create(array))
    };
    let begun: Vec<_> = py.detach(|| pairs.iter().zip(&drafts).map(begin).collect::<Result<_>>()).map_err(to_python)?;
    let stores: Vec<Arc<dyn Store>> = begun.iter().map(|output| output.store.clone()).collect();
    let journals: Vec<_> = begun.into_iter().filter_map(|output| output.journal).collect();
    let plan = compute::plan(py, limits, &sinks(&stores))?;
    compute::run(py, limits, &plan, journals.clone())?;
    journals.iter().try_for_each(|journal| journal.finish()).map_err(to_python)
}

/// What stands for a user's function: a digest that is the same when the same program runs again, or a word that never comes again where
/// the function cannot be pickled. `None` for other ops.
fn function_digest(py: Python<'_>, op: &dyn Op) -> Option<Value> {
    let any: &dyn std::any::Any = op;
    let call = any.downcast_ref::<HostCall>()?;
    let digest =
        || -> PyResult<String> { py.import("voxmill._host")?.getattr("digest")?.call1((&*call.function,))?.extract() };
    Some(digest().map_or_else(|_| unique(), |text| json!([call.name, text])))
}

fn refuse_own_sources(plan: &voxmill::plan::Plan, drafts: &[Arc<dyn Store>]) -> PyResult<()> {
    for node in &plan.nodes {
        let What::Source(source) = &node.what else { continue };
        if let Some(draft) = drafts.iter().find(|draft| draft.spec().location == source.spec().location) {
            return Err(PyValueError::new_err(format!(
                "'{}' is both read and written; write to another place",
                draft.spec().location
            )));
        }
    }
    Ok(())
}

/// Computes arrays into parts of arrays that exist, each beginning at an offset.
#[pyfunction]
pub fn write_into(
    py: Python<'_>,
    exprs: Vec<PyRef<'_, Expr>>,
    targets: Vec<PyRef<'_, Expr>>,
    offsets: Vec<Vec<usize>>,
    limits: &Limits,
) -> PyResult<()> {
    let sink = |((expr, target), offset): ((&PyRef<'_, Expr>, &PyRef<'_, Expr>), Vec<usize>)| match target.0.what() {
        What::Source(store) => Ok((expr.0.clone(), Sink::Store(store.clone(), Some(Idx::from_vec(offset))))),
        _ => Err(PyValueError::new_err("results can be written into stored arrays only, not into computed ones")),
    };
    let sinks = exprs.iter().zip(&targets).zip(offsets).map(sink).collect::<PyResult<Vec<_>>>()?;
    let plan = compute::plan(py, limits, &sinks)?;
    compute::run(py, limits, &plan, Vec::new()).map(drop)
}

/// The array or tree of groups and arrays at a location, as JSON.
#[pyfunction]
pub fn describe<'py>(py: Python<'py>, location: &str) -> PyResult<Bound<'py, PyAny>> {
    let node = py.detach(|| store::describe(location)).map_err(to_python)?;
    let text = serde_json::to_value(&node).unwrap_or(Value::Null);
    value::from_json(py, &text)
}
