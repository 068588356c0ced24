//! Chunks that one stage makes and later ones read: in memory while there is room, else on scratch; gone after their last reader.

use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use voxmill_core::{Chunk, ChunkGrid, Error, Idx, Region, Result, positions};
use voxmill_plan::{Home, NodeId, Plan, Rows, TaskId};

use crate::run_task::Attached;
use crate::scratch::{Scratch, Spilled};

/// Where tasks find the results of earlier stages.
pub trait HeldChunks: Send + Sync {
    /// The box `region` of a held array.
    fn fetch(&self, node: NodeId, region: &Region) -> Result<Chunk>;

    /// The rows attached to the element `at` of a held array; none where nothing was attached.
    fn rows(&self, node: NodeId, at: &[usize]) -> Result<Rows> {
        let _ = (node, at);
        Ok(Rows::from([]))
    }
}

/// All held arrays of a local run.
pub(crate) struct Held {
    arrays: FxHashMap<NodeId, HeldArray>,
}

struct HeldArray {
    grid: ChunkGrid,
    /// Where the grid starts in the array.
    origin: Idx,
    dtype: voxmill_core::DType,
    slots: Mutex<FxHashMap<usize, Slot>>,
    /// Rows attached to elements. Arrays that have some are small: an element stands for a block.
    rows: Mutex<FxHashMap<Idx, Rows>>,
    readers: Mutex<Readers>,
}

enum Slot {
    /// Boxed: there are many more slots than chunks in memory.
    Memory(Box<Chunk>),
    Scratch(Spilled),
}

/// How many tasks still have to read what.
enum Readers {
    /// Of each chunk.
    PerChunk(Vec<u32>),
    /// Of the array; it goes as a whole.
    Whole(u64),
}

/// Bytes that the account of one held chunk takes, beside the chunk.
pub(crate) const SLOT_BYTES: u64 = 128;

/// Up to this many tasks, readers are counted for every chunk.
const COUNT_EACH: u64 = 200_000;

/// What became of the chunks of a finished task.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Kept {
    pub in_memory: u64,
    pub spilled: u64,
}

impl Held {
    pub(crate) fn new(plan: &Plan, skip: &dyn Fn(TaskId) -> bool) -> Self {
        let mut arrays = FxHashMap::default();
        for target in plan.stages.iter().flat_map(|s| &s.targets) {
            let Home::Held(grid) = &target.home else { continue };
            let array = HeldArray {
                grid: grid.clone(),
                origin: target.region.start.clone(),
                dtype: plan.nodes[target.node.index()].meta.dtype,
                slots: Mutex::new(FxHashMap::default()),
                rows: Mutex::new(FxHashMap::default()),
                readers: Mutex::new(Readers::Whole(0)),
            };
            arrays.insert(target.node, array);
        }
        let held = Held { arrays };
        held.count_readers(plan, skip);
        held
    }

    fn count_readers(&self, plan: &Plan, skip: &dyn Fn(TaskId) -> bool) {
        for (s, stage) in plan.stages.iter().enumerate() {
            let n_tiles = stage.tiles.n_chunks() as u64;
            let tasks = || (0..n_tiles as u32).map(|tile| TaskId { stage: s as u32, tile }).filter(|task| !skip(*task));
            let reads: Vec<NodeId> = stage.nodes.iter().filter(|n| n.held).map(|n| n.id).collect();
            for node in &reads {
                let Some(array) = self.arrays.get(node) else { continue };
                let mut readers = array.readers.lock();
                if let Readers::Whole(0) = *readers
                    && n_tiles <= COUNT_EACH
                    && array.grid.n_chunks() > 1
                {
                    *readers = Readers::PerChunk(vec![0; array.grid.n_chunks()]);
                }
                if n_tiles > COUNT_EACH {
                    // Too many to count one by one: from here on the array goes as a whole, after everybody.
                    *readers = Readers::Whole(u64::MAX);
                }
                if let Readers::Whole(n) = &mut *readers {
                    *n = n.saturating_add(tasks().count() as u64);
                }
            }
            if n_tiles > COUNT_EACH {
                continue;
            }
            for task in tasks() {
                for (node, region) in plan.held_reads(task) {
                    let Some(array) = self.arrays.get(&node) else { continue };
                    if let Readers::PerChunk(counts) = &mut *array.readers.lock() {
                        array.touching(&region).into_iter().for_each(|c| counts[c] += 1);
                    }
                }
            }
        }
    }

    /// Takes over a result: cuts it into chunks, and keeps each in memory if `room` allows, else on scratch.
    pub(crate) fn put(
        &self,
        node: NodeId,
        region: &Region,
        chunk: &Chunk,
        scratch: &Scratch,
        mut room: impl FnMut(u64) -> bool,
    ) -> Result<Kept> {
        let array = self.arrays.get(&node).ok_or_else(|| Error::internal("nobody holds this array"))?;
        let mut kept = Kept::default();
        for number in array.touching(region) {
            let own = array.grid.region(number).shifted_by(&array.origin);
            if !region.contains(&own) {
                return Err(Error::internal(format!("held chunk {own} crosses tile {region}")));
            }
            let part = own_copy(&chunk.part(&own.relative_to(&region.start)))?;
            let bytes = part.footprint();
            let slot = if room(bytes) {
                kept.in_memory += bytes;
                Slot::Memory(Box::new(part))
            } else {
                kept.spilled += bytes;
                Slot::Scratch(scratch.write(&part)?)
            };
            array.slots.lock().insert(number, slot);
        }
        Ok(kept)
    }

