//! Every op on its own samples, box by box: the part of the conformance suite that needs no executor.

use voxmill_core::{ArrayMeta, Chunk, DType, Region, Scalar};
use voxmill_ops::TABLE;
use voxmill_plan::op::Form;
use voxmill_plan::reference::run_box;
use voxmill_plan::{Op, Sample, SampleInput};

/// A small generator: the same numbers on every machine.
struct Lcg(u64);

impl Lcg {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }

    fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { self.next() as usize % n }
    }
}

fn random_chunk(input: &SampleInput, random: &mut Lcg) -> Chunk {
    let mut chunk = Chunk::new(&input.shape, input.dtype).unwrap();
    let width = input.dtype.size();
    let mut view = chunk.view_mut().unwrap();
    for element in view.bytes_mut().unwrap().chunks_exact_mut(width) {
        let mut value = || input.low + (input.high - input.low) * (random.next() as f64 / (1u64 << 31) as f64);
        let scalar = match input.dtype {
            DType::Bool => Scalar::Bool(value() > (input.low + input.high) / 2.0),
            d if d.is_complex() => Scalar::Complex(voxmill_core::Complex64::new(value(), value())),
            d if d.is_integer() => Scalar::Int(value().round() as i128),
            _ => Scalar::Float(value()),
        };
        element.copy_from_slice(&scalar.to_bytes(input.dtype));
    }
    chunk
}

fn random_box(shape: &[usize], random: &mut Lcg) -> Region {
    Region::from_bounds(shape.iter().map(|&n| {
        let begin = random.below(n);
        (begin, begin + random.below(n - begin) + usize::from(n > begin))
    }))
}

/// Runs `check` on every sample of every op that has a kernel for it.
fn for_each_sample(mut check: impl FnMut(&str, &dyn Op, &Sample)) {
    for def in TABLE.iter() {
        for (k, sample) in (def.samples)().iter().enumerate() {
            let op = TABLE.build(def.name, &sample.params).unwrap_or_else(|e| panic!("{} sample {k}: {e}", def.name));
            check(&format!("{} sample {k} {}", def.name, sample.params), op.as_ref(), sample);
        }
    }
}

fn metas(sample: &Sample) -> Vec<ArrayMeta> {
    sample.ins.iter().map(|i| ArrayMeta::new(&i.shape, i.dtype)).collect()
}

#[test]
fn names_are_unique_and_every_op_has_samples_and_docs() {
    let mut names: Vec<&str> = TABLE.iter().map(|d| d.name).collect();
    names.sort_unstable();
    let n = names.len();
    names.dedup();
    assert_eq!(names.len(), n, "a name stands twice in the table");
    for def in TABLE.iter() {
        assert!(!(def.samples)().is_empty(), "{} has no samples", def.name);
        assert!(def.summary.ends_with('.') && def.summary.len() > 10, "{} has no summary", def.name);
    }
}

#[test]
fn parameters_survive_the_round_trip() {
    for_each_sample(|name, op, _| {
        let again = TABLE.build(op.def().name, &op.params()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(again.params(), op.params(), "{name}");
    });
}

#[test]
fn a_box_computed_alone_equals_the_same_box_of_the_whole() {
    let mut random = Lcg(7);
    voxmill_core::Buffer::poison_new(true);
    for_each_sample(|name, op, sample| {
        let metas = metas(sample);
        let metas: Vec<&ArrayMeta> = metas.iter().collect();
        let out = op.infer(&metas).unwrap_or_else(|e| panic!("{name}: {e}"));
        if op.def().form == Form::Composite {
            return;
        }
        let ins: Vec<Chunk> = sample.ins.iter().map(|i| random_chunk(i, &mut random)).collect();
        let whole = match run_box(op, &out, &out.whole(), &metas, &ins) {
            Ok(whole) => whole,
            // An op without a kernel for these dtypes expands to casts first.
            Err(_) if op.def().form == Form::Map => return,
            Err(e) => panic!("{name}: {e}"),
        };
        assert_eq!((whole.shape(), whole.dtype()), (&out.shape[..], out.dtype), "{name}: declared and real meta");
        for _ in 0..4 {
            let region = random_box(&out.shape, &mut random);
            let reads = op.reads(&region, &metas);
            assert_eq!(reads.len(), metas.len(), "{name}: one box per input");
            for (read, meta) in reads.iter().zip(&metas) {
                assert!(meta.whole().contains(read), "{name}: {read} leaves {:?}", meta.shape);
            }
            let part = run_box(op, &out, &region, &metas, &ins).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_close(&part, &whole.part(&region), &format!("{name} at {region}"));
        }
    });
}

/// Exact for integers and booleans; for floats a relative tolerance that only forgives another order of summation.
fn assert_close(a: &Chunk, b: &Chunk, what: &str) {
    let (a, b) = (a.to_contiguous().unwrap(), b.to_contiguous().unwrap());
    let (bytes_a, bytes_b) = (a.view().bytes().unwrap().to_vec(), b.view().bytes().unwrap().to_vec());
    if bytes_a == bytes_b {
        return;
    }
    assert!(!a.dtype().is_exact(), "{what}: integers differ");
    let width = a.dtype().size();
    let tolerance = match a.dtype().to_float() {
        DType::F16 | DType::BF16 => 1e-2,
        DType::F32 => 2e-6,
        _ => 1e-13,
    };
    let scale = bytes_b.chunks_exact(width).map(|e| norm(Scalar::from_bytes(e, a.dtype()))).fold(0.0, f64::max);
    for (x, y) in bytes_a.chunks_exact(width).zip(bytes_b.chunks_exact(width)) {
        let (x, y) = (Scalar::from_bytes(x, a.dtype()).to_c128(), Scalar::from_bytes(y, a.dtype()).to_c128());
        let same = x == y || (x.re.is_nan() && y.re.is_nan()) || (x - y).norm() <= tolerance * scale.max(1e-300);
        assert!(same, "{what}: {x} is not {y}");
    }
}

fn norm(value: Scalar) -> f64 {
    let n = value.to_c128().norm();
    if n.is_finite() { n } else { 0.0 }
}
