//! Products of matrices: `matrixmultiply` for floating point, loops of our own for integers and booleans.
#![allow(unsafe_code)]

use matrixmultiply::{CGemmOption, cgemm, dgemm, sgemm, zgemm};
use voxmill_core::{B8, Complex32, Complex64, Element};

use super::simd::{self, Loop};

/// Sizes of a product: `m x k` times `k x n`.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// Rows of the result.
    pub m: usize,
    /// Length of the sums.
    pub k: usize,
    /// Columns of the result.
    pub n: usize,
}

/// A matrix inside a slice: elements to step per row and per column.
#[derive(Debug, Clone, Copy)]
pub struct Matrix<'a, T> {
    /// The elements, the first of the matrix first.
    pub data: &'a [T],
    /// Step from row to row.
    pub row: usize,
    /// Step from column to column.
    pub col: usize,
}

impl<T> Matrix<'_, T> {
    /// True if a matrix of `rows x cols` lies inside the slice.
    fn holds(&self, rows: usize, cols: usize) -> bool {
        rows == 0 || cols == 0 || (rows - 1) * self.row + (cols - 1) * self.col < self.data.len()
    }
}

/// Element types with a product of matrices.
pub trait Multiply: Element {
    /// True if the second matrix must have its columns beside each other.
    const WANTS_ROWS: bool;

    /// `c = a b`, with `c` in C order. Sums run over `k` in an order that does not depend on `m` and `n`.
    fn multiply(sizes: Sizes, a: Matrix<'_, Self>, b: Matrix<'_, Self>, c: &mut [Self]);

    /// The sum of two elements.
    fn plus(self, other: Self) -> Self;
}

/// Bytes that [`Multiply::multiply`] allocates: the packed panels of `matrixmultiply`.
pub fn scratch<T: Multiply>(sizes: Sizes) -> u64 {
    if T::WANTS_ROWS {
        return 0;
    }
    let k = sizes.k.min(256);
    let panels = k * (sizes.m.min(64).next_multiple_of(32) + sizes.n.min(1024).next_multiple_of(32));
    (panels * size_of::<T>() + 4096) as u64
}

macro_rules! float_multiply {
    ($($t:ty, |$s:ident, $a:ident, $b:ident, $c:ident| $call:expr);*) => {$(
        impl Multiply for $t {
            const WANTS_ROWS: bool = false;

            fn multiply($s: Sizes, $a: Matrix<'_, $t>, $b: Matrix<'_, $t>, $c: &mut [$t]) {
                assert!($a.holds($s.m, $s.k) && $b.holds($s.k, $s.n) && $c.len() >= $s.m * $s.n, "a matrix leaves its slice");
                if $s.k == 0 {
                    return $c.fill(<$t>::default());
                }
                // SAFETY: every element of the three matrices lies inside its slice, as just checked, and `c` is borrowed alone.
                unsafe { $call }
            }

            #[inline(always)]
            fn plus(self, other: $t) -> $t {
                self + other
            }
        }
    )*};
}

const PLAIN: CGemmOption = CGemmOption::Standard;

float_multiply!(
    f32, |s, a, b, c| sgemm(s.m, s.k, s.n, 1.0, a.data.as_ptr(), a.row as isize, a.col as isize, b.data.as_ptr(),
        b.row as isize, b.col as isize, 0.0, c.as_mut_ptr(), s.n as isize, 1);
    f64, |s, a, b, c| dgemm(s.m, s.k, s.n, 1.0, a.data.as_ptr(), a.row as isize, a.col as isize, b.data.as_ptr(),
        b.row as isize, b.col as isize, 0.0, c.as_mut_ptr(), s.n as isize, 1);
    Complex32, |s, a, b, c| cgemm(PLAIN, PLAIN, s.m, s.k, s.n, [1.0, 0.0], a.data.as_ptr().cast(), a.row as isize,
        a.col as isize, b.data.as_ptr().cast(), b.row as isize, b.col as isize, [0.0, 0.0], c.as_mut_ptr().cast(), s.n as isize, 1);
    Complex64, |s, a, b, c| zgemm(PLAIN, PLAIN, s.m, s.k, s.n, [1.0, 0.0], a.data.as_ptr().cast(), a.row as isize,
        a.col as isize, b.data.as_ptr().cast(), b.row as isize, b.col as isize, [0.0, 0.0], c.as_mut_ptr().cast(), s.n as isize, 1)
);

