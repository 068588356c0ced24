//! The shortest ways through the engine.

use std::sync::Arc;

use voxmill::core::ChunkGrid;
use voxmill::{Array, Chunk, Limits, Session, json};

use crate::grid_store::GridStore;

fn session(threads: usize) -> Session {
    Session::new(Limits { memory: 64 << 20, threads })
}

fn ramp(shape: &[usize], chunk: &[usize]) -> Array {
    let n: usize = shape.iter().product();
    let values: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let chunk_data = Chunk::from_slice(&values, shape).unwrap();
    Array::from_store(Arc::new(GridStore::new(chunk_data, ChunkGrid::even(shape, chunk))))
}

#[test]
fn adds_and_transposes() {
    let x = ramp(&[70, 90], &[16, 33]);
    for threads in [1, 3] {
        let session = session(threads);
        let y = session.call("add", &[&x, &Array::weak(1)], json!({})).unwrap();
        let t = session.call("transpose", &[&y], json!({})).unwrap();
        let sum = session.call("add", &[&t, &t], json!({})).unwrap();
        let result = session.compute(&[&sum]).unwrap().remove(0).to_vec::<f32>().unwrap();
        for i in 0..90 {
            for j in 0..70 {
                assert_eq!(result[i * 70 + j], 2.0 * ((j * 90 + i) as f32 + 1.0));
            }
        }
    }
}

#[test]
fn results_larger_than_the_limit_are_refused() {
    let session = Session::new(Limits { memory: 1 << 20, threads: 2 });
    let x = session.call("full", &[], json!({"shape": [1000, 1000], "fill_value": 1.0})).unwrap();
    let error = session.compute(&[&x]).unwrap_err();
    assert_eq!(error.class().kind(), "over-budget");
    assert!(error.message().contains("write it to a store"), "{error}");
}
