//! `voxmill._native`: the engine for Python. Conversions and the interpreter's lock are all that is done here; what arrays mean is in
//! the engine, and what Python users see is in `python/voxmill`.

mod arrow;
mod compute;
mod error;
mod expr;
mod host;
mod memory;
mod output;
mod pickle;
mod tables;
mod threads;
mod value;

use pyo3::prelude::*;

/// The engine of Voxmill.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<expr::Expr>()?;
    module.add_class::<memory::Memory>()?;
    module.add_class::<compute::Limits>()?;
    module.add_function(wrap_pyfunction!(expr::call, module)?)?;
    module.add_function(wrap_pyfunction!(expr::ops, module)?)?;
    module.add_function(wrap_pyfunction!(expr::open, module)?)?;
    module.add_function(wrap_pyfunction!(expr::scalar, module)?)?;
    module.add_function(wrap_pyfunction!(expr::from_memory, module)?)?;
    module.add_function(wrap_pyfunction!(host::host_call, module)?)?;
    module.add_function(wrap_pyfunction!(host::host_store, module)?)?;
    module.add_function(wrap_pyfunction!(compute::compute, module)?)?;
    module.add_function(wrap_pyfunction!(compute::persist, module)?)?;
    module.add_function(wrap_pyfunction!(tables::region_table, module)?)?;
    module.add_function(wrap_pyfunction!(tables::contact_table, module)?)?;
    module.add_function(wrap_pyfunction!(tables::convex_hull, module)?)?;
    module.add_function(wrap_pyfunction!(tables::fill_holes, module)?)?;
    module.add_function(wrap_pyfunction!(arrow::arrow_stream, module)?)?;
    module.add_function(wrap_pyfunction!(compute::explain, module)?)?;
    module.add_function(wrap_pyfunction!(compute::plan_stages, module)?)?;
    module.add_function(wrap_pyfunction!(output::write_new, module)?)?;
    module.add_function(wrap_pyfunction!(output::write_into, module)?)?;
    module.add_function(wrap_pyfunction!(output::describe, module)?)?;
    module.add_function(wrap_pyfunction!(pickle::rebuild, module)?)?;
    module.add_function(wrap_pyfunction!(cli, module)?)?;
    Ok(())
}

/// Runs the command line and gives its exit code.
#[pyfunction]
fn cli(py: Python<'_>, words: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| voxmill_cli::run(words))
}
