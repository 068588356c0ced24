//! Small arrays as parameters: footprints, structuring elements, weights.
//!
//! Written as nested lists of numbers. Footprints may also be named: `"ball(3)"`, `"disk(2)"`, `"box(3, 5, 5)"`, `"cross(3)"`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};
use voxmill_core::{Error, Result};

/// A small array of numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// Length of each axis.
    pub shape: Vec<usize>,
    /// Elements in C order.
    pub values: Vec<f64>,
}

impl Grid {
    /// A box of ones.
    pub fn ones(shape: &[usize]) -> Self {
        Grid { shape: shape.to_vec(), values: vec![1.0; shape.iter().product()] }
    }

    /// Ones where `inside` says so, on a cube of `2 radius + 1` positions on each of `rank` axes. Positions count from the middle.
    fn around(rank: usize, radius: usize, inside: impl Fn(&[i64]) -> bool) -> Self {
        let side = 2 * radius + 1;
        let shape = vec![side; rank];
        let values = positions(&shape).map(|at| {
            let from_middle: Vec<i64> = at.iter().map(|&k| k as i64 - radius as i64).collect();
            f64::from(u8::from(inside(&from_middle)))
        });
        let values = values.collect();
        Grid { shape, values }
    }

    /// All positions at most `radius` away.
    pub fn ball(rank: usize, radius: usize) -> Self {
        let limit = (radius * radius) as i64;
        Grid::around(rank, radius, |at| at.iter().map(|x| x * x).sum::<i64>() <= limit)
    }

    /// All positions at most `radius` steps away, along axes.
    pub fn octahedron(rank: usize, radius: usize) -> Self {
        let limit = radius as i64;
        Grid::around(rank, radius, |at| at.iter().map(|x| x.abs()).sum::<i64>() <= limit)
    }

    /// The neighbours within a cube of 3 that differ in at most `connectivity` axes, as `generate_binary_structure`.
    pub fn structure(rank: usize, connectivity: usize) -> Self {
        Grid::around(rank, 1, |at| at.iter().filter(|&&x| x != 0).count() <= connectivity.max(1))
    }

    /// True if no element is zero.
    pub fn is_full(&self) -> bool {
        self.values.iter().all(|&v| v != 0.0)
    }

    /// The same array turned around along all axes.
    pub fn reversed(&self) -> Self {
        Grid { shape: self.shape.clone(), values: self.values.iter().rev().copied().collect() }
    }

    /// Positions of elements that are not zero, with these elements, in C order.
    pub fn taps(&self) -> impl Iterator<Item = (Vec<usize>, f64)> + '_ {
        positions(&self.shape).zip(self.values.iter().copied()).filter(|(_, v)| *v != 0.0)
    }

    /// From nested lists, a name, or shape and bits.
    pub fn from_json(value: &Value) -> Result<Self> {
        match value {
            Value::String(word) => named(word),
            Value::Object(_) => packed(value),
            _ => nested(value),
        }
    }

    fn to_json(&self) -> Value {
        let flags = self.values.iter().all(|&v| v == 0.0 || v == 1.0);
        if flags && self.values.len() > 512 {
            let bits: String = self.values.iter().map(|&v| if v == 0.0 { '0' } else { '1' }).collect();
            return json!({"shape": self.shape, "bits": bits});
        }
        fn level(shape: &[usize], values: &[f64]) -> Value {
            match shape {
                [] => json!(values[0]),
                [n, rest @ ..] => {
                    let step = rest.iter().product::<usize>();
                    (0..*n).map(|k| level(rest, &values[k * step..(k + 1) * step])).collect()
                }
            }
        }
        level(&self.shape, &self.values)
    }
}

impl Serialize for Grid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Grid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Grid::from_json(&value).map_err(|e| serde::de::Error::custom(e.message()))
    }
}

/// Moves on to the next position of a box in C order; after the last comes the first.
pub fn advance(at: &mut [usize], shape: &[usize]) {
    for (a, &n) in at.iter_mut().zip(shape).rev() {
        *a += 1;
        if *a < n {
            return;
        }
        *a = 0;
    }
}

