//! Which elements belong to which block, and in which order a block is reduced.

use voxmill_core::bytemuck::try_cast_slice;
use voxmill_core::{Element, Error, Idx, Region, Result, View};

use crate::numeric::fold::{Fold, ROWS, RUN, Row, STRIP};
use crate::numeric::simd::{self, Loop};
use crate::numeric::states::State;

/// Blocks of an array: the box that was read, and how it is cut along the reduced axes.
#[derive(Debug)]
pub struct Blocks<'a> {
    /// The box that was read.
    pub read: &'a Region,
    /// Shape of the whole array.
    pub shape: &'a [usize],
    /// Reduced axes, rising.
    pub axes: &'a [usize],
    /// Length of a block along each of them.
    pub block: &'a [usize],
}

/// Most words that a state has.
pub const MAX_WORDS: usize = 8;

/// Gets each block's number (in C order over the blocks of the box) and its state.
pub type Emit<'a> = &'a mut dyn FnMut(usize, &[u64]);

/// Reduces all blocks of the box `x`.
pub fn reduce_blocks<F: Fold>(x: &View<'_>, blocks: &Blocks<'_>, emit: Emit<'_>) -> Result<()> {
    // The bytes of an empty view have no alignment.
    let slice = if x.size() == 0 { Some(&[][..]) } else { x.bytes().and_then(|b| try_cast_slice(b).ok()) };
    let Some(x) = slice.filter(|_| x.dtype().size() == size_of::<F::In>()) else {
        return Err(Error::internal(format!("a reduction of {} got {}", F::In::DTYPE, x.dtype())));
    };
    let layout = Layout::new(blocks);
    simd::dispatch(Walk::<F> { x, layout: &layout, emit });
    Ok(())
}

impl Blocks<'_> {
    /// True if the blocks can be reduced while their elements come in C order: rows go to one block after the other.
    pub fn take_runs(&self) -> bool {
        let layout = Layout::new(self);
        !layout.vertical && !layout.steps.is_empty() && self.read.size() > 0
    }

    /// Number of blocks in the box.
    pub fn n_blocks(&self) -> usize {
        let layout = Layout::new(self);
        layout.n_blocks() * layout.width
    }
}

/// Calls `visit` with the number of a block and the position of each of its elements, in C order inside a block.
pub fn for_each_member(blocks: &Blocks<'_>, visit: &mut dyn FnMut(usize, usize)) {
    let layout = Layout::new(blocks);
    for number in 0..layout.n_blocks() {
        let block = layout.block(number);
        if layout.vertical {
            for row in RowsOf::new(&block.extent, &block) {
                (0..layout.width).for_each(|k| visit(number * layout.width + k, row.start + k));
            }
            continue;
        }
        let (outer, len) = block.rows();
        for row in RowsOf::new(outer, &block) {
            (0..len).for_each(|k| visit(number, row.start + k));
        }
    }
}

/// The blocks of a box one by one, each as runs of neighbours.
#[derive(Debug)]
pub struct Lanes(Layout);

impl Lanes {
    /// The blocks of `blocks`.
    pub fn new(blocks: &Blocks<'_>) -> Self {
        Lanes(Layout::new(blocks))
    }

    /// Number of blocks.
    pub fn n(&self) -> usize {
        self.0.n_blocks() * self.0.width
    }

    /// Calls `visit` with the start and the length of each run of block `k`, in C order.
    #[inline(always)]
    pub fn for_each_run(&self, k: usize, mut visit: impl FnMut(usize, usize)) {
        let (number, column) = (k / self.0.width, k % self.0.width);
        let block = self.0.block(number);
        if self.0.vertical {
            RowsOf::new(&block.extent, &block).for_each(|row| visit(row.start + column, 1));
        } else {
            let (outer, len) = block.rows();
            RowsOf::new(outer, &block).for_each(|row| visit(row.start, len));
        }
    }
}

