//! `empty`

crate::family::constant::constant!(
    "empty",
    Empty,
    0,
    "An array whose values do not matter.",
    "The values are zeros: results must not depend on what was in memory before, unlike in NumPy."
);
