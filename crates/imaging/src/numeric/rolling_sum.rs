//! Sums over all windows of a box, each made anew.

/// Replaces `values` (of lengths `shape`) by the sums of all windows of `size` along every axis, one axis after the other; `spare` is as
/// long. Gives the number of sums, which lie at the front.
pub fn window_sums(values: &mut [f64], spare: &mut [f64], shape: &[usize], size: usize) -> usize {
    let mut shape = shape.to_vec();
    for axis in 0..shape.len() {
        let inner: usize = shape[axis + 1..].iter().product();
        let outer: usize = shape[..axis].iter().product();
        let (n, left) = (shape[axis], shape[axis] + 1 - size);
        for k in 0..outer {
            let from = &values[k * n * inner..(k + 1) * n * inner];
            let to = &mut spare[k * left * inner..(k + 1) * left * inner];
            to.copy_from_slice(&from[..left * inner]);
            for step in 1..size {
                let more = &from[step * inner..(step + left) * inner];
                to.iter_mut().zip(more).for_each(|(sum, v)| *sum += v);
            }
        }
        shape[axis] = left;
        let n = shape.iter().product();
        values[..n].copy_from_slice(&spare[..n]);
    }
    shape.iter().product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_summed() {
        let mut values = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let mut spare = vec![0.0; 6];
        let n = window_sums(&mut values, &mut spare, &[2, 3], 2);
        assert_eq!(values[..n], [12.0, 16.0]);
    }
}
