//! Thinning of volumes to lines by the method of Lee, Kashyap and Chu: elements go from the six sides in turn, as long as neither the
//! number of pieces, tunnels and cavities nor an end of a line changes. Those of one side are found at once, and go one after the other.

/// The middle of a cube of 27 elements, which are bits in C order.
const MIDDLE: u32 = 1 << 13;

/// Sides in the order in which elements go: steps per axis.
const SIDES: [[i8; 3]; 6] = [[0, -1, 0], [0, 1, 0], [0, 0, 1], [0, 0, -1], [1, 0, 0], [-1, 0, 0]];

/// What is known of cubes of 27 elements.
#[derive(Debug)]
struct Cube {
    /// The neighbours of each element.
    near: [u32; 27],
    /// Elements that share a corner of the one in the middle.
    corners: Vec<u32>,
    /// Elements that share an edge.
    edges: Vec<u32>,
    /// Elements that share a face.
    faces: Vec<u32>,
}

/// The elements of a cube for which `is_in` holds, without the middle.
fn bits(is_in: impl Fn([i8; 3]) -> bool) -> u32 {
    let place = |k: i8| [k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1];
    (0..27).filter(|&k| is_in(place(k))).fold(0, |bits, k| bits | 1 << k) & !MIDDLE
}

impl Cube {
    fn new() -> Cube {
        let place = |k: usize| [(k / 9) as i8 - 1, (k / 3 % 3) as i8 - 1, (k % 3) as i8 - 1];
        let touches = |a: [i8; 3], b: [i8; 3]| a != b && (0..3).all(|k| (a[k] - b[k]).abs() <= 1);
        let near = std::array::from_fn(|k| bits(|at| touches(place(k), at)));
        // A corner, edge or face of the middle lies towards a step; who shares it goes along with that step, or stays.
        let shared = |step: [i8; 3]| bits(|at| (0..3).all(|k| at[k] == step[k] || at[k] == 0));
        let towards = |n: usize| {
            let steps = (0..27).map(place).filter(|step| step.iter().filter(|s| **s != 0).count() == n);
            steps.map(shared).collect()
        };
        Cube { near, corners: towards(3), edges: towards(2), faces: towards(1) }
    }

    /// True if the elements around the middle are in one piece, or if there are none.
    fn is_one_piece(&self, around: u32) -> bool {
        let mut seen = around & around.wrapping_neg();
        let mut front = seen;
        while front != 0 {
            let at = front.trailing_zeros() as usize;
            front &= front - 1;
            let new = self.near[at] & around & !seen;
            (seen, front) = (seen | new, front | new);
        }
        seen == around
    }

    /// True if the Euler number stays when the middle goes: what it shares with its neighbours is like a disk.
    fn keeps_euler(&self, around: u32) -> bool {
        let count = |masks: &[u32]| masks.iter().filter(|mask| around & **mask != 0).count() as i32;
        count(&self.corners) - count(&self.edges) + count(&self.faces) == 1
    }
}

/// Thins the truth values of a volume, which has a margin of zeros of one element on all sides. A volume of one plane is a plane.
pub fn thin(volume: &mut [u8], shape: [usize; 3]) {
    let cube = Cube::new();
    let stride = [shape[1] * shape[2], shape[2], 1];
    let flat = |step: [i8; 3]| (0..3).map(|k| isize::from(step[k]) * stride[k] as isize).sum::<isize>();
    let steps: Vec<isize> = (0..27_i8).map(|k| flat([k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1])).collect();
    let sides = if shape[0] == 3 { &SIDES[..4] } else { &SIDES[..] };
    let around = |volume: &[u8], at: usize| {
        let here = steps.iter().map(|&step| u32::from(volume[at.wrapping_add_signed(step)] != 0));
        here.enumerate().fold(0, |bits, (k, bit)| bits | bit << k) & !MIDDLE
    };
    let mut there: Vec<u32> = (0..volume.len() as u32).filter(|&at| volume[at as usize] != 0).collect();
    let mut leaving = Vec::new();
    loop {
        let mut changed = false;
        for &side in sides {
            let beyond = flat(side);
            let may_go = |at: usize| {
                let near = around(volume, at);
                volume[at.wrapping_add_signed(beyond)] == 0
                    && near.count_ones() != 1
                    && cube.keeps_euler(near)
                    && cube.is_one_piece(near)
            };
            leaving.clear();
            leaving.extend(there.iter().copied().filter(|&at| may_go(at as usize)));
            for &at in &leaving {
                if cube.is_one_piece(around(volume, at as usize)) {
                    volume[at as usize] = 0;
                    changed = true;
                }
            }
            there.retain(|&at| volume[at as usize] != 0);
        }
        if !changed {
            return;
        }
    }
}

/// Bytes that [`thin`] allocates for `n` elements.
pub fn scratch(n: usize) -> u64 {
    // Two lists that grow.
    (n * 4 * 4 + 8192) as u64
}
