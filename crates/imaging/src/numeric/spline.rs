//! B-splines: weights, the filter that makes their coefficients, and sums over their neighbours.

use serde::{Deserialize, Serialize};
use voxmill_core::Element;
use voxmill_ops::numeric::convert::ConvertTo;
use voxmill_ops::numeric::simd::{self, Loop};

/// The highest order.
pub const MOST: usize = 5;

/// What lies beyond the border, where values between elements are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Beyond {
    /// `d c b a | a b c d | d c b a`
    #[serde(alias = "grid-mirror")]
    Reflect,
    /// `d c b | a b c d | c b a`
    Mirror,
    /// The last value.
    Nearest,
    /// One value, with nothing between it and the last element.
    #[default]
    Constant,
    /// One value, with a passage to it from the last element.
    GridConstant,
    /// `b c d | a b c d | b c d`: the first element stands for the last as well.
    Wrap,
    /// `a b c d | a b c d | a b c d`
    GridWrap,
}

impl Beyond {
    /// Where a place outside of an axis of `n` lies inside; `None` for the constant. As scipy computes it, step by step, since a
    /// coordinate at the border must fall on the same side.
    #[inline]
    pub fn place(self, at: f64, n: usize) -> Option<f64> {
        let last = n as f64 - 1.0;
        if at.is_nan() {
            return None;
        }
        // The neighbours of these are looked up one by one: values change smoothly until all of them are beyond the border.
        if matches!(self, Beyond::GridConstant | Beyond::Nearest) || (at >= 0.0 && at <= last) {
            return Some(at);
        }
        let whole = |v: f64| v.trunc();
        let n = n as f64;
        Some(match self {
            Beyond::Constant => return None,
            _ if n <= 1.0 => 0.0,
            Beyond::Mirror if at < 0.0 => {
                let period = 2.0 * n - 2.0;
                let at = period * whole(-at / period) + at;
                if at <= 1.0 - n { at + period } else { -at }
            }
            Beyond::Mirror => {
                let period = 2.0 * n - 2.0;
                let at = at - period * whole(at / period);
                if at >= n { period - at } else { at }
            }
            Beyond::Reflect if at < 0.0 => {
                let period = 2.0 * n;
                let at = if at < -period { period * whole(-at / period) + at } else { at };
                match at {
                    at if at < -n => at + period,
                    at if at > -1e-15 => 1e-15 - 1.0,
                    at => -at - 1.0,
                }
            }
            Beyond::Reflect => {
                let period = 2.0 * n;
                let at = at - period * whole(at / period);
                if at >= n { period - at - 1.0 } else { at }
            }
            Beyond::Wrap if at < 0.0 => at + last * (whole(-at / last) + 1.0),
            Beyond::Wrap => at - last * whole(at / last),
            Beyond::GridWrap if at < 0.0 => at + n * (whole((-1.0 - at) / n) + 1.0),
            _ => at - n * whole(at / n),
        })
    }

    /// Which element stands at position `at` of an axis of `n`, for sums over neighbours; `None` for the constant.
    #[inline]
    pub fn element(self, at: i64, n: usize) -> Option<usize> {
        if (0..n as i64).contains(&at) {
            return Some(at as usize);
        }
        match self {
            Beyond::GridConstant => None,
            Beyond::Nearest => Some(at.clamp(0, n as i64 - 1) as usize),
            // What is beyond the border of these is not smooth: their splines end as those of mirror images do.
            Beyond::Constant | Beyond::Wrap => Beyond::Mirror.place(at as f64, n).map(|v| v as usize),
            _ => self.place(at as f64, n).map(|v| v.max(0.0) as usize),
        }
    }

