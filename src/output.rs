//! Outputs: arrays that a job creates, or goes on writing where an earlier run of the same job was stopped.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use voxmill_core::{Result, Store};
use voxmill_exec::Journal;
use voxmill_plan::{Op, Plan, Value, What, json};
use voxmill_store::{local_path, open_for_write};

/// An output that is ready to be written.
#[derive(Debug)]
pub struct Output {
    /// The array.
    pub store: Arc<dyn Store>,
    /// What is written so far. `None` for outputs at a URL: they start anew.
    pub journal: Option<Arc<Journal>>,
}

/// A word for a job: equal if the same is computed from sources that were not changed since. `known` says it for ops that their
/// parameters do not describe.
pub fn job_name(plan: &Plan, known: &dyn Fn(&dyn Op) -> Option<Value>) -> String {
    let mut name = plan.identity(&|what| match what {
        What::Op(op) => known(op.as_ref()),
        What::Source(source) => contents(source.as_ref()),
        What::Literal(_) => None,
    });
    for node in &plan.nodes {
        let What::Source(source) = &node.what else { continue };
        let Ok(Some(path)) = local_path(&source.spec().location) else { continue };
        for file in [path.clone(), path.join("zarr.json"), path.join(".zarray")] {
            let changed = file.metadata().and_then(|meta| meta.modified()).ok();
            let since = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            // The folder of an array changes with every file that is read or written beside it; its metadata does not.
            if let Some(since) = since.filter(|_| !file.is_dir()) {
                name += &format!("-{:x}", since.as_nanos());
            }
        }
    }
    name
}

/// What stands for a source that only this process has: a digest of its bytes, or a word that never comes again.
fn contents(source: &dyn Store) -> Option<Value> {
    /// Larger arrays take too long to look through.
    const MOST: u64 = 1 << 30;
    match source.spec().driver.as_str() {
        "memory" if source.meta().n_bytes() <= MOST => {
            let chunk = source.borrow(&source.meta().whole()).and_then(|chunk| chunk.to_contiguous().ok());
            let digest = chunk.and_then(|chunk| Some(blake3::hash(chunk.view().bytes()?).to_hex().to_string()));
            Some(digest.map_or_else(unique, Value::from))
        }
        "memory" | "python" => Some(unique()),
        _ => None,
    }
}

/// A word that never comes again.
pub fn unique() -> Value {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let now = std::time::SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    json!([std::process::id(), now.to_string(), NEXT.fetch_add(1, Ordering::Relaxed)])
}

/// Opens what an earlier run of `job` left of the output, or else calls `create`. `draft` is what would be created.
pub fn begin_output(
    draft: &dyn Store,
    job: &str,
    overwrite: bool,
    create: impl FnOnce() -> Result<Arc<dyn Store>>,
) -> Result<Output> {
    let Some(path) = journal_path(draft)? else { return Ok(Output { store: create()?, journal: None }) };
    if !overwrite
        && let Some(journal) = Journal::resume(&path, job, draft.spec(), draft.write_grid())?
        && let Ok(store) = open_for_write(&draft.spec().location)
        && (store.meta().dtype, &store.meta().shape) == (draft.meta().dtype, &draft.meta().shape)
        && store.write_grid() == draft.write_grid()
    {
        return Ok(Output { store, journal: Some(Arc::new(journal)) });
    }
    let store = create()?;
    let journal = Journal::begin(&path, job, store.spec(), store.write_grid())?;
    Ok(Output { store, journal: Some(Arc::new(journal)) })
}

/// Beside the output, so that a folder which is copied or read by others holds nothing of ours.
fn journal_path(output: &dyn Store) -> Result<Option<PathBuf>> {
    let path = local_path(&output.spec().location)?;
    Ok(path.map(|path| {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(".progress");
        path.with_file_name(name)
    }))
}
