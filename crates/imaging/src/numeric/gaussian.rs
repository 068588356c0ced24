//! Weights of Gaussian filters, with the arithmetic of scipy's `_gaussian_kernel1d`, so that integer results agree to the last bit.
//!
//! scipy evaluates the polynomials of derivatives with BLAS, whose order of additions depends on the machine; from the second
//! derivative on, weights may differ from scipy's in the last bit. So may all weights where NumPy uses its AVX-512 `exp`.

/// The weights from `-radius` to `radius` of the `order`-th derivative of a Gaussian.
pub fn weights(sigma: f64, order: usize, radius: usize) -> Vec<f64> {
    let sigma2 = sigma * sigma;
    let positions = || -(radius as i64)..=radius as i64;
    let bell: Vec<f64> = positions().map(|x| (-0.5 / sigma2 * (x * x) as f64).exp()).collect();
    let sum = pairwise_sum(&bell);
    let polynomial = derivative(sigma2, order);
    let weight = |(x, bell): (i64, &f64)| {
        let bell = bell / sum;
        if order == 0 { bell } else { evaluate(&polynomial, x) * bell }
    };
    positions().zip(&bell).map(weight).collect()
}

/// The polynomial `q` of the derivative `q(x) exp(-x^2 / 2 sigma^2)`, lowest power first: each step maps `q` to `q' - q x / sigma^2`.
fn derivative(sigma2: f64, order: usize) -> Vec<f64> {
    let mut q = vec![0.0; order + 1];
    q[0] = 1.0;
    for _ in 0..order {
        let from_below = |i: usize| if i > 0 { q[i - 1] * (1.0 / -sigma2) } else { 0.0 };
        let from_above = |i: usize| if i < order { q[i + 1] * (i + 1) as f64 } else { 0.0 };
        q = (0..=order).map(|i| from_below(i) + from_above(i)).collect();
    }
    q
}

/// The polynomial at `x`, by powers as NumPy computes them: in 64-bit integers.
fn evaluate(polynomial: &[f64], x: i64) -> f64 {
    let mut power = 1i64;
    let mut sum = 0.0;
    for q in polynomial {
        sum += power as f64 * q;
        power = power.wrapping_mul(x);
    }
    sum
}

/// The sum in the order of NumPy's `sum`: eight partial sums per block of 128, blocks added in pairs.
pub fn pairwise_sum(values: &[f64]) -> f64 {
    let n = values.len();
    if n < 8 {
        return values.iter().fold(0.0, |sum, v| sum + v);
    }
    if n > 128 {
        let half = n / 2 - n / 2 % 8;
        return pairwise_sum(&values[..half]) + pairwise_sum(&values[half..]);
    }
    let (blocks, rest) = values.as_chunks::<8>();
    let mut r = blocks[0];
    for block in &blocks[1..] {
        for (r, v) in r.iter_mut().zip(block) {
            *r += v;
        }
    }
    let sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    rest.iter().fold(sum, |sum, v| sum + v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_add_up_and_derivatives_are_odd_or_even() {
        assert!((weights(2.0, 0, 8).iter().sum::<f64>() - 1.0).abs() < 1e-15);
        let (odd, even) = (weights(1.5, 1, 6), weights(1.5, 2, 6));
        for k in 0..=6 {
            assert_eq!(odd[6 - k], -odd[6 + k]);
            assert_eq!(even[6 - k], even[6 + k]);
        }
    }
}
