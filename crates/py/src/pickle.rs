//! Lazy arrays as bytes: the ops by name, stored arrays by location, arrays in memory with their elements, functions as Python pickles
//! them.

use std::collections::HashMap;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use serde_json::{Value, json};
use voxmill::TABLE;
use voxmill::core::{ArrayMeta, ChunkGrid, StoreOpener, StoreSpec};
use voxmill::plan::What;
use voxmill::store::{MemoryStore, Stores};
use voxmill::{Array, Scalar};

use crate::error::to_python;
use crate::expr::{Expr, dtype_of};
use crate::host::{AxisReads, HostCall, HostStore};
use crate::memory::{Memory, chunk_of};

/// What Python's `pickle` asks for: the function that makes the array again, and its arguments.
pub fn reduce<'py>(py: Python<'py>, array: &Array) -> PyResult<Bound<'py, PyTuple>> {
    let mut writer = Writer { py, nodes: Vec::new(), objects: Vec::new(), known: HashMap::new() };
    writer.add(array)?;
    let rebuild = py.import("voxmill._native")?.getattr("rebuild")?;
    let text = Value::Array(writer.nodes).to_string();
    let objects = PyList::new(py, writer.objects)?;
    PyTuple::new(py, [rebuild, PyTuple::new(py, [text.into_pyobject(py)?.into_any(), objects.into_any()])?.into_any()])
}

struct Writer<'py> {
    py: Python<'py>,
    nodes: Vec<Value>,
    objects: Vec<Bound<'py, PyAny>>,
    /// Numbers of arrays by their keys, which clones share.
    known: HashMap<usize, usize>,
}

impl<'py> Writer<'py> {
    fn add(&mut self, array: &Array) -> PyResult<usize> {
        let mut stack = vec![(array.clone(), false)];
        while let Some((array, inputs_are_in)) = stack.pop() {
            if self.number(&array).is_some() {
                continue;
            }
            if !inputs_are_in && !array.ins().is_empty() {
                stack.push((array.clone(), true));
                stack.extend(array.ins().iter().map(|input| (input.clone(), false)));
                continue;
            }
            let ins: Vec<usize> = array.ins().iter().filter_map(|input| self.number(input)).collect();
            let what = self.what(&array)?;
            self.known.insert(array.key(), self.nodes.len());
            self.nodes.push(json!({"what": what, "ins": ins, "grid": array.meta().grid}));
        }
        self.number(array).ok_or_else(|| PyValueError::new_err("the array was not written"))
    }

    fn number(&self, array: &Array) -> Option<usize> {
        self.known.get(&array.key()).copied()
    }

    fn object(&mut self, object: Bound<'py, PyAny>) -> usize {
        self.objects.push(object);
        self.objects.len() - 1
    }

    fn what(&mut self, array: &Array) -> PyResult<Value> {
        match array.what() {
            What::Literal(value) => {
                Ok(json!({"literal": value, "dtype": array.dtype(), "weak": array.meta().weak.is_some()}))
            }
            What::Op(op) => {
                let any: &dyn std::any::Any = op.as_ref();
                let Some(call) = any.downcast_ref::<HostCall>() else {
                    return Ok(json!({"op": op.def().name, "params": op.params()}));
                };
                let function = self.object(call.function.bind(self.py).clone());
                let axes = |axes: &Vec<AxisReads>| axes.iter().map(|a| json!([a.axis, a.bounds])).collect::<Vec<_>>();
                let reads: Vec<_> = call.reads.iter().map(axes).collect();
                Ok(json!({"call": call.name, "function": function, "meta": call.meta, "reads": reads}))
            }
            What::Source(store) => {
                if store.spec().driver == "python" {
                    let any: &dyn std::any::Any = store.as_ref();
                    let held = any.downcast_ref::<HostStore>();
                    let held = held.ok_or_else(|| PyValueError::new_err("a store of Python that is none"))?;
                    return Ok(json!({"object": self.object(held.object.bind(self.py).clone())}));
                }
                if store.spec().driver != "memory" {
                    return Ok(json!({"source": store.spec()}));
                }
                let whole = store.meta().whole();
                let chunk = store.borrow(&whole).ok_or_else(|| PyValueError::new_err("memory that cannot be read"))?;
                let mut copy = voxmill::Chunk::new(chunk.shape(), chunk.dtype()).map_err(to_python)?;
                copy.view_mut().and_then(|mut view| chunk.view().copy_to(&mut view)).map_err(to_python)?;
                let memory = Py::new(self.py, Memory::new(copy).map_err(to_python)?)?;
                let numpy = self.py.import("numpy")?.call_method1("asarray", (memory,))?;
                Ok(json!({"memory": self.object(numpy), "dtype": chunk.dtype()}))
            }
        }
    }
}

