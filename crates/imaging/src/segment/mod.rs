//! Images taken apart into regions, and what becomes of labelled regions.

use voxmill_plan::OpDef;

pub mod area_block;
pub mod expand_labels;
pub mod map_labels;
pub mod neighbours;
pub mod reconstruct_block;
pub mod watershed_block;
pub mod watershed_tile;

/// The ops of this theme.
pub static OPS: &[&OpDef] = &[
    &expand_labels::DEF,
    &map_labels::DEF,
    &area_block::DEF,
    &reconstruct_block::DEF,
    &watershed_block::DEF,
    &watershed_tile::DEF,
];
