//! Fourier transforms of many lanes: blocks of lanes are gathered into scratch, transformed one by one and written back.
//!
//! Plans are kept for the life of the process, one planner per precision: making one costs more than most transforms.

use std::sync::{Arc, LazyLock};

use num_complex::Complex;
use parking_lot::Mutex;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::{Fft, FftNum, FftPlanner};
use voxmill_core::{Element, Error, Result};

/// A precision that transforms are computed in.
pub trait Precision: FftNum + Element + num_traits::Float {
    /// The planners of this precision.
    fn planners() -> &'static Planners<Self>;
    /// A factor in this precision.
    fn from_factor(factor: f64) -> Self;
}

/// The planners of one precision.
pub struct Planners<T: FftNum> {
    complex: Mutex<FftPlanner<T>>,
    real: Mutex<RealFftPlanner<T>>,
}

impl<T: FftNum> Planners<T> {
    fn new() -> Self {
        Planners { complex: Mutex::new(FftPlanner::new()), real: Mutex::new(RealFftPlanner::new()) }
    }
}

macro_rules! precision {
    ($($t:ty),*) => {$(
        impl Precision for $t {
            fn planners() -> &'static Planners<$t> {
                static PLANNERS: LazyLock<Planners<$t>> = LazyLock::new(Planners::new);
                &PLANNERS
            }

            #[inline(always)]
            fn from_factor(factor: f64) -> Self {
                factor as $t
            }
        }
    )*};
}

precision!(f32, f64);

/// The lanes of a box: `outer x len x inner` in, `outer x count x inner` out.
#[derive(Debug, Clone, Copy)]
pub struct Lanes {
    /// Product of the axes before the transformed one.
    pub outer: usize,
    /// Product of the axes after it.
    pub inner: usize,
    /// Values of a lane in the input; a longer transform sees zeros after them.
    pub len: usize,
    /// Length of the transform.
    pub n: usize,
    /// First value of a transformed lane that is wanted.
    pub begin: usize,
    /// Number of values wanted.
    pub count: usize,
    /// What every value is multiplied with.
    pub factor: f64,
}

/// Values of a lane apart from the next lane in scratch: lanes of a power of two would all fall into the same cache lines.
const GAP: usize = 8;

impl Lanes {
    /// Lanes gathered at a time: enough to use whole cache lines, fewer where lanes are long.
    fn block(&self) -> usize {
        ((1 << 20) / self.n.max(1)).clamp(4, 16).min(self.inner.max(1))
    }

    /// Bytes of scratch for lanes of `a` and `b` bytes per value and `n_a`, `n_b` values, and a work space of `work` bytes.
    fn scratch(&self, (a, n_a): (usize, usize), (b, n_b): (usize, usize), work: usize) -> u64 {
        let lanes = self.block() * (a * (n_a + GAP) + b * (n_b + GAP));
        // The last term is for a plan made on the way: twiddles of the transform and of those it is made from.
        (lanes + work + 16 * 16 * self.n) as u64
    }
}

/// Bytes that [`complex`] allocates.
pub fn complex_scratch<T: Precision>(lanes: &Lanes) -> u64 {
    let plan = plan_complex::<T>(lanes.n, false);
    let width = size_of::<Complex<T>>();
    lanes.scratch((width, lanes.n), (0, 0), width * plan.get_inplace_scratch_len())
}

/// Bytes that [`real_to_complex`] allocates.
pub fn forward_scratch<T: Precision>(lanes: &Lanes) -> u64 {
    let work = plan_forward::<T>(lanes.n).get_scratch_len();
    lanes.scratch((size_of::<T>(), lanes.n), (2 * size_of::<T>(), lanes.n / 2 + 1), 2 * size_of::<T>() * work)
}

/// Bytes that [`complex_to_real`] allocates.
pub fn inverse_scratch<T: Precision>(lanes: &Lanes) -> u64 {
    let work = plan_inverse::<T>(lanes.n).get_scratch_len();
    lanes.scratch((size_of::<T>(), lanes.n), (2 * size_of::<T>(), lanes.n / 2 + 1), 2 * size_of::<T>() * work)
}

fn plan_complex<T: Precision>(n: usize, inverse: bool) -> Arc<dyn Fft<T>> {
    let mut planner = T::planners().complex.lock();
    if inverse { planner.plan_fft_inverse(n) } else { planner.plan_fft_forward(n) }
}

fn plan_forward<T: Precision>(n: usize) -> Arc<dyn RealToComplex<T>> {
    T::planners().real.lock().plan_fft_forward(n)
}

fn plan_inverse<T: Precision>(n: usize) -> Arc<dyn ComplexToReal<T>> {
    T::planners().real.lock().plan_fft_inverse(n)
}

/// Complex transform of lanes of `A`, each value made complex by `load`.
pub fn complex<A: Copy, T: Precision>(
    lanes: &Lanes,
    inverse: bool,
    src: &[A],
    dst: &mut [Complex<T>],
    load: impl Fn(A) -> Complex<T> + Copy,
) {
    let plan = plan_complex::<T>(lanes.n, inverse);
    let stride = lanes.n + GAP;
    let mut values = vec![Complex::default(); lanes.block() * stride];
    let mut work = vec![Complex::default(); plan.get_inplace_scratch_len()];
    let factor = T::from_factor(lanes.factor);
    for block in blocks(lanes) {
        gather(lanes, lanes.n, block, src, &mut values, load);
        for lane in values.chunks_exact_mut(stride).take(block.2) {
            plan.process_with_scratch(&mut lane[..lanes.n], &mut work);
        }
        scatter(lanes, block, &values, stride, dst, |v| v * factor);
    }
}

