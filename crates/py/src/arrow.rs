//! Tables for others, without copying: the C data interface of Apache Arrow, in a capsule as `__arrow_c_stream__` gives it.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// `ArrowSchema` of the C data interface.
#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private: *mut c_void,
}

/// `ArrowArray` of the C data interface.
#[repr(C)]
struct Values {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Values,
    dictionary: *mut Values,
    release: Option<unsafe extern "C" fn(*mut Values)>,
    private: *mut c_void,
}

/// `ArrowArrayStream` of the C stream interface.
#[repr(C)]
struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Values) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private: *mut c_void,
}

/// A column: its name, its type in Arrow's letters, and memory of Python objects that it lies in.
struct Column {
    name: CString,
    format: CString,
    length: usize,
    nulls: usize,
    buffers: Vec<Option<PyUntypedBuffer>>,
}

struct Table {
    columns: Vec<Column>,
    n_rows: usize,
}

/// What a stream has: a table, which it gives once.
struct Source {
    table: Arc<Table>,
    given: bool,
}

// SAFETY: the pointers lead to memory that only this value owns, and the buffers of Python objects may be held and let go by any thread.
unsafe impl Send for Stream {}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the function was made for this stream, and nobody has released it: it would be gone from its place.
            unsafe { release(self) };
        }
    }
}

/// What a schema owns.
struct OwnSchema {
    _format: CString,
    _name: CString,
    children: Vec<*mut Schema>,
}

fn schema(format: CString, name: CString, children: Vec<Schema>) -> Schema {
    let children = children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect();
    let mut own = Box::new(OwnSchema { _format: format, _name: name, children });
    Schema {
        format: own._format.as_ptr(),
        name: own._name.as_ptr(),
        metadata: null(),
        // Values may be missing.
        flags: 2,
        n_children: own.children.len() as i64,
        children: own.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release_schema),
        private: Box::into_raw(own).cast(),
    }
}

unsafe extern "C" fn release_schema(this: *mut Schema) {
    // SAFETY: callers give a schema that was made by `schema` and not released; what it owns came from boxes, given back once: its
    // `release` is gone afterwards, as is that of children which somebody took out.
    unsafe {
        let own = Box::from_raw((*this).private.cast::<OwnSchema>());
        for &child in &own.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
        (*this).release = None;
    }
}

/// What values own: the table whose memory they lie in.
struct OwnValues {
    _table: Arc<Table>,
    buffers: Vec<*const c_void>,
    children: Vec<*mut Values>,
}

fn values(
    table: &Arc<Table>,
    length: usize,
    nulls: usize,
    buffers: Vec<*const c_void>,
    children: Vec<Values>,
) -> Values {
    let children = children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect();
    let mut own = Box::new(OwnValues { _table: table.clone(), buffers, children });
    Values {
        length: length as i64,
        null_count: nulls as i64,
        offset: 0,
        n_buffers: own.buffers.len() as i64,
        n_children: own.children.len() as i64,
        buffers: own.buffers.as_mut_ptr(),
        children: own.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release_values),
        private: Box::into_raw(own).cast(),
    }
}

unsafe extern "C" fn release_values(this: *mut Values) {
    // SAFETY: as for `release_schema`.
    unsafe {
        let own = Box::from_raw((*this).private.cast::<OwnValues>());
        for &child in &own.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
        (*this).release = None;
    }
}

unsafe extern "C" fn get_schema(this: *mut Stream, out: *mut Schema) -> c_int {
    // SAFETY: callers give a stream of ours that is not released, and a place for a schema.
    unsafe {
        let source = &*(*this).private.cast::<Source>();
        let children =
            source.table.columns.iter().map(|c| schema(c.format.clone(), c.name.clone(), Vec::new())).collect();
        out.write(schema(c"+s".into(), c"".into(), children));
    }
    0
}

unsafe extern "C" fn get_next(this: *mut Stream, out: *mut Values) -> c_int {
    // SAFETY: callers give a stream of ours that is not released, and a place for values.
    unsafe {
        let source = &mut *(*this).private.cast::<Source>();
        let table = &source.table;
        let start = |buffer: &Option<PyUntypedBuffer>| buffer.as_ref().map_or(null(), |b| b.buf_ptr().cast_const());
        let column = |c: &Column| values(table, c.length, c.nulls, c.buffers.iter().map(start).collect(), Vec::new());
        let mut next = values(table, table.n_rows, 0, vec![null()], table.columns.iter().map(column).collect());
        if source.given {
            // The end: values that are released already.
            release_values(&raw mut next);
        }
        source.given = true;
        out.write(next);
    }
    0
}

unsafe extern "C" fn get_last_error(_this: *mut Stream) -> *const c_char {
    null()
}

unsafe extern "C" fn release_stream(this: *mut Stream) {
    // SAFETY: callers give a stream of ours that is not released.
    unsafe {
        drop(Box::from_raw((*this).private.cast::<Source>()));
        (*this).release = None;
    }
}

/// Name, type, elements, elements that are missing, and buffers of a column.
type Given<'py> = (String, String, usize, usize, Vec<Option<Bound<'py, PyAny>>>);

/// Columns as a stream of Arrow: name, type, elements, elements that are missing, and the buffers of each, as Arrow wants them.
#[pyfunction]
pub fn arrow_stream<'py>(py: Python<'py>, columns: Vec<Given<'py>>, n_rows: usize) -> PyResult<Bound<'py, PyCapsule>> {
    let text = |text: String| CString::new(text).map_err(|_| PyValueError::new_err("a name has a zero byte in it"));
    let column = |(name, format, length, nulls, buffers): Given<'py>| {
        let hold = |object: Option<Bound<'py, PyAny>>| object.map(|object| PyUntypedBuffer::get(&object)).transpose();
        let buffers = buffers.into_iter().map(hold).collect::<PyResult<_>>()?;
        Ok(Column { name: text(name)?, format: text(format)?, length, nulls, buffers })
    };
    let columns = columns.into_iter().map(column).collect::<PyResult<_>>()?;
    let source = Source { table: Arc::new(Table { columns, n_rows }), given: false };
    let stream = Stream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release_stream),
        private: Box::into_raw(Box::new(source)).cast(),
    };
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}
