//! The kernel of all products: boxes become stacks of matrices, by strides where possible and by a copy where not.

use voxmill_core::smallvec::SmallVec;
use voxmill_core::{ArrayMeta, Chunk, Element, Error, Region, Result, View, ViewMut, bytemuck};

use super::labels::Roles;
use crate::numeric::gemm::{self, Matrix, Multiply, Sizes};

/// A box seen as a stack of matrices. Steps are in elements.
#[derive(Debug, Clone)]
struct Stack {
    /// Step of each batch axis; 0 where the matrix repeats.
    batch: SmallVec<[usize; 4]>,
    row: usize,
    col: usize,
    /// The box must first be copied into the order batch, rows, cols.
    copied: bool,
}

impl Stack {
    fn new(shape: &[usize], batch: &[Option<usize>], rows: &[usize], cols: &[usize], wants_rows: bool) -> Stack {
        let steps = c_steps(shape);
        let repeat = |axis: &Option<usize>, steps: &[usize]| match axis {
            Some(k) if shape[*k] > 1 => steps[*k],
            _ => 0,
        };
        if let (Some(row), Some(col)) = (merged(shape, &steps, rows), merged(shape, &steps, cols)) {
            let n_cols: usize = cols.iter().map(|&k| shape[k]).product();
            if !wants_rows || col == 1 || n_cols < 8 {
                let batch = batch.iter().map(|axis| repeat(axis, &steps)).collect();
                return Stack { batch, row, col, copied: false };
            }
        }
        let order = order(batch, rows, cols);
        let new_shape: Vec<usize> = order.iter().map(|&k| shape[k]).collect();
        let new_steps = c_steps(&new_shape);
        let mut steps = vec![0; shape.len()];
        order.iter().zip(new_steps).for_each(|(&k, step)| steps[k] = step);
        let row = cols.iter().map(|&k| shape[k]).product();
        Stack { batch: batch.iter().map(|axis| repeat(axis, &steps)).collect(), row, col: 1, copied: true }
    }

    fn offset(&self, at: &[usize]) -> usize {
        self.batch.iter().zip(at).map(|(step, i)| step * i).sum()
    }
}

fn order(batch: &[Option<usize>], rows: &[usize], cols: &[usize]) -> Vec<usize> {
    batch.iter().flatten().chain(rows).chain(cols).copied().collect()
}

fn c_steps(shape: &[usize]) -> Vec<usize> {
    let mut steps = vec![1; shape.len()];
    for k in (1..shape.len()).rev() {
        steps[k - 1] = steps[k] * shape[k].max(1);
    }
    steps
}

/// The one step that runs through all `axes` in order, if there is one.
fn merged(shape: &[usize], steps: &[usize], axes: &[usize]) -> Option<usize> {
    let mut long = axes.iter().rev().filter(|&&k| shape[k] != 1);
    let Some(&last) = long.next() else { return Some(1) };
    let mut next = steps[last] * shape[last];
    for &k in long {
        if steps[k] != next {
            return None;
        }
        next *= shape[k];
    }
    Some(steps[last])
}

/// Both inputs as stacks, and the sizes of one product.
struct Product {
    a: Stack,
    b: Stack,
    sizes: Sizes,
    batch: Vec<usize>,
}

impl Product {
    fn new<T: Multiply>(roles: &Roles, out: &[usize], a: &[usize], b: &[usize]) -> Product {
        let (batch_a, batch_b): (Vec<_>, Vec<_>) = roles.batch.iter().copied().unzip();
        let (sums_a, sums_b): (Vec<_>, Vec<_>) = roles.sums.iter().copied().unzip();
        let (batch, kept) = out.split_at(roles.batch.len());
        let (rows, cols) = kept.split_at(roles.rows.len());
        let k = sums_a.iter().map(|&i| a[i]).product();
        Product {
            a: Stack::new(a, &batch_a, &roles.rows, &sums_a, false),
            b: Stack::new(b, &batch_b, &sums_b, &roles.cols, T::WANTS_ROWS),
            sizes: Sizes { m: rows.iter().product(), k, n: cols.iter().product() },
            batch: batch.to_vec(),
        }
    }
}

