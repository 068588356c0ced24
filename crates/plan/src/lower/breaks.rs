//! Which array to hold between stages, because making it again would cost more.

use rustc_hash::FxHashSet;

use super::{Lowering, PlanOptions, cost, tiles};
use crate::What;
use crate::task::{Home, NodeId, PlanNode, Stage, walk};

/// Less than this is never worth a stage of its own.
const WORTH_A_STAGE: f64 = 0.5e6;

/// The array of a stage whose repetition over all tiles costs most, if holding it costs less.
pub(super) fn repeated(nodes: &[PlanNode], stage: &Stage, options: &PlanOptions) -> Option<NodeId> {
    let once = cost::once(nodes, stage);
    let upstream = with_upstream(stage, &once.iter().map(|o| o.0).collect::<Vec<_>>());
    let all_tiles = over_all_tiles(nodes, stage);
    let gain = |k: usize| {
        let node = &stage.nodes[k];
        let can_hold = node.computed || (!node.held && matches!(&nodes[node.id.index()].what, What::Source(_)));
        if !can_hold || once[k].1 == 0.0 || is_held_target(stage, node.id) {
            return None;
        }
        // How often an element is made; for a stored source, how often it is decoded.
        let times = if node.computed { all_tiles[k].1 / once[k].1 } else { all_tiles[k].0 / once[k].0.max(1.0) };
        let bytes = once[k].1 * nodes[node.id.index()].meta.dtype.size() as f64;
        let gain = (times - 1.0) * upstream[k] - cost::of_holding(bytes as u64, options.memory_limit);
        (times > 1.05 && gain > WORTH_A_STAGE).then_some((gain, node.id))
    };
    (0..stage.nodes.len()).filter_map(gain).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, id)| id)
}

fn is_held_target(stage: &Stage, id: NodeId) -> bool {
    stage.targets.iter().any(|t| t.node == id && matches!(t.home, Home::Held(_)))
}

/// Each node's cost with that of everything it is made from.
fn with_upstream(stage: &Stage, own: &[f64]) -> Vec<f64> {
    let reach = |k: usize| {
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
    };
    (0..stage.nodes.len()).map(reach).collect()
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
    let mut uses: std::collections::BTreeMap<NodeId, (f64, f64, usize)> = std::collections::BTreeMap::new();
    for stage in stages {
        let once = cost::once(&lowering.nodes, stage);
        let upstream = with_upstream(stage, &once.iter().map(|o| o.0).collect::<Vec<_>>());
        for (k, node) in stage.nodes.iter().enumerate().filter(|(_, n)| n.computed) {
            let entry = uses.entry(node.id).or_insert((0.0, 0.0, 0));
            entry.0 += upstream[k];
            entry.1 = f64::max(entry.1, once[k].1);
            entry.2 += 1;
        }
    }
    let gain = |(id, (sum, size, count)): (NodeId, (f64, f64, usize))| {
        if count < 2 || lowering.held.contains(&id) {
            return None;
        }
        let bytes = size * lowering.nodes[id.index()].meta.dtype.size() as f64;
        let again = sum * (count - 1) as f64 / count as f64;
        let gain = again - cost::of_holding(bytes as u64, lowering.options.memory_limit) * 2.0;
        (gain > 2.0 * WORTH_A_STAGE).then_some((gain, id))
    };
    uses.into_iter().filter_map(gain).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, id)| id)
}
