//! A plan in words.

use std::fmt::Write;

use voxmill_core::{Region, format_bytes};

use crate::What;
use crate::task::{Home, Plan, Stage, Step, walk};

/// The plan as text: stages, fused ops, tiles, bytes read and written, promised peak.
pub fn explain(plan: &Plan) -> String {
    let mut text = String::new();
    let peak = plan.stages.iter().map(|s| s.peak).max().unwrap_or(0);
    let _ = writeln!(
        text,
        "plan: {} stage{}, {} task{}, memory limit {}, largest task {}",
        plan.stages.len(),
        plural(plan.stages.len()),
        plan.n_tasks(),
        plural(plan.n_tasks() as usize),
        format_bytes(plan.memory_limit),
        format_bytes(peak)
    );
    for (k, stage) in plan.stages.iter().enumerate() {
        explain_stage(&mut text, plan, k, stage);
    }
    text
}

fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

fn explain_stage(text: &mut String, plan: &Plan, k: usize, stage: &Stage) {
    let _ = writeln!(
        text,
        "stage {k}: {} tile{} of {:?}, {} each",
        stage.tiles.n_chunks(),
        plural(stage.tiles.n_chunks()),
        &stage.tiles.largest()[..],
        format_bytes(stage.peak)
    );
    let wanted: Vec<Region> = stage.targets.iter().map(|t| t.region.clone()).collect();
    for piece in walk(stage, &plan.nodes, &wanted).iter().filter(|p| !p.computed) {
        let node = &plan.nodes[piece.node.index()];
        let bytes = format_bytes(node.meta.bytes_of(&piece.region));
        if piece.held {
            let from = plan.held_target(piece.node).map_or(0, |(stage, _)| stage);
            let _ = writeln!(text, "  take   {} {} from stage {from} ({bytes})", node.label(), piece.region);
            continue;
        }
        match &node.what {
            What::Source(store) => {
                let _ = writeln!(text, "  read   {} {} {} ({bytes})", store.spec(), piece.region, node.meta.dtype);
            }
            What::Op(_) | What::Literal(_) => {}
        }
    }
    explain_steps(text, plan, stage);
    for target in &stage.targets {
        let node = &plan.nodes[target.node.index()];
        let bytes = format_bytes(node.meta.bytes_of(&target.region));
        let shape = &target.region.shape[..];
        let _ = match &target.home {
            Home::Store { store, .. } => {
                writeln!(text, "  write  {} {shape:?} {} ({bytes})", store.spec(), node.meta.dtype)
            }
            Home::Held(grid) => {
                let n = grid.n_chunks();
                writeln!(
                    text,
                    "  hold   {} {shape:?} {} in {n} chunk{} ({bytes})",
                    node.label(),
                    node.meta.dtype,
                    plural(n)
                )
            }
            Home::Result(_) => writeln!(text, "  return {shape:?} {} ({bytes})", node.meta.dtype),
        };
    }
}

/// The computing steps of a tile in the middle.
fn explain_steps(text: &mut String, plan: &Plan, stage: &Stage) {
    let n = stage.tiles.n_chunks();
    if n == 0 {
        return;
    }
    let Ok(steps) = stage.steps(&plan.nodes, &stage.target_regions(n / 2)) else { return };
    let label = |p: usize| plan.nodes[steps.pieces[p].node.index()].label();
    for step in &steps.steps {
        let _ = match step {
            Step::Read(_) => Ok(()),
            Step::View(p) => writeln!(text, "  view   {} {}", label(*p), steps.pieces[*p].region),
            Step::Kernel(p) => writeln!(text, "  run    {} {}", label(*p), steps.pieces[*p].region),
            Step::Map { members, .. } => {
                let names: Vec<String> = members.iter().map(|&p| label(p)).collect();
                writeln!(text, "  fuse   {} {}", names.join(" + "), steps.pieces[members[0]].region)
            }
        };
    }
}