/// Elements that are multiplied and added without rounding, so the order of a sum does not matter.
trait Exact: Element {
    fn product(self, other: Self) -> Self;
    fn sum(self, other: Self) -> Self;
}

macro_rules! exact {
    ($($t:ty, $product:expr, $sum:expr);*) => {$(
        impl Exact for $t {
            #[inline(always)]
            fn product(self, other: $t) -> $t {
                $product(self, other)
            }
            #[inline(always)]
            fn sum(self, other: $t) -> $t {
                $sum(self, other)
            }
        }
        impl Multiply for $t {
            const WANTS_ROWS: bool = true;

            fn multiply(sizes: Sizes, a: Matrix<'_, $t>, b: Matrix<'_, $t>, c: &mut [$t]) {
                simd::dispatch(ExactProduct(sizes, a, b, c));
            }

            #[inline(always)]
            fn plus(self, other: $t) -> $t {
                self.sum(other)
            }
        }
    )*};
}

exact!(u8, u8::wrapping_mul, u8::wrapping_add; u16, u16::wrapping_mul, u16::wrapping_add; u32, u32::wrapping_mul, u32::wrapping_add;
    u64, u64::wrapping_mul, u64::wrapping_add; i8, i8::wrapping_mul, i8::wrapping_add; i16, i16::wrapping_mul, i16::wrapping_add;
    i32, i32::wrapping_mul, i32::wrapping_add; i64, i64::wrapping_mul, i64::wrapping_add;
    B8, |a: B8, b: B8| B8(a.0 & b.0), |a: B8, b: B8| B8(a.0 | b.0));

struct ExactProduct<'a, T>(Sizes, Matrix<'a, T>, Matrix<'a, T>, &'a mut [T]);

impl<T: Exact> Loop for ExactProduct<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let ExactProduct(Sizes { m, k, n }, a, b, c) = self;
        c[..m * n].fill(T::default());
        if n < 8 {
            return by_sums(Sizes { m, k, n }, a, b, c);
        }
        // A block of the second matrix stays in cache while all rows of the first pass over it.
        const DEEP: usize = 64;
        const WIDE: usize = 512;
        for j in (0..n).step_by(WIDE) {
            let wide = WIDE.min(n - j);
            for k0 in (0..k).step_by(DEEP) {
                for i in 0..m {
                    let c = &mut c[i * n + j..][..wide];
                    for k in k0..(k0 + DEEP).min(k) {
                        let factor = a.data[i * a.row + k * a.col];
                        for (c, b) in c.iter_mut().zip(&b.data[k * b.row + j..][..wide]) {
                            *c = c.sum(factor.product(*b));
                        }
                    }
                }
            }
        }
    }
}

/// Few columns: one sum after the other.
#[inline(always)]
fn by_sums<T: Exact>(Sizes { m, k, n }: Sizes, a: Matrix<'_, T>, b: Matrix<'_, T>, c: &mut [T]) {
    for i in 0..m {
        for j in 0..n {
            let mut sum = T::default();
            if a.col == 1 && b.row == 1 && k > 0 {
                for (a, b) in a.data[i * a.row..][..k].iter().zip(&b.data[j * b.col..][..k]) {
                    sum = sum.sum(a.product(*b));
                }
            } else {
                for k in 0..k {
                    sum = sum.sum(a.data[i * a.row + k * a.col].product(b.data[k * b.row + j * b.col]));
                }
            }
            c[i * n + j] = sum;
        }
    }
}
