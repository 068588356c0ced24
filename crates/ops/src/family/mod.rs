//! What groups of ops have in common.

pub mod boxes;
pub mod composite;
pub mod constant;
pub mod map;
pub mod params;
pub mod philox;
pub mod reduce;
