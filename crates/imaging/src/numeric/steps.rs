//! Distances in whole steps, along one axis after the other: along axes (taxicab), or also along diagonals (chessboard).

/// How steps are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// Steps along axes add up.
    Taxicab,
    /// A step may go along several axes at once.
    Chessboard,
}

/// Stands for a distance to nothing; larger than any other, and some steps may still be added.
pub const FAR: i32 = i32::MAX / 2;

/// Turns the distances of a lane along the axes before into those along this axis, too. `room` is kept between lanes.
pub fn lane(metric: Metric, lane: &mut [i32], room: &mut Vec<(i32, i32, i32)>) {
    match metric {
        Metric::Taxicab => taxicab(lane),
        Metric::Chessboard => chessboard(lane, room),
    }
}

fn taxicab(lane: &mut [i32]) {
    for k in 1..lane.len() {
        lane[k] = lane[k].min(lane[k - 1] + 1);
    }
    for k in (1..lane.len()).rev() {
        lane[k - 1] = lane[k - 1].min(lane[k] + 1);
    }
    lane.iter_mut().for_each(|v| *v = (*v).min(FAR));
}

/// The distance at `x` is the smallest of `max(|x - q|, lane(q))` over all `q`. The candidates that are nearest somewhere are collected
/// from left to right, each with the position from which on it is nearer than those before.
fn chessboard(lane: &mut [i32], nearest: &mut Vec<(i32, i32, i32)>) {
    let n = lane.len() as i32;
    let distance = |x: i32, (q, low, _): (i32, i32, i32)| (x - q).abs().max(low);
    nearest.clear();
    for (u, &low) in (0..).zip(lane.iter()) {
        let new = (u, low, 0);
        while nearest.last().is_some_and(|&last| distance(last.2, last) > distance(last.2, new)) {
            nearest.pop();
        }
        let Some(&(q, before, _)) = nearest.last() else {
            nearest.push(new);
            continue;
        };
        let middle = (q + u) / 2;
        let from = 1 + if before <= low { middle.max(q + low) } else { middle.min(u - before) };
        if from < n {
            nearest.push((u, low, from));
        }
    }
    for x in (0..n).rev() {
        let Some(&last) = nearest.last() else { return };
        lane[x as usize] = distance(x, last).min(FAR);
        if x == last.2 {
            nearest.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_equal_their_definition() {
        for n in [1, 2, 3, 7, 20, 33] {
            let first: Vec<i32> = (0..n).map(|i| if i * 7919 % 5 == 1 { FAR } else { i * 31 % 9 }).collect();
            for metric in [Metric::Taxicab, Metric::Chessboard] {
                let mut found = first.clone();
                lane(metric, &mut found, &mut Vec::new());
                for x in 0..n {
                    let to = |q: i32| match metric {
                        Metric::Taxicab => first[q as usize] + (x - q).abs(),
                        Metric::Chessboard => first[q as usize].max((x - q).abs()),
                    };
                    assert_eq!(Some(found[x as usize]), (0..n).map(to).map(|d| d.min(FAR)).min());
                }
            }
        }
    }
}
