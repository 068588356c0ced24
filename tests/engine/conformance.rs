//! What every op of the table must do, whatever it computes. No op can be added without passing here.
//!
//! Each sample runs on random storage grids and random tiles, on one thread and on eight, and must give the answer that the reference
//! evaluator gives on the whole array; the bytes it allocates must stay under the bytes it promised.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use voxmill::TABLE;
use voxmill::core::{Buffer, ChunkGrid};
use voxmill::exec::{Cancel, HeldChunks, Silent, run_task};
use voxmill::plan::reference::evaluate;
use voxmill::plan::samples::{Numbers, difference};
use voxmill::plan::serial::PlanSpec;
use voxmill::plan::{NodeId, Sample, SampleInput, TaskId, What};
use voxmill::{Array, Chunk, Limits, Region, Result, Session, Sink};

use crate::grid_store::{GridStore, Known};

/// How many random grids and tilings each sample sees; more with `SLOW=1`.
fn rounds() -> u64 {
    if std::env::var_os("SLOW").is_some() { 40 } else { 3 }
}

/// An op on random data: once in one chunk, for the reference, once cut at random.
fn arrays(def_name: &str, sample: &Sample, numbers: &mut Numbers) -> (Array, Array) {
    let chunks: Vec<Chunk> = sample.ins.iter().map(|i| numbers.chunk(i).unwrap()).collect();
    let call = |grid: &mut dyn FnMut(&[usize]) -> ChunkGrid| {
        let ins = chunks.iter().map(|c| {
            let store = GridStore::new(c.clone(), grid(c.shape()));
            Array::from_store(Arc::new(store))
        });
        let op = TABLE.build(def_name, &sample.params).unwrap();
        Array::from_op(op, ins.collect()).unwrap_or_else(|e| panic!("{def_name} {}: {e}", sample.params))
    };
    let whole = call(&mut |shape| ChunkGrid::single(shape));
    let cut = call(&mut |shape| numbers.grid(shape));
    (whole, cut)
}

fn session(threads: usize, seed: u64) -> Session {
    let mut session = Session::new(Limits { memory: 1 << 30, threads });
    session.random_tiles = Some(seed);
    session
}

#[test]
fn answers_do_not_depend_on_chunks_tiles_or_threads() {
    Buffer::poison_new(true);
    let mut numbers = Numbers::new(11);
    for def in TABLE.iter() {
        for (k, sample) in (def.samples)().iter().enumerate() {
            for round in 0..rounds() {
                let name = format!("{} sample {k} {} round {round}", def.name, sample.params);
                let (whole, cut) = arrays(def.name, sample, &mut numbers);
                let expected = evaluate(&whole).unwrap_or_else(|e| panic!("{name}: {e}"));
                assert_eq!(whole.shape(), expected.shape(), "{name}: declared and real shape");
                assert_eq!(whole.dtype(), expected.dtype(), "{name}: declared and real dtype");
                let seed = round * 1000 + k as u64;
                let one = session(1, seed).compute(&[&cut]).unwrap_or_else(|e| panic!("{name}: {e}")).remove(0);
                if let Some(difference) = difference(&one, &expected) {
                    panic!("{name}: {difference}");
                }
                let eight = session(8, seed).compute(&[&cut]).unwrap().remove(0);
                assert_eq!(one.view().bytes(), eight.view().bytes(), "{name}: other bits on 8 threads");
                let other_tiles = session(2, seed + 77).compute(&[&cut]).unwrap().remove(0);
                assert_eq!(one.view().bytes(), other_tiles.view().bytes(), "{name}: other bits with other tiles");
            }
        }
    }
}

#[test]
fn plans_survive_the_round_trip_through_text() {
    let mut numbers = Numbers::new(3);
    for def in TABLE.iter() {
        for (k, sample) in (def.samples)().iter().enumerate() {
            let (_, cut) = arrays(def.name, sample, &mut numbers);
            let session = session(2, k as u64);
            let plan = session.plan(&[(cut, Sink::Result)]).unwrap();
            let text = voxmill::json!(plan.spec()).to_string();
            let spec: PlanSpec = serde_json::from_str(&text).unwrap();
            let sources = plan.nodes.iter().filter_map(|n| match &n.what {
                What::Source(store) => Some(store.clone()),
                _ => None,
            });
            let again = spec.open(&TABLE, &Known(sources.collect())).unwrap();
            let (one, two) = (session.run(&plan).unwrap(), session.run(&again).unwrap());
            let same = one.results[0].view().bytes() == two.results[0].view().bytes();
            assert!(same, "{} sample {k}: another result after the round trip", def.name);
        }
    }
}