/// Bytes that [`run`] allocates.
pub fn scratch<T: Multiply>(roles: &Roles, out: &[usize], reads: &[Region]) -> u64 {
    let product = Product::new::<T>(roles, out, &reads[0].shape, &reads[1].shape);
    let copy = |stack: &Stack, read: &Region| if stack.copied { (read.size() * size_of::<T>()) as u64 + 64 } else { 0 };
    copy(&product.a, &reads[0]) + copy(&product.b, &reads[1]) + gemm::scratch::<T>(product.sizes)
}

/// `out` as the product of the boxes `ins`.
pub fn run<T: Multiply>(roles: &Roles, out_shape: &[usize], ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
    let product = Product::new::<T>(roles, out_shape, ins[0].shape(), ins[1].shape());
    if product.sizes.k == 0 {
        return out.fill(bytemuck::bytes_of(&T::default()));
    }
    let (batch_a, batch_b): (Vec<_>, Vec<_>) = roles.batch.iter().copied().unzip();
    let (sums_a, sums_b): (Vec<_>, Vec<_>) = roles.sums.iter().copied().unzip();
    let a = in_order(&product.a, &ins[0], &order(&batch_a, &roles.rows, &sums_a))?;
    let b = in_order(&product.b, &ins[1], &order(&batch_b, &sums_b, &roles.cols))?;
    let (a, b) = (elements::<T>(&a, &ins[0])?, elements::<T>(&b, &ins[1])?);
    let lost = || Error::internal("a product met an unexpected layout");
    let out: &mut [T] = bytemuck::try_cast_slice_mut(out.bytes_mut().ok_or_else(lost)?).map_err(|_| lost())?;
    let Sizes { m, n, .. } = product.sizes;
    for (number, c) in out.chunks_exact_mut((m * n).max(1)).enumerate() {
        let at = position(number, &product.batch);
        let a = Matrix { data: &a[product.a.offset(&at)..], row: product.a.row, col: product.a.col };
        let b = Matrix { data: &b[product.b.offset(&at)..], row: product.b.row, col: product.b.col };
        T::multiply(product.sizes, a, b, c);
    }
    Ok(())
}

/// A copy of the box in the order of its stack, if it needs one.
fn in_order(stack: &Stack, input: &View<'_>, order: &[usize]) -> Result<Option<Chunk>> {
    if !stack.copied || input.size() == 0 {
        return Ok(None);
    }
    let shape: Vec<usize> = order.iter().map(|&k| input.shape()[k]).collect();
    let strides: Vec<isize> = order.iter().map(|&k| input.strides()[k]).collect();
    let mut copy = Chunk::new(&shape, input.dtype())?;
    input.restrided(input.offset(), &shape, strides)?.copy_to(&mut copy.view_mut()?)?;
    Ok(Some(copy))
}

fn elements<'a, T: Element>(copy: &'a Option<Chunk>, input: &View<'a>) -> Result<&'a [T]> {
    let slice = match copy {
        Some(copy) => copy.view().as_slice::<T>(),
        None => input.as_slice::<T>(),
    };
    slice.ok_or_else(|| Error::internal("a product met an unexpected dtype or layout"))
}

fn position(mut number: usize, shape: &[usize]) -> SmallVec<[usize; 4]> {
    let mut at = SmallVec::from_elem(0, shape.len());
    for k in (0..shape.len()).rev() {
        at[k] = number % shape[k].max(1);
        number /= shape[k].max(1);
    }
    at
}

/// Number of terms of each sum.
pub fn n_terms(roles: &Roles, a: &ArrayMeta) -> usize {
    roles.sums.iter().map(|&(i, _)| a.shape[i]).product()
}
