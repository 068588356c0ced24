//! Operations on images, built like those of the crate `ops` and on its parts: one op is one file, plus one word in its theme's list.
//!
//! - `family/`: what whole groups share: borders and halos, windows, small arrays among the parameters.
//! - `numeric/`: loops; the only place for `unsafe`.
//! - the other folders are themes, as users know them from scipy and scikit-image.
//!
//! It is a crate of its own so that both halves of the catalogue are compiled side by side.

pub mod distance;
pub mod exposure;
pub mod family;
pub mod filter;
pub mod geometry;
pub mod measure;
pub mod morphology;
pub mod numeric;
pub mod restoration;
pub mod ridge;
pub mod segment;
