//! The same elements in another shape or order: indexing, joining, repeating, padding.
//!
//! Most ops here are composites of a few that move boxes: `slice`, `transpose`, `squeeze`, `expand_dims` and `broadcast_to` copy nothing;
//! `concatenate`, `reshape`, `periodic` and `repeat` copy each element once.

use voxmill_plan::OpDef;

pub mod atleast_nd;
pub mod broadcast_to;
pub mod concatenate;
pub mod copy;
pub mod dstack;
pub mod expand_dims;
pub mod flip;
pub mod getitem;
pub mod hstack;
pub mod moveaxis;
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
    &concatenate::DEF,
    &copy::DEF,
    &dstack::DEF,
    &expand_dims::DEF,
    &flip::DEF,
    &getitem::DEF,
    &hstack::DEF,
    &moveaxis::DEF,
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
