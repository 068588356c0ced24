//! `ones`

crate::family::constant::constant!("ones", Ones, 1, "An array of ones.", "The ones are made where they are needed.");
