//! What a tile costs, in nanoseconds. Rough numbers: they only have to tell 1 from 10.

use voxmill_core::smallvec::SmallVec;
use voxmill_core::{ArrayMeta, Latency, Region, Result, Store};

use crate::What;
use crate::task::{Home, Piece, PlanNode, Stage, Steps, Target, walk};

/// Starting and ending a task.
const PER_TASK: f64 = 5_000.0;
/// Finding the box of an array, its place among the steps, and its kernel.
const PER_PIECE: f64 = 700.0;
/// Going to the next row of a box: loops begin and end, and the memory is asked for another place.
const PER_ROW: f64 = 15.0;
/// Opening and closing a stored chunk.
const PER_OBJECT: f64 = 20_000.0;
/// Decoding a byte.
const PER_DECODED_BYTE: f64 = 0.5;
/// Looking at a byte in memory.
const PER_BYTE_IN_MEMORY: f64 = 0.05;
/// Moving a byte of an array that is too large for the cache, beyond its first reading.
const PER_BYTE_BEYOND_CACHE: f64 = 0.05;
/// Larger arrays leave the cache between two steps of a task: a second-level cache of 1 MiB has to hold three or four.
const CACHE: u64 = 256 << 10;
/// Touching a byte of memory for the first time: the system clears it.
pub(super) const PER_FRESH_BYTE: f64 = 0.3;
/// Writing a byte to scratch and reading it back.
const PER_SCRATCH_BYTE: f64 = 2.0;
/// Handing over one chunk of a held array, and finding it again.
const PER_HELD_CHUNK: f64 = 20_000.0;
/// Keeping a byte in memory for another stage.
const PER_HELD_BYTE: f64 = 0.25;

/// What one tile shape costs.
#[derive(Debug, Clone, Copy)]
pub(super) struct TileCost {
    /// Nanoseconds of one task.
    pub task: f64,
    /// Bytes of one task at its fullest moment.
    pub peak: u64,
}

/// Cost of some tiles of `stage`: the mean time and the largest peak.
pub(super) fn of_tiles(nodes: &[PlanNode], stage: &Stage, tiles: &[usize]) -> Result<TileCost> {
    let mut cost = TileCost { task: 0.0, peak: 0 };
    for &tile in tiles {
        let wanted = stage.target_regions(tile);
        let steps: Steps = stage.steps(nodes, &wanted)?;
        cost.task += PER_TASK + PER_PIECE * steps.pieces.len() as f64;
        cost.task += steps.pieces.iter().map(|p| of_piece(nodes, p) + PER_ROW * rows(&p.region)).sum::<f64>();
        cost.task += stage.targets.iter().zip(&wanted).map(|(t, region)| of_handing_over(t, region)).sum::<f64>();
        cost.task += steps.moved(nodes, CACHE) as f64 * PER_BYTE_BEYOND_CACHE;
        cost.peak = cost.peak.max(steps.peak);
    }
    cost.task /= tiles.len().max(1) as f64;
    Ok(cost)
}

/// Rows of a box along its last axis.
fn rows(region: &Region) -> f64 {
    region.shape.last().map_or(0.0, |&row| (region.size() / row.max(1)) as f64)
}

/// Nanoseconds to cut a held result into chunks.
fn of_handing_over(target: &Target, region: &Region) -> f64 {
    match &target.home {
        Home::Held(grid) => {
            let chunks = grid.touching(&region.relative_to(&target.region.start)).size();
            // The first chunk is the result itself; only cutting costs.
            chunks.saturating_sub(1) as f64 * PER_HELD_CHUNK
        }
        _ => 0.0,
    }
}

/// Nanoseconds to read or compute a piece.
pub(super) fn of_piece(nodes: &[PlanNode], piece: &Piece) -> f64 {
    let node = &nodes[piece.node.index()];
    match &node.what {
        What::Op(op) if piece.computed => {
            let reads: SmallVec<[&Region; 4]> = piece.ins.iter().map(|input| &input.region).collect();
            op.work(&piece.region, &reads)
        }
        What::Source(store) if !piece.held => of_read(store.as_ref(), &node.meta, &piece.region),
        _ => node.meta.bytes_of(&piece.region) as f64 * PER_BYTE_IN_MEMORY,
    }
}

fn of_read(store: &dyn Store, meta: &ArrayMeta, region: &Region) -> f64 {
    if store.latency() == Latency::Memory {
        return meta.bytes_of(region) as f64 * PER_BYTE_IN_MEMORY;
    }
    let objects = meta.grid.touching(region).size() as f64;
    objects * PER_OBJECT + store.decoded_bytes(region) as f64 * PER_DECODED_BYTE
}

/// Nanoseconds to keep an array for later stages: cheap where it fits comfortably.
pub(super) fn of_holding(bytes: u64, memory_limit: u64) -> f64 {
    let in_memory = bytes <= memory_limit / 4;
    bytes as f64 * if in_memory { PER_HELD_BYTE } else { PER_SCRATCH_BYTE }
}

/// For each node of a stage: nanoseconds to make the part that the whole stage needs once, with all it is made from.
pub(super) fn once(nodes: &[PlanNode], stage: &Stage) -> Vec<(f64, f64)> {
    let wanted: Vec<Region> = stage.targets.iter().map(|t| t.region.clone()).collect();
    let pieces = walk(stage, nodes, &wanted);
    let mut own = vec![(0.0, 0.0); stage.nodes.len()];
    for piece in &pieces {
        if let Ok(at) = stage.nodes.binary_search_by_key(&piece.node, |n| n.id) {
            own[at].0 += of_piece(nodes, piece);
            own[at].1 += piece.region.size() as f64;
        }
    }
    own
}
