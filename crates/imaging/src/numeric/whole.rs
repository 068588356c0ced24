//! Real numbers as whole ones, in loops.
#![allow(unsafe_code)]

/// A real number that can be cut off to a whole one.
pub trait Whole: Copy {
    /// The whole part; beyond the range of `i32`, and for NaN, an end of that range. Unlike a cast, which asks for zero in place of NaN,
    /// this is a vector instruction.
    fn whole(self) -> i32;
}

impl Whole for f64 {
    #[inline(always)]
    fn whole(self) -> i32 {
        let low = if self > -2147483648.0 { self } else { -2147483648.0 };
        let inside = if low < 2147483647.0 { low } else { 2147483647.0 };
        // SAFETY: a number between both ends of i32.
        unsafe { inside.to_int_unchecked() }
    }
}

impl Whole for f32 {
    #[inline(always)]
    fn whole(self) -> i32 {
        let low = if self > -2147483648.0 { self } else { -2147483648.0 };
        // The largest number of this type below the end.
        let inside = if low < 2147483520.0 { low } else { 2147483520.0 };
        // SAFETY: a number between both ends of i32.
        unsafe { inside.to_int_unchecked() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_a_cast_does() {
        for v in [0.0, -0.9, 1.99, 255.5, -3.2, 2147483646.9, -2147483648.0, 1e300, -1e300, f64::INFINITY] {
            assert_eq!(v.whole(), v as i32, "{v}");
        }
        assert_eq!(f64::NAN.whole() as u16, 0);
        for v in [0.0f32, -0.9, 1.99, 65535.5, 2147483520.0, -2147483648.0] {
            assert_eq!(v.whole(), v as i32, "{v}");
        }
    }
}