/// The array that [`reduce`] was called for.
#[pyfunction]
pub fn rebuild(text: &str, objects: &Bound<'_, PyList>) -> PyResult<Expr> {
    let damaged = || PyValueError::new_err("the pickled array is damaged, or of another version of voxmill");
    let nodes: Vec<Value> = serde_json::from_str(text).map_err(|_| damaged())?;
    let mut arrays: Vec<Array> = Vec::with_capacity(nodes.len());
    for node in &nodes {
        let ins = node["ins"].as_array().ok_or_else(damaged)?;
        let ins = ins.iter().map(|i| i.as_u64().and_then(|i| arrays.get(i as usize).cloned()).ok_or_else(damaged));
        let ins = ins.collect::<PyResult<Vec<Array>>>()?;
        let grid: ChunkGrid = serde_json::from_value(node["grid"].clone()).map_err(|_| damaged())?;
        let array = one(&node["what"], ins, objects, &grid)?.ok_or_else(damaged)?;
        let array = if array.meta().grid == grid { array } else { array.with_grid(grid) };
        arrays.push(array);
    }
    arrays.pop().map(Expr).ok_or_else(damaged)
}

fn one(what: &Value, ins: Vec<Array>, objects: &Bound<'_, PyList>, grid: &ChunkGrid) -> PyResult<Option<Array>> {
    let object = |name: &str| what[name].as_u64().and_then(|n| objects.get_item(n as usize).ok());
    if let Some(name) = what["op"].as_str() {
        let op = TABLE.build(name, &what["params"]).map_err(to_python)?;
        return Array::from_op(op, ins).map(Some).map_err(to_python);
    }
    if let Some(name) = what["call"].as_str() {
        let Some(function) = object("function") else { return Ok(None) };
        let Ok(meta) = serde_json::from_value::<ArrayMeta>(what["meta"].clone()) else { return Ok(None) };
        let Ok(reads) = serde_json::from_value::<Vec<Vec<(Option<usize>, Vec<(usize, usize)>)>>>(what["reads"].clone())
        else {
            return Ok(None);
        };
        let axes = |axes: Vec<_>| axes.into_iter().map(|(axis, bounds)| AxisReads { axis, bounds }).collect();
        let reads = reads.into_iter().map(axes).collect();
        return HostCall::array(Arc::new(function.unbind()), name.to_string(), meta, reads, ins).map(Some);
    }
    if what.get("literal").is_some() {
        let Ok(value) = serde_json::from_value::<Scalar>(what["literal"].clone()) else { return Ok(None) };
        let weak = what["weak"].as_bool() == Some(true);
        let dtype = dtype_of(what["dtype"].as_str().unwrap_or_default())?;
        return Ok(Some(if weak { Array::weak(value) } else { Array::scalar(value, dtype) }));
    }
    if let Some(array) = object("memory") {
        let chunk = chunk_of(&array, dtype_of(what["dtype"].as_str().unwrap_or_default())?)?;
        return Ok(Some(Array::from_store(MemoryStore::with_grid(chunk, grid.clone()))));
    }
    if let Some(held) = object("object") {
        // The package knows how to wrap an object; it does so again.
        let made = objects.py().import("voxmill._create")?.call_method1("_wrap_object", (held,))?;
        return Ok(Some(made.cast::<Expr>()?.get().0.clone()));
    }
    let Ok(spec) = serde_json::from_value::<StoreSpec>(what["source"].clone()) else { return Ok(None) };
    Stores.open(&spec).map(|store| Some(Array::from_store(store))).map_err(to_python)
}
