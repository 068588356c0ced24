//! Loops over windows along one axis.
//!
//! A box is `outer x len x inner`. Pieces of it are converted to the compute type into a buffer that holds the border too; there, one
//! step along the axis is a fixed stride, so the same loop over neighbouring elements serves every axis.

use crate::family::neighborhood::{Border, Halo};
use voxmill_ops::numeric::simd;

/// Elements behind the last one that a loop may read: they exist, and their values do not matter.
pub const PAST_END: usize = 32;

/// A loop over windows.
pub trait LineLoop<C> {
    /// Fills `out[i]` from the window `lines[i + k stride]`, for all positions `k` of the window. `lines` may be overwritten; it has
    /// [`PAST_END`] more elements than all windows.
    fn run(&self, lines: &mut [C], stride: usize, out: &mut [C]);
}

/// The lanes of a box, and what lies beyond their ends.
#[derive(Debug)]
pub struct Lines {
    /// What lies beyond the border.
    pub border: Border,
    /// How far windows reach.
    pub halo: Halo,
    /// Product of the axes before.
    pub outer: usize,
    /// Product of the axes after, times 2 for complex numbers.
    pub inner: usize,
    /// Length of the whole axis.
    pub axis_len: usize,
    /// Positions of the axis in the input box.
    pub read: (usize, usize),
    /// Positions of the axis in the output box.
    pub out: (usize, usize),
}

/// Elements beside each other that are worked on at a time on an axis that is not the last.
const WIDTH: usize = 128;

impl Lines {
    fn width(&self) -> usize {
        if self.inner > 2 * WIDTH { WIDTH } else { self.inner.max(1) }
    }

    /// Positions of the axis that are worked on at a time.
    fn rows(&self) -> usize {
        let enough = (4096 / self.width()).max(64).max(2 * (self.halo.before + self.halo.after));
        enough.min((self.out.1 - self.out.0).max(1))
    }

    /// Bytes that [`Lines::run`] allocates, for compute types of up to 8 bytes.
    pub fn scratch(&self) -> u64 {
        let rows = 2 * self.rows() + self.halo.before + self.halo.after;
        ((rows * self.width() + PAST_END) * 8) as u64
    }

    /// Runs `work` over all windows of `src`, converted by `load`, and puts what it gives into `dst`, converted by `store`. `constant`
    /// are the values of the constant border for even and for odd elements, which differ for complex numbers.
    pub fn run<A: Copy, C: Copy, B>(
        &self,
        src: &[A],
        dst: &mut [B],
        constant: [C; 2],
        work: &impl LineLoop<C>,
        load: impl Fn(A) -> C + Copy,
        store: impl Fn(C) -> B + Copy,
    ) {
        let (width, rows) = (self.width(), self.rows());
        let reach = self.halo.before + self.halo.after;
        let mut lines = vec![constant[0]; (rows + reach) * width + PAST_END];
        let mut made = vec![constant[0]; rows * width];
        let (src_step, dst_step) = ((self.read.1 - self.read.0) * self.inner, (self.out.1 - self.out.0) * self.inner);
        for o in 0..self.outer {
            let src = &src[o * src_step..(o + 1) * src_step];
            let dst = &mut dst[o * dst_step..(o + 1) * dst_step];
            for begin in (self.out.0..self.out.1).step_by(rows) {
                let n_rows = rows.min(self.out.1 - begin);
                for first in (0..self.inner).step_by(width) {
                    let piece = Piece { begin, n_rows: n_rows + reach, first, width: width.min(self.inner - first) };
                    self.load(src, &piece, constant, &mut lines, load);
                    let made = &mut made[..n_rows * piece.width];
                    work.run(&mut lines[..piece.n_rows * piece.width + PAST_END], piece.width, made);
                    self.store(made, &piece, dst, store);
                }
            }
        }
    }

    /// Converts a piece, from `before` positions before its beginning on, with what lies beyond the border.
    fn load<A: Copy, C: Copy>(
        &self,
        src: &[A],
        piece: &Piece,
        constant: [C; 2],
        lines: &mut [C],
        convert: impl Fn(A) -> C + Copy,
    ) {
        let Piece { begin, n_rows, first, width } = *piece;
        let low = begin as i64 - self.halo.before as i64;
        let shift = if self.border == Border::Valid { self.halo.before as i64 } else { 0 };
        // Rows inside the array lie beside each other, so they are converted in one go where they are whole.
        let inside = (low + shift).max(0)..(low + shift + n_rows as i64).min(self.axis_len as i64);
        let (from, to) = (inside.start as usize, inside.end as usize);
        let at = |position: usize| (position - self.read.0) * self.inner + first;
        let mut target = (from as i64 - low - shift) as usize * width;
        if width == self.inner {
            let n = (to - from) * width;
            simd::map1(&src[at(from)..at(from) + n], &mut lines[target..target + n], convert);
        } else {
            for position in from..to {
                simd::map1(&src[at(position)..at(position) + width], &mut lines[target..target + width], convert);
                target += width;
            }
        }
        let outside = (low..from as i64 - shift).chain(to as i64 - shift..low + n_rows as i64);
        for position in outside {
            let row = (position - low) as usize * width;
            let row = &mut lines[row..row + width];
            match self.border.source(position, self.axis_len, self.halo) {
                Some(source) => simd::map1(&src[at(source)..at(source) + width], row, convert),
                None => row.iter_mut().enumerate().for_each(|(k, v)| *v = constant[(first + k) % 2]),
            }
        }
    }

    fn store<C: Copy, B>(&self, made: &[C], piece: &Piece, dst: &mut [B], convert: impl Fn(C) -> B + Copy) {
        let at = (piece.begin - self.out.0) * self.inner + piece.first;
        if piece.width == self.inner {
            return simd::map1(made, &mut dst[at..at + made.len()], convert);
        }
        for (k, row) in made.chunks_exact(piece.width).enumerate() {
            let at = at + k * self.inner;
            simd::map1(row, &mut dst[at..at + piece.width], convert);
        }
    }
}

/// Rows and columns that are worked on at a time.
#[derive(Clone, Copy)]
struct Piece {
    begin: usize,
    n_rows: usize,
    first: usize,
    width: usize,
}
