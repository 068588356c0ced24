//! Functions of real numbers that the standard library lacks or computes less exactly, with NumPy's special cases.

/// A float in which kernels compute.
pub trait Real: Copy {
    /// Exponential, in a form that vectorises for `f32`.
    fn exponential(self) -> Self;
    /// Natural logarithm, in a form that vectorises for `f32`.
    fn logarithm(self) -> Self;
    /// Inverse hyperbolic sine.
    fn arcsinh(self) -> Self;
    /// Inverse hyperbolic cosine; NaN below 1.
    fn arccosh(self) -> Self;
    /// Inverse hyperbolic tangent; NaN beyond -1 and 1.
    fn arctanh(self) -> Self;
    /// The largest whole number not above the quotient, exact also where the quotient itself rounds up to it.
    fn floor_divide(self, divisor: Self) -> Self;
    /// The remainder with the sign of the divisor.
    fn remainder(self, divisor: Self) -> Self;
    /// `log(exp(a) + exp(b))` without overflow.
    fn logaddexp(self, other: Self) -> Self;
    /// `log2(2**a + 2**b)` without overflow.
    fn logaddexp2(self, other: Self) -> Self;
    /// `self * 2**exponent`, rounded once.
    fn ldexp(self, exponent: i64) -> Self;
    /// The next value towards `target`.
    fn nextafter(self, target: Self) -> Self;
    /// The distance to the next value away from zero, with the sign of the step.
    fn spacing(self) -> Self;
    /// -1, 0 or 1; NaN stays.
    fn sign(self) -> Self;
    /// 0 below zero, 1 above, `at_zero` at zero; NaN stays.
    fn heaviside(self, at_zero: Self) -> Self;
    /// `sqrt(self**2 + other**2)` without overflow; infinity wins over NaN.
    fn hypotenuse(self, other: Self) -> Self;
    /// The smaller one; NaN wins.
    fn minimum_of(self, other: Self) -> Self;
    /// The larger one; NaN wins.
    fn maximum_of(self, other: Self) -> Self;
    /// The smaller one; NaN loses.
    fn fmin(self, other: Self) -> Self;
    /// The larger one; NaN loses.
    fn fmax(self, other: Self) -> Self;
}

