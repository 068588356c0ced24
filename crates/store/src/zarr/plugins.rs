//! Codecs of numcodecs that `zarrs` lacks.
