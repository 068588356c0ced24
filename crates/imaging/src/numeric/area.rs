//! Openings by area: bright regions that are too small sink to the level at which they are large enough.
//!
//! Elements are taken from the highest to the lowest and joined with neighbours that were taken before. A region is closed when a lower
//! element joins it; if it is large enough by then, it keeps its level, else it sinks to that of the element.

/// No element.
const NONE: u32 = u32::MAX;

/// Replaces each value of the box with that of the opening. `near` lists the neighbours of an element.
pub fn opening<T: Copy + PartialOrd>(values: &mut [T], least: f64, mut near: impl FnMut(usize, &mut Vec<usize>)) {
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    let descending = |a: &u32, b: &u32| {
        let (a, b) = (values[*a as usize], values[*b as usize]);
        b.partial_cmp(&a).unwrap_or(std::cmp::Ordering::Equal)
    };
    order.sort_by(descending);
    // The parent of a region's first element; what is not there yet has none. Roots hold the number of their elements.
    let (mut parent, mut count) = (vec![NONE; values.len()], vec![0_u64; values.len()]);
    let mut neighbours = Vec::new();
    for &at in &order {
        let at = at as usize;
        (parent[at], count[at]) = (at as u32, 1);
        neighbours.clear();
        near(at, &mut neighbours);
        for &other in &neighbours {
            if parent[other] == NONE {
                continue;
            }
            let root = find(&mut parent, other);
            if root == at {
                continue;
            }
            // A region of the same level, or one that is still too small, goes on under the new element.
            if values[root] == values[at] || (count[root] as f64) < least {
                count[at] = count[at].saturating_add(count[root]);
                parent[root] = at as u32;
            } else {
                // Large enough: it stays as it is, and makes the new one large enough.
                count[at] = u64::MAX;
            }
        }
    }
    // From the lowest on: what has a parent takes its value.
    for &at in order.iter().rev() {
        let above = parent[at as usize];
        if above != at {
            values[at as usize] = values[above as usize];
        }
    }
}

/// The root of an element, with the path to it made shorter.
fn find(parent: &mut [u32], mut at: usize) -> usize {
    while parent[at] as usize != at {
        let above = parent[at] as usize;
        parent[at] = parent[above];
        at = above;
    }
    at
}

/// Bytes that [`opening`] allocates for `n` elements.
pub fn scratch(n: usize) -> u64 {
    // Order, its sorting, parents and counts.
    (n * (4 + 4 + 4 + 8) + 4096) as u64
}
