//! `bitwise_invert`

use crate::family::map::kernels::alias;

alias!("bitwise_invert", super::invert::DEF, "The same as invert.");
