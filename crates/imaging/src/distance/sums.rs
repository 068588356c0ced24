//! From boxes of features to panels, and from panels to sums: which loop suits which elements.

use voxmill_core::{DType, Element, Error, Result, View, dispatch};
use voxmill_ops::family::boxes::{elements, input_bytes};
use voxmill_ops::numeric::convert::ConvertTo;
use voxmill_ops::numeric::gemm::Multiply;

use super::distance_part::{DistancePart, Kind};
use crate::numeric::gram::{self, Terms};
use crate::numeric::pairs::{
    self, Differences, DifferencesAndSums, Differing, Known, Lane, Largest, OnlyOne, Panel, Power, Rule, Shares,
    Squares, Target, WholePower,
};

/// A box of rows, of which some features are looked at.
#[derive(Debug, Clone, Copy)]
pub struct Box2<'a, 'b> {
    /// The box.
    pub view: &'a View<'b>,
    /// First feature, and one past the last.
    pub features: (usize, usize),
}

/// How the sums are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Products of bytes, exact.
    Bytes,
    /// Products of floats.
    Gram,
    /// Feature by feature.
    Loops,
}

fn way(op: &DistancePart, dtype: DType) -> Way {
    match (op.kind, dtype) {
        (Kind::Products | Kind::Squares, DType::Bool | DType::U8 | DType::I8) => Way::Bytes,
        (Kind::Products, _) => Way::Gram,
        (Kind::Squares, _) if !op.known => Way::Gram,
        _ => Way::Loops,
    }
}

/// Whether single precision does: for elements that have no more, and for counts and differences of short integers, which are exact.
fn is_single(kind: Kind, dtype: DType) -> bool {
    match dtype {
        DType::F16 | DType::BF16 | DType::F32 => kind != Kind::Products,
        DType::Bool | DType::U8 | DType::I8 | DType::U16 | DType::I16 => matches!(
            kind,
            Kind::Differences | Kind::Largest | Kind::Differing | Kind::DifferencesAndSums | Kind::OnlyOne
        ),
        _ => false,
    }
}

/// Features in a panel of bytes, and of floats: short enough for sums in 32 bits, and for a group of rows to stay in cache.
const BYTES: usize = 2048;
const FLOATS: usize = 512;

fn stride(features: usize, most: usize) -> usize {
    features.next_multiple_of(64).min(most)
}

/// Bytes that [`add`] allocates for this many rows and columns.
pub fn scratch(op: &DistancePart, (rows, cols): (usize, usize), features: usize, dtype: DType) -> u64 {
    let sides = (rows + cols) as u64;
    let norms = 16 * sides + 256;
    let panel = |most: usize, width: usize| sides * (stride(features, most) * width) as u64;
    norms
        + match way(op, dtype) {
            Way::Bytes if op.known => panel(BYTES, 6),
            Way::Bytes => panel(BYTES, 2),
            Way::Gram if is_single(op.kind, dtype) => {
                panel(FLOATS, 4) + gram::float_scratch::<f32>(rows, cols, stride(features, FLOATS))
            }
            Way::Gram => panel(FLOATS, 8) + gram::float_scratch::<f64>(rows, cols, stride(features, FLOATS)),
            Way::Loops => panel(FLOATS, if is_single(op.kind, dtype) { 4 } else { 8 }),
        }
}

/// Adds what the features of two boxes give to the sums of all wanted pairs.
pub fn add(op: &DistancePart, boxes: [Box2<'_, '_>; 2], target: &mut Target<'_>) -> Result<()> {
    let dtype = boxes[0].view.dtype();
    match (way(op, dtype), is_single(op.kind, dtype)) {
        (Way::Bytes, _) => add_bytes(op, boxes, target),
        (Way::Gram, true) => add_products::<f32>(op, boxes, target),
        (Way::Gram, false) => add_products::<f64>(op, boxes, target),
        (Way::Loops, true) => add_terms::<f32>(op, boxes, target),
        (Way::Loops, false) => add_terms::<f64>(op, boxes, target),
    }
}

/// Calls `each` with pieces of the features.
fn each_piece(features: (usize, usize), most: usize, mut each: impl FnMut(usize, usize) -> Result<()>) -> Result<()> {
    (features.0..features.1).step_by(most).try_for_each(|begin| each(begin, (begin + most).min(features.1)))
}

