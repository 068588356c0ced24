//! `conj`

use crate::family::map::kernels::alias;

alias!("conj", super::conjugate::DEF, "The same as conjugate.");
