//! Objects: what belongs together, and what can be said of it.
//!
//! Objects reach across tiles, so their ops have three parts: [`label_part`] numbers the components of each block for itself,
//! [`label_rows`] and [`label_seams`] list what is known of them and which touch across the borders of blocks, [`label_merge`] joins the lists, and
//! [`label_finish`] gives every element what its object got. Lists are rows ([`voxmill_plan::Rows`]): as long as there are objects.

use voxmill_plan::OpDef;

pub mod blocks;
pub mod contact_rows;
pub mod contact_table;
pub mod label;
pub mod label_count;
pub mod label_finish;
pub mod label_merge;
pub mod label_part;
pub mod label_rows;
pub mod label_seams;
pub mod label_values;
pub mod label_wrap;
pub mod n_labels;
pub mod region_outlines;
pub mod region_rows;
pub mod region_table;

/// The ops of this theme.
pub static OPS: &[&OpDef] = &[
    &label::DEF,
    &n_labels::DEF,
    &label_values::DEF,
    &label_values::NUMBER,
    &label_count::DEF,
    &label_part::DEF,
    &label_rows::DEF,
    &label_seams::DEF,
    &label_wrap::DEF,
    &label_merge::DEF,
    &label_finish::DEF,
    &region_rows::DEF,
    &region_outlines::DEF,
    &region_table::DEF,
    &contact_rows::DEF,
    &contact_table::DEF,
];
