//! Tables of regions for Python: rows of numbers, as bytes.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use voxmill::Array;
use voxmill::imaging::measure::{contact_table as contacts, region_table as regions};
use voxmill::imaging::numeric::{fill, hull};

use crate::compute::{Limits, arrays_of, plan, results, run};
use crate::error::to_python;
use crate::expr::Expr;

/// The rows of a table of one element, as bytes.
fn rows_of<'py>(py: Python<'py>, table: Array, limits: &Limits) -> PyResult<Bound<'py, PyBytes>> {
    let plan = plan(py, limits, &results(&[table]))?;
    let report = run(py, limits, &plan, Vec::new())?;
    let rows = report.rows.get(&0).and_then(|rows| rows.first()).map(|attached| attached.rows.clone());
    Ok(PyBytes::new(py, &rows.unwrap_or_default()))
}

/// One row of 64-bit numbers for each region of `labels`, as bytes: see the op `region_table`.
#[pyfunction]
#[pyo3(signature = (labels, intensity, moments, outlines, limits))]
pub fn region_table<'py>(
    py: Python<'py>,
    labels: PyRef<'_, Expr>,
    intensity: Vec<PyRef<'_, Expr>>,
    moments: bool,
    outlines: Option<usize>,
    limits: &Limits,
) -> PyResult<Bound<'py, PyBytes>> {
    let asked = regions::Asked { moments, outlines };
    let table = regions::region_table(&labels.0, &arrays_of(&intensity), asked).map_err(to_python)?;
    rows_of(py, table, limits)
}

/// One row of 64-bit numbers for each two regions of `labels` that touch, as bytes: see the op `contact_table`.
#[pyfunction]
pub fn contact_table<'py>(
    py: Python<'py>,
    labels: PyRef<'_, Expr>,
    connectivity: usize,
    limits: &Limits,
) -> PyResult<Bound<'py, PyBytes>> {
    rows_of(py, contacts::contact_table(&labels.0, connectivity).map_err(to_python)?, limits)
}

/// The convex hull of the bytes of a box that are not 0: a byte for each element, and the corners of the hull, numbers of 64 bits that are
/// twice its coordinates.
#[pyfunction]
pub fn convex_hull<'py>(
    py: Python<'py>,
    mask: PyBuffer<u8>,
    shape: Vec<usize>,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let bytes = mask.to_vec(py)?;
    let rank = shape.len();
    if !(2..=3).contains(&rank) || shape.contains(&0) || bytes.len() != shape.iter().product::<usize>() {
        return Err(PyValueError::new_err("hulls are made of boxes with two or three axes"));
    }
    let found = py.detach(|| hull::hull(&bytes, &shape));
    let inside: Vec<u8> = found.inside.iter().map(|v| u8::from(*v)).collect();
    let corners: Vec<u8> =
        found.corners.iter().flat_map(|c| c[3 - rank..].iter().flat_map(|v| v.to_le_bytes())).collect();
    Ok((PyBytes::new(py, &inside), PyBytes::new(py, &corners)))
}

/// The bytes of a box that are not 0, and those in holes between them: 1 for each, else 0.
#[pyfunction]
pub fn fill_holes<'py>(py: Python<'py>, mask: PyBuffer<u8>, shape: Vec<usize>) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = mask.to_vec(py)?;
    if shape.is_empty() || bytes.len() != shape.iter().product::<usize>() {
        return Err(PyValueError::new_err("holes are filled in boxes with axes"));
    }
    let found: Vec<u8> = py.detach(|| fill::filled(&bytes, &shape)).into_iter().map(u8::from).collect();
    Ok(PyBytes::new(py, &found))
}
