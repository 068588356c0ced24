//! Edges that are one element thin.

use voxmill_core::Element;

/// A float that slopes are computed in.
pub trait Slope: Element + PartialOrd {
    /// The same number in double precision.
    fn wide(self) -> f64;
    /// Its size.
    fn size(self) -> Self;
    /// `self / by`.
    fn over(self, by: Self) -> Self;
    /// A number between `near` and `far`: products with `far` have the precision of the type, all else is double.
    fn between(near: Self, far: Self, share: Self) -> f64;
}

macro_rules! slope {
    ($($t:ty),*) => {$(
        impl Slope for $t {
            fn wide(self) -> f64 {
                f64::from(self)
            }

            fn size(self) -> Self {
                self.abs()
            }

            fn over(self, by: Self) -> Self {
                self / by
            }

            fn between(near: Self, far: Self, share: Self) -> f64 {
                f64::from(far * share) + f64::from(near) * (1.0 - f64::from(share))
            }
        }
    )*};
}

slope!(f32, f64);

/// The strength at `col` of the middle one of three rows if it is at least `low`, and no less than what lies before and behind it in the
/// direction of the slope; else 0.
pub fn thinned<T: Slope>(down: T, right: T, rows: [&[T]; 3], col: usize, low: f32) -> T {
    let none = T::default();
    let strength = rows[1][col];
    if strength.wide() < f64::from(low) || strength.wide().is_nan() {
        return none;
    }
    let same_sign = (down.wide() <= 0.0) == (right.wide() <= 0.0);
    let (tall, wide) = (down.size(), right.size());
    let steep = if same_sign { tall > wide } else { tall >= wide };
    let share = if steep { wide.over(tall) } else { tall.over(wide) };
    // The neighbour along the axis of the larger slope, and the one on the diagonal, on both sides.
    let (near, far) = match (same_sign, steep) {
        (true, true) => ([rows[2][col], rows[0][col]], [rows[2][col + 1], rows[0][col - 1]]),
        (true, false) => ([rows[1][col + 1], rows[1][col - 1]], [rows[2][col + 1], rows[0][col - 1]]),
        (false, true) => ([rows[0][col], rows[2][col]], [rows[0][col + 1], rows[2][col - 1]]),
        (false, false) => ([rows[1][col + 1], rows[1][col - 1]], [rows[0][col + 1], rows[2][col - 1]]),
    };
    let largest = (0..2).all(|k| T::between(near[k], far[k], share) <= strength.wide());
    if largest { strength } else { none }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_crest_is_left() {
        let rows = [[1.0, 5.0, 2.0]; 3];
        let rows = [&rows[0][..], &rows[1][..], &rows[2][..]];
        assert_eq!(thinned(0.0, 3.0, rows, 1, 0.5), 5.0);
        assert_eq!(thinned(0.0, 3.0, rows, 1, 6.0), 0.0);
        let flank = [&[1.0, 3.0, 5.0][..]; 3];
        assert_eq!(thinned(0.0, 2.0, flank, 1, 0.5), 0.0);
    }
}
