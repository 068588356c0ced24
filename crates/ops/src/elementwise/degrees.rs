//! `degrees`

use crate::family::map::kernels::alias;

alias!("degrees", super::rad2deg::DEF, "The same as rad2deg.");
