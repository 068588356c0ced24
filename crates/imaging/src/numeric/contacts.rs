//! Which regions touch, and in how many places.

use rustc_hash::FxHashMap;

/// Regions that touch, the smaller label first, with the pairs of neighbours of both: for each kind of step as many numbers as asked for.
#[derive(Debug, Default)]
pub struct Contacts {
    /// The two labels.
    pub pairs: Vec<(i64, i64)>,
    /// Counts of each pair.
    pub counts: Vec<u64>,
    number: FxHashMap<(i64, i64), usize>,
    width: usize,
}

impl Contacts {
    /// None yet, with `width` counts for each pair.
    pub fn new(width: usize) -> Contacts {
        Contacts { width, ..Contacts::default() }
    }

    /// Counts of a pair.
    pub fn of(&mut self, pair: (i64, i64)) -> &mut [u64] {
        let new = self.pairs.len();
        let at = *self.number.entry(pair).or_insert(new);
        if at == new {
            self.pairs.push(pair);
            self.counts.resize((new + 1) * self.width, 0);
        }
        &mut self.counts[at * self.width..(at + 1) * self.width]
    }
}

/// Counts neighbours of different labels: an element of the block and the one a step further on, which may lie in the margin of one element
/// around the block. `steps` come with the number of the count they add to.
pub fn contacts<T: Copy + PartialEq + Into<i128>>(
    values: &[T],
    framed: &[usize],
    zero: T,
    steps: &[(Vec<i64>, usize)],
    found: &mut Contacts,
) {
    let rank = framed.len();
    let flat = |step: &[i64]| step.iter().zip(framed).fold(0, |flat, (&s, &n)| flat * n as isize + s as isize);
    let steps: Vec<(isize, usize)> = steps.iter().map(|(step, count)| (flat(step), *count)).collect();
    let inner: Vec<usize> = framed.iter().map(|n| n - 2).collect();
    let width = inner[rank - 1];
    let lines: usize = inner[..rank - 1].iter().product();
    let mut at = vec![0; rank - 1];
    for _ in 0..lines {
        let begin = at.iter().zip(framed).fold(0, |flat, (a, n)| flat * n + a + 1) * framed[rank - 1] + 1;
        let line = &values[begin..begin + width];
        for &(by, count) in &steps {
            let there = begin.wrapping_add_signed(by);
            add_line(line, &values[there..there + width], zero, count, found);
        }
        crate::family::grid::advance(&mut at, &inner[..rank - 1]);
    }
}

fn add_line<T: Copy + PartialEq + Into<i128>>(here: &[T], there: &[T], zero: T, count: usize, found: &mut Contacts) {
    let mut k = 0;
    while k < here.len() {
        let (a, b) = (here[k], there[k]);
        if a == b || a == zero || b == zero {
            k += 1;
            continue;
        }
        // The same two meet again and again along a line.
        let begin = k;
        while k < here.len() && here[k] == a && there[k] == b {
            k += 1;
        }
        let (a, b) = (a.into() as i64, b.into() as i64);
        found.of((a.min(b), a.max(b)))[count] += (k - begin) as u64;
    }
}
