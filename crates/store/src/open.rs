//! From a path or URL to an open array.

use std::sync::Arc;

use voxmill_core::{Error, Result, Store};

use crate::{NpyStore, ZarrStore, location};

/// Opens the array at a path or URL, whatever its format.
///
/// A folder or URL with `zarr.json` or `.zarray` is a Zarr array; a file that ends in `.npy` is mapped. A Zarr group is an error that
/// lists the arrays inside; nothing there is an error that lists names that look alike.
///
/// ```no_run
/// let store = voxmill_store::open_location("s3://bucket/image.zarr/0")?;
/// println!("{:?}", store.meta().shape);
/// # Ok::<(), voxmill_core::Error>(())
/// ```
pub fn open_location(location: &str) -> Result<Arc<dyn Store>> {
    let normal = location::normal(location)?;
    let local = location::local_path(&normal)?;
    if normal.ends_with(".npy") && local.as_ref().is_none_or(|path| !path.is_dir()) {
        return Ok(Arc::new(NpyStore::open(&normal)?));
    }
    if local.is_some_and(|path| path.is_file()) {
        return Err(Error::unsupported(format!(
            "'{normal}' is a file of a kind that is not read; a Zarr array is a folder, and NumPy files end in .npy"
        )));
    }
    Ok(Arc::new(ZarrStore::open(&normal)?))
}

/// Opens an existing array for writing parts of it. Whether the bytes may be written shows at the first write.
pub fn open_for_write(location: &str) -> Result<Arc<dyn Store>> {
    open_location(location)
}
