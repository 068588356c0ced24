//! Sums and extremes of windows along lanes, by doubling: windows of 2, 4, 8 ... from two of half the length. The work grows with the
//! logarithm of the window, runs over neighbouring elements at full vector width, and treats all positions alike, so results do not
//! depend on where a box begins.

use super::lines::{LineLoop, PAST_END};
use voxmill_ops::numeric::simd::{self, Loop};

/// The sum of each window.
#[derive(Debug)]
pub struct Sums {
    /// Positions of a window.
    pub size: usize,
}

impl<C: Summed> LineLoop<C> for Sums {
    fn run(&self, lines: &mut [C], stride: usize, out: &mut [C]) {
        simd::dispatch(SumWork(self.size, lines, stride, out));
    }
}

/// What can be added up.
pub trait Summed: Copy {
    /// The sum. Whole numbers wrap around: beyond the end of a line, windows add up what nobody asked for.
    fn plus(self, other: Self) -> Self;
}

impl Summed for i32 {
    #[inline(always)]
    fn plus(self, other: i32) -> i32 {
        self.wrapping_add(other)
    }
}

impl Summed for u16 {
    #[inline(always)]
    fn plus(self, other: u16) -> u16 {
        self.wrapping_add(other)
    }
}

impl Summed for f64 {
    #[inline(always)]
    fn plus(self, other: f64) -> f64 {
        self + other
    }
}

struct SumWork<'a, C>(usize, &'a mut [C], usize, &'a mut [C]);

impl<C: Summed> Loop for SumWork<'_, C> {
    type Output = ();

    /// Adds up the windows of powers of two that the size is made of, one behind the other.
    #[inline(always)]
    fn run(self) {
        let SumWork(size, lines, stride, out) = self;
        let (mut span, mut done) = (1, 0);
        while span <= size {
            if size & span != 0 {
                let from = &lines[done * stride..];
                if done == 0 {
                    out.copy_from_slice(&from[..out.len()]);
                } else {
                    out.iter_mut().zip(from).for_each(|(sum, &part)| *sum = sum.plus(part));
                }
                done += span;
            }
            if 2 * span <= size {
                double(lines, span * stride, C::plus);
            }
            span *= 2;
        }
    }
}

/// The smallest or largest key of each window.
#[derive(Debug)]
pub struct Extremes {
    /// Positions of a window.
    pub size: usize,
    /// The largest instead of the smallest.
    pub largest: bool,
}

impl<C: Copy + Ord> LineLoop<C> for Extremes {
    fn run(&self, lines: &mut [C], stride: usize, out: &mut [C]) {
        if self.largest {
            simd::dispatch(ExtremeWork(self.size, lines, stride, out, |a: C, b: C| if a > b { a } else { b }));
        } else {
            simd::dispatch(ExtremeWork(self.size, lines, stride, out, |a: C, b: C| if a < b { a } else { b }));
        }
    }
}

/// The smallest or largest real number of each window; NaN where there is one.
#[derive(Debug)]
pub struct RealExtremes {
    /// Positions of a window.
    pub size: usize,
    /// The largest instead of the smallest.
    pub largest: bool,
}

impl<C: num_traits::Float> LineLoop<C> for RealExtremes {
    fn run(&self, lines: &mut [C], stride: usize, out: &mut [C]) {
        let size = self.size;
        // Where there is no NaN, which is almost everywhere, a comparison is one instruction.
        match (self.largest, simd::dispatch(AnyNan(&lines[..out.len() + (size - 1) * stride]))) {
            (true, false) => {
                simd::dispatch(ExtremeWork(size, lines, stride, out, |a: C, b: C| if a > b { a } else { b }))
            }
            (false, false) => {
                simd::dispatch(ExtremeWork(size, lines, stride, out, |a: C, b: C| if a < b { a } else { b }))
            }
            (true, true) => {
                simd::dispatch(ExtremeWork(
                    size,
                    lines,
                    stride,
                    out,
                    |a: C, b: C| if a > b || a.is_nan() { a } else { b },
                ))
            }
            (false, true) => {
                simd::dispatch(ExtremeWork(
                    size,
                    lines,
                    stride,
                    out,
                    |a: C, b: C| if a < b || a.is_nan() { a } else { b },
                ))
            }
        }
    }
}

struct AnyNan<'a, C>(&'a [C]);

impl<C: num_traits::Float> Loop for AnyNan<'_, C> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        self.0.iter().fold(false, |any, v| any | v.is_nan())
    }
}

struct ExtremeWork<'a, C, F>(usize, &'a mut [C], usize, &'a mut [C], F);

impl<C: Copy, F: Fn(C, C) -> C + Copy> Loop for ExtremeWork<'_, C, F> {
    type Output = ();

    /// The longest power of two that fits, from the front and from the back of the window.
    #[inline(always)]
    fn run(self) {
        let ExtremeWork(size, lines, stride, out, better) = self;
        let mut span = 1;
        while 2 * span <= size {
            double(lines, span * stride, better);
            span *= 2;
        }
        let (front, back) = (&*lines, &lines[(size - span) * stride..]);
        for ((out, &a), &b) in out.iter_mut().zip(front).zip(back) {
            *out = better(a, b);
        }
    }
}

/// `lines[i] = join(lines[i], lines[i + step])`, in blocks that are read before they are written. Elements whose partner lies past the
/// end get values that no window uses.
#[inline(always)]
fn double<C: Copy>(lines: &mut [C], step: usize, join: impl Fn(C, C) -> C) {
    let end = lines.len().saturating_sub(step + PAST_END);
    for at in (0..end).step_by(PAST_END) {
        let (Some(&a), Some(&b)) =
            (lines[at..].first_chunk::<PAST_END>(), lines[at + step..].first_chunk::<PAST_END>())
        else {
            return;
        };
        let mut joined = a;
        for k in 0..PAST_END {
            joined[k] = join(a[k], b[k]);
        }
        lines[at..at + PAST_END].copy_from_slice(&joined);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(lines: &[i32], stride: usize, size: usize, i: usize) -> impl Iterator<Item = i32> {
        (0..size).map(move |k| lines[i + k * stride])
    }

    #[test]
    fn windows_of_every_size() {
        for (size, stride, rows) in [(1, 1, 5), (2, 1, 70), (3, 7, 20), (5, 3, 40), (8, 1, 64), (13, 2, 9), (31, 4, 33)]
        {
            let n = (rows + size - 1) * stride;
            let lines: Vec<i32> = (0..n + PAST_END).map(|i| (i as i32 * 7919) % 101 - 50).collect();
            let run = |work: &dyn Fn(&mut [i32], &mut [i32])| {
                let (mut lines, mut out) = (lines.clone(), vec![0; rows * stride]);
                work(&mut lines, &mut out);
                out
            };
            let sums = run(&|lines, out| Sums { size }.run(lines, stride, out));
            let low = run(&|lines, out| Extremes { size, largest: false }.run(lines, stride, out));
            let high = run(&|lines, out| Extremes { size, largest: true }.run(lines, stride, out));
            for i in 0..rows * stride {
                assert_eq!(sums[i], windows(&lines, stride, size, i).sum::<i32>());
                assert_eq!(Some(low[i]), windows(&lines, stride, size, i).min());
                assert_eq!(Some(high[i]), windows(&lines, stride, size, i).max());
            }
        }
    }
}
