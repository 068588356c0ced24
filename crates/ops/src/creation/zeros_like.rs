//! `zeros_like`

crate::family::constant::constant_like!(
    "zeros_like",
    ZerosLike,
    0,
    "An array of zeros with the shape, chunks and element type of another.",
    "The other array is not read."
);
