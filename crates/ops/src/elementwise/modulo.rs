//! `mod`

use crate::family::map::kernels::alias;

alias!("mod", super::remainder::DEF, "The same as remainder.");
