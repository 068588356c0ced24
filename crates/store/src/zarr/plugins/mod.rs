//! Codecs of numcodecs that `zarrs` lacks, as plug-ins of it: they can stand in any chain, of either version.

mod delta;
mod lz4;
