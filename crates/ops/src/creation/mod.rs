//! Arrays from nothing: constants, ranges, random numbers. All of them are functions of the place in the array, so that any box can be
//! made alone.

use voxmill_plan::OpDef;

pub mod arange;
pub mod empty;
pub mod empty_like;
pub mod eye;
pub mod full;
pub mod full_like;
pub mod linspace;
pub mod ones;
pub mod ones_like;
pub mod random_integers;
pub mod random_normal;
pub mod random_poisson;
pub mod random_uniform;
#[cfg(test)]
mod statistics;
pub mod zeros;
pub mod zeros_like;

/// The ops of this theme.
pub static OPS: &[&OpDef] = &[
    &arange::DEF,
    &empty::DEF,
    &empty_like::DEF,
    &eye::DEF,
    &full::DEF,
    &full_like::DEF,
    &linspace::DEF,
    &ones::DEF,
    &ones_like::DEF,
    &random_integers::DEF,
    &random_normal::DEF,
    &random_poisson::DEF,
    &random_uniform::DEF,
    &zeros::DEF,
    &zeros_like::DEF,
];