macro_rules! real {
    ($t:ident, $bits:ty, $huge:expr, $max_exponent:expr, $exp:expr, $ln:expr, $hypot:expr) => {
        impl Real for $t {
            #[inline(always)]
            fn exponential(self) -> $t {
                $exp(self)
            }
            #[inline(always)]
            fn logarithm(self) -> $t {
                $ln(self)
            }
            #[inline(always)]
            fn arcsinh(self) -> $t {
                let x = self.abs();
                let value = if x > $huge {
                    x.ln() + std::$t::consts::LN_2
                } else if x > 2.0 {
                    (2.0 * x + 1.0 / ((x * x + 1.0).sqrt() + x)).ln()
                } else {
                    (x + x * x / (1.0 + (x * x + 1.0).sqrt())).ln_1p()
                };
                value.copysign(self)
            }
            #[inline(always)]
            fn arccosh(self) -> $t {
                let x = self;
                if x < 1.0 {
                    $t::NAN
                } else if x > $huge {
                    x.ln() + std::$t::consts::LN_2
                } else if x > 2.0 {
                    (2.0 * x - 1.0 / (x + (x * x - 1.0).sqrt())).ln()
                } else {
                    let t = x - 1.0;
                    (t + (2.0 * t + t * t).sqrt()).ln_1p()
                }
            }
            #[inline(always)]
            fn arctanh(self) -> $t {
                let x = self.abs();
                let twice = x + x;
                let inner = if x < 0.5 { twice + twice * x / (1.0 - x) } else { twice / (1.0 - x) };
                (0.5 * inner.ln_1p()).copysign(self)
            }
            #[inline(always)]
            fn floor_divide(self, divisor: $t) -> $t {
                if divisor == 0.0 {
                    return self / divisor;
                }
                let rest = self % divisor;
                let mut quotient = (self - rest) / divisor;
                if rest != 0.0 && (divisor < 0.0) != (rest < 0.0) {
                    quotient -= 1.0;
                }
                if quotient == 0.0 {
                    return (0.0 as $t).copysign(self / divisor);
                }
                let floor = quotient.floor();
                if quotient - floor > 0.5 { floor + 1.0 } else { floor }
            }
            #[inline(always)]
            fn remainder(self, divisor: $t) -> $t {
                let rest = self % divisor;
                if rest == 0.0 {
                    (0.0 as $t).copysign(divisor)
                } else if (divisor < 0.0) != (rest < 0.0) && !rest.is_nan() {
                    rest + divisor
                } else {
                    rest
                }
            }
            #[inline(always)]
            fn logaddexp(self, other: $t) -> $t {
                if self == other {
                    return self + std::$t::consts::LN_2;
                }
                let gap = self - other;
                if gap > 0.0 {
                    self + (-gap).exp().ln_1p()
                } else if gap <= 0.0 {
                    other + gap.exp().ln_1p()
                } else {
                    gap
                }
            }
            #[inline(always)]
            fn logaddexp2(self, other: $t) -> $t {
                if self == other {
                    return self + 1.0;
                }
                let gap = self - other;
                if gap > 0.0 {
                    self + std::$t::consts::LOG2_E * (-gap).exp2().ln_1p()
                } else if gap <= 0.0 {
                    other + std::$t::consts::LOG2_E * gap.exp2().ln_1p()
                } else {
                    gap
                }
            }
            #[inline(always)]
            fn ldexp(self, exponent: i64) -> $t {
                // In steps of exact powers of two; only the last step may round, as the first two keep the value normal.
                let bias = $max_exponent as i64;
                let power = |e: i64| <$t>::from_bits(((e + bias) as $bits) << (<$t>::MANTISSA_DIGITS - 1));
                let mut value = self;
                let mut left = exponent.clamp(-4 * bias, 4 * bias);
                while left > bias {
                    value *= power(bias);
                    left -= bias;
                }
                // A step down that leaves the mantissa its room above the smallest normal number.
                let down = bias - 1 - <$t>::MANTISSA_DIGITS as i64;
                while left < -(bias - 1) {
                    value *= power(-down);
                    left += down;
                }
                value * power(left)
            }
            #[inline(always)]
            fn nextafter(self, target: $t) -> $t {
                if self.is_nan() || target.is_nan() {
                    self + target
                } else if self == target {
                    target
                } else if self < target {
                    self.next_up()
                } else {
                    self.next_down()
                }
            }
            #[inline(always)]
            fn spacing(self) -> $t {
                if !self.is_finite() {
                    $t::NAN
                } else if self < 0.0 {
                    self.next_down() - self
                } else {
                    self.next_up() - self
                }
            }
            #[inline(always)]
            fn sign(self) -> $t {
                let sign = (self > 0.0) as i8 as $t - (self < 0.0) as i8 as $t;
                if self.is_nan() { self } else { sign }
            }
            #[inline(always)]
            fn heaviside(self, at_zero: $t) -> $t {
                let step = if self < 0.0 { 0.0 } else { 1.0 };
                if self.is_nan() {
                    self
                } else if self == 0.0 {
                    at_zero
                } else {
                    step
                }
            }
            #[inline(always)]
            fn hypotenuse(self, other: $t) -> $t {
                $hypot(self, other)
            }
            #[inline(always)]
            fn minimum_of(self, other: $t) -> $t {
                if self <= other || self.is_nan() { self } else { other }
            }
            #[inline(always)]
            fn maximum_of(self, other: $t) -> $t {
                if self >= other || self.is_nan() { self } else { other }
            }
            #[inline(always)]
            fn fmin(self, other: $t) -> $t {
                if self <= other || other.is_nan() { self } else { other }
            }
            #[inline(always)]
            fn fmax(self, other: $t) -> $t {
                if self >= other || other.is_nan() { self } else { other }
            }
        }
    };
}

real!(f32, u32, 2.6e8, 127, super::single::exp, super::single::ln, super::single::hypot);
real!(f64, u64, 2.6e8, 1023, f64::exp, f64::ln, f64::hypot);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ldexp_rounds_once_and_never_overflows_on_the_way() {
        assert_eq!(1.5f64.ldexp(4), 24.0);
        assert_eq!(5e-324f64.ldexp(2000), 5e-324 * 2f64.powi(1000) * 2f64.powi(1000));
        assert_eq!(f64::MAX.ldexp(-2000).ldexp(2000), f64::MAX.ldexp(-2000) * 2f64.powi(1000) * 2f64.powi(1000));
        assert_eq!(f64::MAX.ldexp(-2200), 0.0);
        assert_eq!(1.0f64.ldexp(i64::MAX), f64::INFINITY);
        assert_eq!(1.0f64.ldexp(i64::MIN), 0.0);
        assert_eq!(1.0f32.ldexp(-149), f32::from_bits(1));
        // 1.5 units of the smallest number: a tie that two roundings would push the wrong way.
        assert_eq!((1.0f64 + f64::EPSILON).ldexp(-1075), 5e-324);
    }

    #[test]
    fn floor_division_follows_python() {
        assert_eq!(7.0f64.floor_divide(-2.0), -4.0);
        assert_eq!((-7.0f64).remainder(2.0), 1.0);
        assert_eq!(1.0f64.floor_divide(0.1), 9.0);
        assert!(1.0f64.remainder(0.0).is_nan());
        assert_eq!(1.0f64.floor_divide(0.0), f64::INFINITY);
        assert!((-0.0f64).remainder(-3.0).is_sign_negative());
    }
}