    /// Takes over rows that a task attached to an element of a held array.
    pub(crate) fn attach(&self, attached: &Attached) -> Result<()> {
        let array = self.arrays.get(&attached.node).ok_or_else(|| Error::internal("nobody holds these rows"))?;
        array.rows.lock().insert(attached.at.clone(), attached.rows.clone());
        Ok(())
    }

    /// Bytes of the rows that come with these boxes.
    pub(crate) fn rows_bytes(&self, reads: &[(NodeId, Region)]) -> u64 {
        let one = |(node, region): &(NodeId, Region)| -> u64 {
            let Some(array) = self.arrays.get(node) else { return 0 };
            let rows = array.rows.lock();
            if rows.is_empty() {
                return 0;
            }
            positions(region).filter_map(|at| rows.get(&at)).map(|rows| rows.len() as u64).sum()
        };
        reads.iter().map(one).sum()
    }

    /// Notes that a task has read its held chunks; returns the bytes of memory that became free.
    pub(crate) fn release(&self, reads: &[(NodeId, Region)]) -> u64 {
        let mut freed = 0;
        for (k, (node, region)) in reads.iter().enumerate() {
            let Some(array) = self.arrays.get(node) else { continue };
            // A task that reads several boxes of an array is one reader of the whole.
            let again = reads[..k].iter().any(|(other, _)| other == node);
            let mut gone = Vec::new();
            match &mut *array.readers.lock() {
                Readers::PerChunk(counts) => {
                    for c in array.touching(region) {
                        counts[c] = counts[c].saturating_sub(1);
                        if counts[c] == 0 {
                            gone.push(c);
                        }
                    }
                }
                Readers::Whole(n) => {
                    if *n != u64::MAX && !again {
                        *n = n.saturating_sub(1);
                        if *n == 0 {
                            gone.extend(0..array.grid.n_chunks());
                        }
                    }
                }
            }
            let (mut slots, mut rows) = (array.slots.lock(), array.rows.lock());
            for c in gone {
                if let Some(Slot::Memory(chunk)) = slots.remove(&c) {
                    freed += chunk.footprint();
                }
                if !rows.is_empty() {
                    let gone = positions(&array.grid.region(c).shifted_by(&array.origin));
                    freed += gone.filter_map(|at| rows.remove(&at)).map(|rows| rows.len() as u64).sum::<u64>();
                }
            }
        }
        freed
    }
}

/// A chunk with a buffer of its own size: a part would keep the whole tile alive.
fn own_copy(part: &Chunk) -> Result<Chunk> {
    let tight = part.footprint() == voxmill_core::Buffer::footprint(part.n_bytes() as usize);
    if tight && part.view().is_contiguous() {
        return Ok(part.clone());
    }
    let mut copy = Chunk::new(part.shape(), part.dtype())?;
    part.view().copy_to(&mut copy.view_mut()?)?;
    Ok(copy)
}

impl HeldArray {
    /// Numbers of the chunks under a box given in array coordinates.
    fn touching(&self, region: &Region) -> Vec<usize> {
        self.grid.numbers_touching(&region.relative_to(&self.origin))
    }
}

impl HeldChunks for Held {
    fn rows(&self, node: NodeId, at: &[usize]) -> Result<Rows> {
        let array = self.arrays.get(&node).ok_or_else(|| Error::internal("nobody holds this array"))?;
        Ok(array.rows.lock().get(at).cloned().unwrap_or_else(|| Rows::from([])))
    }

    fn fetch(&self, node: NodeId, region: &Region) -> Result<Chunk> {
        let array = self.arrays.get(&node).ok_or_else(|| Error::internal("nobody holds this array"))?;
        let numbers = array.touching(region);
        if let [only] = numbers[..] {
            let own = array.grid.region(only).shifted_by(&array.origin);
            if let Some(Slot::Memory(chunk)) = array.slots.lock().get(&only) {
                return Ok(chunk.part(&region.relative_to(&own.start)));
            }
        }
        let mut out = Chunk::new(&region.shape, array.dtype)?;
        for number in numbers {
            let own = array.grid.region(number).shifted_by(&array.origin);
            let shared = own.intersect(region);
            let mut view = out.view_mut()?;
            let mut into = view.part(&shared.relative_to(&region.start));
            array.copy(number, &shared.relative_to(&own.start), &mut into)?;
        }
        Ok(out)
    }
}

impl HeldArray {
    fn copy(&self, number: usize, part: &Region, into: &mut voxmill_core::ViewMut<'_>) -> Result<()> {
        let missing = || Error::internal(format!("held chunk {number} is missing"));
        let slots = self.slots.lock();
        match slots.get(&number).ok_or_else(missing)? {
            Slot::Memory(chunk) => {
                let chunk = chunk.clone();
                drop(slots);
                chunk.view().part(part).copy_to(into)
            }
            Slot::Scratch(spilled) => {
                let spilled = spilled.clone();
                drop(slots);
                spilled.read(&self.grid.region(number).shape, self.dtype, part, into)
            }
        }
    }
}
