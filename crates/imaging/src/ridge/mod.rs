//! Ridges: tubes, vessels and neurites, from the second derivatives of an image at several scales.

use voxmill_plan::OpDef;

pub mod eigen_map;
pub mod frangi;
pub mod meijering;
pub mod sato;
pub mod scales;

/// The ops of this theme.
pub static OPS: &[&OpDef] = &[&sato::DEF, &frangi::DEF, &meijering::DEF, &eigen_map::DEF];
