//! `radians`

use crate::family::map::kernels::alias;

alias!("radians", super::deg2rad::DEF, "The same as deg2rad.");
