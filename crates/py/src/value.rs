//! Python values as parameters of ops.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyDict, PyEllipsis, PyFloat, PyInt, PyList, PySlice, PyString, PyTuple};
use serde_json::{Map, Value, json};
use voxmill::core::Complex64;
use voxmill::{Array, Scalar};

/// A number of Python's own kinds, whose dtype adapts to the array it meets. NumPy's numbers are not of these kinds.
pub fn plain_number(object: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    if object.is_exact_instance_of::<PyFloat>() {
        return Ok(Some(Scalar::Float(object.extract()?)));
    }
    if object.is_exact_instance_of::<PyInt>() {
        return Ok(Some(integer(object)?));
    }
    if object.is_exact_instance_of::<PyBool>() {
        return Ok(Some(Scalar::Bool(object.extract()?)));
    }
    if object.is_exact_instance_of::<PyComplex>() {
        return Ok(Some(Scalar::Complex(object.extract::<Complex64>()?)));
    }
    Ok(None)
}

fn integer(object: &Bound<'_, PyAny>) -> PyResult<Scalar> {
    // The stable interface knows 64 bits only; what lies between 63 and 64 is unsigned.
    let value = object.extract::<i64>().map(i128::from).or_else(|_| object.extract::<u64>().map(i128::from));
    value
        .map(Scalar::Int)
        .map_err(|_| pyo3::exceptions::PyOverflowError::new_err(format!("the number {object} does not fit 64 bits")))
}

/// A plain number as a rank-0 array.
pub fn weak_array(object: &Bound<'_, PyAny>) -> PyResult<Option<Array>> {
    Ok(plain_number(object)?.map(Array::weak))
}

/// Any plain value: numbers, text, None, slices, Ellipsis, and lists, tuples and dicts of these.
pub fn to_json(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    if object.is_none() {
        return Ok(Value::Null);
    }
    if let Some(scalar) = plain_number(object)? {
        return Ok(json!(scalar));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Value::String(text.to_str()?.to_string()));
    }
    if let Ok(items) = object.cast::<PyList>() {
        return items.iter().map(|item| to_json(&item)).collect::<PyResult<Vec<_>>>().map(Value::Array);
    }
    if let Ok(items) = object.cast::<PyTuple>() {
        return items.iter().map(|item| to_json(&item)).collect::<PyResult<Vec<_>>>().map(Value::Array);
    }
    if let Ok(slice) = object.cast::<PySlice>() {
        let part = |name: &str| slice.getattr(name).and_then(|value| to_json(&whole_number(&value)?));
        return Ok(json!({"start": part("start")?, "stop": part("stop")?, "step": part("step")?}));
    }
    if object.is_instance_of::<PyEllipsis>() {
        return Ok(json!("..."));
    }
    if let Ok(dict) = object.cast::<PyDict>() {
        return object_of(dict).map(Value::Object);
    }
    if object.is_instance_of::<PyFloat>() {
        return Ok(json!(Scalar::Float(object.extract()?)));
    }
    if let Ok(index) = object.call_method0("__index__") {
        return Ok(json!(integer(&index)?));
    }
    if let Ok(item) = object.call_method0("item") {
        return to_json(&item);
    }
    // A small array as a parameter: a footprint, weights.
    if let Ok(list) = object.call_method0("tolist") {
        return to_json(&list);
    }
    let kind = object.get_type().name()?;
    Err(PyTypeError::new_err(format!("a plain value is needed, not {kind}")))
}

/// What stands in a slice: `None`, or something that can be an index.
fn whole_number<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if value.is_none() || value.is_exact_instance_of::<PyInt>() {
        return Ok(value.clone());
    }
    value
        .call_method0("__index__")
        .map_err(|_| PyTypeError::new_err("slice indices must be integers or None or have an __index__ method"))
}

/// A dict with names as keys.
pub fn object_of(dict: &Bound<'_, PyDict>) -> PyResult<Map<String, Value>> {
    dict.iter().map(|(key, value)| Ok((key.extract::<String>()?, to_json(&value)?))).collect()
}

/// A JSON value as a Python object.
pub fn from_json<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(b) => PyBool::new(py, *b).to_owned().into_any(),
        Value::Number(n) => match (n.as_i64(), n.as_u64()) {
            (Some(i), _) => i.into_pyobject(py)?.into_any(),
            (_, Some(u)) => u.into_pyobject(py)?.into_any(),
            _ => n.as_f64().unwrap_or(f64::NAN).into_pyobject(py)?.into_any(),
        },
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Array(items) => {
            let items = items.iter().map(|item| from_json(py, item)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_any()
        }
        Value::Object(entries) => {
            let dict = PyDict::new(py);
            for (name, entry) in entries {
                dict.set_item(name, from_json(py, entry)?)?;
            }
            dict.into_any()
        }
    })
}
