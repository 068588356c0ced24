//! The loops and the meaning of states behind a kind of reduction and a dtype.

use std::marker::PhantomData;

use voxmill_core::{B8, Complex64, DType, Error, Result, Scalar, View, dispatch};

use super::Kind;
use super::gather::{Blockwise, Gather};
use super::walk::{Blocks, Emit, MAX_WORDS, reduce_blocks};
use crate::numeric::fold::Fold;
use crate::numeric::fold::extreme::{Best, Where};
use crate::numeric::fold::moments::{ComplexSpread, SmallSpread, Spread};
use crate::numeric::fold::product::Prod;
use crate::numeric::fold::sum::{Count, NonZero, NotNan, Sum};
use crate::numeric::order::Ordered;
use crate::numeric::states::{
    ComplexProduct, ExactMoments, Extreme, FloatProduct, FloatTotal, Found, Moments, Pair, Product, State, Total,
};

/// What is known beside the state when it becomes a value.
#[derive(Debug, Clone, Copy)]
pub struct Finish {
    /// The reduction.
    pub kind: Kind,
    /// Number of reduced elements, NaNs included.
    pub n: u64,
    /// Subtracted from the number of elements in a variance.
    pub ddof: f64,
    /// True if the elements have a sign.
    pub signed: bool,
    /// True if NaNs do not count.
    pub skip: bool,
}

/// A reduction of one dtype, with its types hidden.
pub trait Kernel: Send + Sync {
    /// Words of a state.
    fn words(&self) -> usize;
    /// Reduces all blocks of a box.
    fn reduce(&self, x: &View<'_>, blocks: &Blocks<'_>, emit: Emit<'_>) -> Result<()>;
    /// Reduces all blocks of a box whose elements come in C order; see [`Blocks::take_runs`].
    fn gather(&self, blocks: &Blocks<'_>) -> Box<dyn Gather>;
    /// Words per block that [`Kernel::reduce`] allocates.
    fn scratch_words(&self) -> usize {
        0
    }
    /// The state of no elements.
    fn empty(&self, state: &mut [u64]);
    /// Joins `other` to `state`.
    fn join(&self, state: &mut [u64], other: &[u64]);
    /// The value of a state.
    fn value(&self, state: &[u64], finish: &Finish) -> Scalar;
}

/// The dtype whose loops serve `dtype` without loss: half floats go as `float32`, complex numbers as `complex128`; products,
/// and moments of wide integers, as 64-bit types. Fewer loops are compiled, and the cast is fused into the pass that reads.
pub fn work_dtype(kind: Kind, dtype: DType) -> DType {
    let wide = matches!(dtype, DType::U32 | DType::I32 | DType::U64 | DType::I64);
    match (kind, dtype) {
        (Kind::Prod, d) if d.is_exact() => DType::U64,
        (Kind::Prod, d) if d.is_float() => DType::F64,
        // Sums of wide integers may not fit 64 bits.
        (Kind::Mean | Kind::Var | Kind::Std, _) if wide => DType::F64,
        (_, DType::F16 | DType::BF16) => DType::F32,
        (_, DType::C64) => DType::C128,
        (_, d) => d,
    }
}

/// Calls generic code for the types that have a NaN.
macro_rules! inexact {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            DType::F32 => {
                type $T = f32;
                $body
            }
            DType::F64 => {
                type $T = f64;
                $body
            }
            DType::C128 => {
                type $T = Complex64;
                $body
            }
            other => return Err(unknown(other)),
        }
    };
}

/// Calls generic code for all types with loops of their own; booleans go as bytes.
macro_rules! worked {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            DType::Bool => { type $T = u8; $body }
            other => dispatch!(int other, $T => $body, else inexact!(other, $T => $body)),
        }
    };
}

/// Calls generic code for the unsigned type of the same width, where the sign does not matter.
macro_rules! unsigned {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype.size() {
            1 => {
                type $T = u8;
                $body
            }
            2 => {
                type $T = u16;
                $body
            }
            4 => {
                type $T = u32;
                $body
            }
            _ => {
                type $T = u64;
                $body
            }
        }
    };
}

