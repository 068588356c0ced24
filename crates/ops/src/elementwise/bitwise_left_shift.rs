//! `bitwise_left_shift`

use crate::family::map::kernels::alias;

alias!("bitwise_left_shift", super::left_shift::DEF, "The same as left_shift.");
