//! Tests over the whole op table. One binary; one module per concern.

mod kernels;
