//! Python in a plan: functions over blocks, and arrays that a Python object reads. Nothing else in a plan takes the interpreter's lock.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyTuple};
use serde_json::{Value, json};
use voxmill::core::{
    ArrayMeta, Buffer, Chunk, ChunkGrid, Error, Latency, Region, Result, Store, StoreSpec, View, ViewMut,
};
use voxmill::plan::{Form, Inputs, Op, OpDef, Place};
use voxmill::{Array, DType};

use crate::error::from_python;
use crate::expr::{Expr, check_chunks, dtype_of, grid};
use crate::memory::{Memory, chunk_of};
use crate::threads::with_python;

/// A number that no other call or store of this process has: what looks alike may not be the same.
fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Which part of an axis of an input a block needs.
#[derive(Debug, Clone)]
pub struct AxisReads {
    /// The axis of the result whose block number counts; `None` if every block needs the same.
    pub axis: Option<usize>,
    /// Begin and end for each block number.
    pub bounds: Vec<(usize, usize)>,
}

impl AxisReads {
    /// The part that the blocks `first..last` need together.
    fn hull(&self, blocks: &Region) -> (usize, usize) {
        let numbers = match self.axis {
            Some(axis) => blocks.start[axis]..blocks.end(axis),
            None => 0..1,
        };
        let bounds = || self.bounds.get(numbers.clone()).unwrap_or_default().iter();
        let begin = bounds().map(|b| b.0).min().unwrap_or(0);
        (begin, bounds().map(|b| b.1).max().unwrap_or(0).max(begin))
    }
}

/// A Python function that makes a block of the result from boxes of the inputs.
pub struct HostCall {
    /// Called with the number of the block and the boxes; gives the block.
    pub function: Arc<Py<PyAny>>,
    /// What people call it.
    pub name: String,
    number: u64,
    /// Shape and dtype of the result.
    pub meta: ArrayMeta,
    /// Per input and axis of the input.
    pub reads: Vec<Vec<AxisReads>>,
}

impl fmt::Debug for HostCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HostCall({})", self.name)
    }
}

static HOST_CALL: OpDef = OpDef {
    name: "host_call",
    theme: "python",
    summary: "A Python function over blocks.",
    doc: "",
    inputs: Inputs::Many("arrays"),
    params: &[],
    form: Form::Kernel,
    cost: 20.0,
    hold: false,
    build: |_| Err(Error::unsupported("a Python function cannot be made from parameters")),
    samples: Vec::new,
};

impl Op for HostCall {
    fn def(&self) -> &'static OpDef {
        &HOST_CALL
    }

    fn title(&self) -> &str {
        &self.name
    }

    fn params(&self) -> Value {
        json!({"function": self.name, "number": self.number})
    }

    fn infer(&self, _ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        Ok(self.meta.clone())
    }

    fn blocks(&self) -> Option<&ChunkGrid> {
        Some(&self.meta.grid)
    }

    fn reads(&self, out: &Region, _ins: &[&ArrayMeta]) -> Vec<Region> {
        let blocks = self.meta.grid.touching(out);
        self.reads.iter().map(|axes| Region::from_bounds(axes.iter().map(|axis| axis.hull(&blocks)))).collect()
    }

    /// The function gets boxes of its own, which it may change and keep, and its result is copied.
    fn scratch(&self, out: &Region, reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        let boxes = reads.iter().zip(ins).map(|(region, meta)| Buffer::footprint(meta.bytes_of(region) as usize));
        boxes.sum::<u64>() + Buffer::footprint(self.meta.bytes_of(out) as usize)
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let block = self.meta.grid.touching(at.out);
        if block.size() != 1 {
            return Err(Error::internal(format!("{} is called for {} blocks at once", self.name, block.size())));
        }
        let boxes = ins.iter().map(own).collect::<Result<Vec<Memory>>>()?;
        with_python(|py| self.call(py, &block.start, boxes, out)).map_err(from_python)
    }
}

fn own(view: &View<'_>) -> Result<Memory> {
    let mut chunk = Chunk::new(view.shape(), view.dtype())?;
    view.copy_to(&mut chunk.view_mut()?)?;
    Memory::new(chunk)
}

impl HostCall {
    fn call(&self, py: Python<'_>, block: &[usize], boxes: Vec<Memory>, out: &mut ViewMut<'_>) -> PyResult<()> {
        let number = PyTuple::new(py, block)?;
        let boxes = boxes.into_iter().map(|memory| Py::new(py, memory)).collect::<PyResult<Vec<_>>>()?;
        let made = self.function.bind(py).call1((number, PyTuple::new(py, boxes)?))?;
        copy_out(&made, out)
    }
}

