//! What earlier runs of the same job finished, so that a killed run goes on where it stopped.
//!
//! Each output has a journal beside it: a line for every box that was written, added after the write. It says which boxes of the output
//! are there, not which tasks ran, so a later run may cut its work in other ways. When the job is done, the journal goes.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use voxmill_core::{ChunkGrid, Error, Idx, Region, Result, StoreSpec};
use voxmill_plan::{Home, Plan, TaskId};

const FIRST_WORDS: &str = "voxmill journal 1";

/// The journal of one output.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    /// The output it belongs to.
    output: StoreSpec,
    /// The boxes that are written as a whole; each belongs to one task.
    units: ChunkGrid,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: File,
    done: Vec<bool>,
}

impl Journal {
    /// A new journal at `path` for the job called `job`, which writes `output` in boxes of `units`.
    pub fn begin(path: &Path, job: &str, output: &StoreSpec, units: &ChunkGrid) -> Result<Journal> {
        let mut file = File::create(path).map_err(|e| failed("starting", path, &e))?;
        writeln!(file, "{FIRST_WORDS} {job}").map_err(|e| failed("writing", path, &e))?;
        let state = State { file, done: vec![false; units.n_chunks()] };
        Ok(Journal { path: path.into(), output: output.clone(), units: units.clone(), state: Mutex::new(state) })
    }

    /// The journal that an earlier run of the same job left at `path`. `None` if there is none, or if it is of another job.
    pub fn resume(path: &Path, job: &str, output: &StoreSpec, units: &ChunkGrid) -> Result<Option<Journal>> {
        let Ok(text) = fs::read_to_string(path) else { return Ok(None) };
        // What follows the last line end was cut off when the run was killed.
        let whole = text.rfind('\n').map_or("", |end| &text[..end + 1]);
        let mut lines = whole.lines();
        if lines.next() != Some(&format!("{FIRST_WORDS} {job}")) {
            return Ok(None);
        }
        let mut done = vec![false; units.n_chunks()];
        for line in lines {
            let Some(region) = parse_region(line).filter(|r| r.rank() == units.rank()) else { return Ok(None) };
            units.numbers_touching(&region).into_iter().for_each(|unit| done[unit] = true);
        }
        let file = OpenOptions::new().write(true).open(path).map_err(|e| failed("opening", path, &e))?;
        file.set_len(whole.len() as u64).map_err(|e| failed("writing", path, &e))?;
        let file = OpenOptions::new().append(true).open(path).map_err(|e| failed("opening", path, &e))?;
        let state = Mutex::new(State { file, done });
        Ok(Some(Journal { path: path.into(), output: output.clone(), units: units.clone(), state }))
    }

    /// How much of the output is there, from 0 to 1.
    pub fn share(&self) -> f64 {
        let state = self.state.lock();
        state.done.iter().filter(|done| **done).count() as f64 / state.done.len().max(1) as f64
    }

    /// The job is done: nobody will go on with it.
    pub fn finish(&self) -> Result<()> {
        match fs::remove_file(&self.path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(failed("removing", &self.path, &e)),
            _ => Ok(()),
        }
    }

    fn has(&self, region: &Region) -> bool {
        let state = self.state.lock();
        !region.is_empty() && self.units.numbers_touching(region).into_iter().all(|unit| state.done[unit])
    }

    fn note(&self, region: &Region) -> Result<()> {
        let line = format!("{} {}\n", words(&region.start), words(&region.shape));
        let mut state = self.state.lock();
        state.file.write_all(line.as_bytes()).map_err(|e| failed("writing", &self.path, &e))
    }
}

fn failed(doing: &str, path: &Path, error: &std::io::Error) -> Error {
    Error::io(format_args!("{doing} the journal {}", path.display()), error)
}

fn words(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

fn parse_region(line: &str) -> Option<Region> {
    let (start, shape) = line.split_once(' ')?;
    let numbers = |text: &str| -> Option<Idx> {
        text.split(',').filter(|word| !word.is_empty()).map(|word| word.parse().ok()).collect()
    };
    let (start, shape) = (numbers(start)?, numbers(shape)?);
    (start.len() == shape.len()).then(|| Region::new(start, shape))
}

/// The box of each output that a task writes, with the journal of that output.
fn written<'a>(
    plan: &'a Plan,
    journals: &'a [std::sync::Arc<Journal>],
    task: TaskId,
) -> impl Iterator<Item = Option<(&'a Journal, Region)>> {
    let stage = plan.stage(task);
    stage.targets.iter().zip(stage.target_regions(task.tile as usize)).map(move |(target, region)| {
        let Home::Store { store, offset } = &target.home else { return None };
        let journal = journals.iter().find(|journal| journal.output == *store.spec())?;
        Some((journal.as_ref(), region.shifted_by(offset)))
    })
}

/// True if everything that a task makes was written by an earlier run.
pub(crate) fn is_done(plan: &Plan, journals: &[std::sync::Arc<Journal>], task: TaskId) -> bool {
    !journals.is_empty() && written(plan, journals, task).all(|part| part.is_some_and(|(journal, r)| journal.has(&r)))
}

/// Notes what a task has written.
pub(crate) fn note(plan: &Plan, journals: &[std::sync::Arc<Journal>], task: TaskId) -> Result<()> {
    if journals.is_empty() {
        return Ok(());
    }
    written(plan, journals, task).flatten().try_for_each(|(journal, region)| journal.note(&region))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_on_after_a_torn_line_and_only_with_the_same_job() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.progress");
        let (units, output) = (ChunkGrid::even(&[10, 7], &[4, 7]), StoreSpec::new("npy", "out.npy"));
        let journal = Journal::begin(&path, "job", &output, &units).unwrap();
        journal.note(&Region::new([0, 0], [8, 7])).unwrap();
        fs::write(&path, fs::read_to_string(&path).unwrap() + "8,0 2").unwrap();
        assert!(Journal::resume(&path, "other", &output, &units).unwrap().is_none());
        let again = Journal::resume(&path, "job", &output, &units).unwrap().unwrap();
        assert!(again.has(&Region::new([4, 0], [4, 7])) && !again.has(&Region::new([4, 0], [6, 7])));
        again.note(&Region::new([8, 0], [2, 7])).unwrap();
        let full = Journal::resume(&path, "job", &output, &units).unwrap().unwrap();
        assert_eq!(full.share(), 1.0);
        full.finish().unwrap();
        assert!(!path.exists());
    }
}
