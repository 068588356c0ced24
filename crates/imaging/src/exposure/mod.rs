//! Brightness: ranges, curves, equalisation, thresholds.

use voxmill_plan::OpDef;

pub mod adjust;
pub mod adjust_gamma;
pub mod adjust_log;
pub mod adjust_sigmoid;
pub mod bins;
pub mod byte_table;
pub mod equalize_adapthist;
pub mod equalize_by;
pub mod equalize_hist;
pub mod expect_values;
pub mod img_as_float;
pub mod local_curves;
pub mod local_equalize;
pub mod local_threshold;
pub mod rescale_intensity;
pub mod threshold;
pub mod threshold_isodata;
pub mod threshold_li;
pub mod threshold_minimum;
pub mod threshold_multiotsu;
pub mod threshold_niblack;
pub mod threshold_otsu;
pub mod threshold_sauvola;
pub mod threshold_triangle;
pub mod threshold_yen;
pub mod thresholds_of_counts;

/// The ops of this theme.
pub static OPS: &[&OpDef] = &[
    &img_as_float::DEF,
    &rescale_intensity::DEF,
    &adjust_gamma::DEF,
    &adjust_log::DEF,
    &adjust_sigmoid::DEF,
    &equalize_hist::DEF,
    &equalize_adapthist::DEF,
    &threshold_otsu::DEF,
    &threshold_multiotsu::DEF,
    &threshold_yen::DEF,
    &threshold_isodata::DEF,
    &threshold_triangle::DEF,
    &threshold_minimum::DEF,
    &threshold_li::DEF,
    &threshold_niblack::DEF,
    &threshold_sauvola::DEF,
    &threshold::DEF,
    &thresholds_of_counts::DEF,
    &equalize_by::DEF,
    &local_curves::DEF,
    &local_equalize::DEF,
    &expect_values::DEF,
    &byte_table::DEF,
];
