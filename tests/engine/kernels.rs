//! Every op on its own samples, box by box: the part of the conformance suite that needs no executor.

use serde_json::json;
use voxmill::TABLE;
use voxmill::core::{ArrayMeta, Chunk};
use voxmill::plan::op::Form;
use voxmill::plan::reference::{run_box, run_box_in_runs};
use voxmill::plan::samples::{Numbers, difference};
use voxmill::plan::{Array, Op, Sample, SampleInput};

/// Runs `check` on every sample of every op.
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

/// Arrays of the shapes and dtypes of a sample.
fn stand_ins(sample: &Sample) -> Vec<Array> {
    let zeros = |i: &SampleInput| {
        let op = TABLE.build("zeros", &json!({"shape": i.shape, "dtype": i.dtype})).unwrap();
        Array::from_op(op, Vec::new()).unwrap()
    };
    sample.ins.iter().map(zeros).collect()
}

#[test]
fn names_are_unique_and_every_op_has_samples_and_docs() {
    let mut names: Vec<&str> = TABLE.iter().map(|d| d.name).collect();
    names.sort_unstable();
    let n = names.len();
    names.dedup();
    assert_eq!(names.len(), n, "a name stands twice in the table");
    /// What these take cannot be made at random; they are tested elsewhere.
    const STEPS: [&str; 6] =
        ["label_merge", "label_finish", "label_count", "region_table", "contact_table", "threshold_minimum"];
    for def in TABLE.iter() {
        assert!(!(def.samples)().is_empty() || STEPS.contains(&def.name), "{} has no samples", def.name);
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
    let mut numbers = Numbers::new(7);
    voxmill::core::Buffer::poison_new(true);
    for_each_sample(|name, op, sample| {
        let metas = metas(sample);
        let metas: Vec<&ArrayMeta> = metas.iter().collect();
        let out = op.infer(&metas).unwrap_or_else(|e| panic!("{name}: {e}"));
        // An element-wise op without a kernel for these dtypes expands to casts first.
        if op.def().form == Form::Composite || (op.def().form == Form::Map && op.kernel(&metas).is_err()) {
            return;
        }
        if op.def().form == Form::Map && metas.windows(2).any(|m| m[0].dtype != m[1].dtype) {
            return;
        }
        // So does a kernel; what it expands to is tested as a whole.
        if op.def().form == Form::Kernel && op.expand(&stand_ins(sample)).is_ok_and(|expanded| expanded.is_some()) {
            return;
        }
        let ins: Vec<Chunk> = sample.ins.iter().map(|i| numbers.chunk(i).unwrap()).collect();
        let whole = run_box(op, &out, &out.whole(), &metas, &ins).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!((whole.shape(), whole.dtype()), (&out.shape[..], out.dtype), "{name}: declared and real meta");
        for _ in 0..4 {
            let region = numbers.region(&out.shape);
            // Some ops make whole blocks only.
            let region = op.blocks().map_or(region.clone(), |blocks| blocks.cover(&region));
            let reads = op.reads(&region, &metas);
            assert_eq!(reads.len(), metas.len(), "{name}: one box per input");
            for (read, meta) in reads.iter().zip(&metas) {
                assert!(meta.whole().contains(read), "{name}: {read} leaves {:?}", meta.shape);
            }
            let part = run_box(op, &out, &region, &metas, &ins).unwrap_or_else(|e| panic!("{name}: {e}"));
            if let Some(difference) = difference(&part, &whole.part(&region)) {
                panic!("{name} at {region}: {difference}");
            }
            let runs = run_box_in_runs(op, (&out, &region), &metas, &ins, &mut || 1 + numbers.below(3000));
            if let Some(taken) = runs.unwrap_or_else(|e| panic!("{name}: {e}")) {
                let difference = difference(&taken, &part);
                assert!(difference.is_none(), "{name} in runs at {region}: {difference:?}");
            }
        }
    });
}