/// The kernel of `kind` for elements of `dtype`, one of [`work_dtype`]; with `skip`, NaNs do not count.
pub fn kernel(kind: Kind, skip: bool, dtype: DType) -> Result<Box<dyn Kernel>> {
    let skip = skip && !dtype.is_exact();
    Ok(match (kind, skip) {
        (Kind::Sum | Kind::Mean, false) => match dtype {
            DType::Bool => of::<Count<u8, NonZero>>(),
            DType::I64 => of::<Sum<u64, false>>(),
            DType::U8 | DType::I8 | DType::U16 | DType::I16 | DType::U32 | DType::I32 | DType::U64 => small_sum(dtype),
            _ => inexact!(dtype, T => of::<Sum<T, false>>()),
        },
        (Kind::Sum, true) => inexact!(dtype, T => of::<Sum<T, true>>()),
        (Kind::Mean, true) => inexact!(dtype, T => Box::new(Two(of::<Sum<T, true>>(), of::<Count<T, NotNan>>()))),
        (Kind::Prod, skip) => product(skip, dtype)?,
        (Kind::Var | Kind::Std, skip) => spread(skip, dtype)?,
        (Kind::Any | Kind::All | Kind::CountNonzero, _) if dtype.is_exact() => {
            unsigned!(dtype, T => of::<Count<T, NonZero>>())
        }
        (Kind::Any | Kind::All | Kind::CountNonzero, _) => inexact!(dtype, T => of::<Count<T, NonZero>>()),
        (Kind::Ptp, _) => Box::new(Two(kernel(Kind::Min, skip, dtype)?, kernel(Kind::Max, skip, dtype)?)),
        (_, skip) => extreme(kind, skip, dtype)?,
    })
}

fn small_sum(dtype: DType) -> Box<dyn Kernel> {
    match dtype {
        DType::U8 => of::<Sum<u8, false>>(),
        DType::I8 => of::<Sum<i8, false>>(),
        DType::U16 => of::<Sum<u16, false>>(),
        DType::I16 => of::<Sum<i16, false>>(),
        DType::U32 => of::<Sum<u32, false>>(),
        DType::I32 => of::<Sum<i32, false>>(),
        _ => of::<Sum<u64, false>>(),
    }
}

fn product(skip: bool, dtype: DType) -> Result<Box<dyn Kernel>> {
    Ok(match (dtype, skip) {
        (DType::U64, _) => of::<Prod<u64, false>>(),
        (DType::F64, false) => of::<Prod<f64, false>>(),
        (DType::F64, true) => of::<Prod<f64, true>>(),
        (DType::C128, false) => of::<Prod<Complex64, false>>(),
        (DType::C128, true) => of::<Prod<Complex64, true>>(),
        _ => return Err(unknown(dtype)),
    })
}

fn spread(skip: bool, dtype: DType) -> Result<Box<dyn Kernel>> {
    Ok(match (dtype, skip) {
        (DType::Bool, _) => of::<SmallSpread<B8>>(),
        (DType::U8, _) => of::<SmallSpread<u8>>(),
        (DType::I8, _) => of::<SmallSpread<i8>>(),
        (DType::U16, _) => of::<SmallSpread<u16>>(),
        (DType::I16, _) => of::<SmallSpread<i16>>(),
        (DType::F32, false) => of::<Spread<f32, false>>(),
        (DType::F32, true) => of::<Spread<f32, true>>(),
        (DType::F64, false) => of::<Spread<f64, false>>(),
        (DType::F64, true) => of::<Spread<f64, true>>(),
        (DType::C128, false) => of::<ComplexSpread<false>>(),
        (DType::C128, true) => of::<ComplexSpread<true>>(),
        _ => return Err(unknown(dtype)),
    })
}

