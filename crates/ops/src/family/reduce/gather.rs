//! Blocks that are reduced while their elements are being made, run by run, instead of from memory.

use voxmill_core::Idx;
use voxmill_core::bytemuck::try_cast_slice;

use super::walk::{Blocks, Emit, Layout, MAX_WORDS};
use crate::numeric::fold::{Fold, RUN};
use crate::numeric::simd::{self, Loop};
use crate::numeric::states::State;

/// Takes the elements of a box in C order.
pub trait Gather {
    /// The next elements.
    fn take(&mut self, run: &[u8]);
    /// Emits the states of all blocks, after the last element.
    fn emit(&self, emit: Emit<'_>);
}

/// The states of all blocks of a box. Elements are cut into the same runs, and these joined in the same order, as where the box lies in
/// memory; so the result is the same bits.
pub struct Blockwise<F: Fold> {
    layout: Layout,
    states: Vec<F::State>,
    /// Elements of a run that is not complete yet.
    begun: Vec<F::In>,
    at: Position,
}

/// Where the next element belongs.
struct Position {
    /// Place along all steps of the layout but the last.
    outer: Idx,
    /// Place in the row.
    column: usize,
    /// The first block of this row.
    block: usize,
    /// The index of the row's first element over the reduced axes.
    index: u64,
}

impl<F: Fold> Blockwise<F> {
    /// For blocks that can be reduced so ([`Blocks::take_runs`]).
    pub fn new(blocks: &Blocks<'_>) -> Self {
        let layout = Layout::new(blocks);
        let outer = Idx::from_elem(0, layout.steps.len().saturating_sub(1));
        let states = vec![F::State::EMPTY; layout.n_blocks()];
        let mut all = Blockwise {
            layout,
            states,
            begun: Vec::with_capacity(RUN),
            at: Position { outer, column: 0, block: 0, index: 0 },
        };
        all.find_row();
        all
    }

    /// Number of elements of the run that the next element belongs to.
    fn run_length(&self) -> usize {
        let Some(row) = self.layout.steps.last() else { return 1 };
        let in_block = self.at.column % row.block;
        let left = (row.block - in_block).min(row.len - self.at.column);
        left.min(RUN)
    }

    /// Reduces a whole run, and moves behind it.
    fn finish_run(&mut self, run: &[F::In]) {
        let Some(row) = self.layout.steps.last().copied() else { return };
        let index = self.at.index + (row.start + self.at.column) as u64 * row.index;
        let block = self.at.block + self.at.column / row.block;
        self.states[block] = simd::dispatch(Joined::<F> { run, index, state: self.states[block] });
        self.at.column += run.len();
        if self.at.column == row.len {
            self.at.column = 0;
            self.next_row();
        }
    }

    fn next_row(&mut self) {
        for (at, step) in self.at.outer.iter_mut().zip(&self.layout.steps).rev() {
            *at += 1;
            if *at < step.len {
                break;
            }
            *at = 0;
        }
        self.find_row();
    }

    /// The block and the index at which the row begins.
    fn find_row(&mut self) {
        let blocks_in_row = self.layout.steps.last().map_or(1, |row| row.n);
        let (mut block, mut index) = (0, 0);
        for (at, step) in self.at.outer.iter().zip(&self.layout.steps) {
            block = block * step.n + at / step.block;
            index += (step.start + at) as u64 * step.index;
        }
        (self.at.block, self.at.index) = (block * blocks_in_row, index);
    }
}

struct Joined<'a, F: Fold> {
    run: &'a [F::In],
    index: u64,
    state: F::State,
}

impl<F: Fold> Loop for Joined<'_, F> {
    type Output = F::State;
    #[inline(always)]
    fn run(self) -> F::State {
        self.state.join(F::run(self.run, self.index))
    }
}

impl<F: Fold> Gather for Blockwise<F> {
    fn take(&mut self, run: &[u8]) {
        let Ok(mut x) = try_cast_slice::<u8, F::In>(run) else { return };
        while !x.is_empty() {
            let length = self.run_length();
            if self.begun.is_empty() && x.len() >= length {
                let (whole, rest) = x.split_at(length);
                self.finish_run(whole);
                x = rest;
                continue;
            }
            let (more, rest) = x.split_at(x.len().min(length - self.begun.len()));
            self.begun.extend_from_slice(more);
            x = rest;
            if self.begun.len() == length {
                let run = std::mem::take(&mut self.begun);
                self.finish_run(&run);
                self.begun = run;
                self.begun.clear();
            }
        }
    }

    fn emit(&self, emit: Emit<'_>) {
        let mut words = [0u64; MAX_WORDS];
        for (k, state) in self.states.iter().enumerate() {
            state.store(&mut words[..F::State::WORDS]);
            emit(k, &words[..F::State::WORDS]);
        }
    }
}
