//! Reductions by way of blocks equal those at once, however the array is stored and whatever the blocks.

use std::sync::Arc;

use serde_json::{Value, json};
use voxmill_core::{
    ArrayMeta, Chunk, ChunkGrid, DType, Error, Latency, Region, Result, Scalar, Store, StoreSpec, View, ViewMut,
};
use voxmill_plan::Array;
use voxmill_plan::reference::evaluate;

use crate::TABLE;
use crate::family::reduce::quantile::Method;
use crate::family::reduce::reduction::{Last, What, cast, reduce_in_blocks};
use crate::family::reduce::scan::scan_in_blocks;
use crate::family::reduce::select::by_digits;
use crate::family::reduce::{Kind, kernel};
use crate::reduce::direct::ReduceDirect;
use crate::reduce::quantile_lanes::{QuantileLanes, Quantiles};

#[derive(Debug)]
struct Stored {
    spec: StoreSpec,
    meta: ArrayMeta,
    chunk: Chunk,
}

impl Store for Stored {
    fn spec(&self) -> &StoreSpec {
        &self.spec
    }
    fn meta(&self) -> &ArrayMeta {
        &self.meta
    }
    fn read(&self, region: &Region, out: &mut ViewMut<'_>) -> Result<()> {
        self.chunk.view().part(region).copy_to(out)
    }
    fn write(&self, _: &Region, _: &View<'_>) -> Result<()> {
        Err(Error::unsupported("read only"))
    }
    fn read_scratch(&self, _: &Region) -> u64 {
        0
    }
    fn write_scratch(&self, _: &Region) -> u64 {
        0
    }
    fn latency(&self) -> Latency {
        Latency::Memory
    }
}

fn stored(chunk: &Chunk, chunks: &[usize]) -> Array {
    let meta = ArrayMeta::new(chunk.shape(), chunk.dtype()).with_grid(ChunkGrid::even(chunk.shape(), chunks));
    let spec = StoreSpec::new("memory", format!("{chunks:?}"));
    Array::from_store(Arc::new(Stored { spec, meta, chunk: chunk.clone() }))
}

/// Values that repeat, so that ties occur; some NaNs where there are any.
fn values(shape: &[usize], dtype: DType, nan: bool) -> Chunk {
    let mut chunk = Chunk::new(shape, dtype).unwrap();
    let mut state = 7u64;
    let mut view = chunk.view_mut().unwrap();
    for element in view.bytes_mut().unwrap().chunks_exact_mut(dtype.size()) {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let value = (state >> 40) as i128 % 97 - if dtype.kind() == voxmill_core::Kind::Unsigned { 0 } else { 40 };
        let scalar = match dtype {
            d if d.is_exact() => Scalar::Int(value.max(0)),
            _ if nan && value == 3 => Scalar::Float(f64::NAN),
            _ => Scalar::Float(value as f64 / 8.0),
        };
        element.copy_from_slice(&scalar.to_bytes(dtype));
    }
    chunk
}

fn assert_same(a: &Chunk, b: &Chunk, tolerance: f64, what: &str) {
    assert_eq!((a.shape(), a.dtype()), (b.shape(), b.dtype()), "{what}");
    let (a, b) = (a.to_contiguous().unwrap(), b.to_contiguous().unwrap());
    let (x, y) = (a.view().bytes().unwrap().to_vec(), b.view().bytes().unwrap().to_vec());
    for (x, y) in x.chunks_exact(a.dtype().size()).zip(y.chunks_exact(a.dtype().size())) {
        let (x, y) = (Scalar::from_bytes(x, a.dtype()).to_f64(), Scalar::from_bytes(y, a.dtype()).to_f64());
        let same = x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= tolerance * y.abs().max(1.0);
        assert!(same, "{what}: {x} is not {y}");
    }
}

const KINDS: [Kind; 13] = [
    Kind::Sum,
    Kind::Prod,
    Kind::Mean,
    Kind::Var,
    Kind::Std,
    Kind::Min,
    Kind::Max,
    Kind::Ptp,
    Kind::Argmin,
    Kind::Argmax,
    Kind::Any,
    Kind::All,
    Kind::CountNonzero,
];

#[test]
fn blocks_of_any_length_give_the_direct_answer() {
    let cases: [(&[usize], &[usize], &[usize]); 6] = [
        (&[9, 7], &[0, 1], &[2, 3]),
        (&[9, 7], &[0, 1], &[1, 7]),
        (&[5, 6, 7], &[0, 2], &[2, 4]),
        (&[5, 6, 7], &[1], &[4]),
        (&[4, 5, 6], &[0, 1], &[3, 5]),
        (&[300, 40], &[0], &[130]),
    ];
    for kind in KINDS {
        for dtype in [DType::U8, DType::I32, DType::F32, DType::F64, DType::C128] {
            for skip in [false, true] {
                for (shape, axes, block) in cases {
                    let what = What { kind, skip };
                    let Ok(dtypes) = kind.dtypes(dtype, None) else { continue };
                    let x = stored(&values(shape, dtype, skip), &[0, 0, 0][..shape.len()]);
                    let x = cast(&x, dtypes.work).unwrap();
                    let last = Last { axes: axes.to_vec(), ddof: 1.0, keepdims: false, out: dtypes.out };
                    let direct = ReduceDirect { what, last: last.clone() };
                    let direct = Array::from_op(Arc::new(direct), vec![x.clone()]).unwrap();
                    let blocks = reduce_in_blocks(&x, what, last, block.to_vec()).unwrap();
                    let (a, b) = (evaluate(&blocks).unwrap(), evaluate(&direct).unwrap());
                    assert_same(&a, &b, 1e-12, &format!("{kind:?} {dtype} skip {skip} {shape:?} {axes:?} {block:?}"));
                }
            }
        }
    }
}

