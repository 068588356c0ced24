//! One file per command: its flags and what it does.

pub mod completions;
pub mod copy;
pub mod demo;
pub mod eval;
pub mod info;
pub mod ops;
pub mod run;
