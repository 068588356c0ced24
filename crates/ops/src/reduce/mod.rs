//! Reductions, as NumPy names them. [`part`], [`merge`], [`finish`], [`direct`] and the files with two words in their name are the
//! internal ops they are made of; see [`crate::family::reduce`] for how they work together.

use voxmill_plan::OpDef;

pub mod all;
pub mod any;
pub mod argmax;
pub mod argmin;
pub mod bin_count;
pub mod bin_density;
pub mod bin_edges;
pub mod count_nonzero;
pub mod cumprod;
pub mod cumsum;
pub mod direct;
pub mod finish;
pub mod histogram;
pub mod max;
pub mod mean;
pub mod median;
pub mod merge;
pub mod min;
pub mod nanargmax;
pub mod nanargmin;
pub mod nancumprod;
pub mod nancumsum;
pub mod nanmax;
pub mod nanmean;
pub mod nanmedian;
pub mod nanmin;
pub mod nanpercentile;
pub mod nanprod;
pub mod nanquantile;
pub mod nanstd;
pub mod nansum;
pub mod nanvar;
pub mod part;
pub mod percentile;
pub mod prod;
pub mod ptp;
pub mod quantile;
pub mod quantile_lanes;
pub mod scan_finish;
pub mod scan_offsets;
pub mod select_count;
pub mod select_finish;
pub mod select_pick;
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
    &median::DEF.op,
    &quantile::DEF.op,
    &percentile::DEF.op,
    &nanmedian::DEF.op,
    &nanquantile::DEF.op,
    &nanpercentile::DEF.op,
    &cumsum::DEF.op,
    &cumprod::DEF.op,
    &nancumsum::DEF.op,
    &nancumprod::DEF.op,
    &histogram::DEF,
    &histogram::EDGES,
    &histogram::BINCOUNT,
    &part::DEF,
    &merge::DEF,
    &finish::DEF,
    &direct::DEF,
    &scan_offsets::DEF,
    &scan_finish::DEF,
    &quantile_lanes::DEF,
    &select_count::DEF,
    &select_pick::DEF,
    &select_finish::DEF,
    &bin_edges::DEF,
    &bin_count::DEF,
    &bin_density::DEF,
    &bin_edges::LIST,
];

#[cfg(test)]
mod tests;
