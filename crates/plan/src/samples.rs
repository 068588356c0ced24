//! Random inputs for table-wide tests: the same numbers on every machine.

use voxmill_core::{Chunk, ChunkGrid, Complex64, DType, Region, Result, Scalar};

use crate::SampleInput;

/// A small generator of numbers that look random.
#[derive(Debug, Clone)]
pub struct Numbers(u64);

impl Numbers {
    /// The numbers that follow from `seed`.
    pub fn new(seed: u64) -> Self {
        Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D_4C95_7F2D)
    }

    /// The next number, 31 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }

    /// A number below `n`; 0 if there is none.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { self.bits() as usize % n }
    }

    /// A number between `low` and `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() as f64 / (1u64 << 31) as f64)
    }

    /// A box inside an array of `shape`, not empty unless the array is.
    pub fn region(&mut self, shape: &[usize]) -> Region {
        Region::from_bounds(shape.iter().map(|&n| {
            let begin = self.below(n);
            (begin, begin + self.below(n - begin) + usize::from(n > begin))
        }))
    }

    /// A grid over `shape`: even, irregular or with chunks of 1, as it falls.
    pub fn grid(&mut self, shape: &[usize]) -> ChunkGrid {
        let axes = shape.iter().map(|&n| {
            let mut lengths = Vec::new();
            let even = self.below(2) == 0;
            let step = 1 + self.below(n.max(1));
            let mut left = n;
            while left > 0 {
                let len = if even { step.min(left) } else { 1 + self.below(left) };
                lengths.push(len);
                left -= len;
            }
            voxmill_core::AxisCuts::from_lengths(&lengths)
        });
        ChunkGrid { axes: axes.collect() }
    }

    /// An array as `input` describes it.
    pub fn chunk(&mut self, input: &SampleInput) -> Result<Chunk> {
        let mut chunk = Chunk::new(&input.shape, input.dtype)?;
        let mut view = chunk.view_mut()?;
        let bytes = view.bytes_mut().unwrap_or_default();
        for element in bytes.chunks_exact_mut(input.dtype.size()) {
            let value = self.between(input.low, input.high);
            let scalar = match input.dtype {
                DType::Bool => Scalar::Bool(value > (input.low + input.high) / 2.0),
                d if d.is_complex() => Scalar::Complex(Complex64::new(value, self.between(input.low, input.high))),
                d if d.is_integer() => Scalar::Int(value.round() as i128),
                _ => Scalar::Float(value),
            };
            element.copy_from_slice(&scalar.to_bytes(input.dtype));
        }
        Ok(chunk)
    }
}

/// Why two arrays are not equal: bytes for integers and booleans, a tolerance that only forgives another order of summation for floats.
pub fn difference(a: &Chunk, b: &Chunk) -> Option<String> {
    if a.shape() != b.shape() || a.dtype() != b.dtype() {
        return Some(format!("{:?} {} is not {:?} {}", a.shape(), a.dtype(), b.shape(), b.dtype()));
    }
    let (a, b) = (a.to_contiguous().ok()?, b.to_contiguous().ok()?);
    let (view_a, view_b) = (a.view(), b.view());
    let (bytes_a, bytes_b) = (view_a.bytes()?, view_b.bytes()?);
    if bytes_a == bytes_b {
        return None;
    }
    if a.dtype().is_exact() {
        return Some(format!("{} elements differ", a.dtype()));
    }
    let values = |bytes: &[u8]| -> Vec<Complex64> {
        bytes.chunks_exact(a.dtype().size()).map(|e| Scalar::from_bytes(e, a.dtype()).to_c128()).collect()
    };
    let (values_a, values_b) = (values(bytes_a), values(bytes_b));
    let scale = values_b.iter().map(|c| c.norm()).filter(|n| n.is_finite()).fold(1e-300, f64::max);
    let tolerance = match a.dtype().to_float() {
        DType::F16 | DType::BF16 => 1e-2,
        DType::F32 => 4e-6,
        _ => 1e-12,
    };
    let same = |x: &Complex64, y: &Complex64| {
        let nan = |c: &Complex64| c.re.is_nan() || c.im.is_nan();
        x == y || (nan(x) && nan(y)) || (x - y).norm() <= tolerance * scale
    };
    let pairs = values_a.iter().zip(&values_b).enumerate();
    pairs.filter(|(_, (x, y))| !same(x, y)).map(|(i, (x, y))| format!("element {i}: {x} is not {y}")).next()
}