/// Transform of real lanes: the first `n / 2 + 1` values, each finished by `store`.
pub fn real_to_complex<T: Precision>(
    lanes: &Lanes,
    src: &[T],
    dst: &mut [Complex<T>],
    store: impl Fn(Complex<T>) -> Complex<T> + Copy,
) -> Result<()> {
    let plan = plan_forward::<T>(lanes.n);
    let (stride, half) = (lanes.n + GAP, lanes.n / 2 + 1);
    let mut values = vec![T::zero(); lanes.block() * stride];
    let mut spectra = vec![Complex::default(); lanes.block() * (half + GAP)];
    let mut work = plan.make_scratch_vec();
    let factor = T::from_factor(lanes.factor);
    for block in blocks(lanes) {
        gather(lanes, lanes.n, block, src, &mut values, |v| v);
        let pairs = values.chunks_exact_mut(stride).zip(spectra.chunks_exact_mut(half + GAP));
        for (lane, spectrum) in pairs.take(block.2) {
            plan.process_with_scratch(&mut lane[..lanes.n], &mut spectrum[..half], &mut work)
                .map_err(|e| Error::internal(e.to_string()))?;
        }
        scatter(lanes, block, &spectra, half + GAP, dst, |v| store(v * factor));
    }
    Ok(())
}

/// Real lanes from the first `n / 2 + 1` values of their transform, each made complex by `load`.
pub fn complex_to_real<A: Copy, T: Precision>(
    lanes: &Lanes,
    src: &[A],
    dst: &mut [T],
    load: impl Fn(A) -> Complex<T> + Copy,
) -> Result<()> {
    let plan = plan_inverse::<T>(lanes.n);
    let (stride, half) = (lanes.n + GAP, lanes.n / 2 + 1);
    let mut values = vec![T::zero(); lanes.block() * stride];
    let mut spectra = vec![Complex::default(); lanes.block() * (half + GAP)];
    let mut work = plan.make_scratch_vec();
    let factor = T::from_factor(lanes.factor);
    for block in blocks(lanes) {
        gather(lanes, half, block, src, &mut spectra, load);
        let pairs = values.chunks_exact_mut(stride).zip(spectra.chunks_exact_mut(half + GAP));
        for (lane, spectrum) in pairs.take(block.2) {
            // The transform of real values has no imaginary part here; NumPy ignores one that is given.
            spectrum[0].im = T::zero();
            if lanes.n.is_multiple_of(2) {
                spectrum[half - 1].im = T::zero();
            }
            plan.process_with_scratch(&mut spectrum[..half], &mut lane[..lanes.n], &mut work)
                .map_err(|e| Error::internal(e.to_string()))?;
        }
        scatter(lanes, block, &values, stride, dst, |v| v * factor);
    }
    Ok(())
}

/// Outer index, first lane and number of lanes.
type Block = (usize, usize, usize);

/// All blocks of lanes.
fn blocks(lanes: &Lanes) -> impl Iterator<Item = Block> + use<> {
    let (step, inner) = (lanes.block().max(1), lanes.inner);
    (0..lanes.outer).flat_map(move |o| (0..inner).step_by(step).map(move |l| (o, l, step.min(inner - l))))
}

/// Copies `n_lanes` lanes into `to`, each `n` values and a gap long, with zeros where the input ends early.
#[inline(always)]
fn gather<A: Copy, B: Copy + num_traits::Zero>(
    lanes: &Lanes,
    n: usize,
    (outer, first, n_lanes): Block,
    src: &[A],
    to: &mut [B],
    load: impl Fn(A) -> B,
) {
    let (taken, stride) = (lanes.len.min(n), n + GAP);
    let src = &src[outer * lanes.len * lanes.inner + first..];
    if lanes.inner == 1 {
        to.iter_mut().zip(&src[..taken]).for_each(|(to, v)| *to = load(*v));
    } else {
        transpose([taken, n_lanes], src, lanes.inner, to, stride, load);
    }
    for lane in to.chunks_exact_mut(stride).take(n_lanes) {
        lane[taken..n].fill(B::zero());
    }
}

/// Copies the wanted part of `n_lanes` lanes to their place.
#[inline(always)]
fn scatter<B: Copy>(
    lanes: &Lanes,
    (outer, first, n_lanes): Block,
    from: &[B],
    stride: usize,
    dst: &mut [B],
    store: impl Fn(B) -> B,
) {
    let (from, dst) = (&from[lanes.begin..], &mut dst[outer * lanes.count * lanes.inner + first..]);
    if lanes.inner == 1 {
        dst[..lanes.count].iter_mut().zip(from).for_each(|(dst, v)| *dst = store(*v));
    } else {
        transpose([n_lanes, lanes.count], from, stride, dst, lanes.inner, store);
    }
}

/// `dst[c * to + r] = f(src[r * from + c])`, in small squares.
#[inline(always)]
fn transpose<A: Copy, B>(
    [rows, cols]: [usize; 2],
    src: &[A],
    from: usize,
    dst: &mut [B],
    to: usize,
    f: impl Fn(A) -> B,
) {
    const SIDE: usize = 8;
    for r0 in (0..rows).step_by(SIDE) {
        for c0 in (0..cols).step_by(SIDE) {
            if r0 + SIDE <= rows && c0 + SIDE <= cols {
                let square: [&[A]; SIDE] = std::array::from_fn(|r| &src[(r0 + r) * from + c0..][..SIDE]);
                for c in 0..SIDE {
                    let line = &mut dst[(c0 + c) * to + r0..][..SIDE];
                    for r in 0..SIDE {
                        line[r] = f(square[r][c]);
                    }
                }
                continue;
            }
            for r in r0..(r0 + SIDE).min(rows) {
                for c in c0..(c0 + SIDE).min(cols) {
                    dst[c * to + r] = f(src[r * from + c]);
                }
            }
        }
    }
}
