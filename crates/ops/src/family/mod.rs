//! What groups of ops have in common.

pub mod map;
pub mod params;
pub mod reduce;
