//! Smallest and largest elements, and where they are.

use std::marker::PhantomData;

use super::{Fold, Row, STRIP, columns, lanes, tree};
use crate::numeric::order::{Key, Ordered};
use crate::numeric::states::{Extreme, Found, State, better};

/// The key under which an element competes. A NaN wins against everything, or, with `SKIP`, against nothing.
#[inline(always)]
fn key<T: Ordered, const MAX: bool, const SKIP: bool>(v: T) -> T::Key {
    let nan = if MAX == SKIP { T::Key::LOW } else { T::Key::HIGH };
    if v.unordered() { nan } else { v.key() }
}

/// The smallest element, or the largest with `MAX`; with `SKIP`, NaNs do not count.
#[derive(Debug)]
pub struct Best<T, const MAX: bool, const SKIP: bool>(PhantomData<T>);

impl<T: Ordered, const MAX: bool, const SKIP: bool> Best<T, MAX, SKIP> {
    #[inline(always)]
    fn pick(best: T::Key, v: T) -> T::Key {
        better::<T::Key, MAX>(best, key::<T, MAX, SKIP>(v))
    }
}

impl<T: Ordered, const MAX: bool, const SKIP: bool> Fold for Best<T, MAX, SKIP> {
    type In = T;
    type State = Extreme<T, MAX>;
    #[inline(always)]
    fn run(x: &[T], _at: u64) -> Self::State {
        let start = Self::State::EMPTY.0;
        if x.len() < 16 {
            return Extreme(x.iter().fold(start, |best, v| Self::pick(best, *v)), PhantomData);
        }
        let best: [T::Key; 64] = lanes(x, start, Self::pick);
        Extreme(tree(best, better::<T::Key, MAX>), PhantomData)
    }
    #[inline(always)]
    fn rows(x: &[T], rows: &[Row], acc: &mut [Self::State]) {
        let mut best = [Self::State::EMPTY.0; STRIP];
        columns(x, rows, &mut best[..acc.len()], Self::pick);
        for (state, key) in acc.iter_mut().zip(&best) {
            *state = state.join(Extreme(*key, PhantomData));
        }
    }
}

/// The index of the first smallest element, or the largest with `MAX`; with `SKIP`, NaNs do not count.
#[derive(Debug)]
pub struct Where<T, const MAX: bool, const SKIP: bool>(PhantomData<T>);

impl<T: Ordered, const MAX: bool, const SKIP: bool> Where<T, MAX, SKIP> {
    #[inline(always)]
    fn key(v: T) -> T::Key {
        key::<T, MAX, SKIP>(v.plain())
    }
}

impl<T: Ordered, const MAX: bool, const SKIP: bool> Fold for Where<T, MAX, SKIP> {
    type In = T;
    type State = Found<T, MAX>;
    #[inline(always)]
    fn run(x: &[T], at: u64) -> Self::State {
        let start = Self::State::EMPTY.key;
        let pick = |best, v| better::<T::Key, MAX>(best, Self::key(v));
        let best = if x.len() < 64 {
            x.iter().fold(start, |best, v| pick(best, *v))
        } else {
            let best: [T::Key; 64] = lanes(x, start, pick);
            tree(best, better::<T::Key, MAX>)
        };
        // The run is cached, so looking for the winner afterwards is cheaper than carrying indices along.
        let found = x.iter().position(|v| Self::key(*v) == best && !(SKIP && v.unordered()));
        found.map_or(Self::State::EMPTY, |k| Found { key: best, at: at + k as u64 })
    }
    #[inline(always)]
    fn rows(x: &[T], rows: &[Row], acc: &mut [Self::State]) {
        // Row numbers as wide as the elements vectorise best; the narrowest counts to 128 and has room for "none".
        match size_of::<T>() {
            1 => Self::rows_by::<u8>(x, rows, acc),
            2 => Self::rows_by::<u16>(x, rows, acc),
            4 => Self::rows_by::<u32>(x, rows, acc),
            _ => Self::rows_by::<u64>(x, rows, acc),
        }
    }
}

impl<T: Ordered, const MAX: bool, const SKIP: bool> Where<T, MAX, SKIP> {
    #[inline(always)]
    fn rows_by<N: Key + From<u8> + Into<u64>>(x: &[T], rows: &[Row], acc: &mut [Found<T, MAX>]) {
        let width = acc.len();
        let mut best = [Found::<T, MAX>::EMPTY.key; STRIP];
        let mut from = [N::HIGH; STRIP];
        for (n, row) in rows.iter().enumerate() {
            let n = N::from(n as u8);
            let values = &x[row.start..row.start + width];
            for ((best, from), v) in best[..width].iter_mut().zip(&mut from[..width]).zip(values) {
                let key = Self::key(*v);
                let first = *from == N::HIGH && !(SKIP && v.unordered());
                let wins = first | (key != *best && (key > *best) == MAX);
                *best = if wins { key } else { *best };
                *from = if wins { n } else { *from };
            }
        }
        for (state, (key, from)) in acc.iter_mut().zip(best.iter().zip(&from)) {
            let from: u64 = (*from).into();
            if let Some(row) = rows.get(from as usize) {
                *state = state.join(Found { key: *key, at: row.at });
            }
        }
    }
}
