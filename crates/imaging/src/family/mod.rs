//! What groups of these ops have in common.

pub mod compose;
pub mod grid;
pub mod neighborhood;
pub mod window;