/// One axis of the walk over blocks or inside a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    /// Positions in the box: elements, or blocks for a reduced axis.
    pub n: usize,
    /// Elements to the next position.
    stride: usize,
    /// Length of a block; 1 for a kept axis.
    pub block: usize,
    /// Elements of the box along this axis.
    pub len: usize,
    /// Position of the box in the array.
    pub start: usize,
    /// Index step over the reduced axes; 0 for a kept axis.
    pub index: u64,
    /// Length of the whole axis.
    whole: usize,
    reduced: bool,
}

/// The axes of a box of blocks.
#[derive(Debug)]
pub(super) struct Layout {
    pub steps: Vec<Step>,
    /// Columns side by side, where the last axis is kept; 1 where it is reduced.
    width: usize,
    vertical: bool,
}

impl Layout {
    pub fn new(blocks: &Blocks<'_>) -> Layout {
        let rank = blocks.shape.len();
        let mut steps: Vec<Step> = Vec::with_capacity(rank);
        let (mut stride, mut index) = (1, 1);
        for k in (0..rank).rev() {
            let (len, start) = (blocks.read.shape[k], blocks.read.start[k]);
            let at = blocks.axes.iter().position(|&a| a == k);
            let block = at.map_or(1, |at| blocks.block[at]);
            let n = if at.is_some() { len.div_ceil(block).max(1) } else { len };
            let own = if at.is_some() { index } else { 0 };
            let step = Step { n, stride, block, len, start, index: own, whole: blocks.shape[k], reduced: at.is_some() };
            stride *= len;
            if at.is_some() {
                index *= blocks.shape[k] as u64;
            }
            match steps.last_mut() {
                // A kept axis joins its kept neighbour; a reduced one joins a neighbour that every block covers whole. This
                // follows from the array and the blocks alone, so that it cannot change the order inside a block.
                Some(inner) if !step.reduced && !inner.reduced => {
                    inner.n *= len;
                    inner.len *= len;
                }
                Some(inner) if step.reduced && inner.reduced && inner.block >= inner.whole => {
                    let (stride, index, below) = (inner.stride, inner.index, inner.whole);
                    let (block, len, start, whole) = (block * below, len * below, start * below, step.whole * below);
                    *inner = Step { n, stride, block, len, start, index, whole, reduced: true };
                }
                _ => steps.push(step),
            }
        }
        steps.reverse();
        let vertical = steps.last().is_some_and(|s| !s.reduced);
        let width = if vertical { steps.pop().map_or(1, |s| s.n) } else { 1 };
        Layout { steps, width, vertical }
    }

    /// Number, length and first index of rows, where every block is one row after the other.
    fn plain_rows(&self) -> Option<(usize, usize, u64)> {
        match &self.steps[..] {
            _ if self.vertical => None,
            [kept, row] if !kept.reduced && row.reduced && row.n == 1 => {
                Some((kept.n, row.len, row.start as u64 * row.index))
            }
            _ => None,
        }
    }

    /// Number of blocks (or groups of columns).
    pub fn n_blocks(&self) -> usize {
        self.steps.iter().map(|s| s.n).product()
    }
}

struct Walk<'a, F: Fold> {
    x: &'a [F::In],
    layout: &'a Layout,
    emit: Emit<'a>,
}

/// A block: offset of its first element, index of it, and its extent along each reduced step.
struct Block {
    offset: usize,
    at: u64,
    /// Length, stride and index step of each reduced axis, outermost first.
    extent: smallvec::SmallVec<[(usize, usize, u64); 4]>,
}

impl Block {
    /// The outer axes, and the length of a row.
    #[inline(always)]
    fn rows(&self) -> (&[(usize, usize, u64)], usize) {
        match self.extent.split_last() {
            Some((last, outer)) => (outer, last.0),
            None => (&self.extent[..], 1),
        }
    }
}

impl Layout {
    #[inline(always)]
    fn block(&self, number: usize) -> Block {
        let mut block = Block { offset: 0, at: 0, extent: smallvec::SmallVec::new() };
        let mut rest = number;
        for step in self.steps.iter().rev() {
            let at = rest % step.n;
            rest /= step.n;
            let first = at * step.block;
            block.offset += first * step.stride;
            if step.reduced {
                block.at += (step.start + first) as u64 * step.index;
                block.extent.push((step.block.min(step.len - first.min(step.len)), step.stride, step.index));
            }
        }
        block.extent.reverse();
        block
    }
}

