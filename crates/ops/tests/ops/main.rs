//! Tests over the whole op table. One binary; one module per concern.
#![allow(clippy::unwrap_used, clippy::panic)]

mod kernels;
