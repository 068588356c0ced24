//! Products.

use std::marker::PhantomData;

use voxmill_core::{Complex64, Element};

use super::{Fold, Row, STRIP, columns, lanes, tree};
use crate::numeric::states::{ComplexProduct, FloatProduct, Product, State};

/// An element that can be multiplied up.
pub trait Factor: Element {
    /// The product of many.
    type Product: State;
    /// The element as a product.
    fn product(self) -> Self::Product;
    /// True for not-a-number.
    #[inline(always)]
    fn skipped(self) -> bool {
        false
    }
}

impl Factor for u64 {
    type Product = Product;
    #[inline(always)]
    fn product(self) -> Product {
        Product(self)
    }
}

impl Factor for f64 {
    type Product = FloatProduct;
    #[inline(always)]
    fn product(self) -> FloatProduct {
        FloatProduct(self)
    }
    #[inline(always)]
    fn skipped(self) -> bool {
        self.is_nan()
    }
}

impl Factor for Complex64 {
    type Product = ComplexProduct;
    #[inline(always)]
    fn product(self) -> ComplexProduct {
        ComplexProduct(self)
    }
    #[inline(always)]
    fn skipped(self) -> bool {
        self.re.is_nan() || self.im.is_nan()
    }
}

/// The product; with `SKIP`, NaNs count as one.
#[derive(Debug)]
pub struct Prod<T, const SKIP: bool>(PhantomData<T>);

impl<T: Factor, const SKIP: bool> Prod<T, SKIP> {
    #[inline(always)]
    fn times(a: T::Product, v: T) -> T::Product {
        if SKIP && v.skipped() { a } else { a.join(v.product()) }
    }
}

impl<T: Factor, const SKIP: bool> Fold for Prod<T, SKIP> {
    type In = T;
    type State = T::Product;
    #[inline(always)]
    fn run(x: &[T], _at: u64) -> T::Product {
        if x.len() < 16 {
            return x.iter().fold(T::Product::EMPTY, |a, v| Self::times(a, *v));
        }
        let lanes: [T::Product; 16] = lanes(x, T::Product::EMPTY, Self::times);
        tree(lanes, T::Product::join)
    }
    #[inline(always)]
    fn rows(x: &[T], rows: &[Row], acc: &mut [T::Product]) {
        let mut products = [T::Product::EMPTY; STRIP];
        columns(x, rows, &mut products[..acc.len()], Self::times);
        for (state, product) in acc.iter_mut().zip(&products) {
            *state = state.join(*product);
        }
    }
}
