//! Stages that read the same become one: two reductions of an array read it once.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use voxmill_core::{AxisCuts, ChunkGrid, Region, Result};

use super::{PlanOptions, cost, tiles};
use crate::What;
use crate::task::{Home, NodeId, PlanNode, Stage, StageNode, walk};

/// Joins what can be joined. Stages come and go producers first.
pub(super) fn merge(nodes: &[PlanNode], stages: Vec<Stage>, options: &PlanOptions) -> Result<Vec<Stage>> {
    let mut merged: Vec<Stage> = Vec::new();
    for stage in stages {
        let partner = merged.iter().rposition(|other| joinable(nodes, other, &stage, &merged));
        let joined = match partner {
            Some(k) => join(nodes, &merged[k], &stage, options)?.map(|joined| (k, joined)),
            None => None,
        };
        match joined {
            Some((k, joined)) => merged[k] = joined,
            None => merged.push(stage),
        }
    }
    Ok(merged)
}

/// True if both read stored data from the same places and `b` does not wait for `a`, or for anything made after `a`.
fn joinable(nodes: &[PlanNode], a: &Stage, b: &Stage, before: &[Stage]) -> bool {
    let shared = sources(nodes, a).intersection(&sources(nodes, b)).count() > 0;
    let blocks = |stage: &Stage| stage.targets.iter().any(|t| nodes[t.node.index()].blocks().is_some());
    let free = !blocks(a) && !blocks(b);
    shared && free && same_cuts(a, b) && independent(a, b, before)
}

fn sources(nodes: &[PlanNode], stage: &Stage) -> FxHashSet<NodeId> {
    let leaf = |n: &&StageNode| !n.held && matches!(nodes[n.id.index()].what, What::Source(_));
    stage.nodes.iter().filter(leaf).map(|n| n.id).collect()
}

/// Results that differ only along axes which no tile cuts.
fn same_cuts(a: &Stage, b: &Stage) -> bool {
    let axes = a.tiles.axes.iter().zip(&b.tiles.axes);
    a.tiles.rank() == b.tiles.rank()
        && axes.clone().all(|(x, y)| x == y || (x.n_chunks() == 1 && y.n_chunks() == 1) || x.len() == y.len())
        && axes.clone().all(|(x, y)| x.len() == y.len() || (x.n_chunks() <= 1 && y.n_chunks() <= 1))
}

/// `b` must not need a held array that is made at or after `a`: `a` would have to wait for itself.
fn independent(a: &Stage, b: &Stage, before: &[Stage]) -> bool {
    let makes = |stage: &Stage| stage.targets.iter().map(|t| t.node).collect::<Vec<_>>();
    let at = before.iter().position(|s| makes(s) == makes(a)).unwrap_or(0);
    let later: FxHashSet<NodeId> = before[at..].iter().flat_map(makes).collect();
    b.nodes.iter().all(|n| !n.held || !later.contains(&n.id))
}

/// Both stages as one over the tiles of `a`, if the boxes of shared sources agree and it fits.
fn join(nodes: &[PlanNode], a: &Stage, b: &Stage, options: &PlanOptions) -> Result<Option<Stage>> {
    let mut all: BTreeMap<NodeId, (bool, bool)> = BTreeMap::new();
    for node in a.nodes.iter().chain(&b.nodes) {
        let entry = all.entry(node.id).or_insert((false, true));
        *entry = (entry.0 | node.computed, entry.1 & node.held);
    }
    let position: BTreeMap<NodeId, usize> = all.keys().enumerate().map(|(k, id)| (*id, k)).collect();
    let joined_nodes = all.iter().map(|(&id, &(computed, held))| {
        let ins = if computed { &nodes[id.index()].ins[..] } else { &[] };
        StageNode { id, computed, held, ins: ins.iter().filter_map(|i| position.get(i).copied()).collect() }
    });
    let mut stage = Stage {
        nodes: joined_nodes.collect(),
        targets: a.targets.iter().chain(&b.targets).cloned().collect(),
        tiles: a.tiles.clone(),
        peak: 0,
    };
    if stage.nodes.iter().any(|n| n.computed && n.ins.len() != nodes[n.id.index()].ins.len()) {
        return Ok(None);
    }
    if !same_reads(nodes, a, b, &stage) {
        return Ok(None);
    }
    stage.tiles = smaller_tiles(nodes, &stage)?;
    recut(&mut stage);
    stage.peak = tiles::largest_peak(nodes, &stage)?;
    let comfortable = options.memory_limit / 10 * 7 / options.threads.max(1) as u64;
    Ok((stage.peak <= comfortable.max(a.peak)).then_some(stage))
}

/// The tiles of a joined stage, halved a few times if that makes it cheaper: what two results read may now fit the cache between them.
fn smaller_tiles(nodes: &[PlanNode], stage: &Stage) -> Result<ChunkGrid> {
    /// One halving may change nothing: only the last brings the pieces below the size of the cache.
    const HALVINGS: usize = 4;
    if stage.targets.iter().any(|t| matches!(t.home, Home::Store { .. })) {
        return Ok(stage.tiles.clone());
    }
    let total = |tiles: &ChunkGrid| -> Result<f64> {
        let stage = Stage { tiles: tiles.clone(), ..stage.clone() };
        Ok(cost::of_tiles(nodes, &stage, &[tiles::middle(tiles)])?.task * tiles.n_chunks() as f64)
    };
    let (mut best, mut least) = (stage.tiles.clone(), total(&stage.tiles)?);
    let mut halved = best.clone();
    for _ in 0..HALVINGS {
        // Only an axis that is cut already is the same in all targets.
        let cut = |k: &usize| halved.axes[*k].n_chunks() > 1 && halved.axes[*k].longest() > 1;
        let Some(axis) = (0..halved.rank()).find(cut) else { break };
        halved.axes[axis] = AxisCuts::even(halved.axes[axis].len(), halved.axes[axis].longest().div_ceil(2));
        let cost = total(&halved)?;
        if cost < least * 0.98 {
            (best, least) = (halved.clone(), cost);
        }
    }
    Ok(best)
}

/// Held chunks must not cross the tiles that produce them.
fn recut(stage: &mut Stage) {
    for target in &mut stage.targets {
        let Home::Held(grid) = &mut target.home else { continue };
        for (held, tile) in grid.axes.iter_mut().zip(&stage.tiles.axes) {
            if tile.n_chunks() > 1 && *held != *tile {
                *held = tile.clone();
            }
        }
    }
}

/// True if joining makes no source box larger: the same tile of both stages reads the same.
fn same_reads(nodes: &[PlanNode], a: &Stage, b: &Stage, joined: &Stage) -> bool {
    let shared: Vec<NodeId> = sources(nodes, a).intersection(&sources(nodes, b)).copied().collect();
    let b_tiles = Stage { tiles: joined.tiles.clone(), ..b.clone() };
    let last = joined.tiles.n_chunks().saturating_sub(1);
    [0, last / 2, last].iter().all(|&tile| {
        let reads = |stage: &Stage| -> Vec<(NodeId, Region)> {
            let pieces = walk(stage, nodes, &stage.target_regions(tile));
            pieces.into_iter().filter(|p| !p.held && shared.contains(&p.node)).map(|p| (p.node, p.region)).collect()
        };
        reads(a) == reads(&b_tiles)
    })
}