/// All positions of a box in C order.
pub fn positions(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> + use<> {
    let shape = shape.to_vec();
    (0..shape.iter().product::<usize>()).map(move |flat| {
        let mut rest = flat;
        let mut at: Vec<usize> = shape.iter().rev().map(|&n| (rest % n, rest /= n).0).collect();
        at.reverse();
        at
    })
}

fn nested(value: &Value) -> Result<Grid> {
    let mut shape = Vec::new();
    let mut level = value;
    while let Value::Array(items) = level {
        shape.push(items.len());
        match items.first() {
            Some(first) => level = first,
            None => break,
        }
    }
    let mut values = Vec::new();
    collect(value, &shape, &mut values)?;
    Ok(Grid { shape, values })
}

fn collect(value: &Value, shape: &[usize], values: &mut Vec<f64>) -> Result<()> {
    match (value, shape) {
        (Value::Array(items), [n, rest @ ..]) if items.len() == *n => {
            items.iter().try_for_each(|item| collect(item, rest, values))
        }
        (Value::Number(number), []) => {
            values.push(number.as_f64().unwrap_or(f64::NAN));
            Ok(())
        }
        (Value::Bool(flag), []) => {
            values.push(f64::from(u8::from(*flag)));
            Ok(())
        }
        _ => Err(Error::invalid("nested lists must all have the same length, and hold numbers")),
    }
}

fn packed(value: &Value) -> Result<Grid> {
    let wrong = || {
        Error::invalid(
            "a packed footprint has a shape and as many bits, such as {\"shape\": [2, 2], \"bits\": \"0110\"}",
        )
    };
    let shape: Vec<usize> = serde_json::from_value(value["shape"].clone()).map_err(|_| wrong())?;
    let bits = value["bits"].as_str().ok_or_else(wrong)?;
    if bits.len() != shape.iter().product::<usize>() || !bits.bytes().all(|b| b == b'0' || b == b'1') {
        return Err(wrong());
    }
    Ok(Grid { shape, values: bits.bytes().map(|b| f64::from(b - b'0')).collect() })
}

fn named(word: &str) -> Result<Grid> {
    let wrong = || {
        Error::invalid(format!(
            "footprint '{word}' is not known; write \"ball(3)\", \"disk(3)\", \"octahedron(3)\", \"diamond(3)\", \"cube(3)\", \
             \"square(3)\", \"box(3, 5)\", or nested lists of 0 and 1"
        ))
    };
    let (name, rest) = word.trim().split_once('(').ok_or_else(wrong)?;
    let numbers = rest.trim_end().strip_suffix(')').ok_or_else(wrong)?;
    let numbers: Vec<usize> =
        numbers.split(',').map(|n| n.trim().parse().map_err(|_| wrong())).collect::<Result<_>>()?;
    match (name.trim(), numbers.as_slice()) {
        ("ball", &[radius]) => Ok(Grid::ball(3, radius)),
        ("disk", &[radius]) => Ok(Grid::ball(2, radius)),
        ("octahedron", &[radius]) => Ok(Grid::octahedron(3, radius)),
        ("diamond", &[radius]) => Ok(Grid::octahedron(2, radius)),
        ("cube", &[side]) => Ok(Grid::ones(&[side; 3])),
        ("square", &[side]) => Ok(Grid::ones(&[side; 2])),
        ("box", sides) => Ok(Grid::ones(sides)),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_names_and_bits_come_back() {
        for value in [json!([[0.0, 1.0, 0.0], [1.0, 1.0, 1.0]]), json!([1.5, 2.5]), json!([[1.0], [2.0]])] {
            let grid = Grid::from_json(&value).unwrap();
            assert_eq!(grid.to_json(), value);
        }
        let ball = Grid::from_json(&json!("ball(12)")).unwrap();
        assert_eq!(ball.shape, [25, 25, 25]);
        assert_eq!(Grid::from_json(&ball.to_json()).unwrap(), ball);
        assert_eq!(Grid::from_json(&json!("diamond(1)")).unwrap(), Grid::structure(2, 1));
        assert!(Grid::from_json(&json!([[1], [1, 2]])).is_err());
        assert!(Grid::from_json(&json!("bell(3)")).is_err());
        assert!(Grid::from_json(&json!({"shape": [2], "bits": "012"})).is_err());
    }
}
