//! One worker thread: take a task, reserve its bytes, run it, hand over the result.

use std::time::{Duration, Instant};

use voxmill_core::{Error, Region, Result, format_bytes};
use voxmill_plan::task::Steps;
use voxmill_plan::{Home, TaskId};

use super::{Run, State, share_out};
use crate::held::Kept;
use crate::run_task::{Surroundings, TaskOutput, run_steps};
use crate::{Event, resume};

/// Bytes that a task may need for each byte of rows that it reads: tables that are made of them.
const PER_ROW_BYTE: u64 = 3;

/// Works until nothing is left, or until somebody failed.
pub(super) fn work(run: &Run) {
    while let Some(task) = next_task(run) {
        let outcome = one(run, task);
        let mut state = run.state.lock();
        state.running -= 1;
        match outcome {
            Ok(()) => {
                state.pull.finish(task);
                state.done += 1;
            }
            Err(error) => {
                state.error.get_or_insert(error);
            }
        }
        drop(state);
        run.changed.notify_all();
    }
    run.changed.notify_all();
}

/// The next task, or `None` at the end. Waits while all that is left depends on tasks under way.
fn next_task(run: &Run) -> Option<TaskId> {
    let mut state = run.state.lock();
    loop {
        if run.settings.cancel.is_raised() {
            state.error.get_or_insert_with(Error::cancelled);
        }
        if state.error.is_some() {
            return None;
        }
        if let Some(task) = state.pull.next(&run.plan) {
            state.running += 1;
            return Some(task);
        }
        if state.pull.is_over() {
            return None;
        }
        if state.running == 0 {
            state.error = Some(Error::internal("tasks are left, but none can run"));
            return None;
        }
        // The time-out is for a wish to stop that comes while everybody waits.
        run.changed.wait_for(&mut state, Duration::from_millis(200));
    }
}

fn one(run: &Run, task: TaskId) -> Result<()> {
    let mut steps = run.plan.steps(task)?;
    let reads: Vec<(voxmill_plan::NodeId, Region)> =
        steps.pieces.iter().filter(|p| p.held).map(|p| (p.node, p.region.clone())).collect();
    // How many rows there are is known only now.
    steps.peak += run.held.rows_bytes(&reads) * PER_ROW_BYTE;
    reserve(run, task, &steps)?;
    let started = Instant::now();
    run.settings.events.on(&Event::TaskStarted { task, reserved: steps.peak });
    let around = Surroundings {
        held: &run.held,
        cancel: &run.settings.cancel,
        events: run.settings.events.as_ref(),
        gate: &run.gate,
        results: Some(&run.results),
    };
    let outcome = run_steps(&run.plan, task, &steps, &around).and_then(|output| {
        let kept = hand_over(run, task, &output)?;
        resume::note(&run.plan, &run.settings.journals, task)?;
        Ok((output.bytes_read, output.bytes_written, kept))
    });
    let freed = run.held.release(&reads);
    let mut state = run.state.lock();
    state.reserved -= steps.peak;
    state.held -= freed;
    let memory = state.reserved + state.held;
    drop(state);
    let (bytes_read, bytes_written, kept) = outcome?;
    if kept.spilled > 0 {
        run.settings.events.on(&Event::Spilled { bytes: kept.spilled });
    }
    let took = started.elapsed();
    run.settings.events.on(&Event::TaskFinished { task, took, bytes_read, bytes_written, memory });
    Ok(())
}

/// Waits until the bytes of a task are free. The first in a run always gets them: every task of a plan fits the limit.
fn reserve(run: &Run, task: TaskId, steps: &Steps) -> Result<()> {
    let limit = run.plan.memory_limit;
    let mut state = run.state.lock();
    let mut waited = false;
    loop {
        if run.settings.cancel.is_raised() {
            return Err(Error::cancelled());
        }
        let free = limit.saturating_sub(state.reserved + state.held);
        let alone = state.running <= 1 || (waited && only_waiting(&state));
        if steps.peak <= free || alone {
            if steps.peak > free && steps.peak > limit {
                return Err(over_budget(run, task, steps, limit));
            }
            state.reserved += steps.peak;
            state.peak = state.peak.max(state.reserved + state.held);
            share_out(limit, state.reserved + state.held);
            return Ok(());
        }
        waited = true;
        run.changed.wait_for(&mut state, Duration::from_millis(200));
    }
}

/// True if no task has its bytes yet: then waiting would be for ever.
fn only_waiting(state: &State) -> bool {
    state.reserved == 0
}

fn over_budget(run: &Run, task: TaskId, steps: &Steps, limit: u64) -> Error {
    Error::new(
        voxmill_core::ErrorClass::OverBudget { need: steps.peak, have: limit },
        format!(
            "{task} needs {} at '{}', the memory limit is {}",
            format_bytes(steps.peak),
            steps.fullest(&run.plan.nodes),
            format_bytes(limit)
        ),
    )
}

/// Counts rows as held. They cannot go to scratch: where they alone exceed the limit, the run ends.
fn count_rows(run: &Run, bytes: u64) -> Result<()> {
    let mut state = run.state.lock();
    state.held += bytes;
    state.peak = state.peak.max(state.reserved + state.held);
    let (need, have) = (state.held, run.plan.memory_limit);
    if need <= have {
        return Ok(());
    }
    Err(Error::new(
        voxmill_core::ErrorClass::OverBudget { need, have },
        format!(
            "what is known of the objects so far takes {}, the memory limit is {}; raise the limit",
            format_bytes(need),
            format_bytes(have)
        ),
    ))
}

/// Puts the chunks of a finished task where they belong.
fn hand_over(run: &Run, task: TaskId, output: &TaskOutput) -> Result<Kept> {
    let stage = run.plan.stage(task);
    let mut sum = Kept::default();
    for attached in &output.rows {
        let target = stage.targets.iter().find(|target| target.node == attached.node);
        match target.map(|target| &target.home) {
            Some(Home::Held(_)) => {
                run.held.attach(attached)?;
                count_rows(run, attached.rows.len() as u64)?;
            }
            Some(Home::Result(n)) => run.rows.lock().entry(*n).or_default().push(attached.clone()),
            _ => return Err(Error::internal("rows belong to an array that nobody holds")),
        }
    }
    for (target, (region, chunk)) in stage.targets.iter().zip(&output.chunks) {
        let Some(chunk) = chunk else { continue };
        match &target.home {
            Home::Store { .. } => {}
            Home::Result(n) => {
                let result = run.results.get(n).ok_or_else(|| Error::internal("a result has no place"))?;
                result.write_tile(task.tile as usize, &chunk.view())?;
            }
            Home::Held(_) => {
                let room = |bytes: u64| {
                    let mut state = run.state.lock();
                    let fits = state.held + bytes <= run.held_room;
                    if fits {
                        state.held += bytes;
                        state.peak = state.peak.max(state.reserved + state.held);
                    } else {
                        state.spilled += bytes;
                    }
                    fits
                };
                let kept = run.held.put(target.node, region, chunk, &run.scratch, room)?;
                sum.in_memory += kept.in_memory;
                sum.spilled += kept.spilled;
            }
        }
    }
    Ok(sum)
}