    /// The elements of an axis of `n` that coordinates from `low` to `high` need, with `reach` neighbours on both sides.
    pub fn span(self, low: f64, high: f64, n: usize, reach: usize) -> (usize, usize) {
        let whole = (0, n);
        if n == 0 || !low.is_finite() || !high.is_finite() {
            return whole;
        }
        let (reach, last) = (reach as f64 + 1.0, n as f64 - 1.0);
        let (first, end) = ((low - reach).floor(), (high + reach).ceil());
        let (mut first, mut end) = match self {
            Beyond::Constant | Beyond::GridConstant if end < 0.0 || first > last => return (0, 0),
            Beyond::GridConstant => (first, end),
            Beyond::Constant | Beyond::Nearest => {
                ((low.clamp(0.0, last) - reach).floor(), (high.clamp(0.0, last) + reach).ceil())
            }
            _ => (first, end),
        };
        match self {
            Beyond::Wrap | Beyond::GridWrap if first < 0.0 || end > last => return whole,
            Beyond::GridConstant | Beyond::GridWrap | Beyond::Wrap => {}
            _ => {
                // What is folded back from beyond a border lies as far inside.
                let (under, over) = (-first, end - last);
                if under > 0.0 {
                    end = end.max(under + 1.0);
                }
                if over > 0.0 {
                    first = first.min(last - over - 1.0);
                }
            }
        }
        (first.clamp(0.0, last) as usize, (end.clamp(0.0, last) + 1.0) as usize)
    }
}

/// The first neighbour of a coordinate for splines of `order`, and the weights of all `order + 1`.
#[inline(always)]
pub fn weights(at: f64, order: usize, out: &mut [f64; MOST + 1]) -> i64 {
    let floor = if order % 2 == 1 { at.floor() } else { (at + 0.5).floor() };
    let u = if order % 2 == 1 { at - floor } else { at + 0.5 - floor };
    out[0] = 1.0;
    for degree in 1..=order {
        let mut saved = 0.0;
        for (r, weight) in out[..degree].iter_mut().enumerate() {
            let share = *weight / degree as f64;
            *weight = saved + ((r + 1) as f64 - u) * share;
            saved = (u + (degree - r - 1) as f64) * share;
        }
        out[degree] = saved;
    }
    // Far beyond any array, places need not be told apart.
    floor.clamp(-1e15, 1e15) as i64 - (order / 2) as i64
}

/// The weights of the filter that turns values into coefficients of splines of `order`: symmetric, and so long that what is cut off
/// vanishes in rounding.
pub fn filter_taps(order: usize) -> Vec<f64> {
    let poles: &[f64] = match order {
        2 => &[-0.171_572_875_253_809_9],
        3 => &[-0.267_949_192_431_122_7],
        4 => &[-0.361_341_225_900_220_17, -0.013_725_429_297_339_121],
        5 => &[-0.430_575_347_099_973_8, -0.043_096_288_203_264_65],
        _ => return vec![1.0],
    };
    let longest = poles.iter().fold(0.0f64, |most, pole| most.max(pole.abs()));
    let half = (1e-18f64.ln() / longest.ln()).ceil() as usize;
    let response = |pole: f64| -> Vec<f64> { (0..=2 * half).map(|k| pole.powi(k.abs_diff(half) as i32)).collect() };
    let mut taps = response(poles[0]);
    if let Some(&second) = poles.get(1) {
        let other = response(second);
        let product = |k: usize| -> f64 {
            (0..taps.len()).filter_map(|i| Some(taps[i] * other.get((k + half).checked_sub(i)?)?)).sum()
        };
        taps = (0..=2 * half).map(product).collect();
    }
    // A constant stays what it is.
    let sum: f64 = taps.iter().sum();
    taps.iter_mut().for_each(|tap| *tap /= sum);
    taps
}

/// What one axis of a result needs for one of its positions.
#[derive(Debug, Clone)]
pub struct Stop {
    /// Neighbours inside the box, as positions in it; none for the constant beyond the border.
    pub elements: [Option<u32>; MOST + 1],
    /// Their weights.
    pub weights: [f64; MOST + 1],
}

impl Stop {
    /// The neighbours of coordinate `at` on an axis of `n`, of which the box has those from `begin`; `None` beyond a constant border.
    /// Of these `n`, `pad` on each side were added, and coordinates do not count them.
    #[inline]
    pub fn new(at: f64, order: usize, (n, pad): (usize, usize), begin: usize, beyond: Beyond) -> Option<Stop> {
        let at = beyond.place(at + pad as f64, n)?;
        let mut stop = Stop { elements: [None; MOST + 1], weights: [0.0; MOST + 1] };
        let start = weights(at, order, &mut stop.weights);
        for (k, element) in stop.elements[..=order].iter_mut().enumerate() {
            *element = beyond.element(start + k as i64, n).map(|i| (i - begin) as u32);
        }
        Some(stop)
    }
}

