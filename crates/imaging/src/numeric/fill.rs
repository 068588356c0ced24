//! A small box without holes.

use super::components::{self, Touching, Truth};
use crate::family::grid::{Grid, advance};

/// The elements of a box that are not 0, and all others from which no way leads to the border, over faces, edges and corners.
pub fn filled(mask: &[u8], shape: &[usize]) -> Vec<bool> {
    let rank = shape.len();
    let open: Vec<Truth> = mask.iter().map(|&v| Truth(u8::from(v == 0))).collect();
    let mut labels = vec![0; mask.len()];
    let touching = Touching::new(&Grid::structure(rank, rank));
    let n_open = components::label_truth(&open, shape, &touching, &mut labels).len();
    let mut leads_out = vec![false; n_open + 1];
    let mut at = vec![0; rank];
    for &label in &labels {
        if at.iter().zip(shape).any(|(&a, &n)| a == 0 || a + 1 == n) {
            leads_out[label as usize] = true;
        }
        advance(&mut at, shape);
    }
    mask.iter().zip(&labels).map(|(&v, &label)| v != 0 || !leads_out[label as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_has_a_hole() {
        let ring = [1, 1, 1, 1, 0, 1, 1, 1, 1];
        assert_eq!(filled(&ring, &[3, 3]), [true; 9]);
        let gap = [0, 1, 1, 1, 0, 1, 1, 1, 1];
        assert_eq!(filled(&gap, &[3, 3]), gap.map(|v| v != 0));
    }
}
