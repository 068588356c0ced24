//! Functions of complex numbers with the special values of C99 (annex G), in double precision.
//!
//! Hyperbolic functions follow FreeBSD's libm, inverse ones Kahan's formulas ("Branch cuts for complex elementary functions", 1987),
//! which keep the sign of a zero along the branch cuts.

use voxmill_core::Complex64;

use super::real::Real;

/// Shorthand for a complex number.
#[inline(always)]
fn c(re: f64, im: f64) -> Complex64 {
    Complex64::new(re, im)
}

/// Square root, with the imaginary sign of `z`.
pub fn sqrt(z: Complex64) -> Complex64 {
    let (a, b) = (z.re, z.im);
    if a == 0.0 && b == 0.0 {
        return c(0.0, b);
    }
    if b.is_infinite() {
        return c(f64::INFINITY, b);
    }
    if a.is_nan() {
        return c(a, f64::NAN);
    }
    if a.is_infinite() {
        // Zero, or NaN where the other part is.
        let zero = b * 0.0;
        return if a < 0.0 { c(zero.abs(), a.copysign(b)) } else { c(a, zero.copysign(b)) };
    }
    // Scaling by an exact power of two keeps the sum from overflowing, and tiny values from losing bits.
    let size = a.abs().max(b.abs());
    let (scale, back) = match size {
        s if s > 1e300 => (0.25, 2.0),
        s if s < 1e-290 => (2f64.powi(108), 2f64.powi(-54)),
        _ => (1.0, 1.0),
    };
    let (a, b) = (a * scale, b * scale);
    if a >= 0.0 {
        let t = ((a + a.hypot(b)) * 0.5).sqrt();
        c(t * back, b / (2.0 * t) * back)
    } else {
        let t = ((-a + a.hypot(b)) * 0.5).sqrt();
        c(b.abs() / (2.0 * t) * back, (t * back).copysign(b))
    }
}

/// `exp(x) * (cos(y) + i sin(y)) / 2**halvings` where `exp(x)` alone may overflow.
fn scaled_exp(x: f64, y: f64, halvings: i64) -> Complex64 {
    let half = (x * 0.5).exp();
    let (sin, cos) = y.sin_cos();
    c((half * cos).ldexp(-halvings) * half, (half * sin).ldexp(-halvings) * half)
}

/// Exponential.
pub fn exp(z: Complex64) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if y == 0.0 {
        return c(x.exp(), y);
    }
    if !y.is_finite() {
        return match x {
            f64::NEG_INFINITY => c(0.0, 0.0),
            f64::INFINITY => c(f64::INFINITY, f64::NAN),
            _ => c(f64::NAN, f64::NAN),
        };
    }
    if x > 709.0 && x.is_finite() {
        return scaled_exp(x, y, 0);
    }
    let (sin, cos) = y.sin_cos();
    let size = x.exp();
    c(size * cos, size * sin)
}

/// Logarithm of the absolute value, exact also near 1.
fn log_abs(x: f64, y: f64) -> f64 {
    let (x, y) = (x.abs(), y.abs());
    let (big, small) = if x < y { (y, x) } else { (x, y) };
    if big.is_infinite() || small.is_infinite() {
        return f64::INFINITY;
    }
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if (0.5..2.0).contains(&big) && small < 2.0 {
        // x*x + y*y - 1 with the rounding errors of both squares.
        let (p, q) = (big * big, small * small);
        let rest = big.mul_add(big, -p) + small.mul_add(small, -q);
        return 0.5 * ((p - 1.0) + q + rest).ln_1p();
    }
    if big > 1e300 {
        return (big * 0.25).hypot(small * 0.25).ln() + 2.0 * std::f64::consts::LN_2;
    }
    if big < 1e-290 && big > 0.0 {
        return (big * 2f64.powi(100)).hypot(small * 2f64.powi(100)).ln() - 100.0 * std::f64::consts::LN_2;
    }
    big.hypot(small).ln()
}

/// Logarithm, cut along the negative real axis.
pub fn log(z: Complex64) -> Complex64 {
    c(log_abs(z.re, z.im), z.im.atan2(z.re))
}

