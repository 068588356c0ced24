//! `zeros`

crate::family::constant::constant!(
    "zeros",
    Zeros,
    0,
    "An array of zeros.",
    "Costs nothing to store: the zeros are made where they are needed."
);
