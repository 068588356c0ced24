//! Real numbers as `f64`. Half-precision floats are widened before they get here.

use voxmill_core::Element;

/// An element that is a real number.
pub trait Real: Element {
    /// The value.
    fn real(self) -> f64;
    /// True for not-a-number.
    fn nan(self) -> bool;
}

macro_rules! float {
    ($($t:ty, $to:expr, $nan:expr);*) => {$(
        impl Real for $t {
            #[inline(always)]
            fn real(self) -> f64 {
                $to(self)
            }
            #[inline(always)]
            fn nan(self) -> bool {
                $nan(self)
            }
        }
    )*};
}

float!(
    f32, |v: f32| f64::from(v), |v: f32| v.is_nan();
    f64, |v: f64| v, |v: f64| v.is_nan()
);
