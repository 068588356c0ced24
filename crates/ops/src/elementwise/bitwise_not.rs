//! `bitwise_not`

use crate::family::map::kernels::alias;

alias!("bitwise_not", super::invert::DEF, "The same as invert.");