fn extreme(kind: Kind, skip: bool, dtype: DType) -> Result<Box<dyn Kernel>> {
    Ok(match (kind, skip) {
        (Kind::Min, false) => worked!(dtype, T => of::<Best<T, false, false>>()),
        (Kind::Min, true) => inexact!(dtype, T => of::<Best<T, false, true>>()),
        (Kind::Max, false) => worked!(dtype, T => of::<Best<T, true, false>>()),
        (Kind::Max, true) => inexact!(dtype, T => of::<Best<T, true, true>>()),
        (Kind::Argmin, false) => worked!(dtype, T => of::<Where<T, false, false>>()),
        (Kind::Argmin, true) => inexact!(dtype, T => of::<Where<T, false, true>>()),
        (Kind::Argmax, false) => worked!(dtype, T => of::<Where<T, true, false>>()),
        (Kind::Argmax, true) => inexact!(dtype, T => of::<Where<T, true, true>>()),
        _ => return Err(unknown(dtype)),
    })
}

fn unknown(dtype: DType) -> Error {
    Error::invalid(format!("a reduction of {dtype} has no loop of its own; it is cast first"))
}

fn of<F: Fold + Send + Sync + 'static>() -> Box<dyn Kernel>
where
    F::State: Value,
{
    Box::new(Typed::<F>(PhantomData))
}

struct Typed<F>(PhantomData<F>);

impl<F: Fold + Send + Sync + 'static> Kernel for Typed<F>
where
    F::State: Value,
{
    fn words(&self) -> usize {
        F::State::WORDS
    }
    fn reduce(&self, x: &View<'_>, blocks: &Blocks<'_>, emit: Emit<'_>) -> Result<()> {
        reduce_blocks::<F>(x, blocks, emit)
    }
    fn gather(&self, blocks: &Blocks<'_>) -> Box<dyn Gather> {
        Box::new(Blockwise::<F>::new(blocks))
    }
    fn empty(&self, state: &mut [u64]) {
        F::State::EMPTY.store(state);
    }
    fn join(&self, state: &mut [u64], other: &[u64]) {
        F::State::load(state).join(F::State::load(other)).store(state);
    }
    fn value(&self, state: &[u64], finish: &Finish) -> Scalar {
        F::State::load(state).value(finish)
    }
}

/// Two reductions of the same elements: a sum and the number of its terms, or the smallest and the largest element.
struct Two(Box<dyn Kernel>, Box<dyn Kernel>);

impl Kernel for Two {
    fn words(&self) -> usize {
        self.0.words() + self.1.words()
    }
    fn reduce(&self, x: &View<'_>, blocks: &Blocks<'_>, emit: Emit<'_>) -> Result<()> {
        // The first states wait until the second are known.
        let n = self.0.words();
        let mut first = vec![0; blocks.n_blocks() * n];
        self.0.reduce(x, blocks, &mut |k, state| first[k * n..(k + 1) * n].copy_from_slice(state))?;
        let mut both = [0; 2 * MAX_WORDS];
        self.1.reduce(x, blocks, &mut |k, state| {
            both[..n].copy_from_slice(&first[k * n..(k + 1) * n]);
            both[n..n + state.len()].copy_from_slice(state);
            emit(k, &both[..n + state.len()]);
        })
    }
    fn gather(&self, blocks: &Blocks<'_>) -> Box<dyn Gather> {
        Box::new(GatherTwo(self.0.gather(blocks), self.1.gather(blocks)))
    }
    fn scratch_words(&self) -> usize {
        self.0.words()
    }
    fn empty(&self, state: &mut [u64]) {
        let (first, second) = state.split_at_mut(self.0.words());
        self.0.empty(first);
        self.1.empty(second);
    }
    fn join(&self, state: &mut [u64], other: &[u64]) {
        let n = self.0.words();
        self.0.join(&mut state[..n], &other[..n]);
        self.1.join(&mut state[n..], &other[n..]);
    }
    fn value(&self, state: &[u64], finish: &Finish) -> Scalar {
        let (first, second) = state.split_at(self.0.words());
        if finish.kind == Kind::Mean {
            return self.0.value(first, &Finish { n: second[0], ..*finish });
        }
        match (self.0.value(first, finish), self.1.value(second, finish)) {
            (Scalar::Int(low), Scalar::Int(high)) => Scalar::Int(high - low),
            (Scalar::Complex(low), Scalar::Complex(high)) => Scalar::Complex(high - low),
            (low, high) => Scalar::Float(high.to_f64() - low.to_f64()),
        }
    }
}

