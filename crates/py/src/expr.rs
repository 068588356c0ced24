//! Lazy arrays as Python objects.

use std::sync::{Arc, LazyLock};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use serde_json::{Map, Value, json};
use voxmill::TABLE;
use voxmill::core::ChunkGrid;
use voxmill::plan::{Inputs, Op, OpDef, What};
use voxmill::store::{MemoryStore, open_location};
use voxmill::{Array, DType};

use crate::error::to_python;
use crate::memory::chunk_of;
use crate::value;

/// A lazy array. Immutable; the class that users see wraps it.
#[pyclass(module = "voxmill._native", frozen)]
pub struct Expr(pub Array);

#[pymethods]
impl Expr {
    /// Length of each axis.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.shape())
    }

    /// Name of the element type.
    #[getter]
    fn dtype(&self) -> &'static str {
        self.0.dtype().name()
    }

    /// Lengths of the declared chunks, per axis.
    #[getter]
    fn chunks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let axes = self.0.meta().grid.axes.iter().zip(self.0.shape()).map(|(cuts, &n)| {
            // An empty axis has one chunk of length 0, as in Dask.
            PyTuple::new(py, if n == 0 { vec![0] } else { cuts.lengths() })
        });
        PyTuple::new(py, axes.collect::<PyResult<Vec<_>>>()?)
    }

    /// Names of the axes; None where an axis has none.
    #[getter]
    fn axes(&self) -> Vec<Option<String>> {
        self.0.meta().axes.iter().map(|axis| axis.name.clone()).collect()
    }

    /// Name of the op, "source" or "literal".
    #[getter]
    fn op(&self) -> &str {
        match self.0.what() {
            What::Source(_) => "source",
            What::Literal(_) => "literal",
            What::Op(op) => op.title(),
        }
    }

    /// Where a stored array is, or None.
    #[getter]
    fn location(&self) -> Option<String> {
        match self.0.what() {
            What::Source(store) => Some(store.spec().to_string()),
            _ => None,
        }
    }

    /// The arrays it is computed from.
    #[getter]
    fn ins(&self) -> Vec<Expr> {
        self.0.ins().iter().map(|array| Expr(array.clone())).collect()
    }

    /// A number that wrappers of the same array have in common while it lives.
    fn key(&self) -> usize {
        self.0.key()
    }

    /// Number of ops it is made by.
    fn n_ops(&self) -> usize {
        let (mut seen, mut stack, mut count) = (std::collections::HashSet::new(), vec![self.0.clone()], 0);
        while let Some(array) = stack.pop() {
            if !seen.insert(array.key()) {
                continue;
            }
            count += usize::from(array.op().is_some());
            stack.extend(array.ins().iter().cloned());
        }
        count
    }

    /// The same array with other declared chunks.
    fn with_chunks(&self, chunks: Vec<Vec<usize>>) -> PyResult<Expr> {
        Ok(Expr(self.0.with_grid(grid(self.0.shape(), &chunks)?)))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        crate::pickle::reduce(py, &self.0)
    }
}

/// Declared chunks from lengths per axis.
pub fn grid(shape: &[usize], chunks: &[Vec<usize>]) -> PyResult<ChunkGrid> {
    let mut axes = chunks.to_vec();
    for lengths in &mut axes {
        lengths.retain(|&n| n > 0);
    }
    ChunkGrid::from_lengths(shape, &axes).map_err(to_python)
}

/// An op of the table, and itself if it has no parameters: then there is only one.
type Entry = (&'static OpDef, Option<Arc<dyn Op>>);

/// The ops by name, sorted.
static OPS: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let ready = |def: &'static OpDef| if def.params.is_empty() { TABLE.build(def.name, &json!({})).ok() } else { None };
    let mut ops: Vec<_> = TABLE.iter().map(|def| (def, ready(def))).collect();
    ops.sort_by_key(|(def, _)| def.name);
    ops
});

