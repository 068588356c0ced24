//! Products of all pairs of rows: exact ones for bytes, through `matrixmultiply` for floats.
#![allow(unsafe_code)]

use voxmill_ops::numeric::gemm::{self, Matrix, Multiply, Sizes};

use super::pairs::{Panel, Target, group_of};

/// A product of whole numbers that stands for more than itself: `product * factor + left[i] + right[j]` is added to the sum of a pair.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// What each row adds.
    pub left: &'a [i64],
    /// What each column adds.
    pub right: &'a [i64],
    /// What the product is multiplied with.
    pub factor: i64,
}

impl Terms<'_> {
    #[inline(always)]
    fn of(&self, i: usize, j: usize, product: i32) -> f64 {
        (i64::from(product) * self.factor + self.left[i] + self.right[j]) as f64
    }
}

/// Adds the products of all wanted pairs of rows. Sums must fit 32 bits.
pub fn add_words(a: Panel<'_, i16>, b: Panel<'_, i16>, terms: Terms<'_>, target: &mut Target<'_>) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the feature was detected on this very machine.
        return unsafe { avx2::add(a, b, terms, target) };
    }
    each_tile::<1>(group_of(&b), target, |i, j, target| {
        let (rows, cols) = target.shape;
        let right = std::array::from_fn(|k| b.row(j + k, cols));
        store(&[four_words(a.row(i, rows), right)], i, j, terms, target);
    });
}

/// Four products, for any machine.
fn four_words(a: &[i16], b: [&[i16]; 4]) -> [i32; 4] {
    b.map(|b| a.iter().zip(b).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum())
}

