//! `bitwise_right_shift`

use crate::family::map::kernels::alias;

alias!("bitwise_right_shift", super::right_shift::DEF, "The same as right_shift.");
