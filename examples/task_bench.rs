//! What a task costs beside its work: `task_bench --tiles 100000 --threads 2` runs a plan of that many trivial tiles and prints JSON.
//! With `--chain 1000`, what it costs to plan a chain of so many ops over ten million elements.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use voxmill::core::AxisCuts;
use voxmill::{Array, Limits, Result, Session, Sink, json};

fn number(name: &str, default: usize) -> usize {
    let args: Vec<String> = std::env::args().collect();
    let at = args.iter().position(|a| a == name);
    at.and_then(|k| args.get(k + 1)).and_then(|v| v.parse().ok()).unwrap_or(default)
}

fn main() -> Result<()> {
    let (tiles, threads) = (number("--tiles", 100_000), number("--threads", 2));
    let session = Session::new(Limits { memory: 1 << 30, threads });
    let x = session.call("full", &[], json!({"shape": [tiles], "fill_value": 1, "dtype": "uint8"}))?;
    let y = session.call("add", &[&x, &Array::weak(1)], json!({}))?;
    let chain = number("--chain", 0);
    if chain > 0 {
        return plan_chain(&session, chain);
    }
    let started = Instant::now();
    let mut plan = session.plan(&[(y, Sink::Result)])?;
    // One element per tile: the planner would take them all together.
    plan.stages[0].tiles.axes[0] = AxisCuts::even(tiles, 1);
    let plan_seconds = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let report = session.run(&plan)?;
    let seconds = started.elapsed().as_secs_f64();
    let (tasks, us) = (report.tasks, seconds * 1e6 / report.tasks as f64);
    println!("{}", json!({"seconds": seconds, "tasks": tasks, "us_per_task": us, "plan_seconds": plan_seconds}));
    Ok(())
}

/// Plans `x + 0 + 1 + 2 ...`.
fn plan_chain(session: &Session, length: usize) -> Result<()> {
    let mut y = session.call("full", &[], json!({"shape": [10_000_000], "fill_value": 1, "dtype": "float32"}))?;
    for k in 0..length {
        y = session.call("add", &[&y, &Array::weak(k as f64)], json!({}))?;
    }
    let started = Instant::now();
    let plan = session.plan(&[(y, Sink::Result)])?;
    let plan_seconds = started.elapsed().as_secs_f64();
    println!("{}", json!({"plan_seconds": plan_seconds, "tasks": plan.n_tasks()}));
    Ok(())
}