/// Copies an array that Python made. It has the right shape and dtype: the package's own code checked that.
fn copy_out(made: &Bound<'_, PyAny>, out: &mut ViewMut<'_>) -> PyResult<()> {
    let chunk = chunk_of(made, out.dtype())?;
    // Arrays without axes come with one: the interface to memory knows no others.
    let view = if out.shape().is_empty() && chunk.shape() == [1] {
        chunk.view().restrided(chunk.view().offset(), [], []).map_err(crate::error::to_python)?
    } else {
        chunk.view()
    };
    if view.shape() != out.shape() {
        return Err(PyValueError::new_err(format!("{:?} instead of {:?}", view.shape(), out.shape())));
    }
    made.py().detach(|| view.copy_to(out)).map_err(crate::error::to_python)
}

/// What blocks need of one axis, as Python says it: the axis of the result that counts, and bounds.
type PyReads = (Option<usize>, Vec<(usize, usize)>);

/// The result of a Python function over blocks.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn host_call(
    function: Py<PyAny>,
    name: String,
    inputs: Vec<PyRef<'_, Expr>>,
    reads: Vec<Vec<PyReads>>,
    shape: Vec<usize>,
    dtype: &str,
    chunks: Vec<Vec<usize>>,
) -> PyResult<Expr> {
    check_chunks(&shape, &chunks)?;
    let meta = ArrayMeta::new(&shape, dtype_of(dtype)?).with_grid(grid(&shape, &chunks)?);
    let axes = |axes: Vec<PyReads>| axes.into_iter().map(|(axis, bounds)| AxisReads { axis, bounds }).collect();
    let reads = reads.into_iter().map(axes).collect();
    let ins = inputs.iter().map(|input| input.0.clone()).collect();
    Ok(Expr(HostCall::array(Arc::new(function), name, meta, reads, ins)?))
}

impl HostCall {
    /// The result as an array.
    pub fn array(
        function: Arc<Py<PyAny>>,
        name: String,
        meta: ArrayMeta,
        reads: Vec<Vec<AxisReads>>,
        ins: Vec<Array>,
    ) -> PyResult<Array> {
        let op = HostCall { function, name, number: next_number(), meta, reads };
        Array::from_op(Arc::new(op), ins).map_err(crate::error::to_python)
    }
}

/// An array that a Python object holds: anything with `shape`, `dtype` and `[...]`.
pub struct HostStore {
    spec: StoreSpec,
    meta: ArrayMeta,
    /// Called with a tuple of slices; gives a NumPy array of that box.
    read: Py<PyAny>,
    /// Called with a tuple of slices and an array.
    write: Option<Py<PyAny>>,
    /// The object itself, for pickling.
    pub object: Py<PyAny>,
}

impl fmt::Debug for HostStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HostStore({})", self.spec.location)
    }
}

impl HostStore {
    fn slices<'py>(&self, py: Python<'py>, region: &Region) -> PyResult<Bound<'py, PyTuple>> {
        let slice = |(begin, end): (usize, usize)| PySlice::new(py, begin as isize, end as isize, 1);
        PyTuple::new(py, region.bounds().map(slice).collect::<Vec<_>>())
    }
}

impl Store for HostStore {
    fn spec(&self) -> &StoreSpec {
        &self.spec
    }

    fn meta(&self) -> &ArrayMeta {
        &self.meta
    }

    fn read(&self, region: &Region, out: &mut ViewMut<'_>) -> Result<()> {
        let read = |py: Python<'_>| copy_out(&self.read.bind(py).call1((self.slices(py, region)?,))?, out);
        with_python(read).map_err(from_python)
    }

    fn write(&self, region: &Region, from: &View<'_>) -> Result<()> {
        let Some(write) = &self.write else {
            return Err(Error::unsupported(format!("{} cannot be written to", self.spec.location)));
        };
        let memory = own(from)?;
        let write = |py: Python<'_>| write.bind(py).call1((self.slices(py, region)?, Py::new(py, memory)?)).map(drop);
        with_python(write).map_err(from_python)
    }

    /// What the object gives is an array of its own.
    fn read_scratch(&self, region: &Region) -> u64 {
        Buffer::footprint(self.meta.bytes_of(region) as usize)
    }

    fn write_scratch(&self, region: &Region) -> u64 {
        Buffer::footprint(self.meta.bytes_of(region) as usize)
    }

    fn latency(&self) -> Latency {
        Latency::Local
    }
}

/// An array behind Python functions that read, and perhaps write, boxes of it.
#[pyfunction]
#[pyo3(signature = (object, read, write, shape, dtype, chunks, name))]
pub fn host_store(
    object: Py<PyAny>,
    read: Py<PyAny>,
    write: Option<Py<PyAny>>,
    shape: Vec<usize>,
    dtype: &str,
    chunks: Vec<Vec<usize>>,
    name: &str,
) -> PyResult<Expr> {
    check_chunks(&shape, &chunks)?;
    let dtype: DType = dtype_of(dtype)?;
    let meta = ArrayMeta::new(&shape, dtype).with_grid(grid(&shape, &chunks)?);
    let spec = StoreSpec::new("python", format!("{name}-{}", next_number()));
    Ok(Expr(Array::from_store(Arc::new(HostStore { spec, meta, read, write, object }))))
}
