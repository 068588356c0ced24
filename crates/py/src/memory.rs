//! Memory that Python and the engine share without copying.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int, c_void};
use std::sync::Arc;

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use voxmill::core::{Chunk, DType, Result as EngineResult};

use crate::error::to_python;

/// The bytes of a Python object, which stays alive and in place for as long as this does.
struct Foreign {
    buffer: PyUntypedBuffer,
    /// Bytes from the lowest address to the lowest element: with negative strides, elements lie before the first one.
    before: usize,
    len: usize,
}

impl AsRef<[u8]> for Foreign {
    fn as_ref(&self) -> &[u8] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: the exporter promises that every element within shape and strides is readable while the buffer is held, and
        // `before` and `len` are computed from them. Others may write there: what is read then is unspecified, but only plain numbers
        // are read, for which every bit pattern is valid.
        unsafe { std::slice::from_raw_parts(self.buffer.buf_ptr().cast::<u8>().sub(self.before), self.len) }
    }
}

/// The elements of an object that exports a buffer, without copying.
pub fn chunk_of(object: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Chunk> {
    let buffer = PyUntypedBuffer::get(object)?;
    if buffer.item_size() != dtype.size() {
        return Err(PyValueError::new_err(format!("elements of {} bytes are not {dtype}", buffer.item_size())));
    }
    let (shape, strides) = (buffer.shape().to_vec(), buffer.strides().to_vec());
    let (mut before, mut after) = (0, dtype.size());
    for (&n, &stride) in shape.iter().zip(&strides) {
        let reach = n.saturating_sub(1) * stride.unsigned_abs();
        *(if stride < 0 { &mut before } else { &mut after }) += reach;
    }
    let empty = shape.contains(&0);
    let (before, len) = if empty { (0, 0) } else { (before, before + after) };
    let strides = if empty { voxmill::core::contiguous_strides(&shape, dtype).to_vec() } else { strides };
    let foreign = Arc::new(Foreign { buffer, before, len });
    Chunk::from_foreign(foreign, dtype, before, shape, strides).map_err(to_python)
}

/// A computed array in memory. NumPy and others look at it without copying, through the buffer protocol.
#[pyclass(module = "voxmill._native", frozen)]
pub struct Memory {
    chunk: Chunk,
    /// Where the elements are, if nobody else holds them and they may be changed.
    data: *mut u8,
    shape: Vec<isize>,
    strides: Vec<isize>,
}

// SAFETY: the pointer leads into the chunk, which is kept and never moved; the engine does not touch it any more.
unsafe impl Send for Memory {}
// SAFETY: as above; concurrent writes through Python are Python's affair, as with every NumPy array.
unsafe impl Sync for Memory {}

impl Memory {
    /// Takes over a result of which nobody else holds a part.
    pub fn new(mut chunk: Chunk) -> EngineResult<Memory> {
        if chunk.view_mut().is_err() || !chunk.view().is_contiguous() {
            let mut copy = Chunk::new(chunk.shape(), chunk.dtype())?;
            chunk.view().copy_to(&mut copy.view_mut()?)?;
            chunk = copy;
        }
        let data = chunk.view_mut()?.data_mut().as_mut_ptr();
        let shape = chunk.shape().iter().map(|&n| n as isize).collect();
        let strides = chunk.view().strides().to_vec();
        Ok(Memory { chunk, data, shape, strides })
    }
}

#[pymethods]
impl Memory {
    /// Name of the element type.
    #[getter]
    fn dtype(&self) -> &'static str {
        self.chunk.dtype().name()
    }

    /// # Safety
    /// Called by the interpreter with a valid view.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, _flags: c_int) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("the view is null"));
        }
        let this = slf.get();
        let dtype = this.chunk.dtype();
        // SAFETY: `view` is valid by the protocol; pointers into `this` live as long as the object, to which `obj` holds a reference.
        unsafe {
            (*view).buf = this.data.cast::<c_void>();
            (*view).len = this.chunk.n_bytes() as isize;
            (*view).itemsize = dtype.size() as isize;
            (*view).readonly = 0;
            (*view).format = format_of(dtype).as_ptr().cast_mut();
            (*view).ndim = this.shape.len() as c_int;
            (*view).shape = this.shape.as_ptr().cast_mut();
            (*view).strides = this.strides.as_ptr().cast_mut();
            (*view).suboffsets = std::ptr::null_mut();
            (*view).internal = std::ptr::null_mut();
            (*view).obj = slf.into_any().into_ptr();
        }
        Ok(())
    }
}

/// The letters of PEP 3118. Brain floats have none and go as 16-bit words.
fn format_of(dtype: DType) -> &'static CStr {
    match dtype {
        DType::Bool => c"?",
        DType::U8 => c"B",
        DType::U16 | DType::BF16 => c"H",
        DType::U32 => c"I",
        DType::U64 => c"Q",
        DType::I8 => c"b",
        DType::I16 => c"h",
        DType::I32 => c"i",
        DType::I64 => c"q",
        DType::F16 => c"e",
        DType::F32 => c"f",
        DType::F64 => c"d",
        DType::C64 => c"Zf",
        DType::C128 => c"Zd",
    }
}
