//! Basins of markers by an order that does not depend on who is first: water reaches each element at the lowest level; at the same level
//! in the fewest steps since that level was reached; and then from where it came up first. An element belongs to the neighbour that water
//! reaches first, and with it to a marker.
//!
//! When water reaches an element follows from its neighbours, and never gets later where it gets earlier there. So it is the same for an
//! array as for its blocks: once no block changes any more, all is as if it had been done at once.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// When water reaches an element, and from which marker.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arrival {
    /// The level of the water.
    pub level: f64,
    /// Steps since the water has this level.
    pub steps: u32,
    /// The level that it had before.
    pub before: f64,
    /// Steps that it had gone then.
    pub steps_before: u32,
    /// The marker it comes from; 0 while that is not known.
    pub label: i64,
}

impl Arrival {
    /// No water.
    pub const NEVER: Arrival =
        Arrival { level: f64::INFINITY, steps: 0, before: f64::INFINITY, steps_before: 0, label: 0 };

    fn compare(&self, other: &Arrival) -> Ordering {
        self.level
            .total_cmp(&other.level)
            .then(self.steps.cmp(&other.steps))
            .then(self.before.total_cmp(&other.before))
            .then(self.steps_before.cmp(&other.steps_before))
    }

    /// True if there is water.
    pub fn is_there(&self) -> bool {
        self.level != f64::INFINITY
    }

    /// One step further, to an element of this height.
    fn onto(self, height: f64) -> Arrival {
        match height > self.level {
            true => Arrival { level: height, steps: 0, before: self.level, steps_before: self.steps, label: 0 },
            false => Arrival { steps: (self.steps + 1).min(STEPS), label: 0, ..self },
        }
    }

    /// As four numbers, of which the third holds both numbers of steps.
    pub fn to_planes(self) -> [f64; 4] {
        let steps = u64::from(self.steps) * u64::from(STEPS + 1) + u64::from(self.steps_before);
        [self.level, self.before, steps as f64, self.label as f64]
    }

    /// From four numbers.
    pub fn from_planes([level, before, steps, label]: [f64; 4]) -> Arrival {
        let (steps, radix) = (steps as u64, u64::from(STEPS) + 1);
        Arrival {
            level,
            steps: (steps / radix) as u32,
            before,
            steps_before: (steps % radix) as u32,
            label: label as i64,
        }
    }
}

/// The most steps that are told apart.
const STEPS: u32 = (1 << 26) - 1;

/// An element from which water goes on.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Front(Arrival, u32);

impl Eq for Front {}

impl PartialOrd for Front {
    fn partial_cmp(&self, other: &Front) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Front {
    /// The earliest is the largest, which a heap gives first.
    fn cmp(&self, other: &Front) -> Ordering {
        other.0.compare(&self.0).then(other.1.cmp(&self.1))
    }
}

/// Lets water go on from `fronts` through a box with a margin. `heights` are infinite where it does not go, and in the margin.
pub fn spread(arrivals: &mut [Arrival], heights: &[f64], steps: &[isize], fronts: impl Iterator<Item = usize>) {
    let mut heap: BinaryHeap<Front> = fronts.map(|at| Front(arrivals[at], at as u32)).collect();
    while let Some(Front(arrival, at)) = heap.pop() {
        let at = at as usize;
        if arrivals[at] != arrival {
            continue;
        }
        for &step in steps {
            let to = at.wrapping_add_signed(step);
            // From the margin, some steps lead out of the box.
            let Some(&height) = heights.get(to).filter(|height| **height != f64::INFINITY) else { continue };
            let next = arrival.onto(height);
            if next.compare(&arrivals[to]) == Ordering::Less {
                arrivals[to] = next;
                heap.push(Front(next, to as u32));
            }
        }
    }
}

/// Gives elements of a box that water has reached the label of the neighbour that it reached first, where that is known. Heights are
/// infinite outside the inner part of the box, which alone gets labels.
pub fn label(arrivals: &mut [Arrival], heights: &[f64], steps: &[isize]) {
    let open = |at: &u32| {
        let at = *at as usize;
        heights[at] != f64::INFINITY && arrivals[at].is_there() && arrivals[at].label == 0
    };
    let mut order: Vec<u32> = (0..arrivals.len() as u32).filter(open).collect();
    // Water reaches neighbours earlier than what they are neighbours for, so that these are done before.
    order.sort_unstable_by(|a, b| arrivals[*a as usize].compare(&arrivals[*b as usize]).then(a.cmp(b)));
    for at in order {
        let at = at as usize;
        let near = steps.iter().map(|&step| at.wrapping_add_signed(step)).filter_map(|to| arrivals.get(to));
        let first = near.filter(|other| other.is_there()).min_by(|a, b| a.compare(b));
        arrivals[at].label = first.map_or(0, |first| first.label);
    }
}

/// Bytes that [`spread`] and [`label`] allocate at most, for a box of `n` elements.
pub fn scratch(n: usize, neighbours: usize) -> u64 {
    // An element is put on the heap again when water reaches it earlier.
    (n * neighbours.max(1) * size_of::<Front>() + 4096) as u64
}
