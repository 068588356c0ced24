//! Convex hulls of the elements of a small box, in whole numbers: nothing is rounded, so flat and straight objects need no care.
//!
//! An element stands for the middles of its faces, as in scikit-image. All coordinates are twice those of the box, which makes them whole.

/// A position, twice as far along each axis. On planes, the first number is 0.
pub type Point = [i64; 3];

/// The hull of a box: which elements lie in it, and its corners.
#[derive(Debug, Default)]
pub struct Hull {
    /// One for each element of the box, in C order.
    pub inside: Vec<bool>,
    /// Corners of the hull, and perhaps other points of its faces, in coordinates that are twice those of the box.
    pub corners: Vec<Point>,
}

/// All points with `normal * point <= limit`.
#[derive(Debug, Clone, Copy)]
struct Half {
    normal: Point,
    limit: i128,
}

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: Point, b: Point) -> i128 {
    (0..3).map(|k| i128::from(a[k]) * i128::from(b[k])).sum()
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The hull of the elements of a box that are not 0. `shape` has two or three lengths.
pub fn hull(mask: &[u8], shape: &[usize]) -> Hull {
    let (depth, height, width) = match *shape {
        [height, width] => (1, height, width),
        [depth, height, width] => (depth, height, width),
        _ => return Hull::default(),
    };
    let flat = shape.len() == 2;
    let mut points = Vec::new();
    for z in 0..depth {
        let plane = &mask[z * height * width..(z + 1) * height * width];
        points.extend(corners_of_plane(ends(plane, z, width)));
    }
    if points.is_empty() {
        return Hull { inside: vec![false; mask.len()], corners: Vec::new() };
    }
    let faces: &[Point] = if flat { &FACES[..4] } else { &FACES };
    let points: Vec<Point> =
        points.iter().flat_map(|p| faces.iter().map(move |f| [p[0] + f[0], p[1] + f[1], p[2] + f[2]])).collect();
    let (corners, halves) = if flat { polygon(points) } else { polyhedron(&points) };
    let mut inside = vec![false; mask.len()];
    for (line, inside) in inside.chunks_exact_mut(width).enumerate() {
        let (z, y) = (line / height, line % height);
        if let Some((begin, end)) = within(&halves, 2 * z as i64, 2 * y as i64, width) {
            inside[begin..=end].fill(true);
        }
    }
    Hull { inside, corners }
}

/// From the middle of an element to those of its faces: first those of a plane.
const FACES: [Point; 6] = [[0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1], [1, 0, 0], [-1, 0, 0]];

/// First and last element of each line of a plane.
fn ends(plane: &[u8], z: usize, width: usize) -> Vec<Point> {
    let mut points = Vec::new();
    for (y, line) in plane.chunks_exact(width).enumerate() {
        let first = line.iter().position(|v| *v != 0);
        let last = line.iter().rposition(|v| *v != 0);
        for x in [first, last.filter(|_| first != last)].into_iter().flatten() {
            points.push([2 * z as i64, 2 * y as i64, 2 * x as i64]);
        }
    }
    points
}

/// Corners of the hull of points in one plane, in order around it. Points are sorted by line, which is the order they need.
fn corners_of_plane(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_unstable();
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let turn = |a: Point, b: Point, c: Point| cross(minus(b, a), minus(c, a))[0];
    let half = |points: &mut dyn Iterator<Item = &Point>| {
        let mut kept: Vec<Point> = Vec::new();
        for &point in points {
            while kept.len() > 1 && turn(kept[kept.len() - 2], kept[kept.len() - 1], point) <= 0 {
                kept.pop();
            }
            kept.push(point);
        }
        kept.pop();
        kept
    };
    let mut corners = half(&mut points.iter());
    corners.extend(half(&mut points.iter().rev()));
    corners
}

fn polygon(points: Vec<Point>) -> (Vec<Point>, Vec<Half>) {
    let corners = corners_of_plane(points);
    let edge = |(k, &a): (usize, &Point)| {
        let [_, y, x] = minus(corners[(k + 1) % corners.len()], a);
        let normal = [0, x, -y];
        Half { normal, limit: dot(normal, a) }
    };
    let halves = corners.iter().enumerate().map(edge).collect();
    (corners, halves)
}

/// A triangle of a hull, its corners in such an order that the normal leads outwards.
#[derive(Debug, Clone, Copy)]
struct Facet {
    corners: [usize; 3],
    half: Half,
}

/// The hull of points in space that do not lie in one plane: the first six are those around one element.
fn polyhedron(points: &[Point]) -> (Vec<Point>, Vec<Half>) {
    let facet = |corners: [usize; 3]| {
        let [a, b, c] = corners.map(|k| points[k]);
        let normal = cross(minus(b, a), minus(c, a));
        Facet { corners, half: Half { normal, limit: dot(normal, a) } }
    };
    // A corner on either side along one axis, and one along each of the others.
    let mut facets: Vec<Facet> = [[0, 1, 2], [0, 1, 4], [0, 2, 4], [1, 2, 4]]
        .into_iter()
        .zip([4, 2, 1, 0])
        .map(|([a, b, c], other)| {
            let one = facet([a, b, c]);
            if dot(one.half.normal, points[other]) > one.half.limit { facet([a, c, b]) } else { one }
        })
        .collect();
    let mut edges: Vec<(usize, usize)> = Vec::new();
    for k in scattered(points.len()) {
        let point = points[k];
        let sees = |facet: &Facet| dot(facet.half.normal, point) > facet.half.limit;
        edges.clear();
        for facet in facets.iter().filter(|facet| sees(facet)) {
            let [a, b, c] = facet.corners;
            edges.extend([(a, b), (b, c), (c, a)]);
        }
        if edges.is_empty() {
            continue;
        }
        facets.retain(|facet| !sees(facet));
        // An edge of two facets that go appears in both directions; those of one are where the rest begins.
        edges.sort_unstable();
        let rim = edges.iter().filter(|(a, b)| edges.binary_search(&(*b, *a)).is_err());
        facets.extend(rim.map(|&(a, b)| facet([a, b, k])));
    }
    let mut corners: Vec<Point> = facets.iter().flat_map(|facet| facet.corners).map(|k| points[k]).collect();
    corners.sort_unstable();
    corners.dedup();
    let mut halves: Vec<Half> = facets.iter().map(|facet| reduced(facet.half)).collect();
    halves.sort_unstable_by_key(|half| (half.normal, half.limit));
    halves.dedup_by_key(|half| (half.normal, half.limit));
    (corners, halves)
}

/// The same with the smallest whole numbers, so that triangles in one plane become equal.
fn reduced(half: Half) -> Half {
    let divisor = half.normal.iter().fold(0, |d, &n| gcd(d, n.unsigned_abs())).max(1) as i64;
    // The corners have whole coordinates, so the limit divides, too.
    Half { normal: half.normal.map(|n| n / divisor), limit: half.limit / i128::from(divisor) }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// All numbers below `n`, in an order that is far from sorted: a hull then is large soon, and most points are in it when they come.
fn scattered(n: usize) -> impl Iterator<Item = usize> {
    let mut step = n * 5 / 8 + 1;
    while gcd(step as u64, n as u64) != 1 {
        step += 1;
    }
    (0..n).map(move |k| (k * step) % n)
}

/// First and last element of a line that lies within all half spaces.
fn within(halves: &[Half], z: i64, y: i64, width: usize) -> Option<(usize, usize)> {
    let (mut begin, mut end) = (0, 2 * (width as i128 - 1));
    for half in halves {
        let rest = half.limit - dot(half.normal, [z, y, 0]);
        let slope = i128::from(half.normal[2]);
        match slope {
            0 if rest < 0 => return None,
            0 => {}
            s if s > 0 => end = end.min(rest.div_euclid(s)),
            // slope * x <= rest, with a negative slope: x >= rest / slope, rounded up.
            s => begin = begin.max(-(rest.div_euclid(-s))),
        }
    }
    // Elements lie at even numbers.
    let (begin, end) = (begin.div_euclid(2) + begin.rem_euclid(2), end.div_euclid(2));
    (begin <= end).then_some((begin as usize, end as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_alone_is_its_own_hull() {
        for shape in [vec![1, 1], vec![1, 1, 1]] {
            let found = hull(&[1], &shape);
            assert_eq!(found.inside, [true]);
            assert_eq!(found.corners.len(), 2 * shape.len());
        }
    }

    #[test]
    fn a_notch_is_filled() {
        let found = hull(&[1, 1, 1, 1, 0, 1, 1, 1, 1], &[3, 3]);
        assert_eq!(found.inside, [true; 9]);
        let corner = hull(&[1, 0, 0, 1, 0, 0, 1, 1, 1], &[3, 3]);
        assert_eq!(corner.inside, [true, false, false, true, true, false, true, true, true]);
    }

    #[test]
    fn a_box_in_space_is_its_own_hull() {
        let found = hull(&[1; 60], &[3, 4, 5]);
        assert_eq!(found.inside, [true; 60]);
        // Around each corner of the box, three middles of faces.
        assert!(found.corners.len() >= 24);
        assert_eq!(found.corners.first(), Some(&[-1, 0, 0]));
        assert_eq!(found.corners.last(), Some(&[5, 6, 8]));
        let mut mask = [0; 27];
        mask[0] = 1;
        mask[26] = 1;
        let diagonal: Vec<usize> =
            hull(&mask, &[3, 3, 3]).inside.iter().enumerate().filter(|(_, v)| **v).map(|(k, _)| k).collect();
        assert_eq!(diagonal, [0, 13, 26]);
    }
}
