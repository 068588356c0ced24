//! The same elements in another shape or order: indexing, joining, repeating, padding.
//!
//! Most ops here are composites of a few that move boxes: `slice`, `transpose`, `squeeze`, `expand_dims` and `broadcast_to` copy nothing;
//! `concatenate`, `reshape`, `periodic` and `repeat` copy each element once.

use voxmill_plan::OpDef;

pub mod atleast_nd;
pub mod broadcast_to;
pub mod coarsen;
pub mod concatenate;
pub mod copy;
pub mod dstack;
pub mod expand_dims;
pub mod extend;
pub mod flip;
pub mod getitem;
pub mod hstack;
pub mod moveaxis;
pub mod pad;
pub mod pad_constant;
pub mod pad_odd;
pub mod pad_ramp;
pub mod periodic;
pub mod ravel;
pub mod rechunk;
pub mod repeat;
pub mod reshape;
pub mod roll;
pub mod rot90;
pub mod slice;
pub mod squeeze;
pub mod stack;
pub mod swapaxes;
pub mod tile;
pub mod transpose;
pub mod vstack;

/// The ops of this theme.
pub static OPS: &[&OpDef] = &[
    &atleast_nd::DEF,
    &broadcast_to::DEF,
    &coarsen::DEF,
    &concatenate::DEF,
    &copy::DEF,
    &dstack::DEF,
    &expand_dims::DEF,
    &extend::DEF,
    &flip::DEF,
    &getitem::DEF,
    &hstack::DEF,
    &moveaxis::DEF,
    &pad::DEF,
    &pad_constant::DEF,
    &pad_odd::DEF,
    &pad_ramp::DEF,
    &periodic::DEF,
    &ravel::DEF,
    &rechunk::DEF,
    &repeat::DEF,
    &reshape::DEF,
    &roll::DEF,
    &rot90::DEF,
    &slice::DEF,
    &squeeze::DEF,
    &stack::DEF,
    &swapaxes::DEF,
    &tile::DEF,
    &transpose::DEF,
    &vstack::DEF,
];
