//! Exponential and logarithm in single precision without branches, so that their loops vectorise. Reductions and polynomials are those
//! of Cephes' `expf` and `logf`; the tests hold them to 2 units in the last place.
#![allow(clippy::excessive_precision)] // The published digits.

/// `sqrt(a**2 + b**2)`, in double precision, where squares neither overflow nor vanish; infinity wins over NaN.
#[inline(always)]
pub fn hypot(a: f32, b: f32) -> f32 {
    let (x, y) = (f64::from(a), f64::from(b));
    let length = (x * x + y * y).sqrt() as f32;
    if a.is_infinite() || b.is_infinite() { f32::INFINITY } else { length }
}

/// `exp(x)`.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    // Beyond these bounds the result is infinity or zero; inside, the exponent fits two factors.
    let bounded = if x > 89.0 { 89.0 } else { x };
    let bounded = if bounded < -104.0 { -104.0 } else { bounded };
    let shifted = bounded * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = bounded - n * LN2_HIGH - n * LN2_LOW;
    let mut p = 1.987_569_150_0e-4f32;
    p = p * r + 1.398_199_950_7e-3;
    p = p * r + 8.333_451_907_3e-3;
    p = p * r + 4.166_579_589_4e-2;
    p = p * r + 1.666_666_545_9e-1;
    p = p * r + 5.000_000_120_1e-1;
    let value = p * (r * r) + r + 1.0;
    // In two steps, as 2**n alone would overflow or lose its last bits.
    let n = (shifted.to_bits() as i32).wrapping_sub(ROUND.to_bits() as i32);
    let half = n >> 1;
    value * power_of_two(half) * power_of_two(n.wrapping_sub(half))
}

/// `ln(x)`.
#[inline(always)]
pub fn ln(x: f32) -> f32 {
    let tiny = x < f32::MIN_POSITIVE;
    let scaled = if tiny { x * 8_388_608.0 } else { x };
    // The mantissa from sqrt(1/2) to sqrt(2), and its exponent.
    let bits = (scaled.to_bits() as i32).wrapping_sub(0x3f35_04f3);
    let e = (bits >> 23) as f32 - if tiny { 23.0 } else { 0.0 };
    let m = f32::from_bits(((bits & 0x007f_ffff).wrapping_add(0x3f35_04f3)) as u32) - 1.0;
    let z = m * m;
    let mut p = 7.037_683_629_2e-2f32;
    p = p * m - 1.151_461_031_0e-1;
    p = p * m + 1.167_699_874_0e-1;
    p = p * m - 1.242_014_084_6e-1;
    p = p * m + 1.424_932_278_7e-1;
    p = p * m - 1.666_805_766_5e-1;
    p = p * m + 2.000_071_476_5e-1;
    p = p * m - 2.499_999_399_3e-1;
    p = p * m + 3.333_333_117_4e-1;
    let rest = p * m * z + e * LN2_LOW - 0.5 * z;
    let value = m + rest + e * LN2_HIGH;
    let value = if x == f32::INFINITY { x } else { value };
    let value = if x == 0.0 { f32::NEG_INFINITY } else { value };
    if x < 0.0 || x.is_nan() { f32::NAN } else { value }
}

/// Adding this rounds to a whole number, which then stands in the low bits.
const ROUND: f32 = 12_582_912.0;
/// The leading bits of ln 2: its product with an exponent is exact.
const LN2_HIGH: f32 = 0.693_359_4;
/// The rest of ln 2.
const LN2_LOW: f32 = -2.121_944_4e-4;

/// `2**n` for -126 <= n <= 127.
#[inline(always)]
fn power_of_two(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) as u32) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ulps(got: f32, exact: f64) -> f64 {
        let near = exact as f32;
        if got == near || (got.is_nan() && near.is_nan()) {
            return 0.0;
        }
        let unit = f64::from((near.abs().next_up() - near.abs()).max(f32::from_bits(1)));
        (f64::from(got) - exact).abs() / unit
    }

    #[test]
    fn within_two_units_in_the_last_place() {
        for bits in (0..=u32::MAX).step_by(997) {
            let x = f32::from_bits(bits);
            assert!(ulps(exp(x), f64::from(x).exp()) <= 2.0, "exp({x:e}) = {:e}", exp(x));
            assert!(ulps(ln(x), f64::from(x).ln()) <= 2.0, "ln({x:e}) = {:e}", ln(x));
        }
        for x in
            [0.0, -0.0, 1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN_POSITIVE, f32::from_bits(1)]
        {
            assert!(ulps(exp(x), f64::from(x).exp()) <= 2.0, "exp({x:e}) = {:e}", exp(x));
            assert!(ulps(ln(x), f64::from(x).ln()) <= 2.0, "ln({x:e}) = {:e}", ln(x));
        }
    }
}
