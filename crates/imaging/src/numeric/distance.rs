//! Squared distances to the nearest background, one axis after the other.
//!
//! Along the first axis, a lane is scanned from both ends. Along each further one, the squared distance at `x` is the smallest
//! `(s (x - q))^2 + g(q)` over all `q`, where `g` is what the axes before gave and `s` the distance of neighbours: the lowest of a set of
//! parabolas, which is found in one pass over the lane.

use voxmill_core::Element;

/// Lanes that are worked on at a time on an axis that is not the last.
const LANES: usize = 16;

/// A squared distance.
pub trait Squared: Element {
    /// As a double; infinite where there is no background at all.
    fn to_f64(self) -> f64;
}

impl Squared for u32 {
    #[inline(always)]
    fn to_f64(self) -> f64 {
        if self == u32::MAX { f64::INFINITY } else { f64::from(self) }
    }
}

impl Squared for f64 {
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
}

/// Lanes of a box `outer x len x inner`, of which the positions `out` are wanted.
#[derive(Debug, Clone, Copy)]
pub struct Lanes {
    /// Product of the axes before.
    pub outer: usize,
    /// Product of the axes after.
    pub inner: usize,
    /// Length of the axis.
    pub len: usize,
    /// Wanted positions of the axis.
    pub out: (usize, usize),
    /// Distance of neighbours.
    pub step: f64,
}

impl Lanes {
    /// Bytes that the functions below allocate.
    pub fn scratch(&self) -> u64 {
        (self.len * (LANES * 16 + 40)) as u64
    }

    /// Squared distances along the axis to the nearest zero, as `store` makes them.
    pub fn first<B: Element>(&self, src: &[u8], dst: &mut [B], store: impl Fn(f64) -> B + Copy) {
        self.each(src, dst, |lane, out, _| scan(lane, self.step, self.out.0, out, store));
    }

    /// Squared distances along this axis and those before, as `store` makes them.
    pub fn next<W: Squared, B: Element>(&self, src: &[W], dst: &mut [B], store: impl Fn(f64) -> B + Copy) {
        self.each(src, dst, |lane, out, work| work.lowest(lane, self.step, self.out.0, out, store));
    }

    /// Calls `work` for each lane, gathered where its elements do not lie beside each other.
    fn each<A: Element, B: Element>(
        &self,
        src: &[A],
        dst: &mut [B],
        mut work: impl FnMut(&[A], &mut [B], &mut Parabolas),
    ) {
        let (len, wanted, inner) = (self.len, self.out.1 - self.out.0, self.inner);
        let mut parabolas = Parabolas::default();
        let (mut lanes, mut made) = (vec![A::default(); LANES * len], vec![B::default(); LANES * wanted]);
        for (src, dst) in src.chunks_exact((len * inner).max(1)).zip(dst.chunks_exact_mut((wanted * inner).max(1))) {
            if inner == 1 {
                work(src, dst, &mut parabolas);
                continue;
            }
            for first in (0..inner).step_by(LANES) {
                let n = LANES.min(inner - first);
                for (k, row) in src.chunks_exact(inner).enumerate() {
                    row[first..first + n].iter().enumerate().for_each(|(lane, &v)| lanes[lane * len + k] = v);
                }
                for lane in 0..n {
                    let out = &mut made[lane * wanted..(lane + 1) * wanted];
                    work(&lanes[lane * len..(lane + 1) * len], out, &mut parabolas);
                }
                for (k, row) in dst.chunks_exact_mut(inner).enumerate() {
                    row[first..first + n].iter_mut().enumerate().for_each(|(lane, v)| *v = made[lane * wanted + k]);
                }
            }
        }
    }
}