/// Fills a panel with the features `begin..end` of all rows. What is missing becomes NaN if `known` ones are asked for.
fn fill<T: Element + ConvertTo<C>, C: Lane>(
    op: &DistancePart,
    view: &View<'_>,
    (begin, end): (usize, usize),
    panel: &mut [C],
    stride: usize,
) -> Result<()> {
    let (src, width) = (elements::<T>(view)?, view.shape()[1]);
    for (row, target) in src.chunks_exact(width).zip(panel.chunks_exact_mut(stride)) {
        let (values, rest) = target.split_at_mut(end - begin);
        for (value, &v) in values.iter_mut().zip(&row[begin..end]) {
            *value = v.convert();
        }
        if op.known {
            values.iter_mut().for_each(|v| *v = if *v >= C::zero() { *v } else { C::nan() });
        }
        if op.kind == Kind::OnlyOne {
            let truth = |v: C| if v == C::zero() || (op.known && v.is_nan()) { v } else { C::one() };
            values.iter_mut().for_each(|v| *v = truth(*v));
        }
        rest.fill(C::zero());
    }
    Ok(())
}

/// Feature by feature.
fn add_terms<C: Lane>(op: &DistancePart, boxes: [Box2<'_, '_>; 2], target: &mut Target<'_>) -> Result<()>
where
    Fill<C>: Filled<C>,
{
    Fill::<C>::panels(op, boxes, target, |a, b, target| match op.kind {
        Kind::Differences => by::<C, 1>(op, Differences, a, b, target),
        Kind::Largest => by::<C, 1>(op, Largest, a, b, target),
        Kind::Shares => by::<C, 1>(op, Shares, a, b, target),
        Kind::Differing => by::<C, 1>(op, Differing, a, b, target),
        Kind::DifferencesAndSums => by::<C, 2>(op, DifferencesAndSums, a, b, target),
        Kind::OnlyOne => by::<C, 2>(op, OnlyOne, a, b, target),
        Kind::Powers => by_powers(op, a, b, target),
        Kind::Squares | Kind::Products => by::<C, 1>(op, Squares, a, b, target),
    })
}

fn by_powers<C: Lane>(op: &DistancePart, a: Panel<'_, C>, b: Panel<'_, C>, target: &mut Target<'_>) {
    match op.p {
        1.5 => by::<C, 1>(op, WholePower::<1, true>, a, b, target),
        2.5 => by::<C, 1>(op, WholePower::<2, true>, a, b, target),
        3.0 => by::<C, 1>(op, WholePower::<3, false>, a, b, target),
        4.0 => by::<C, 1>(op, WholePower::<4, false>, a, b, target),
        5.0 => by::<C, 1>(op, WholePower::<5, false>, a, b, target),
        6.0 => by::<C, 1>(op, WholePower::<6, false>, a, b, target),
        p => by::<C, 1>(op, Power(p), a, b, target),
    }
}

fn by<C: Lane, const S: usize>(
    op: &DistancePart,
    rule: impl Rule<C, S>,
    a: Panel<'_, C>,
    b: Panel<'_, C>,
    target: &mut Target<'_>,
) {
    if op.known {
        pairs::add_panels::<C, S, _>(Known(rule), a, b, target);
    } else {
        pairs::add_panels::<C, S, _>(rule, a, b, target);
    }
}

/// Panels of `f32` and of `f64`.
struct Fill<C>(std::marker::PhantomData<C>);

trait Filled<C> {
    fn panels(
        op: &DistancePart,
        boxes: [Box2<'_, '_>; 2],
        target: &mut Target<'_>,
        each: impl FnMut(Panel<'_, C>, Panel<'_, C>, &mut Target<'_>),
    ) -> Result<()>;
}

macro_rules! filled {
    ($($C:ty),*) => {$(
        impl Filled<$C> for Fill<$C> {
            fn panels(
                op: &DistancePart,
                [left, right]: [Box2<'_, '_>; 2],
                target: &mut Target<'_>,
                mut each: impl FnMut(Panel<'_, $C>, Panel<'_, $C>, &mut Target<'_>),
            ) -> Result<()> {
                let ((rows, cols), features) = (target.shape, left.features);
                let stride = stride(features.1 - features.0, FLOATS);
                let (mut a, mut b) = (vec![0.0; rows * stride], vec![0.0; cols * stride]);
                each_piece(features, FLOATS, |begin, end| {
                    for (side, panel) in [(left, &mut a), (right, &mut b)] {
                        dispatch!(real side.view.dtype(), T => fill::<T, $C>(op, side.view, (begin, end), panel, stride),
                            else Err(lost()))?;
                    }
                    each(Panel { values: &a, stride }, Panel { values: &b, stride }, target);
                    Ok(())
                })
            }
        }
    )*};
}

filled!(f32, f64);

/// Squares from products, `|a|^2 + |b|^2 - 2 a b`; pairs that lie so close that this loses digits are computed from their differences.
fn add_products<C: Lane + Multiply>(op: &DistancePart, boxes: [Box2<'_, '_>; 2], target: &mut Target<'_>) -> Result<()>
where
    Fill<C>: Filled<C>,
{
    let (rows, cols) = target.shape;
    let (mut left, mut right) = (vec![0.0; rows], vec![0.0; cols]);
    Fill::<C>::panels(op, boxes, target, |a, b, target| {
        gram::add_floats(a, b, target);
        add_norms(a, &mut left);
        add_norms(b, &mut right);
    })?;
    let close = if size_of::<C>() == 4 { 0.05 } else { 1e-3 };
    for (i, &norm) in left.iter().enumerate() {
        for (j, &other) in right.iter().enumerate() {
            let at = target.at(i, j);
            if !target.wants(i, j) {
                target.sums[at] = 0.0;
            } else if op.kind == Kind::Squares {
                let square = norm + other - 2.0 * target.sums[at];
                let far = square > close * (norm + other);
                // NaN and infinity are not far, either.
                target.sums[at] = if far { square } else { direct_square(boxes, i, j)? };
            }
        }
    }
    Ok(())
}

fn add_norms<C: Lane>(panel: Panel<'_, C>, norms: &mut [f64]) {
    for (row, norm) in panel.values.chunks_exact(panel.stride).zip(norms) {
        let mut lanes = [0.0f64; 8];
        for values in row.as_chunks::<8>().0 {
            for (lane, &v) in lanes.iter_mut().zip(values) {
                let v: f64 = v.into();
                *lane += v * v;
            }
        }
        *norm += lanes.iter().sum::<f64>();
    }
}

/// The sum of `(a - b)^2` of one pair in double precision.
fn direct_square([a, b]: [Box2<'_, '_>; 2], i: usize, j: usize) -> Result<f64> {
    fn sum<T: Element + ConvertTo<f64>>(a: &[T], b: &[T]) -> f64 {
        let mut lanes = [0.0f64; 8];
        let ((a, rest_a), (b, rest_b)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
        let square = |(a, b): (&T, &T)| (a.convert() - b.convert()) * (a.convert() - b.convert());
        for (a, b) in a.iter().zip(b) {
            for (lane, pair) in lanes.iter_mut().zip(a.iter().zip(b)) {
                *lane += square(pair);
            }
        }
        lanes.iter().sum::<f64>() + rest_a.iter().zip(rest_b).map(square).sum::<f64>()
    }
    fn pair<T: Element + ConvertTo<f64>>(a: Box2<'_, '_>, b: Box2<'_, '_>, i: usize, j: usize) -> Result<f64> {
        let row = |side: Box2<'_, '_>, k: usize| {
            let start = k * side.view.shape()[1];
            (start + side.features.0, start + side.features.1)
        };
        let ((a0, a1), (b0, b1)) = (row(a, i), row(b, j));
        Ok(sum(&elements::<T>(a.view)?[a0..a1], &elements::<T>(b.view)?[b0..b1]))
    }
    dispatch!(real a.view.dtype(), T => pair::<T>(a, b, i, j), else Err(lost()))
}

/// Rows of bytes as panels, with what each row adds to its sums.
struct Rows {
    words: Vec<i16>,
    bytes: Vec<u8>,
    adds: Vec<i64>,
}

/// Which of both factors a panel is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// The largest known value whose square fits a byte with a sign.
const SMALL: u8 = 11;

/// Exact products of bytes. Where some are missing, known ones are marked by 1 and
/// `sum (a - b)^2 = sum a^2 [b known] + [a known] b^2 - 2 a b` is one product of rows three times as long.
fn add_bytes(op: &DistancePart, [left, right]: [Box2<'_, '_>; 2], target: &mut Target<'_>) -> Result<()> {
    let signed = left.view.dtype() == DType::I8;
    let (a, b) = (input_bytes(left.view)?, input_bytes(right.view)?);
    let ((rows, cols), features) = (target.shape, left.features);
    let known = op.known && signed && op.kind == Kind::Squares;
    let small = !known || [a, b].iter().all(|bytes| bytes.iter().all(|&v| v <= SMALL || v > 127));
    let bytes = small && gram::has_byte_products();
    let stride = stride(features.1 - features.0, if bytes { BYTES } else { BYTES / 2 }) * if known { 3 } else { 1 };
    let width = left.view.shape()[1];
    let new = |n: usize| Rows {
        words: vec![0; if bytes { 0 } else { n * stride }],
        bytes: vec![0; if bytes { n * stride } else { 0 }],
        adds: vec![0; n],
    };
    let (mut first, mut second) = (new(rows), new(cols));
    let most = if known { stride / 3 } else { stride };
    each_piece(features, most.max(1), |begin, end| {
        let how = Bytes { kind: op.kind, signed, known, stride };
        how.fill(a, width, (begin, end), Side::Left, &mut first);
        how.fill(b, width, (begin, end), Side::Right, &mut second);
        let factor = if op.kind == Kind::Squares && !known { -2 } else { 1 };
        let terms = Terms { left: &first.adds, right: &second.adds, factor };
        if bytes {
            let right = Panel { values: bytemuck::cast_slice(&second.bytes), stride };
            gram::add_bytes(Panel { values: &first.bytes, stride }, right, terms, target);
        } else {
            let right = Panel { values: &second.words, stride };
            gram::add_words(Panel { values: &first.words, stride }, right, terms, target);
        }
        Ok(())
    })
}

/// How bytes become panels.
#[derive(Clone, Copy)]
struct Bytes {
    kind: Kind,
    signed: bool,
    known: bool,
    stride: usize,
}

impl Bytes {
    fn fill(self, src: &[u8], width: usize, (begin, end): (usize, usize), side: Side, rows: &mut Rows) {
        let len = end - begin;
        let value = |v: u8| if self.signed { i16::from(v as i8) } else { i16::from(v) };
        for (k, row) in src.chunks_exact(width).enumerate() {
            let row = &row[begin..end];
            let at = k * self.stride;
            if self.known {
                if rows.bytes.is_empty() {
                    mark(row, side, &mut rows.words[at..at + self.stride], |v| v);
                } else {
                    mark(row, side, &mut rows.bytes[at..at + self.stride], |v| v as u8);
                }
                continue;
            }
            let (mut sum, mut square) = (0i64, 0i64);
            for &v in row {
                let v = i32::from(value(v));
                sum += i64::from(v);
                square += i64::from(v * v);
            }
            // Bytes of the left have no sign, those of the right have one; what is added to make it so is taken off again.
            let offset: i16 = match (rows.bytes.is_empty(), side, self.signed) {
                (false, Side::Left, true) => 128,
                (false, Side::Right, false) => -128,
                _ => 0,
            };
            let other: i64 = match (rows.bytes.is_empty(), side, self.signed) {
                (false, Side::Left, false) => -128,
                (false, Side::Right, true) => 128,
                _ => 0,
            };
            if rows.bytes.is_empty() {
                let target = &mut rows.words[at..at + self.stride];
                target.iter_mut().zip(row).for_each(|(t, &v)| *t = value(v));
                target[len..].fill(0);
            } else {
                let target = &mut rows.bytes[at..at + self.stride];
                target.iter_mut().zip(row).for_each(|(t, &v)| *t = (value(v) + offset) as u8);
                target[len..].fill(0);
            }
            rows.adds[k] = match self.kind {
                Kind::Squares => square + 2 * other * sum,
                _ => -other * sum,
            };
        }
    }
}

/// Values, their squares and marks of known ones on the left; minus two times the values, marks and squares on the right.
fn mark<T: Copy + Default>(row: &[u8], side: Side, target: &mut [T], store: impl Fn(i16) -> T) {
    let third = target.len() / 3;
    let (values, rest) = target.split_at_mut(third);
    let (second, last) = rest.split_at_mut(third);
    for (k, &v) in row.iter().enumerate() {
        let known = v < 128;
        let v = if known { i16::from(v) } else { 0 };
        let (v, square, known) = (v, v * v, i16::from(known));
        match side {
            Side::Left => (values[k], second[k], last[k]) = (store(v), store(square), store(known)),
            Side::Right => (values[k], second[k], last[k]) = (store(-2 * v), store(known), store(square)),
        }
    }
    for part in [values, second, last] {
        part[row.len()..].fill(T::default());
    }
}

fn lost() -> Error {
    Error::internal("distances met an unexpected dtype")
}
