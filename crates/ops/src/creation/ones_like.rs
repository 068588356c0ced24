//! `ones_like`

crate::family::constant::constant_like!(
    "ones_like",
    OnesLike,
    1,
    "An array of ones with the shape, chunks and element type of another.",
    "The other array is not read."
);
