//! All integration tests of the stores, in one binary: one suite that every store runs, and what is special to each.

mod errors;
mod fuzz;
mod scratch;
mod suite;
mod zarr;
