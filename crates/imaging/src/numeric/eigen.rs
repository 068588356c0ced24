//! Eigenvalues of small symmetric matrices, and what ridge filters make of them. The work is done in double precision.

/// Eigenvalues of a symmetric matrix of 2 x 2, given as `[a00, a01, a11]`, the largest first.
#[inline(always)]
pub fn of_two([a, b, c]: [f64; 3]) -> [f64; 2] {
    let (mean, half) = ((a + c) / 2.0, (a - c) / 2.0);
    let spread = (b * b + half * half).sqrt();
    [mean + spread, mean - spread]
}

/// Eigenvalues of a symmetric matrix of 3 x 3, given as `[a00, a01, a02, a11, a12, a22]`, the largest first.
///
/// The roots of the cubic equation are exact only for the one that lies apart from the other two. That one is taken, with its vector; the
/// others are those of the matrix of 2 x 2 across the vector. So all are exact to the last bits of the largest, also where two are equal.
#[inline(always)]
pub fn of_three([a, b, c, d, e, f]: [f64; 6]) -> [f64; 3] {
    let mean = (a + d + f) / 3.0;
    let (x, y, z) = (a - mean, d - mean, f - mean);
    let outside = b * b + c * c + e * e;
    let size = ((x * x + y * y + z * z + 2.0 * outside) / 6.0).sqrt();
    if size == 0.0 || !size.is_finite() {
        return [mean; 3];
    }
    let determinant = x * (y * z - e * e) - b * (b * z - e * c) + c * (b * e - y * c);
    let half = (determinant / (2.0 * size * size * size)).clamp(-1.0, 1.0);
    let angle = half.acos() / 3.0;
    let is_high = half >= 0.0;
    let turn = if is_high { 0.0 } else { 2.0 * std::f64::consts::FRAC_PI_3 };
    let apart = mean + 2.0 * size * (angle + turn).cos();
    let rows = [[a - apart, b, c], [b, d - apart, e], [c, e, f - apart]];
    let vector = across(rows);
    let (u, w) = beside(vector);
    let times =
        |v: [f64; 3]| [a * v[0] + b * v[1] + c * v[2], b * v[0] + d * v[1] + e * v[2], c * v[0] + e * v[1] + f * v[2]];
    let (au, aw) = (times(u), times(w));
    let apart = dot(vector, times(vector));
    let [first, second] = of_two([dot(u, au), dot(u, aw), dot(w, aw)]);
    if is_high { [apart.max(first), first, second] } else { [first, second, apart.min(second)] }
}

#[inline(always)]
fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The direction, of length 1, across all three rows of a matrix of rank 2.
#[inline(always)]
fn across(rows: [[f64; 3]; 3]) -> [f64; 3] {
    let found = [cross(rows[0], rows[1]), cross(rows[0], rows[2]), cross(rows[1], rows[2])];
    let sizes = found.map(|v| dot(v, v));
    let best = if sizes[0] >= sizes[1] && sizes[0] >= sizes[2] {
        0
    } else if sizes[1] >= sizes[2] {
        1
    } else {
        2
    };
    if sizes[best] == 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let length = sizes[best].sqrt();
    found[best].map(|v| v / length)
}

/// Two directions of length 1 that stand on `v` and on each other.
#[inline(always)]
fn beside(v: [f64; 3]) -> ([f64; 3], [f64; 3]) {
    let u = if v[0].abs() > v[1].abs() {
        let length = v[0].hypot(v[2]);
        [-v[2] / length, 0.0, v[0] / length]
    } else {
        let length = v[1].hypot(v[2]);
        [0.0, v[2] / length, -v[1] / length]
    };
    (u, cross(v, u))
}

/// Tubeness (Sato): the geometric mean of all eigenvalues but the lowest, where these are positive.
#[inline(always)]
pub fn sato(values: &[f64]) -> f64 {
    match *values {
        [high, _] => high.max(0.0),
        [high, middle, _] => (high.max(0.0) * middle.max(0.0)).sqrt(),
        _ => 0.0,
    }
}

/// Size of the matrix: the root of the sum of squared eigenvalues.
#[inline(always)]
pub fn norm(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// Vesselness (Frangi) with its three sensitivities; those of plates and of structure are none for infinite ones.
#[inline(always)]
pub fn frangi(values: &[f64], alpha: f64, beta: f64, gamma: f64) -> f64 {
    const LEAST: f64 = 1e-10;
    let share = |x: f64, width: f64| (-(x * x) / (2.0 * width * width)).exp();
    let structure = 1.0 - share(norm(values), gamma);
    match *values {
        [a, b] => {
            let (small, large) = if a.abs() <= b.abs() { (a, b) } else { (b, a) };
            share(small.abs() / large.max(LEAST), beta) * structure
        }
        [a, b, c] => {
            let mut by_size = [a, b, c];
            by_size.sort_by(|x, y| x.abs().total_cmp(&y.abs()));
            let (middle, large) = (by_size[1].max(LEAST), by_size[2].max(LEAST));
            let plate = 1.0 - share(middle / large, alpha);
            plate * share(by_size[0].abs() / (middle * large).sqrt(), beta) * structure
        }
        _ => 0.0,
    }
}

/// Neuriteness (Meijering): the largest eigenvalue by size after each got a share `alpha` of the others, where it is positive.
#[inline(always)]
pub fn meijering(values: &[f64], alpha: f64) -> f64 {
    let sum: f64 = values.iter().sum();
    let mixed = values.iter().map(|v| v + alpha * (sum - v));
    mixed.fold(0.0f64, |best, v| if v.abs() > best.abs() { v } else { best }).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_matrices() {
        assert_eq!(of_two([2.0, 0.0, 5.0]), [5.0, 2.0]);
        let close = |found: [f64; 3], want: [f64; 3]| found.iter().zip(want).all(|(f, w)| (f - w).abs() < 1e-12);
        assert!(close(of_three([3.0, 0.0, 0.0, 1.0, 0.0, 2.0]), [3.0, 2.0, 1.0]));
        assert!(close(of_three([2.0, 1.0, 1.0, 2.0, 1.0, 2.0]), [4.0, 1.0, 1.0]));
        assert!(close(of_three([7.0, 0.0, 0.0, 7.0, 0.0, 7.0]), [7.0, 7.0, 7.0]));
        assert_eq!(of_three([-3.75, 0.0, 0.0, 0.0, 0.0, 0.0]), [0.0, 0.0, -3.75]);
    }
}
