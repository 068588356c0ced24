//! Threads that are kept between runs: a small computation must not wait for the system to make new ones.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use parking_lot::Mutex;

type Job = Box<dyn FnOnce() + Send>;

/// Idle threads end after this time.
const PATIENCE: Duration = Duration::from_secs(10);

/// The idle threads of the process. A thread takes itself from the list when it loses patience; who finds it there may give it a job.
static IDLE: Mutex<Idle> = Mutex::new(Idle { process: 0, next: 0, threads: Vec::new() });

struct Idle {
    /// The process they belong to: a forked child has the list, but not the threads.
    process: u32,
    next: u64,
    threads: Vec<(u64, Sender<Job>)>,
}

/// Runs `job` on a thread of the crew, a new one if all are busy; false if the system gives no more.
pub(crate) fn start(job: impl FnOnce() + Send + 'static) -> bool {
    let mut job: Job = Box::new(job);
    loop {
        let Some((_, thread)) = of_this_process(&mut IDLE.lock()).threads.pop() else {
            let name = std::thread::Builder::new().name("voxmill".to_string());
            return name.spawn(move || live(job)).is_ok();
        };
        match thread.send(job) {
            Ok(()) => return true,
            Err(unsent) => job = unsent.0,
        }
    }
}

fn of_this_process(idle: &mut Idle) -> &mut Idle {
    let process = std::process::id();
    if idle.process != process {
        idle.threads.clear();
        idle.process = process;
    }
    idle
}

/// The life of a thread: jobs, one after the other.
fn live(first: Job) {
    let (jobs, inbox) = channel();
    first();
    while let Some(job) = next(&jobs, &inbox) {
        job();
    }
}

fn next(jobs: &Sender<Job>, inbox: &Receiver<Job>) -> Option<Job> {
    let number = {
        let mut idle = IDLE.lock();
        let idle = of_this_process(&mut idle);
        idle.next += 1;
        idle.threads.push((idle.next, jobs.clone()));
        idle.next
    };
    match inbox.recv_timeout(PATIENCE) {
        Ok(job) => Some(job),
        Err(RecvTimeoutError::Disconnected) => None,
        Err(RecvTimeoutError::Timeout) => {
            let mut idle = IDLE.lock();
            let before = idle.threads.len();
            idle.threads.retain(|(n, _)| *n != number);
            let found = idle.threads.len() < before;
            drop(idle);
            // Not in the list: somebody has just taken it out and sends a job.
            if found { None } else { inbox.recv().ok() }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn threads_are_used_again() {
        let (tell, told) = channel();
        let mut names = std::collections::BTreeSet::new();
        for _ in 0..20 {
            let tell = tell.clone();
            assert!(start(move || tell.send(format!("{:?}", std::thread::current().id())).unwrap()));
            names.insert(told.recv().unwrap());
            // The thread becomes idle a moment after its answer.
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(names.len() < 10, "{names:?}");
    }
}