struct GatherTwo(Box<dyn Gather>, Box<dyn Gather>);

impl Gather for GatherTwo {
    fn take(&mut self, run: &[u8]) {
        self.0.take(run);
        self.1.take(run);
    }
    fn emit(&self, emit: Emit<'_>) {
        let (mut first, mut n) = (Vec::new(), 0);
        self.0.emit(&mut |_, state| {
            first.extend_from_slice(state);
            n = state.len();
        });
        let mut both = [0; 2 * MAX_WORDS];
        self.1.emit(&mut |k, state| {
            both[..n].copy_from_slice(&first[k * n..(k + 1) * n]);
            both[n..n + state.len()].copy_from_slice(state);
            emit(k, &both[..n + state.len()]);
        });
    }
}

/// What a state means.
trait Value: State {
    fn value(self, finish: &Finish) -> Scalar;
}

impl Value for Total {
    fn value(self, finish: &Finish) -> Scalar {
        let whole = if finish.signed { i128::from(self.0 as i64) } else { i128::from(self.0) };
        match finish.kind {
            Kind::Any => Scalar::Bool(self.0 > 0),
            Kind::All => Scalar::Bool(self.0 == finish.n),
            Kind::Mean => Scalar::Float(whole as f64 / finish.n as f64),
            _ => Scalar::Int(whole),
        }
    }
}

impl Value for FloatTotal {
    fn value(self, finish: &Finish) -> Scalar {
        Scalar::Float(if finish.kind == Kind::Mean { self.get() / finish.n as f64 } else { self.get() })
    }
}

impl Value for Pair<FloatTotal, FloatTotal> {
    fn value(self, finish: &Finish) -> Scalar {
        let sum = Complex64::new(self.0.get(), self.1.get());
        Scalar::Complex(if finish.kind == Kind::Mean { sum / finish.n as f64 } else { sum })
    }
}

impl Value for Product {
    fn value(self, finish: &Finish) -> Scalar {
        Total(self.0).value(finish)
    }
}

impl Value for FloatProduct {
    fn value(self, _: &Finish) -> Scalar {
        Scalar::Float(self.0)
    }
}

impl Value for ComplexProduct {
    fn value(self, _: &Finish) -> Scalar {
        Scalar::Complex(self.0)
    }
}

impl<T: Ordered, const MAX: bool> Value for Extreme<T, MAX> {
    fn value(self, _: &Finish) -> Scalar {
        T::unkey(self.0).to_scalar()
    }
}

impl<T: Ordered, const MAX: bool> Value for Found<T, MAX> {
    /// The index, or -1 where all elements are NaN and skipped.
    fn value(self, _: &Finish) -> Scalar {
        Scalar::Int(i128::from(self.at as i64))
    }
}

/// Variance or standard deviation from the sum of squared distances of `n` elements.
fn deviation(squares: f64, n: f64, finish: &Finish) -> Scalar {
    let variance = match (n - finish.ddof).max(0.0) {
        // NumPy divides by zero in `var`, but not in `nanvar`.
        0.0 if finish.skip => f64::NAN,
        freedom => squares / freedom,
    };
    Scalar::Float(if finish.kind == Kind::Std { variance.sqrt() } else { variance })
}

impl Value for Moments {
    fn value(self, finish: &Finish) -> Scalar {
        deviation(self.squares, self.n, finish)
    }
}

impl Value for Pair<Moments, Moments> {
    fn value(self, finish: &Finish) -> Scalar {
        deviation(self.0.squares + self.1.squares, self.0.n, finish)
    }
}

impl Value for ExactMoments {
    fn value(self, finish: &Finish) -> Scalar {
        // The difference of two whole numbers is exact; only the quotients round.
        let n = self.n as f64;
        let spread = (u128::from(self.n) * self.squares) as i128 - i128::from(self.sum) * i128::from(self.sum);
        deviation(if self.n == 0 { 0.0 } else { spread as f64 / n }, n, finish)
    }
}
