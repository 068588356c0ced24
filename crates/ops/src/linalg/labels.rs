//! Which axes of two arrays are multiplied, added up or kept: one letter per axis, as in `einsum`.

use serde::{Deserialize, Serialize};
use voxmill_core::{ArrayMeta, AxisCuts, ChunkGrid, Error, Idx, Region, Result};

/// Axes of two inputs and of their product. A letter in both inputs but not in the result is added up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Labels {
    /// One letter per axis of the first input.
    pub a: String,
    /// One letter per axis of the second input.
    pub b: String,
    /// One letter per axis of the result.
    pub out: String,
}

/// The axes of a product by their part in it. Invariant: axes of the result are `batch`, `rows`, `cols`, in this order.
#[derive(Debug, Clone)]
pub struct Roles {
    /// For each: the axis of the first and of the second input, where they have it.
    pub batch: Vec<(Option<usize>, Option<usize>)>,
    /// Axes of the first input that are kept.
    pub rows: Vec<usize>,
    /// Axes of the second input that are kept.
    pub cols: Vec<usize>,
    /// Pairs of axes that are added up.
    pub sums: Vec<(usize, usize)>,
}

/// `n` letters that no other call with another `first` gives.
pub fn letters(first: usize, n: usize) -> String {
    (first..first + n).map(|k| char::from_u32('A' as u32 + k as u32).unwrap_or('?')).collect()
}

impl Labels {
    /// The part of each axis.
    pub fn roles(&self) -> Result<Roles> {
        let (a, b, out): (Vec<char>, Vec<char>, Vec<char>) =
            (self.a.chars().collect(), self.b.chars().collect(), self.out.chars().collect());
        let find = |list: &[char], c: char| list.iter().position(|&l| l == c);
        let n_shared = out.iter().rposition(|&c| a.contains(&c) && b.contains(&c)).map_or(0, |k| k + 1);
        // An axis of the second array alone may stand before those of the first, as in stacks of matrices.
        let in_order = |kept: &[char]| kept.is_sorted_by_key(|c| b.contains(c));
        let n_batch = (n_shared..out.len()).find(|&n| in_order(&out[n..])).unwrap_or(out.len());
        let (batch, kept) = out.split_at(n_batch);
        let rows: Vec<usize> = kept.iter().filter_map(|&c| find(&a, c)).collect();
        let cols: Vec<usize> = kept.iter().filter_map(|&c| find(&b, c)).collect();
        let sums: Vec<(usize, usize)> = a
            .iter()
            .enumerate()
            .filter(|(_, c)| !out.contains(c))
            .filter_map(|(i, &c)| Some((i, find(&b, c)?)))
            .collect();
        let complete = |list: &[char], of: usize| {
            let twice = (0..list.len()).any(|k| list[..k].contains(&list[k]));
            !twice && list.len() == of + sums.len() + batch.iter().filter(|c| list.contains(c)).count()
        };
        let all_known = out.iter().all(|c| a.contains(c) || b.contains(c));
        if !all_known || !complete(&a, rows.len()) || !complete(&b, cols.len()) {
            return Err(Error::invalid(format!(
                "{},{}->{} is no product of two arrays: every letter stands once per array, and in two of the three",
                self.a, self.b, self.out
            )));
        }
        let batch = batch.iter().map(|&c| (find(&a, c), find(&b, c))).collect();
        Ok(Roles { batch, rows, cols, sums })
    }
}

impl Roles {
    /// Shape and chunks of the product; the dtype is that of the first input.
    pub fn infer(&self, a: &ArrayMeta, b: &ArrayMeta) -> Result<ArrayMeta> {
        for &(i, j) in &self.sums {
            if a.shape[i] != b.shape[j] {
                return Err(Error::invalid(format!(
                    "shapes {:?} and {:?} do not fit: axis {i} of the first has {}, axis {j} of the second {}; both are added \
                     up together and must be equal",
                    &a.shape[..],
                    &b.shape[..],
                    a.shape[i],
                    b.shape[j]
                )));
            }
        }
        let shared =
            self.batch.iter().map(|&(i, j)| batch_cuts(i.map(|i| &a.grid.axes[i]), j.map(|j| &b.grid.axes[j])));
        let rows = self.rows.iter().map(|&i| Ok(a.grid.axes[i].clone()));
        let cols = self.cols.iter().map(|&j| Ok(b.grid.axes[j].clone()));
        let grid = ChunkGrid { axes: shared.chain(rows).chain(cols).collect::<Result<_>>()? };
        Ok(ArrayMeta::new(grid.shape(), a.dtype).with_grid(grid))
    }

    /// The boxes of both inputs behind the box `out`, with the sums whole.
    pub fn reads(&self, out: &Region, a: &ArrayMeta, b: &ArrayMeta) -> [Region; 2] {
        let (mut read_a, mut read_b) = (a.whole(), b.whole());
        let set = |read: &mut Region, meta: &ArrayMeta, axis: usize, k: usize| {
            // An axis of length 1 serves every position, as in broadcasting.
            let repeated = meta.shape[axis] == 1 && out.shape[k] > 0;
            (read.start[axis], read.shape[axis]) = if repeated { (0, 1) } else { (out.start[k], out.shape[k]) };
        };
        for (k, &(i, j)) in self.batch.iter().enumerate() {
            i.into_iter().for_each(|i| set(&mut read_a, a, i, k));
            j.into_iter().for_each(|j| set(&mut read_b, b, j, k));
        }
        let lead = self.batch.len();
        self.rows.iter().enumerate().for_each(|(k, &i)| set(&mut read_a, a, i, lead + k));
        let lead = lead + self.rows.len();
        self.cols.iter().enumerate().for_each(|(k, &j)| set(&mut read_b, b, j, lead + k));
        if out.is_empty() {
            (read_a.shape, read_b.shape) = (Idx::from_elem(0, a.rank()), Idx::from_elem(0, b.rank()));
        }
        [read_a, read_b]
    }
}

/// The cuts of an axis that both inputs may have.
fn batch_cuts(a: Option<&AxisCuts>, b: Option<&AxisCuts>) -> Result<AxisCuts> {
    match (a, b) {
        (Some(a), Some(b)) if a.len() == b.len() => Ok(if a.n_chunks() >= b.n_chunks() { a } else { b }.clone()),
        (Some(a), Some(b)) if a.len() == 1 => Ok(b.clone()),
        (Some(a), Some(b)) if b.len() == 1 => Ok(a.clone()),
        (Some(a), Some(b)) => Err(Error::invalid(format!(
            "stacks of matrices do not broadcast: one has {} where the other has {}; lengths must be equal or 1",
            a.len(),
            b.len()
        ))),
        (Some(one), None) | (None, Some(one)) => Ok(one.clone()),
        (None, None) => Err(Error::internal("an axis of the result is in no input")),
    }
}