/// Squared distances to the nearest zero of a lane, from position `from` on: `next` is the zero at or after a position.
fn scan<B>(lane: &[u8], step: f64, from: usize, out: &mut [B], store: impl Fn(f64) -> B) {
    let zero_from = |at: usize| lane[at..].iter().position(|&v| v == 0).map(|k| at + k);
    let mut last = lane[..from].iter().rposition(|&v| v == 0);
    let mut next = zero_from(from);
    for (x, out) in (from..).zip(out.iter_mut()) {
        if next.is_some_and(|zero| zero < x) {
            next = zero_from(x);
        }
        if next == Some(x) {
            last = next;
        }
        let (before, after) = (last.map(|zero| x - zero), next.map(|zero| zero - x));
        let nearest = before.into_iter().chain(after).min();
        let distance = nearest.map_or(f64::INFINITY, |n| n as f64 * step);
        *out = store(distance * distance);
    }
}

/// The parabolas that are lowest somewhere, from left to right.
#[derive(Default)]
struct Parabolas {
    /// Positions of their lowest points.
    at: Vec<usize>,
    /// Their values there.
    low: Vec<f64>,
    /// Their values at position 0, which decide where two of them cross.
    origin: Vec<f64>,
    /// Where each takes over from the one before.
    begin: Vec<f64>,
}

impl Parabolas {
    fn lowest<W: Squared, B>(&mut self, lane: &[W], step: f64, from: usize, out: &mut [B], store: impl Fn(f64) -> B) {
        self.collect(lane, step * step);
        if self.at.is_empty() {
            return out.iter_mut().for_each(|out| *out = store(f64::INFINITY));
        }
        let mut k = 0;
        for (x, out) in (from..).zip(out.iter_mut()) {
            while k + 1 < self.at.len() && self.begin[k + 1] < x as f64 {
                k += 1;
            }
            let distance = (x as f64 - self.at[k] as f64) * step;
            *out = store(distance * distance + self.low[k]);
        }
    }

    fn collect<W: Squared>(&mut self, lane: &[W], square: f64) {
        self.at.clear();
        self.low.clear();
        self.origin.clear();
        self.begin.clear();
        for (q, &value) in lane.iter().enumerate() {
            let low = value.to_f64();
            if low == f64::INFINITY {
                continue;
            }
            let origin = low + square * (q * q) as f64;
            let mut begin = f64::NEG_INFINITY;
            while let (Some(&last), Some(&before), Some(&since)) =
                (self.at.last(), self.origin.last(), self.begin.last())
            {
                begin = (origin - before) / (2.0 * square * (q - last) as f64);
                if begin > since {
                    break;
                }
                self.at.pop();
                self.low.pop();
                self.origin.pop();
                self.begin.pop();
                begin = f64::NEG_INFINITY;
            }
            self.at.push(q);
            self.low.push(low);
            self.origin.push(origin);
            self.begin.push(begin);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_equal_their_definition() {
        for (rows, columns, seed) in [(1, 9, 1), (7, 40, 2), (20, 3, 3), (33, 17, 4)] {
            let mask: Vec<u8> = (0..rows * columns).map(|i| u8::from((i * 7919 + seed) % 11 != 0)).collect();
            let across = Lanes { outer: rows, inner: 1, len: columns, out: (0, columns), step: 1.0 };
            let down = Lanes { outer: 1, inner: columns, len: rows, out: (0, rows), step: 1.0 };
            let (mut first, mut found) = (vec![0_u32; mask.len()], vec![0_u32; mask.len()]);
            let whole = |v: f64| if v.is_finite() { v as u32 } else { u32::MAX };
            across.first(&mask, &mut first, whole);
            down.next(&first, &mut found, whole);
            for (i, &found) in found.iter().enumerate() {
                let (y, x) = (i / columns, i % columns);
                let to = |j: usize| (y.abs_diff(j / columns).pow(2) + x.abs_diff(j % columns).pow(2)) as u32;
                let nearest = (0..mask.len()).filter(|&j| mask[j] == 0).map(to).min();
                assert_eq!(found, nearest.unwrap_or(u32::MAX));
            }
            let part = Lanes { out: (rows / 3, rows / 3 + 1), ..down };
            let mut row = vec![0_u32; columns];
            part.next(&first, &mut row, whole);
            assert_eq!(row, found[rows / 3 * columns..(rows / 3 + 1) * columns]);
        }
    }
}