/// `log(1 + z)`, exact also for tiny `z`.
pub fn log1p(z: Complex64) -> Complex64 {
    let sum = c(z.re + 1.0, z.im);
    if z.re.abs() < 0.5 && z.im.abs() < 0.5 {
        return c(0.5 * (z.re * (2.0 + z.re) + z.im * z.im).ln_1p(), sum.im.atan2(sum.re));
    }
    log(sum)
}

/// `exp(z) - 1`, also for tiny `z`.
pub fn expm1(z: Complex64) -> Complex64 {
    let half = (z.im * 0.5).sin();
    c(z.re.exp_m1() * z.im.cos() - 2.0 * half * half, z.re.exp() * z.im.sin())
}

/// Hyperbolic cosine.
pub fn cosh(z: Complex64) -> Complex64 {
    let (x, y) = (z.re, z.im);
    match (x.is_finite(), y.is_finite()) {
        (true, true) if y == 0.0 => c(x.cosh(), x * y),
        (true, true) if x.abs() < 22.0 => c(x.cosh() * y.cos(), x.sinh() * y.sin()),
        (true, true) => {
            let w = scaled_exp(x.abs(), y, 1);
            c(w.re, w.im * 1f64.copysign(x))
        }
        (true, false) if x == 0.0 => c(f64::NAN, 0f64.copysign(x)),
        (false, true) if y == 0.0 => c(x * x, 0f64.copysign(x) * y),
        (true, false) => c(f64::NAN, f64::NAN),
        (false, finite) if x.is_infinite() => {
            if finite {
                c(x * x * y.cos(), x * y.sin())
            } else {
                c(f64::INFINITY, f64::NAN)
            }
        }
        _ => c(f64::NAN, f64::NAN),
    }
}

/// Hyperbolic sine.
pub fn sinh(z: Complex64) -> Complex64 {
    let (x, y) = (z.re, z.im);
    match (x.is_finite(), y.is_finite()) {
        (true, true) if y == 0.0 => c(x.sinh(), y),
        (true, true) if x.abs() < 22.0 => c(x.sinh() * y.cos(), x.cosh() * y.sin()),
        (true, true) => {
            let w = scaled_exp(x.abs(), y, 1);
            c(w.re * 1f64.copysign(x), w.im)
        }
        (true, false) if x == 0.0 => c(0f64.copysign(x), f64::NAN),
        (false, true) if y == 0.0 => c(x, y),
        (true, false) => c(f64::NAN, f64::NAN),
        (false, finite) if x.is_infinite() => {
            if finite {
                c(x * y.cos(), f64::INFINITY * y.sin())
            } else {
                c(x, f64::NAN)
            }
        }
        _ => c(f64::NAN, f64::NAN),
    }
}

/// Hyperbolic tangent.
pub fn tanh(z: Complex64) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if x.is_nan() {
        return c(x, if y == 0.0 { y } else { x * y });
    }
    if x.is_infinite() {
        let side = if y.is_infinite() { y } else { y.sin() * y.cos() };
        return c(1f64.copysign(x), 0f64.copysign(side));
    }
    if !y.is_finite() {
        return c(if x == 0.0 { x } else { f64::NAN }, f64::NAN);
    }
    if x.abs() >= 22.0 {
        let decay = (-x.abs()).exp();
        return c(1f64.copysign(x), 4.0 * y.sin() * y.cos() * decay * decay);
    }
    let t = y.tan();
    let beta = 1.0 + t * t;
    let s = x.sinh();
    let rho = (1.0 + s * s).sqrt();
    if t.is_infinite() {
        return c(rho / s, 1.0 / t);
    }
    let denominator = 1.0 + beta * s * s;
    c(beta * rho * s / denominator, t / denominator)
}

/// Sine.
pub fn sin(z: Complex64) -> Complex64 {
    let w = sinh(c(-z.im, z.re));
    c(w.im, -w.re)
}

/// Cosine.
pub fn cos(z: Complex64) -> Complex64 {
    cosh(c(-z.im, z.re))
}

/// Tangent.
pub fn tan(z: Complex64) -> Complex64 {
    let w = tanh(c(-z.im, z.re));
    c(w.im, -w.re)
}

/// Beyond this size 1 does not count next to `z`.
const LARGE: f64 = 9e15;

/// Inverse sine.
pub fn arcsin(z: Complex64) -> Complex64 {
    let w = arcsinh(c(z.im, z.re));
    c(w.im, w.re)
}

