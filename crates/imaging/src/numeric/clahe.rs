//! Equalisation in the neighbourhood of each element: histograms of blocks, their limits, and curves between them.

/// Adds the elements of a block to the counts of their bins; `sources` are the positions along each axis.
pub fn count(image: &[u16], sources: &[Vec<usize>], steps: &[usize], counts: &mut [i64]) {
    let ([first, rest @ ..], [step, steps @ ..]) = (sources, steps) else {
        counts[usize::from(image[0])] += 1;
        return;
    };
    if rest.is_empty() {
        first.iter().for_each(|&k| counts[usize::from(image[k])] += 1);
        return;
    }
    first.iter().for_each(|&k| count(&image[k * step..], rest, steps, counts));
}

/// The most elements that a bin may have.
pub fn limit(share: f64, elements: usize) -> i64 {
    if share > 0.0 { ((share * elements as f64).max(1.0)) as i64 } else { elements as i64 }
}

/// Cuts bins off at `limit`, and spreads what is cut off over the others, first evenly, then one by one.
pub fn clip(counts: &mut [i64], limit: i64) {
    let bins = counts.len() as i64;
    let mut excess: i64 = counts.iter().map(|&n| (n - limit).max(0)).sum();
    counts.iter_mut().for_each(|n| *n = (*n).min(limit));
    let share = excess.div_euclid(bins);
    let upper = limit - share;
    for n in counts.iter_mut() {
        if *n < upper {
            *n += share;
            excess -= share;
        }
        // Also where the share just led here; this may give away more than was cut off, as it does in scikit-image.
        if (upper..limit).contains(n) {
            excess -= limit - *n;
            *n = limit;
        }
    }
    while excess > 0 {
        let before = excess;
        for first in 0..counts.len() {
            let open = counts.iter().filter(|&&n| n < limit).count() as i64;
            let step = (open / excess).max(1) as usize;
            for n in counts[first..].iter_mut().step_by(step).filter(|n| **n < limit) {
                *n += 1;
                excess -= 1;
            }
            if excess <= 0 {
                break;
            }
        }
        if excess == before {
            break;
        }
    }
}

/// What each bin becomes: the share of elements in it and before it, times `highest`.
pub fn curve(counts: &[i64], elements: usize, highest: usize) -> Vec<u16> {
    let scale = highest as f64 / elements as f64;
    let mut sum = 0i64;
    counts.iter().map(|n| (sum += n, (sum as f64 * scale).min(highest as f64) as u16).1).collect()
}

/// Where an element lies between the middles of blocks: the curves of both sides, and the share of the second one.
#[derive(Debug, Clone, Copy)]
pub struct Between {
    /// Positions of the two curves along the axis.
    pub curves: [usize; 2],
    /// Their shares.
    pub shares: [f64; 2],
}

impl Between {
    /// For position `at` of an axis with blocks of `k`, of which there are `n`.
    pub fn new(at: usize, k: usize, n: usize) -> Self {
        let moved = at + k / 2;
        let block = moved / k;
        let share = (moved % k) as f64 / k as f64;
        Between { curves: [block.saturating_sub(1).min(n - 1), block.min(n - 1)], shares: [1.0 - share, share] }
    }
}

/// One row of the result: `corners` are the curves around it, over all axes but the last one, with the shares along these axes from the
/// last one to the first. Shares are multiplied, and values added, in the order and the precision of scikit-image.
pub fn row(
    bins: &[u16],
    out: &mut [u16],
    last: &[Between],
    corners: &[(usize, Vec<f64>)],
    curves: &[u16],
    n_bins: usize,
) {
    for ((bin, out), between) in bins.iter().zip(out).zip(last) {
        let mut sum = 0f32;
        for (corner, shares) in corners {
            for side in 0..2 {
                let value = curves[corner + between.curves[side] * n_bins + usize::from(*bin)];
                let share = shares.iter().fold(between.shares[side], |share, next| share * next);
                sum += (f64::from(value) * share) as f32;
            }
        }
        *out = sum as u16;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clipped_bins_are_filled() {
        let mut counts = vec![0, 30, 2, 1, 0, 7, 0, 0];
        clip(&mut counts, 8);
        assert!(counts.iter().sum::<i64>() >= 40);
        assert!(counts.iter().all(|&n| n <= 8));
    }

    #[test]
    fn elements_lie_between_two_curves() {
        let here = Between::new(0, 4, 3);
        assert_eq!((here.curves, here.shares), ([0, 0], [0.5, 0.5]));
        let here = Between::new(5, 4, 3);
        assert_eq!((here.curves, here.shares), ([0, 1], [0.25, 0.75]));
    }
}
