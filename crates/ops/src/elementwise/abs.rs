//! `abs`

use crate::family::map::kernels::alias;

alias!("abs", super::absolute::DEF, "The same as absolute.");
