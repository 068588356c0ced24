//! `true_divide`

use crate::family::map::kernels::alias;

alias!("true_divide", super::divide::DEF, "The same as divide.");