/// Inverse hyperbolic sine.
pub fn arcsinh(z: Complex64) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if x.is_nan() || y.is_nan() {
        return match () {
            () if x.is_infinite() => c(x, y),
            () if y.is_infinite() => c(y, f64::NAN),
            () if y == 0.0 => c(x, y),
            () => c(f64::NAN, f64::NAN),
        };
    }
    if x.abs() > LARGE || y.abs() > LARGE {
        let w = log(c(x.abs(), y.abs()));
        return c((w.re + std::f64::consts::LN_2).copysign(x), w.im.copysign(y));
    }
    // asinh(z) is asin with the parts exchanged.
    let (below, above) = (sqrt(c(1.0 - y, -x)), sqrt(c(1.0 + y, x)));
    let re = (below.re * above.im - below.im * above.re).arcsinh();
    let im = y.atan2(below.re * above.re - below.im * above.im);
    c(re, im)
}

/// Inverse cosine.
pub fn arccos(z: Complex64) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if x.is_nan() || y.is_nan() {
        return match () {
            () if x.is_infinite() => c(f64::NAN, f64::NEG_INFINITY),
            () if y.is_infinite() => c(f64::NAN, -y),
            () if x == 0.0 => c(std::f64::consts::FRAC_PI_2, f64::NAN),
            () => c(f64::NAN, f64::NAN),
        };
    }
    if x.abs() > LARGE || y.abs() > LARGE {
        let w = log(z);
        let im = w.re + std::f64::consts::LN_2;
        return c(w.im.abs(), if y.is_sign_negative() { im } else { -im });
    }
    let (below, above) = (sqrt(c(1.0 - x, -y)), sqrt(c(1.0 + x, y)));
    c(2.0 * below.re.atan2(above.re), (above.re * below.im - above.im * below.re).arcsinh())
}

/// Inverse hyperbolic cosine.
pub fn arccosh(z: Complex64) -> Complex64 {
    let w = arccos(z);
    match (w.re.is_nan(), w.im.is_nan()) {
        (true, true) => c(f64::NAN, f64::NAN),
        (true, false) => c(w.im.abs(), f64::NAN),
        (false, true) => c(f64::NAN, f64::NAN),
        (false, false) => c(w.im.abs(), w.re.copysign(z.im)),
    }
}

/// Inverse tangent.
pub fn arctan(z: Complex64) -> Complex64 {
    let w = arctanh(c(z.im, z.re));
    c(w.im, w.re)
}

/// Inverse hyperbolic tangent.
pub fn arctanh(z: Complex64) -> Complex64 {
    let (x, y) = (z.re, z.im);
    let quarter = std::f64::consts::FRAC_PI_2.copysign(y);
    if y == 0.0 && x.abs() <= 1.0 {
        return c(x.arctanh(), y);
    }
    if x == 0.0 {
        return c(x, y.atan());
    }
    if x.is_nan() || y.is_nan() {
        return match () {
            () if x.is_infinite() => c(0f64.copysign(x), f64::NAN),
            () if y.is_infinite() => c(0f64.copysign(x), quarter),
            () => c(f64::NAN, f64::NAN),
        };
    }
    if x.abs() > LARGE || y.abs() > LARGE {
        // The real part of 1 / z, with the larger part divided out first.
        let re = if x.is_infinite() || y.is_infinite() {
            0f64.copysign(x)
        } else if x.abs() > y.abs() {
            1.0 / (x + y / x * y)
        } else {
            (x / y) / (x / y * x + y)
        };
        return c(re, quarter);
    }
    let (ax, gap) = (x.abs(), 1.0 - x.abs());
    let re = 0.25 * (4.0 * ax / (gap * gap + y * y)).ln_1p();
    let im = 0.5 * (2.0 * y).atan2(gap * (1.0 + ax) - y * y);
    c(re.copysign(x), im)
}

/// Power. Whole exponents up to 100 multiply, as NumPy does; others go through the logarithm.
pub fn power(a: Complex64, b: Complex64) -> Complex64 {
    if b.re == 0.0 && b.im == 0.0 {
        return c(1.0, 0.0);
    }
    if a.re == 0.0 && a.im == 0.0 {
        return if b.re > 0.0 { c(0.0, 0.0) } else { c(f64::NAN, f64::NAN) };
    }
    if b.im == 0.0 && b.re.trunc() == b.re && b.re.abs() < 100.0 {
        let (mut base, mut left, mut result) = (a, b.re.abs() as u32, c(1.0, 0.0));
        if left == 1 && b.re > 0.0 {
            return a;
        }
        while left > 0 {
            if left & 1 == 1 {
                result *= base;
            }
            left >>= 1;
            if left > 0 {
                base = base * base;
            }
        }
        return if b.re < 0.0 { c(1.0, 0.0).quotient(result) } else { result };
    }
    exp(b * log(a))
}

