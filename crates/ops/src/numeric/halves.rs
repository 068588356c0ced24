//! Half floats as `f32` and back, without branches, so that loops over them vectorise.
//!
//! The conversions of the `half` crate ask for the instruction set once per element and, from `f64`, round twice.

use voxmill_core::{bf16, f16};

/// A 16-bit float whose arithmetic is done in `f32`.
pub trait Half: Copy {
    /// The same value as `f32`.
    fn up(self) -> f32;
    /// The nearest value, ties to even.
    fn down(value: f32) -> Self;
    /// The nearest value, rounded once.
    #[inline(always)]
    fn down_f64(value: f64) -> Self
    where
        Self: Sized,
    {
        Self::down(round_to_odd(value))
    }
}

impl Half for f16 {
    #[inline(always)]
    fn up(self) -> f32 {
        let word = u32::from(self.to_bits()) << 16;
        let (sign, twice) = (word & 0x8000_0000, word.wrapping_add(word));
        let normal = f32::from_bits((twice >> 4) + (0xe0 << 23)) * f32::from_bits(0x0780_0000);
        let subnormal = f32::from_bits((twice >> 17) | (126 << 23)) - 0.5;
        let magnitude = if twice < (1 << 27) { subnormal } else { normal };
        f32::from_bits(sign | magnitude.to_bits())
    }

    #[inline(always)]
    fn down(value: f32) -> Self {
        // Scaling up saturates what is too large; adding a power of two rounds at the right bit.
        let scaled = (value.abs() * f32::from_bits(0x7780_0000)) * f32::from_bits(0x0880_0000);
        let word = value.to_bits();
        let twice = word.wrapping_add(word);
        let bias = (twice & 0xff00_0000).max(0x7100_0000);
        let bits = (f32::from_bits((bias >> 1) + 0x0780_0000) + scaled).to_bits();
        let magnitude = ((bits >> 13) & 0x7c00) + (bits & 0x0fff);
        let magnitude = if twice > 0xff00_0000 { 0x7e00 } else { magnitude };
        f16::from_bits((((word & 0x8000_0000) >> 16) | magnitude) as u16)
    }
}

impl Half for bf16 {
    #[inline(always)]
    fn up(self) -> f32 {
        f32::from_bits(u32::from(self.to_bits()) << 16)
    }

    #[inline(always)]
    fn down(value: f32) -> Self {
        let word = value.to_bits();
        let rounded = word.wrapping_add(0x7fff + ((word >> 16) & 1)) >> 16;
        let quiet_nan = (word >> 16) | 0x40;
        bf16::from_bits(if value.is_nan() { quiet_nan } else { rounded } as u16)
    }
}

/// `value` as `f32` such that a second rounding to a shorter format gives the nearest value: what does not fit leaves its trace in the
/// last bit.
#[inline(always)]
fn round_to_odd(value: f64) -> f32 {
    let near = value as f32;
    let back = f64::from(near);
    let exact = back == value || value.is_nan();
    let toward_zero = near.to_bits().wrapping_sub(u32::from(back.abs() > value.abs()));
    f32::from_bits(if exact { near.to_bits() } else { toward_zero | 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives_and_every_rounding_is_to_the_nearest() {
        for bits in 0..=u16::MAX {
            let half = f16::from_bits(bits);
            if half.is_nan() {
                assert!(half.up().is_nan() && f16::down(half.up()).is_nan());
                continue;
            }
            assert_eq!(half.up().to_bits(), half.to_f32_const().to_bits());
            assert_eq!(f16::down(half.up()).to_bits(), bits);
            let brain = bf16::from_bits(bits);
            if !brain.is_nan() {
                assert_eq!(bf16::down(brain.up()).to_bits(), bits);
            }
        }
        // Halfway between two halves, and a little above: only one rounding may happen.
        let tie = 1.0 + 2f64.powi(-11);
        assert_eq!(f16::down_f64(tie).to_bits(), 0x3c00);
        assert_eq!(f16::down_f64(tie + 2f64.powi(-40)).to_bits(), 0x3c01);
        assert_eq!(f16::down_f64(1e300), f16::INFINITY);
        assert_eq!(f16::down(65519.996), f16::MAX);
        assert_eq!(f16::down(65520.0), f16::INFINITY);
    }
}
