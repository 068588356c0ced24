//! All integration tests of the stores, in one binary: one suite that every store runs, and what is special to each.

#![allow(clippy::unwrap_used, clippy::panic)] // A test that fails panics, also in the functions that tests share.

mod errors;
mod fuzz;
mod scratch;
mod suite;
mod zarr;