#[test]
fn many_states_are_joined_in_several_steps() {
    let chunk = values(&[9000], DType::F64, false);
    let x = stored(&chunk, &[0]);
    let exact: f64 = chunk.to_vec::<f64>().unwrap().iter().sum();
    let last = Last { axes: vec![0], ddof: 0.0, keepdims: true, out: DType::F64 };
    let sum = reduce_in_blocks(&x, What { kind: Kind::Sum, skip: false }, last, vec![1]).unwrap();
    let states = &sum.ins()[0];
    assert_eq!(states.op().unwrap().def().name, "reduce_merge");
    assert_eq!(evaluate(&sum).unwrap().to_vec::<f64>().unwrap(), [exact]);
}

#[test]
fn stored_chunks_do_not_change_results() {
    let shape = [516, 512];
    let calls: [(&str, Value); 12] = [
        ("sum", json!({})),
        ("mean", json!({"axis": 0})),
        ("std", json!({})),
        ("min", json!({"axis": 1})),
        ("argmax", json!({})),
        ("nanvar", json!({"ddof": 1})),
        ("median", json!({})),
        ("percentile", json!({"q": [1, 99.5], "axis": 0})),
        ("histogram", json!({"bins": 13})),
        ("cumsum", json!({"axis": 0})),
        ("cumsum", json!({})),
        ("nanargmin", json!({})),
    ];
    for dtype in [DType::U16, DType::F32] {
        let chunk = values(&shape, dtype, false);
        for (name, params) in &calls {
            let result = |chunks: &[usize]| {
                let op = TABLE.build(name, params).unwrap();
                evaluate(&Array::from_op(op, vec![stored(&chunk, chunks)]).unwrap()).unwrap()
            };
            let one = result(&[0, 0]);
            for chunks in [[64, 64], [1, 512], [516, 1]] {
                assert_same(&result(&chunks), &one, 1e-6, &format!("{name} {params} of {dtype} in {chunks:?}"));
            }
        }
    }
}

#[test]
fn digits_find_what_sorting_finds() {
    let cases: [(&[usize], &[usize], &[usize]); 4] =
        [(&[40, 30], &[0, 1], &[7, 30]), (&[40, 30], &[0], &[13]), (&[6, 5, 40], &[2], &[9]), (&[50], &[0], &[50])];
    for dtype in
        [DType::U8, DType::I8, DType::U16, DType::I16, DType::I32, DType::U64, DType::I64, DType::F32, DType::F64]
    {
        for method in [Method::Linear, Method::Lower, Method::Nearest, Method::Median, Method::Hazen] {
            // One pass over 16 bits has many counts: one case is enough.
            let n = if dtype.size() == 2 { 1 } else { cases.len() };
            for &(shape, axes, block) in &cases[..n] {
                for skip in [false, true] {
                    let x = stored(&values(shape, dtype, skip), &[0, 0, 0][..shape.len()]);
                    let out = if method.is_discrete() { dtype } else { DType::F64 };
                    let q = vec![0.0, 0.13, 0.5, 0.51, 1.0];
                    let asked = Quantiles { q, method, skip, axes: axes.to_vec(), keepdims: skip, scalar: false, out };
                    let lanes = QuantileLanes { asked: asked.clone() };
                    let lanes = Array::from_op(Arc::new(lanes), vec![x.clone()]).unwrap();
                    let digits = by_digits(&x, asked, Some(block.to_vec())).unwrap();
                    let (a, b) = (evaluate(&digits).unwrap(), evaluate(&lanes).unwrap());
                    assert_same(&a, &b, 0.0, &format!("{method:?} of {dtype} {shape:?} over {axes:?} skip {skip}"));
                }
            }
        }
    }
}

#[test]
fn scans_in_blocks_equal_scans_at_once() {
    for (kind, dtype) in [(Kind::Sum, DType::U64), (Kind::Sum, DType::F64), (Kind::Prod, DType::U64)] {
        for axis in 0..3 {
            let x = stored(&values(&[7, 8, 9], dtype, false), &[0, 0, 0]);
            let what = What { kind, skip: false };
            let blocks = evaluate(&scan_in_blocks(&x, what, axis, 3).unwrap()).unwrap();
            let whole = evaluate(&scan_in_blocks(&x, what, axis, 100).unwrap()).unwrap();
            assert_same(&blocks, &whole, 1e-12, &format!("{kind:?} of {dtype} along {axis}"));
        }
    }
}

#[test]
fn loops_exist_for_all_work_dtypes() {
    for kind in KINDS {
        for dtype in DType::ALL {
            let work = kernel::work_dtype(kind, dtype);
            for skip in [false, true] {
                assert!(kernel::kernel(kind, skip, work).is_ok(), "{kind:?} of {dtype}");
            }
        }
    }
}