/// What kernels need of both complex types.
pub trait Complex: Copy {
    /// The type of the parts.
    type Part;
    /// `self / divisor` by Smith's method, as NumPy; division by zero gives infinities and NaN.
    fn quotient(self, divisor: Self) -> Self;
    /// A part is NaN.
    fn has_nan(self) -> bool;
    /// Lexicographic order; false where a NaN takes part.
    fn less(self, other: Self) -> bool;
    /// As `less`, or equal.
    fn less_equal(self, other: Self) -> bool;
    /// The lexicographically smaller one; NaN wins.
    fn minimum_of(self, other: Self) -> Self;
    /// The lexicographically larger one; NaN wins.
    fn maximum_of(self, other: Self) -> Self;
    /// The lexicographically smaller one; NaN loses.
    fn fmin(self, other: Self) -> Self;
    /// The lexicographically larger one; NaN loses.
    fn fmax(self, other: Self) -> Self;
    /// `self / |self|`; zero stays.
    fn sign(self) -> Self;
}

macro_rules! complex {
    ($t:ident) => {
        impl Complex for num_complex::Complex<$t> {
            type Part = $t;
            #[inline(always)]
            fn quotient(self, divisor: Self) -> Self {
                let (re, im) = (divisor.re.abs(), divisor.im.abs());
                if re >= im {
                    if re == 0.0 && im == 0.0 {
                        return Self::new(self.re / re, self.im / re);
                    }
                    let ratio = divisor.im / divisor.re;
                    let scale = 1.0 / (divisor.re + divisor.im * ratio);
                    Self::new((self.re + self.im * ratio) * scale, (self.im - self.re * ratio) * scale)
                } else {
                    let ratio = divisor.re / divisor.im;
                    let scale = 1.0 / (divisor.im + divisor.re * ratio);
                    Self::new((self.re * ratio + self.im) * scale, (self.im * ratio - self.re) * scale)
                }
            }
            #[inline(always)]
            fn has_nan(self) -> bool {
                self.re.is_nan() || self.im.is_nan()
            }
            #[inline(always)]
            fn less(self, other: Self) -> bool {
                let apart = self.re < other.re && !self.im.is_nan() && !other.im.is_nan();
                apart || (self.re == other.re && self.im < other.im)
            }
            #[inline(always)]
            fn less_equal(self, other: Self) -> bool {
                let apart = self.re < other.re && !self.im.is_nan() && !other.im.is_nan();
                apart || (self.re == other.re && self.im <= other.im)
            }
            #[inline(always)]
            fn minimum_of(self, other: Self) -> Self {
                if self.has_nan() || self.less_equal(other) { self } else { other }
            }
            #[inline(always)]
            fn maximum_of(self, other: Self) -> Self {
                if self.has_nan() || other.less_equal(self) { self } else { other }
            }
            #[inline(always)]
            fn fmin(self, other: Self) -> Self {
                if other.has_nan() || self.less_equal(other) { self } else { other }
            }
            #[inline(always)]
            fn fmax(self, other: Self) -> Self {
                if other.has_nan() || other.less_equal(self) { self } else { other }
            }
            #[inline(always)]
            fn sign(self) -> Self {
                let size = self.re.hypot(self.im);
                if size.is_nan() || (self.re.is_infinite() && self.im.is_infinite()) {
                    Self::new($t::NAN, $t::NAN)
                } else if size.is_infinite() && self.re.is_infinite() {
                    Self::new((1.0 as $t).copysign(self.re), 0.0)
                } else if size.is_infinite() && self.im.is_infinite() {
                    Self::new(0.0, (1.0 as $t).copysign(self.im))
                } else if size == 0.0 {
                    Self::new(0.0, 0.0)
                } else {
                    Self::new(self.re / size, self.im / size)
                }
            }
        }
    };
}

complex!(f32);
complex!(f64);