fn build(name: &str, params: Option<&Bound<'_, PyDict>>) -> PyResult<Arc<dyn Op>> {
    if params.is_none_or(|params| params.is_empty())
        && let Ok(at) = OPS.binary_search_by_key(&name, |(def, _)| def.name)
        && let Some(op) = &OPS[at].1
    {
        return Ok(op.clone());
    }
    let params = params.map_or(Ok(Map::new()), value::object_of)?;
    TABLE.build(name, &Value::Object(params)).map_err(to_python)
}

/// Calls an op. Inputs are lazy arrays and plain numbers.
#[pyfunction]
#[pyo3(signature = (name, inputs, params=None))]
pub fn call(name: &str, inputs: &Bound<'_, PyTuple>, params: Option<&Bound<'_, PyDict>>) -> PyResult<Expr> {
    let inputs = inputs.iter().map(|input| operand(name, &input)).collect::<PyResult<Vec<Array>>>()?;
    Array::from_op(build(name, params)?, inputs).map(Expr).map_err(to_python)
}

fn operand(name: &str, input: &Bound<'_, PyAny>) -> PyResult<Array> {
    if let Ok(expr) = input.cast::<Expr>() {
        return Ok(expr.get().0.clone());
    }
    value::weak_array(input)?
        .ok_or_else(|| PyTypeError::new_err(format!("{name} takes arrays and numbers, not {}", type_name(input))))
}

fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "this object".into(), |name| name.to_string())
}

/// A number with a dtype of its own, as an array of rank 0.
#[pyfunction]
pub fn scalar(number: &Bound<'_, PyAny>, dtype: &str) -> PyResult<Expr> {
    let value = value::plain_number(number)?;
    let value = value.ok_or_else(|| PyTypeError::new_err(format!("{} is no number", type_name(number))))?;
    Ok(Expr(Array::scalar(value, dtype_of(dtype)?)))
}

/// The element type called `name`.
pub fn dtype_of(name: &str) -> PyResult<DType> {
    name.parse().map_err(|_| {
        let names: Vec<&str> = DType::ALL.iter().map(|dtype| dtype.name()).collect();
        PyTypeError::new_err(format!("elements of type {name} are not supported; there are {}", names.join(", ")))
    })
}

/// The array at a path or URL.
#[pyfunction]
pub fn open(py: Python<'_>, location: &str) -> PyResult<Expr> {
    py.detach(|| open_location(location)).map(|store| Expr(Array::from_store(store))).map_err(to_python)
}

/// An array in memory, which is shared and not copied.
#[pyfunction]
pub fn from_memory(object: &Bound<'_, PyAny>, dtype: &str, chunks: Option<Vec<Vec<usize>>>) -> PyResult<Expr> {
    let chunk = chunk_of(object, dtype_of(dtype)?)?;
    let store = match chunks {
        Some(chunks) => {
            let grid = grid(chunk.shape(), &chunks)?;
            MemoryStore::with_grid(chunk, grid)
        }
        None => MemoryStore::new(chunk),
    };
    Ok(Expr(Array::from_store(store)))
}

/// All ops, as dicts: from these the functions of the package are generated.
#[pyfunction]
pub fn ops(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let entries = TABLE.iter().map(|def| value::from_json(py, &described(def))).collect::<PyResult<Vec<_>>>()?;
    PyList::new(py, entries)
}

fn described(def: &OpDef) -> Value {
    let (inputs, many) = match def.inputs {
        Inputs::Named(names) => (names.to_vec(), false),
        Inputs::Many(name) => (vec![name], true),
    };
    let default = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_else(|_| json!(text));
    let params: Vec<Value> = def
        .params
        .iter()
        .map(|param| {
            json!({
                "name": param.name,
                "kind": param.kind,
                "required": param.default.is_none(),
                "default": param.default.map_or(Value::Null, default),
                "doc": param.doc,
            })
        })
        .collect();
    json!({
        "name": def.name, "theme": def.theme, "summary": def.summary, "doc": def.doc,
        "inputs": inputs, "many": many, "params": params,
    })
}

/// Refuses chunks of which there are none.
pub fn check_chunks(shape: &[usize], chunks: &[Vec<usize>]) -> PyResult<()> {
    if shape.len() != chunks.len() {
        return Err(PyValueError::new_err(format!("chunks of {} axes for a shape of {}", chunks.len(), shape.len())));
    }
    Ok(())
}
