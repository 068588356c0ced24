//! Which box of which array a task needs: a walk from the wanted boxes back to the sources.

use voxmill_core::smallvec::SmallVec;
use voxmill_core::{ArrayMeta, Region};

use super::{NodeId, PlanNode, Stage};
use crate::What;
use crate::op::Form;

/// A box of an array that a task reads or computes.
#[derive(Debug, Clone)]
pub struct Piece {
    /// Which array.
    pub node: NodeId,
    /// Which box of it.
    pub region: Region,
    /// False if it is read, not computed.
    pub computed: bool,
    /// True if an earlier stage made it.
    pub held: bool,
    /// Where the inputs come from; empty if not computed.
    pub ins: SmallVec<[PieceInput; 2]>,
    /// How it is computed.
    pub form: Form,
    /// True for a kernel that can take its input run by run.
    pub takes_runs: bool,
}

/// One input of a piece.
#[derive(Debug, Clone)]
pub struct PieceInput {
    /// Index of the piece that has it; `None` if the box is empty.
    pub piece: Option<usize>,
    /// The box that is needed, a part of that piece.
    pub region: Region,
}

/// Boxes of one array that are wanted, with those that lie close together joined.
type Demands = SmallVec<[Region; 1]>;

/// All pieces of a task, inputs first.
pub fn walk(stage: &Stage, nodes: &[PlanNode], wanted: &[Region]) -> Vec<Piece> {
    let mut demands: Vec<Demands> = vec![Demands::new(); stage.nodes.len()];
    for (target, region) in stage.targets.iter().zip(wanted) {
        if let Some(at) = stage.nodes.iter().position(|n| n.id == target.node) {
            add(&mut demands[at], region.clone());
        }
    }
    // From the results back to the sources: when a node is reached, all its users have said what they need.
    let mut pieces: Vec<(usize, Piece)> = Vec::with_capacity(stage.nodes.len());
    for at in (0..stage.nodes.len()).rev() {
        for region in std::mem::take(&mut demands[at]) {
            let piece = piece(stage, nodes, at, region, &mut demands);
            pieces.push((at, piece));
        }
    }
    pieces.reverse();
    link(stage, pieces)
}

fn piece(stage: &Stage, nodes: &[PlanNode], at: usize, region: Region, demands: &mut [Demands]) -> Piece {
    let here = &stage.nodes[at];
    let node = &nodes[here.id.index()];
    let mut piece = Piece {
        node: here.id,
        region,
        computed: here.computed,
        held: here.held,
        ins: SmallVec::new(),
        form: Form::Kernel,
        takes_runs: false,
    };
    let What::Op(op) = &node.what else { return piece };
    if !here.computed {
        return piece;
    }
    piece.form = op.def().form;
    let metas: SmallVec<[&ArrayMeta; 4]> = node.ins.iter().map(|id| &nodes[id.index()].meta).collect();
    for (&input, region) in here.ins.iter().zip(op.reads(&piece.region, &metas)) {
        if !region.is_empty() {
            add(&mut demands[input], region.clone());
        }
        piece.ins.push(PieceInput { piece: None, region });
    }
    if let (Form::Kernel, [input]) = (piece.form, &piece.ins[..]) {
        piece.takes_runs = op.takes_runs(&input.region, &metas);
    }
    piece
}

/// Adds a box. Two boxes become one where their hull costs little more than both: `x[:9] + x[-9:]` must not read all of `x`.
fn add(demands: &mut Demands, mut region: Region) {
    loop {
        let close = demands.iter().position(|other| {
            let hull = region.hull(other);
            hull.size() as u128 * 4 <= (region.size() as u128 + other.size() as u128) * 5
        });
        match close {
            Some(k) => region = demands.swap_remove(k).hull(&region),
            None => return demands.push(region),
        }
    }
}

/// Finds, for each input, the piece that covers it.
fn link(stage: &Stage, mut pieces: Vec<(usize, Piece)>) -> Vec<Piece> {
    let owners: Vec<usize> = pieces.iter().map(|(at, _)| *at).collect();
    for k in 0..pieces.len() {
        let (before, rest) = pieces.split_at_mut(k);
        let (at, piece) = &mut rest[0];
        let inputs = &stage.nodes[*at].ins;
        for (input, &from) in piece.ins.iter_mut().zip(inputs) {
            if !input.region.is_empty() {
                let first = owners[..k].partition_point(|&owner| owner < from);
                input.piece =
                    (first..k).take_while(|&p| owners[p] == from).find(|&p| before[p].1.region.contains(&input.region));
            }
        }
    }
    pieces.into_iter().map(|(_, piece)| piece).collect()
}