/// `line[j] += weight * row[j]`.
pub fn add_row<T: Element + ConvertTo<f64>>(row: &[T], weight: f64, line: &mut [f64]) {
    struct Work<'a, T>(&'a [T], f64, &'a mut [f64]);
    impl<T: Element + ConvertTo<f64>> Loop for Work<'_, T> {
        type Output = ();
        #[inline(always)]
        fn run(self) {
            for (sum, v) in self.2.iter_mut().zip(self.0) {
                *sum += self.1 * v.convert();
            }
        }
    }
    simd::dispatch(Work(row, weight, line));
}

/// Values as elements, the way scipy stores interpolated ones: integers rounded to the nearest and kept inside their range.
pub trait Interpolated: Element {
    /// The element.
    fn from_value(value: f64) -> Self;
}

macro_rules! interpolated {
    ($($t:ty),*) => {$(
        impl Interpolated for $t {
            #[inline(always)]
            fn from_value(value: f64) -> $t {
                // Casts of Rust stay inside the range.
                (if value > 0.0 { value + 0.5 } else { value - 0.5 }) as $t
            }
        }
    )*};
}

interpolated!(u8, u16, u32, u64, i8, i16, i32, i64);

macro_rules! interpolated_floats {
    ($($t:ty, $f:expr);*) => {$(
        impl Interpolated for $t {
            #[inline(always)]
            fn from_value(value: f64) -> $t {
                $f(value)
            }
        }
    )*};
}

interpolated_floats!(f32, |v| v as f32; f64, |v| v; voxmill_core::f16, |v: f64| v.convert(); voxmill_core::bf16, |v: f64| v.convert();
    voxmill_core::B8, |v: f64| voxmill_core::B8::from(v as i64 != 0));

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Beyond; 7] = [
        Beyond::Reflect,
        Beyond::Mirror,
        Beyond::Nearest,
        Beyond::Constant,
        Beyond::GridConstant,
        Beyond::Wrap,
        Beyond::GridWrap,
    ];

    #[test]
    fn weights_add_up_to_one() {
        for order in 0..=MOST {
            for at in [-1.5, 0.0, 0.3, 0.5, 2.75] {
                let mut all = [0.0; MOST + 1];
                let start = weights(at, order, &mut all);
                assert!((all[..=order].iter().sum::<f64>() - 1.0).abs() < 1e-14);
                // The weights lie around their coordinate, from the second order on exactly.
                let mean: f64 = all[..=order].iter().enumerate().map(|(k, w)| w * (start + k as i64) as f64).sum();
                assert!(order == 0 || (mean - at).abs() < 1e-14, "{order} {at}: {mean}");
            }
        }
    }

    #[test]
    fn coefficients_give_the_values_back() {
        for order in 2..=MOST {
            let taps = filter_taps(order);
            let mut all = [0.0; MOST + 1];
            weights(0.0, order, &mut all);
            let (half, reach) = (taps.len() / 2, order / 2);
            for shift in 0..4usize {
                let sum: f64 = (0..=2 * reach)
                    .map(|k| all[k] * taps[(half as i64 + shift as i64 + k as i64 - reach as i64) as usize])
                    .sum();
                assert!((sum - f64::from(u8::from(shift == 0))).abs() < 1e-13, "{order} {shift}: {sum}");
            }
        }
    }

    #[test]
    fn spans_hold_every_neighbour() {
        for beyond in ALL {
            for n in 1..8 {
                for order in 0..=MOST {
                    for low in -40..40 {
                        let (low, high) = (f64::from(low) * 0.37, f64::from(low) * 0.37 + 1.3);
                        let (first, end) = beyond.span(low, high, n, order / 2 + 1);
                        for step in 0..14 {
                            let at = low + f64::from(step) * 0.1;
                            let Some(at) = beyond.place(at, n) else { continue };
                            let mut all = [0.0; MOST + 1];
                            let start = weights(at, order, &mut all);
                            for k in 0..=order as i64 {
                                if let Some(i) = beyond.element(start + k, n) {
                                    assert!(
                                        (first..end).contains(&i),
                                        "{beyond:?} {n} {order} {low} {at}: {i} {first}..{end}"
                                    );
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