/// Counts the bytes on the heap, so that a task's peak can be measured.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[allow(unsafe_code)]
// SAFETY: every call is passed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.dealloc(at, layout) }
    }
}

/// Hands out held boxes filled with zeros, so that a task of any stage can run alone.
struct Zeros<'a>(&'a voxmill::plan::Plan);

impl HeldChunks for Zeros<'_> {
    fn fetch(&self, node: NodeId, region: &Region) -> Result<Chunk> {
        let dtype = self.0.nodes[node.index()].meta.dtype;
        let mut chunk = Chunk::new(&region.shape, dtype)?;
        chunk.view_mut()?.bytes_mut().unwrap_or_default().fill(0);
        Ok(chunk)
    }
}

/// The sample with longer axes, where the op takes them: small arrays hide what a kernel allocates.
fn enlarged(def_name: &str, sample: &Sample) -> Option<Sample> {
    let longer = |n: usize| if n > 1 { n * 8 } else { n };
    let ins: Vec<SampleInput> = sample
        .ins
        .iter()
        .map(|i| SampleInput { shape: i.shape.iter().map(|&n| longer(n)).collect(), ..i.clone() })
        .collect();
    let metas: Vec<_> = ins.iter().map(|i| voxmill::ArrayMeta::new(&i.shape, i.dtype)).collect();
    let metas: Vec<_> = metas.iter().collect();
    let op = TABLE.build(def_name, &sample.params).ok()?;
    let meta = op.infer(&metas).ok()?;
    let most = metas.iter().chain([&&meta]).map(|m| m.n_bytes()).max()?;
    // Larger buffers are mapped, not on the heap that is measured here.
    (most < 250 << 10).then(|| Sample { params: sample.params.clone(), ins })
}

/// Runs in a process of its own (see `promises_hold`), since other tests would allocate meanwhile.
#[test]
fn measured_peaks_stay_under_promised_peaks() {
    const SLACK: usize = 64 << 10;
    if std::env::var_os("VOXMILL_MEASURE").is_none() {
        let me = std::env::current_exe().unwrap();
        let mut child = std::process::Command::new(me);
        child.args([
            "--exact",
            "conformance::measured_peaks_stay_under_promised_peaks",
            "--test-threads=1",
            "--nocapture",
        ]);
        let output = child.env("VOXMILL_MEASURE", "1").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    let mut numbers = Numbers::new(5);
    for def in TABLE.iter() {
        for (k, sample) in (def.samples)().iter().enumerate() {
            let Some(sample) = enlarged(def.name, sample) else { continue };
            let (_, cut) = arrays(def.name, &sample, &mut numbers);
            let plan = session(1, k as u64).plan(&[(cut, Sink::Result)]).unwrap();
            for stage in 0..plan.stages.len() as u32 {
                let task = TaskId { stage, tile: 0 };
                if plan.stage(task).tiles.n_chunks() == 0 {
                    continue;
                }
                let promised = plan.steps(task).unwrap().peak;
                let before = LIVE.load(Ordering::Relaxed);
                PEAK.store(before, Ordering::Relaxed);
                let mapped = voxmill::core::live_bytes();
                let output = run_task(&plan, task, &Zeros(&plan), &Cancel::default(), &Silent);
                let heap = PEAK.load(Ordering::Relaxed) - before;
                // Nobody knows how many rows there will be: they count when they are there, with what they are made from.
                let rows: usize = output.iter().flat_map(|o| &o.rows).map(|attached| 4 * attached.rows.len()).sum();
                drop(output);
                assert!(
                    heap <= promised as usize + SLACK + rows,
                    "{} sample {k} {} stage {stage}: {heap} bytes allocated, {promised} promised ({mapped} mapped)",
                    def.name,
                    sample.params
                );
            }
        }
    }
}
