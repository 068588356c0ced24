//! Which array to hold between stages, because making it again would cost more.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::{Lowering, PlanOptions, cost, tiles};
use crate::What;
use crate::task::{Home, NodeId, PlanNode, Stage, StageNode, walk};

/// Less than this is never worth a stage of its own.
const WORTH_A_STAGE: f64 = 0.5e6;

/// The array of a stage whose repetition over all tiles costs most, if holding it costs less.
pub(super) fn repeated(nodes: &[PlanNode], stage: &Stage, options: &PlanOptions) -> Option<NodeId> {
    let once = cost::once(nodes, stage);
    let own: Vec<f64> = once.iter().map(|o| o.0).collect();
    let all_tiles = over_all_tiles(nodes, stage);
    // How often an element is made; for a stored source, how often it is decoded.
    let times =
        |k: usize| if stage.nodes[k].computed { all_tiles[k].1 / once[k].1 } else { all_tiles[k].0 / own[k].max(1.0) };
    let times: Vec<f64> = (0..own.len()).map(times).collect();
    let bytes = bytes_of(nodes, stage, &once);
    let candidates = standing_out(stage, &bytes, &times);
    let gain = |k: usize| {
        let node = &stage.nodes[k];
        let can_hold = node.computed || (!node.held && matches!(&nodes[node.id.index()].what, What::Source(_)));
        if !can_hold || !candidates[k] || bytes[k] == 0.0 || times[k] <= 1.05 || is_held_target(stage, node.id) {
            return None;
        }
        let again = (times[k] - 1.0) * with_upstream(stage, &own, k);
        let gain = again - cost::of_holding(bytes[k] as u64, options.memory_limit);
        (gain > WORTH_A_STAGE).then_some((gain, node.id))
    };
    (0..stage.nodes.len()).filter_map(gain).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, id)| id)
}

/// Bytes of the part of each node that the whole stage needs.
fn bytes_of(nodes: &[PlanNode], stage: &Stage, once: &[(f64, f64)]) -> Vec<f64> {
    let bytes =
        |(node, (_, elements)): (&StageNode, &(f64, f64))| elements * nodes[node.id.index()].meta.dtype.size() as f64;
    stage.nodes.iter().zip(once).map(bytes).collect()
}

fn is_held_target(stage: &Stage, id: NodeId) -> bool {
    stage.targets.iter().any(|t| t.node == id && matches!(t.home, Home::Held(_)))
}

/// Cost of node `k` with that of everything it is made from.
fn with_upstream(stage: &Stage, own: &[f64], k: usize) -> f64 {
    let mut seen = vec![false; stage.nodes.len()];
    let mut stack = vec![k];
    let mut sum = 0.0;
    while let Some(at) = stack.pop() {
        if !std::mem::replace(&mut seen[at], true) {
            sum += own[at];
            stack.extend(&stage.nodes[at].ins);
        }
    }
    sum
}

/// The nodes of a stage that may be worth holding. Where the only user of an array makes as many bytes from it, as often, holding the
/// user is better; without this, a chain of a thousand ops would have a thousand candidates.
fn standing_out(stage: &Stage, bytes: &[f64], times: &[f64]) -> Vec<bool> {
    const SEVERAL: usize = usize::MAX;
    let mut user: Vec<Option<usize>> = vec![None; stage.nodes.len()];
    for (k, node) in stage.nodes.iter().enumerate() {
        for &input in &node.ins {
            user[input] = Some(if user[input].is_none_or(|u| u == k) { k } else { SEVERAL });
        }
    }
    let alike = |k: usize, u: usize| bytes[u] <= bytes[k] && times[u] >= times[k] * 0.999;
    (0..stage.nodes.len()).map(|k| user[k].is_none_or(|u| u == SEVERAL || !alike(k, u))).collect()
}

/// For each node, nanoseconds and elements summed over all tiles, from a sample.
fn over_all_tiles(nodes: &[PlanNode], stage: &Stage) -> Vec<(f64, f64)> {
    let n = stage.tiles.n_chunks();
    let sample: Vec<usize> = if n <= 8 { (0..n).collect() } else { (0..8).map(|i| i * (n - 1) / 7).collect() };
    let mut sums = vec![(0.0, 0.0); stage.nodes.len()];
    for &tile in &sample {
        for piece in walk(stage, nodes, &stage.target_regions(tile)) {
            if let Ok(at) = stage.nodes.binary_search_by_key(&piece.node, |s| s.id) {
                sums[at].0 += cost::of_piece(nodes, &piece);
                sums[at].1 += piece.region.size() as f64;
            }
        }
    }
    let scale = n as f64 / sample.len().max(1) as f64;
    sums.iter().map(|(a, b)| (a * scale, b * scale)).collect()
}

/// A stage does not fit: the array to hold so that each half may. Tries what is nearest to the result first.
pub(super) fn to_fit(
    nodes: &[PlanNode],
    stage: &Stage,
    options: &PlanOptions,
    held: &FxHashSet<NodeId>,
) -> Option<NodeId> {
    let target = &stage.targets[0];
    let last = stage.nodes.last()?;
    if last.id == target.node && last.computed && !matches!(target.home, Home::Held(_)) {
        // Reading the result back box by box is the smallest stage there is, if only that fits.
        let mut alone = stage.clone();
        alone.nodes = vec![crate::task::StageNode { id: target.node, computed: false, held: true, ins: Vec::new() }];
        if tiles::choose(nodes, &alone, options).is_ok() {
            return Some(target.node);
        }
        return None;
    }
    let inputs = last.ins.iter().map(|&k| &stage.nodes[k]);
    let mut candidates = inputs.filter(|n| n.computed && !held.contains(&n.id));
    candidates.next().map(|n| n.id)
}

/// An array that several stages compute, if holding it costs less than computing it again.
pub(super) fn shared(lowering: &Lowering<'_>, stages: &[Stage]) -> Option<NodeId> {
    let mut count = vec![0u32; lowering.nodes.len()];
    let computed = stages.iter().flat_map(|s| &s.nodes).filter(|n| n.computed);
    computed.for_each(|node| count[node.id.index()] += 1);
    let is_shared = |id: NodeId| count[id.index()] > 1 && !lowering.held.contains(&id);
    // Nanoseconds in all stages, and bytes.
    let mut uses: BTreeMap<NodeId, (f64, f64)> = BTreeMap::new();
    for stage in stages.iter().filter(|stage| stage.nodes.iter().any(|n| is_shared(n.id))) {
        let once = cost::once(&lowering.nodes, stage);
        let own: Vec<f64> = once.iter().map(|o| o.0).collect();
        let bytes = bytes_of(&lowering.nodes, stage, &once);
        let times: Vec<f64> = stage.nodes.iter().map(|n| f64::from(count[n.id.index()])).collect();
        let candidates = standing_out(stage, &bytes, &times);
        for (k, node) in stage.nodes.iter().enumerate().filter(|(k, n)| candidates[*k] && n.computed && is_shared(n.id))
        {
            let entry = uses.entry(node.id).or_insert((0.0, 0.0));
            *entry = (entry.0 + with_upstream(stage, &own, k), entry.1.max(bytes[k]));
        }
    }
    let gain = |(id, (sum, bytes)): (NodeId, (f64, f64))| {
        let count = f64::from(count[id.index()]);
        let again = sum * (count - 1.0) / count;
        let gain = again - cost::of_holding(bytes as u64, lowering.options.memory_limit) * 2.0;
        (gain > 2.0 * WORTH_A_STAGE).then_some((gain, id))
    };
    uses.into_iter().filter_map(gain).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, id)| id)
}
