//! Flooding from markers: the element of the lowest value comes next, of equal ones the one that was reached first.

/// An element that is to be flooded from.
#[derive(Debug, Clone, Copy)]
struct Item {
    value: f64,
    /// When it was reached; 0 for markers.
    age: i64,
    at: u32,
    source: u32,
}

impl Item {
    fn before(&self, other: &Item) -> bool {
        if self.value != other.value { self.value < other.value } else { self.age < other.age }
    }
}

/// A heap whose order of equal items is that of scikit-image: markers of one value have no other order.
#[derive(Debug, Default)]
struct Heap {
    items: Vec<Item>,
}

impl Heap {
    fn push(&mut self, item: Item) {
        let mut child = self.items.len();
        self.items.push(item);
        while child > 0 {
            let parent = child.div_ceil(2) - 1;
            if !self.items[child].before(&self.items[parent]) {
                break;
            }
            self.items.swap(parent, child);
            child = parent;
        }
    }

    fn pop(&mut self) -> Option<Item> {
        if self.items.is_empty() {
            return None;
        }
        let first = self.items.swap_remove(0);
        let (mut at, n) = (0, self.items.len());
        while 2 * at + 1 < n {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            let mut smallest = at;
            if self.items[left].before(&self.items[at]) {
                smallest = left;
            }
            if right < n && self.items[right].before(&self.items[smallest]) {
                smallest = right;
            }
            if smallest == at {
                break;
            }
            self.items.swap(at, smallest);
            at = smallest;
        }
        Some(first)
    }
}

/// A box with a margin that is flooded.
#[derive(Debug)]
pub struct Flood<'a, L> {
    /// Values; low ones are flooded first.
    pub image: &'a [f64],
    /// Labels of markers, and of what is flooded.
    pub labels: &'a mut [L],
    /// Where to flood; false in the margin.
    pub mask: &'a mut [bool],
    /// Steps through flat memory to neighbours, the nearest first.
    pub steps: &'a [isize],
    /// Steps through flat memory along each axis.
    pub strides: &'a [usize],
    /// How much the distance from the marker counts.
    pub compactness: f64,
    /// Leave a line between regions.
    pub line: bool,
}

impl<L: Copy + PartialEq + Default> Flood<'_, L> {
    /// Floods all that can be reached from the markers.
    pub fn run(&mut self) {
        let none = L::default();
        let mut heap = Heap::default();
        for (at, _) in self.labels.iter().enumerate().filter(|(_, label)| **label != none) {
            heap.push(Item { value: self.image[at], age: 0, at: at as u32, source: at as u32 });
        }
        let (mut age, compact) = (1, self.compactness > 0.0);
        while let Some(item) = heap.pop() {
            let at = item.at as usize;
            if compact || self.line {
                // The same element may come up several times; what comes first decides.
                if self.labels[at] != none && item.at != item.source {
                    continue;
                }
                let label = self.labels[item.source as usize];
                if compact || !self.is_between(at, label) {
                    self.labels[at] = label;
                }
            }
            for &step in self.steps {
                let to = at.wrapping_add_signed(step);
                if !self.mask[to] || self.labels[to] != none {
                    continue;
                }
                age += 1;
                let mut value = self.image[to];
                if compact {
                    value += self.compactness * self.distance(to, item.source as usize);
                } else if !self.line {
                    self.labels[to] = self.labels[at];
                }
                // Who comes over a ridge has been at least that high.
                heap.push(Item { value: value.max(item.value), age, at: to as u32, source: item.source });
            }
        }
    }

    /// True, and no longer to be flooded, if a neighbour has another label.
    fn is_between(&mut self, at: usize, label: L) -> bool {
        let near = self.steps.iter().map(|&step| at.wrapping_add_signed(step));
        let mut labels = near.filter(|&to| self.mask[to]).map(|to| self.labels[to]);
        let between = !self.mask[at] || labels.any(|other| other != L::default() && other != label);
        if between {
            self.mask[at] = false;
        }
        between
    }

    fn distance(&self, mut a: usize, mut b: usize) -> f64 {
        let mut square = 0.0;
        for &stride in self.strides {
            let apart = (a / stride) as f64 - (b / stride) as f64;
            square += apart * apart;
            (a, b) = (a % stride, b % stride);
        }
        square.sqrt()
    }
}

/// Bytes that [`Flood::run`] allocates for a box of `n` elements.
pub fn scratch(n: usize, neighbours: usize, revisits: bool) -> u64 {
    let items = if revisits { n * neighbours.max(1) } else { n };
    // A vector that grows holds the old and the new one for a moment.
    (items * size_of::<Item>() * 3 + 1024) as u64
}
