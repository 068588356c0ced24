//! `empty_like`

crate::family::constant::constant_like!(
    "empty_like",
    EmptyLike,
    0,
    "An array of the shape, chunks and element type of another, whose values do not matter.",
    "The values are zeros, unlike in NumPy. The other array is not read."
);
