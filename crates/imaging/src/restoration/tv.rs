//! What the parts of total variation share: which boxes they read, and a field made of these.

use voxmill_core::{DType, Element, Region, Result, View};

use crate::filter::line::lost;
use crate::numeric::variation::Field;

/// Steps between two looks at the energy: each reads one more element on all sides.
pub fn steps_at_once(rank: usize) -> usize {
    match rank {
        0 | 1 => 32,
        2 => 16,
        3 => 8,
        _ => 4,
    }
}

/// `out` with `reach` more elements on all sides, as far as the array reaches.
pub fn wider(out: &Region, whole: &[usize], reach: usize) -> Region {
    (0..out.rank()).fold(out.clone(), |region, axis| {
        let (begin, end) = (out.start[axis].saturating_sub(reach), (out.end(axis) + reach).min(whole[axis]));
        region.with_axis(axis, begin, end - begin)
    })
}

/// The box of all components of the dual field over a box of the image.
pub fn with_components(region: &Region) -> Region {
    let rank = region.rank();
    let start: Vec<usize> = [0].into_iter().chain(region.start.iter().copied()).collect();
    let shape: Vec<usize> = [rank].into_iter().chain(region.shape.iter().copied()).collect();
    Region::new(voxmill_core::Idx::from_slice(&start), voxmill_core::Idx::from_slice(&shape))
}

/// Elements in double precision.
pub fn wide(view: &View<'_>) -> Result<Vec<f64>> {
    match view.dtype() {
        DType::F32 => Ok(view.as_slice::<f32>().ok_or_else(lost)?.iter().map(|&v| f64::from(v)).collect()),
        _ => Ok(view.as_slice::<f64>().ok_or_else(lost)?.to_vec()),
    }
}

/// Bytes of a field over a box, and of what it is made from.
pub fn bytes(region: &Region) -> u64 {
    8 * (Field::elements(region.rank(), region.size()) + (region.rank() + 1) * region.size()) as u64 + 4096
}

/// Writes elements in the precision of the result.
pub fn narrow<T: Element>(values: impl Iterator<Item = f64>, to: &mut [T], back: fn(f64) -> T) {
    to.iter_mut().zip(values).for_each(|(to, v)| *to = back(v));
}
