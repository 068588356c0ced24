//! What filters over windows of several axes share: their parameters, and the way from these to a window over all axes.

use voxmill_core::{Error, Result, Scalar};
use voxmill_plan::Param;

use super::line::{check_window, reach};
use crate::family::grid::Grid;
use crate::family::neighborhood::{Border, PerAxis};
use crate::family::window::Window;
use voxmill_ops::family::params::{Axes, distinct_axes};

/// The parameter `size` where a footprint may be given instead.
pub const SIZE: Param = Param {
    name: "size",
    kind: "int or list of int",
    default: Some("null"),
    doc: "lengths of the window, for all axes or for each; not needed with footprint",
};

/// The parameter `footprint`.
pub const FOOTPRINT: Param = Param {
    name: "footprint",
    kind: "nested list of 0 and 1, or a name such as \"ball(3)\"",
    default: Some("null"),
    doc: "which positions belong to the window; replaces size",
};

/// Where a window lies, and what is beyond the border.
#[derive(Debug, Clone)]
pub struct Placing {
    /// What lies beyond the border.
    pub mode: PerAxis<Border>,
    /// The constant there.
    pub cval: Scalar,
    /// How far the window is moved.
    pub origin: PerAxis<i64>,
    /// The axes.
    pub axes: Option<Axes>,
}

/// A window over all axes of an array.
#[derive(Debug)]
pub struct Placed {
    /// The elements of the window; axes that are not filtered have one position.
    pub grid: Grid,
    /// Its reach and borders.
    pub window: Window,
    /// How far it is moved, per axis.
    pub origins: Vec<i64>,
}

impl Placing {
    /// `grid` over all axes of an array of `rank`.
    pub fn over(&self, grid: &Grid, rank: usize) -> Result<Placed> {
        let axes = distinct_axes(self.axes.as_ref(), rank)?;
        if grid.shape.len() != axes.len() {
            return Err(Error::invalid(format!(
                "the window has {} axes, but {} axes of the array are filtered; the numbers must be equal",
                grid.shape.len(),
                axes.len()
            )));
        }
        let (modes, origins) = (self.mode.values("mode", axes.len())?, self.origin.values("origin", axes.len())?);
        let (mut shape, mut borders, mut moved) = (vec![1; rank], vec![Border::Nearest; rank], vec![0; rank]);
        for (k, &axis) in axes.iter().enumerate() {
            check_window(grid.shape[k], origins[k])?;
            (shape[axis], borders[axis], moved[axis]) = (grid.shape[k], modes[k], origins[k]);
        }
        let halos = shape.iter().zip(&moved).map(|(&n, &origin)| reach(n, origin)).collect();
        let window = Window { halos, modes: borders };
        Ok(Placed { grid: transposed(grid, &axes, shape), window, origins: moved })
    }
}

/// `grid`, whose axes are `axes` of a grid of `shape`.
fn transposed(grid: &Grid, axes: &[usize], shape: Vec<usize>) -> Grid {
    if axes.is_sorted() {
        return Grid { shape, values: grid.values.clone() };
    }
    let steps = crate::family::window::strides(&shape);
    let mut values = vec![0.0; grid.values.len()];
    for (at, value) in crate::family::grid::positions(&grid.shape).zip(&grid.values) {
        let place: usize = at.iter().zip(axes).map(|(a, &axis)| a * steps[axis]).sum();
        values[place] = *value;
    }
    Grid { shape, values }
}

/// The footprint that `size` or `footprint` describe, for `n_axes` axes.
pub fn footprint_of(size: Option<&PerAxis<i64>>, footprint: Option<&Grid>, n_axes: usize) -> Result<Grid> {
    let grid = match (size, footprint) {
        (_, Some(footprint)) => footprint.clone(),
        (Some(size), None) => {
            let sizes = size.values("size", n_axes)?;
            if let Some(size) = sizes.iter().find(|&&size| !(1..1 << 24).contains(&size)) {
                return Err(Error::invalid(format!("size {size} makes no window; it must be at least 1")));
            }
            Grid::ones(&sizes.iter().map(|&n| n as usize).collect::<Vec<_>>())
        }
        (None, None) => return Err(Error::invalid("a window is needed: give size=3, or footprint=")),
    };
    if grid.taps().next().is_none() {
        return Err(Error::invalid("the footprint is empty: at least one of its elements must be 1"));
    }
    Ok(grid)
}
