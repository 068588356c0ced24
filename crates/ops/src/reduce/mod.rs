//! Reductions, as NumPy names them. [`part`], [`merge`], [`finish`] and [`direct`] are the internal ops they are made of; see
//! [`crate::family::reduce`] for how they work together.

use voxmill_plan::OpDef;

pub mod all;
pub mod any;
pub mod argmax;
pub mod argmin;
pub mod count_nonzero;
pub mod direct;
pub mod finish;
pub mod max;
pub mod mean;
pub mod merge;
pub mod min;
pub mod nanargmax;
pub mod nanargmin;
pub mod nanmax;
pub mod nanmean;
pub mod nanmin;
pub mod nanprod;
pub mod nanstd;
pub mod nansum;
pub mod nanvar;
pub mod part;
pub mod prod;
pub mod ptp;
pub mod std;
pub mod sum;
pub mod var;

/// The ops of this theme.
pub static OPS: &[&OpDef] = &[
    &sum::DEF.op,
    &prod::DEF.op,
    &mean::DEF.op,
    &var::DEF.op,
    &std::DEF.op,
    &min::DEF.op,
    &max::DEF.op,
    &ptp::DEF.op,
    &argmin::DEF.op,
    &argmax::DEF.op,
    &any::DEF.op,
    &all::DEF.op,
    &count_nonzero::DEF.op,
    &nansum::DEF.op,
    &nanprod::DEF.op,
    &nanmean::DEF.op,
    &nanvar::DEF.op,
    &nanstd::DEF.op,
    &nanmin::DEF.op,
    &nanmax::DEF.op,
    &nanargmin::DEF.op,
    &nanargmax::DEF.op,
    &part::DEF,
    &merge::DEF,
    &finish::DEF,
    &direct::DEF,
];
