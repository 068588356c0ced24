//! What groups of ops have in common.

pub mod map;
pub mod neighborhood;
pub mod params;