/// True if this machine multiplies bytes and adds them up in one instruction.
pub fn has_byte_products() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        is_x86_feature_detected!("avx512vnni")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512f")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// As [`add_words`], for bytes without a sign on the left and with one on the right. Only where [`has_byte_products`].
pub fn add_bytes(a: Panel<'_, u8>, b: Panel<'_, i8>, terms: Terms<'_>, target: &mut Target<'_>) {
    #[cfg(target_arch = "x86_64")]
    if has_byte_products() {
        // SAFETY: the features were detected on this very machine.
        unsafe { vnni::add(a, b, terms, target) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (a, b, terms, target);
}

/// Loops for one instruction set: two rows with four, so that eight sums stay in registers.
#[cfg(target_arch = "x86_64")]
macro_rules! products {
    ($module:ident, $features:literal, $a:ty, $b:ty, $width:literal, $vector:ident, $zero:ident, $load:ident,
        |$sum:ident, $x:ident, $y:ident| $step:expr, |$all:ident| $reduce:expr) => {
        mod $module {
            use std::arch::x86_64::*;

            use super::{Panel, Target, Terms, each_tile, group_of, store};

            #[target_feature(enable = $features)]
            pub fn add(a: Panel<'_, $a>, b: Panel<'_, $b>, terms: Terms<'_>, target: &mut Target<'_>) {
                each_tile::<2>(group_of(&b), target, |i, j, target| {
                    let (rows, cols) = target.shape;
                    let left = [a.row(i, rows), a.row(i + 1, rows)];
                    let right = std::array::from_fn(|k| b.row(j + k, cols));
                    store(&products(left, right), i, j, terms, target);
                });
            }

            /// Eight products; rows are multiples of 64 elements long.
            #[target_feature(enable = $features)]
            #[inline]
            fn products(a: [&[$a]; 2], b: [&[$b]; 4]) -> [[i32; 4]; 2] {
                let [a0, a1] = a.map(|row| row.as_chunks::<$width>().0);
                let [b0, b1, b2, b3] = b.map(|row| row.as_chunks::<$width>().0);
                let mut sums = [[$zero(); 4]; 2];
                for (((((a0, a1), b0), b1), b2), b3) in a0.iter().zip(a1).zip(b0).zip(b1).zip(b2).zip(b3) {
                    let right = [load(b0), load(b1), load(b2), load(b3)];
                    for (sums, left) in sums.iter_mut().zip([load(a0), load(a1)]) {
                        for (sum, right) in sums.iter_mut().zip(right) {
                            let ($sum, $x, $y) = (*sum, left, right);
                            *sum = $step;
                        }
                    }
                }
                let mut totals = [[0; 4]; 2];
                for (totals, sums) in totals.iter_mut().zip(&sums) {
                    for (total, &$all) in totals.iter_mut().zip(sums) {
                        *total = $reduce;
                    }
                }
                totals
            }

            #[target_feature(enable = $features)]
            #[inline]
            fn load<T>(values: &[T; $width]) -> $vector {
                const { assert!(size_of::<[T; $width]>() == size_of::<$vector>()) };
                // SAFETY: there are as many bytes as a vector has, and the instruction takes any alignment.
                unsafe { $load(values.as_ptr().cast()) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
products!(
    vnni,
    "avx512f,avx512bw,avx512vl,avx512vnni",
    u8,
    i8,
    64,
    __m512i,
    _mm512_setzero_si512,
    _mm512_loadu_si512,
    |sum, x, y| _mm512_dpbusd_epi32(sum, x, y),
    |sum| _mm512_reduce_add_epi32(sum)
);

#[cfg(target_arch = "x86_64")]
products!(
    avx2,
    "avx2",
    i16,
    i16,
    16,
    __m256i,
    _mm256_setzero_si256,
    _mm256_loadu_si256,
    |sum, x, y| _mm256_add_epi32(sum, _mm256_madd_epi16(x, y)),
    |sum| {
        let half = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
        let pair = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0xee));
        _mm_cvtsi128_si32(_mm_add_epi32(pair, _mm_shuffle_epi32(pair, 0x55)))
    }
);

/// Visits all tiles of `R` rows and 4 columns that have a wanted pair.
#[inline(always)]
fn each_tile<const R: usize>(
    group: usize,
    target: &mut Target<'_>,
    mut visit: impl FnMut(usize, usize, &mut Target<'_>),
) {
    let (rows, cols) = target.shape;
    for first in (0..cols).step_by(group) {
        for i in (0..rows).step_by(R) {
            for j in (first..(first + group).min(cols)).step_by(4) {
                if target.wants(i, (j + 3).min(cols - 1)) {
                    visit(i, j, target);
                }
            }
        }
    }
}

#[inline(always)]
fn store<const R: usize>(products: &[[i32; 4]; R], i: usize, j: usize, terms: Terms<'_>, target: &mut Target<'_>) {
    for (k, products) in products.iter().enumerate().take(target.shape.0 - i) {
        for (l, &product) in products.iter().enumerate().take(target.shape.1 - j) {
            if target.wants(i + k, j + l) {
                let at = target.at(i + k, j + l);
                target.sums[at] += terms.of(i + k, j + l, product);
            }
        }
    }
}

/// Rows and columns of one product of floats.
const SIDE: usize = 256;

/// Bytes that [`add_floats`] allocates, with `stride` features in a row.
pub fn float_scratch<T: Multiply>(rows: usize, cols: usize, stride: usize) -> u64 {
    let (m, n) = (rows.min(SIDE), cols.min(SIDE));
    (m * n * size_of::<T>()) as u64 + gemm::scratch::<T>(Sizes { m, k: stride, n })
}

/// Adds the products of all wanted pairs of rows; blocks that hold a wanted pair are computed whole.
pub fn add_floats<T: Multiply + Into<f64>>(a: Panel<'_, T>, b: Panel<'_, T>, target: &mut Target<'_>) {
    let (rows, cols) = target.shape;
    let mut block = vec![T::default(); rows.min(SIDE) * cols.min(SIDE)];
    for i in (0..rows).step_by(SIDE) {
        for j in (0..cols).step_by(SIDE) {
            let (m, n) = (SIDE.min(rows - i), SIDE.min(cols - j));
            if !target.wants(i, j + n - 1) {
                continue;
            }
            let left = Matrix { data: &a.values[i * a.stride..], row: a.stride, col: 1 };
            let right = Matrix { data: &b.values[j * b.stride..], row: 1, col: b.stride };
            T::multiply(Sizes { m, k: a.stride, n }, left, right, &mut block[..m * n]);
            for (k, products) in block[..m * n].chunks_exact(n).enumerate() {
                let at = target.at(i + k, j);
                for (sum, &product) in target.sums[at..at + n].iter_mut().zip(products) {
                    *sum += product.into();
                }
            }
        }
    }
}