impl<F: Fold> Loop for Walk<'_, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let mut words = [0u64; MAX_WORDS];
        if let Some((rows, len, at)) = self.layout.plain_rows() {
            for number in 0..rows {
                reduce_row::<F>(&self.x[number * len..][..len], at, F::State::EMPTY)
                    .store(&mut words[..F::State::WORDS]);
                (self.emit)(number, &words[..F::State::WORDS]);
            }
            return;
        }
        for number in 0..self.layout.n_blocks() {
            let block = self.layout.block(number);
            if self.layout.vertical {
                let first = number * self.layout.width;
                columns_of::<F>(self.x, &block, self.layout.width, first, &mut words, self.emit);
            } else {
                reduce_rows::<F>(self.x, &block).store(&mut words[..F::State::WORDS]);
                (self.emit)(number, &words[..F::State::WORDS]);
            }
        }
    }
}

/// A block whose last axis is reduced: row by row, run by run.
#[inline(always)]
fn reduce_rows<F: Fold>(x: &[F::In], block: &Block) -> F::State {
    let mut state = F::State::EMPTY;
    let (outer, len) = block.rows();
    for row in RowsOf::new(outer, block) {
        state = reduce_row::<F>(&x[row.start..row.start + len], row.at, state);
    }
    state
}

/// A row joined to what came before it, run by run.
#[inline(always)]
fn reduce_row<F: Fold>(values: &[F::In], at: u64, before: F::State) -> F::State {
    let mut state = before;
    for (k, run) in values.chunks(RUN).enumerate() {
        state = state.join(F::run(run, at + (k * RUN) as u64));
    }
    state
}

/// A block whose last axis is kept: strip by strip, some rows at a time.
#[inline(always)]
fn columns_of<F: Fold>(x: &[F::In], block: &Block, width: usize, first: usize, words: &mut [u64], emit: Emit<'_>) {
    let mut acc = [F::State::EMPTY; STRIP];
    let mut rows = [Row::default(); ROWS];
    for from in (0..width).step_by(STRIP) {
        let acc = &mut acc[..STRIP.min(width - from)];
        acc.fill(F::State::EMPTY);
        let mut all = RowsOf::new(&block.extent, block);
        loop {
            let mut n = 0;
            while n < ROWS {
                let Some(row) = all.next() else { break };
                rows[n] = Row { start: row.start + from, at: row.at };
                n += 1;
            }
            if n == 0 {
                break;
            }
            F::rows(x, &rows[..n], acc);
        }
        for (k, state) in acc.iter().enumerate() {
            state.store(&mut words[..F::State::WORDS]);
            emit(first + from + k, &words[..F::State::WORDS]);
        }
    }
}

/// The rows of a block in C order.
struct RowsOf<'a> {
    axes: &'a [(usize, usize, u64)],
    at: Idx,
    row: Row,
    left: usize,
}

impl<'a> RowsOf<'a> {
    #[inline(always)]
    fn new(axes: &'a [(usize, usize, u64)], block: &Block) -> Self {
        let left = axes.iter().map(|a| a.0).product();
        RowsOf { axes, at: Idx::from_elem(0, axes.len()), row: Row { start: block.offset, at: block.at }, left }
    }
}

impl Iterator for RowsOf<'_> {
    type Item = Row;
    #[inline(always)]
    fn next(&mut self) -> Option<Row> {
        if self.left == 0 {
            return None;
        }
        let row = self.row;
        self.left -= 1;
        for (k, &(n, stride, index)) in self.axes.iter().enumerate().rev() {
            self.at[k] += 1;
            self.row.start += stride;
            self.row.at += index;
            if self.at[k] < n {
                break;
            }
            self.at[k] = 0;
            self.row.start -= n * stride;
            self.row.at -= n as u64 * index;
        }
        Some(row)
    }
}
