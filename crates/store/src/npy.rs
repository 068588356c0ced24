//! NumPy's `.npy` files, mapped into memory.
//!
//! A file in native byte order is read without copying. Writing goes through the mapping, too: a new file is sized and zeroed under its
//! final name by [`create_npy`], and then holds zeros wherever nothing was written yet. A run that is killed leaves a valid file with
//! some zeros in it, never a torn header.

use std::fs::{File, OpenOptions};
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use voxmill_core::{
    ArrayMeta, Chunk, ChunkGrid, DType, Error, ErrorClass, Idx, Latency, Region, Result, Store, StoreSpec, Strides,
    View, ViewMut, contiguous_strides,
};

use crate::mapped::{Loan, MappedFile};
use crate::zarr::{check_region, swap_bytes};
use crate::{bytes, location, sys};

/// Most bytes that are gathered for one write, unless a single row has more.
const RUN_BYTES: usize = 1 << 20;

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// An open `.npy` file.
#[derive(Debug)]
pub struct NpyStore {
    spec: StoreSpec,
    meta: ArrayMeta,
    write_grid: ChunkGrid,
    layout: NpyLayout,
    path: PathBuf,
    map: Arc<MappedFile>,
    /// Opened at the first write; a file that is only read needs no permission to write.
    writer: Mutex<Option<File>>,
}

/// What the header of a file says.
#[derive(Debug, Clone, PartialEq, Eq)]
struct NpyLayout {
    shape: Idx,
    dtype: DType,
    swapped: bool,
    fortran: bool,
    /// Where the elements begin.
    offset: usize,
}

impl NpyStore {
    /// Maps the file at `path`.
    pub fn open(path: &str) -> Result<NpyStore> {
        let text = location::normal(path)?;
        let path = location::local_path(&text)?.ok_or_else(|| {
            Error::unsupported(format!("'{path}' is remote; .npy files are read from local disks only"))
        })?;
        let place = || format!("npy file {}", path.display());
        let file = File::open(&path).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => crate::zarr::missing(&text),
            _ => Error::io(format_args!("opening {}", path.display()), &e),
        })?;
        let map = sys::map(&file).map_err(|e| Error::io(format_args!("mapping {}", path.display()), &e))?;
        let layout = NpyLayout::parse(&map).map_err(|e| e.at(place()))?;
        let meta = ArrayMeta::new(&layout.shape, layout.dtype);
        let want = layout.offset as u64 + meta.n_bytes();
        if (map.len() as u64) < want {
            return Err(
                Error::corrupt(format!("the file has {} bytes, its header promises {want}", map.len())).at(place())
            );
        }
        let spec = StoreSpec::new("npy", text);
        let write_grid = layout.write_grid();
        Ok(NpyStore {
            spec,
            meta,
            write_grid,
            layout,
            map: Arc::new(MappedFile::new(map)),
            writer: Mutex::new(None),
            path,
        })
    }

    fn strides(&self) -> Strides {
        self.layout.strides()
    }

    /// The elements of a box, with bytes as they are stored.
    fn raw(&self, region: &Region) -> Result<Chunk> {
        let strides = self.strides();
        let (mut begin, mut end) = (self.layout.offset, self.layout.offset + self.layout.dtype.size());
        for (k, stride) in strides.iter().enumerate().filter(|_| !region.is_empty()) {
            begin += region.start[k] * stride.unsigned_abs();
            end += (region.end(k) - 1) * stride.unsigned_abs();
        }
        let loan = Arc::new(Loan::of(&self.map, begin..end, region.size() * self.layout.dtype.size()));
        let whole = Chunk::from_foreign(loan, self.layout.dtype, self.layout.offset, &self.layout.shape, &strides)?;
        Ok(whole.part(region))
    }

    fn aligned(&self) -> bool {
        let unit = if self.layout.dtype.is_complex() { self.layout.dtype.size() / 2 } else { self.layout.dtype.size() };
        self.layout.offset.is_multiple_of(unit)
    }
}

impl Store for NpyStore {
    fn spec(&self) -> &StoreSpec {
        &self.spec
    }

    fn meta(&self) -> &ArrayMeta {
        &self.meta
    }

    fn read(&self, region: &Region, out: &mut ViewMut<'_>) -> Result<()> {
        check_region(&self.meta, region, out.shape(), out.dtype())?;
        self.raw(region)?.view().copy_to(out)?;
        if !self.layout.swapped && self.layout.dtype != DType::Bool {
            return Ok(());
        }
        for_each_row(out, |row| {
            if self.layout.swapped {
                swap_bytes(row, self.layout.dtype);
            }
            if self.layout.dtype == DType::Bool {
                crate::zarr::normalize_bools(row);
            }
        });
        Ok(())
    }

    fn borrow(&self, region: &Region) -> Option<Chunk> {
        // Truth values may be stored as any byte, so they are copied and made 0 or 1.
        let usable = !self.layout.swapped && self.aligned() && self.layout.dtype != DType::Bool;
        let inside =
            region.rank() == self.meta.rank() && (0..region.rank()).all(|k| region.end(k) <= self.meta.shape[k]);
        if usable && inside { self.raw(region).ok() } else { None }
    }

    fn write(&self, region: &Region, from: &View<'_>) -> Result<()> {
        check_region(&self.meta, region, from.shape(), from.dtype())?;
        if region.is_empty() {
            return Ok(());
        }
        let mut writer = self.writer.lock();
        if writer.is_none() {
            let file = OpenOptions::new().read(true).write(true).open(&self.path);
            *writer =
                Some(file.map_err(|e| Error::io(format_args!("opening {} for writing", self.path.display()), &e))?);
        }
        let file = writer.as_ref().ok_or_else(|| Error::internal("the file was just opened"))?;
        let file = file.try_clone().map_err(|e| Error::io(format_args!("opening {}", self.path.display()), &e))?;
        drop(writer);
        self.layout.write_runs(&file, region, from).map_err(|e| e.at(format!("npy file {}", self.path.display())))
    }

    fn write_grid(&self) -> &ChunkGrid {
        &self.write_grid
    }

    fn read_scratch(&self, _region: &Region) -> u64 {
        size_of::<Loan>() as u64 + 16
    }

    fn write_scratch(&self, region: &Region) -> u64 {
        self.layout.write_scratch(region)
    }

    fn latency(&self) -> Latency {
        Latency::Memory
    }
}

impl NpyLayout {
    fn parse(file: &[u8]) -> Result<NpyLayout> {
        let damaged = |what: &str| Error::corrupt(format!("not a sound .npy file: {what}"));
        if !file.starts_with(MAGIC) || file.len() < 10 {
            return Err(damaged("it does not begin with the words of the format"));
        }
        let (start, len): (usize, usize) = match file[6] {
            1 => (10, usize::from(u16::from_le_bytes([file[8], file[9]]))),
            2 | 3 if file.len() >= 12 => (12, u32::from_le_bytes([file[8], file[9], file[10], file[11]]) as usize),
            version => return Err(damaged(&format!("its version is {version}, not 1, 2 or 3"))),
        };
        let header = file.get(start..start.saturating_add(len)).and_then(|bytes| std::str::from_utf8(bytes).ok());
        let header = header.ok_or_else(|| damaged("its header is cut short"))?;
        let descr = field(header, "descr").ok_or_else(|| damaged("its header has no 'descr'"))?;
        let fortran = field(header, "fortran_order").ok_or_else(|| damaged("its header has no 'fortran_order'"))?;
        let shape = field(header, "shape").ok_or_else(|| damaged("its header has no 'shape'"))?;
        let (dtype, swapped) = dtype_of(descr)?;
        let inner = shape.trim().trim_start_matches('(').trim_end_matches(')');
        let sizes = inner.split(',').map(str::trim).filter(|n| !n.is_empty());
        let shape = sizes.map(|n| n.trim_end_matches('L').parse().ok()).collect::<Option<Idx>>();
        let shape = shape.ok_or_else(|| damaged(&format!("its shape is {inner}")))?;
        let bytes = shape.iter().try_fold(dtype.size(), |product, &n: &usize| product.checked_mul(n.max(1)));
        if bytes.is_none_or(|bytes| bytes > isize::MAX as usize / 4) {
            return Err(damaged(&format!("its shape {shape:?} is beyond what can be addressed")));
        }
        Ok(NpyLayout { shape, dtype, swapped, fortran: fortran.trim() == "True", offset: start + len })
    }

    fn strides(&self) -> Strides {
        if !self.fortran {
            return contiguous_strides(&self.shape, self.dtype);
        }
        let turned: Idx = self.shape.iter().rev().copied().collect();
        contiguous_strides(&turned, self.dtype).into_iter().rev().collect()
    }

    /// The part of `region` that is written at once: its innermost axis, and further ones while their elements follow each other.
    fn run_shape(&self, region: &Region) -> Idx {
        let rank = self.shape.len();
        let mut run = Idx::from_elem(1, rank);
        let mut bytes = self.dtype.size();
        for i in 0..rank {
            let axis = if self.fortran { i } else { rank - 1 - i };
            bytes *= region.shape[axis];
            if i > 0 && bytes > RUN_BYTES {
                break;
            }
            run[axis] = region.shape[axis];
            if region.shape[axis] != self.shape[axis] {
                break;
            }
        }
        run
    }

    /// Boxes that tasks can write side by side: about one run each.
    fn write_grid(&self) -> ChunkGrid {
        ChunkGrid::even(&self.shape, &self.run_shape(&Region::whole(&self.shape)))
    }

    /// Bytes that writing `region` takes.
    fn write_scratch(&self, region: &Region) -> u64 {
        let run = if region.is_empty() { 0 } else { self.run_shape(region).iter().product::<usize>() };
        (run * self.dtype.size()) as u64 + 4096
    }

    /// Writes `from` to `region`, one run of neighbouring elements at a time.
    fn write_runs(&self, file: &File, region: &Region, from: &View<'_>) -> Result<()> {
        let strides = self.strides();
        let run = self.run_shape(region);
        let grid = ChunkGrid::even(&region.shape, &run);
        let mut bytes = vec![0; run.iter().product::<usize>() * self.dtype.size()];
        // The file has the axes of a run in this order.
        let order: Idx = if self.fortran { (0..run.len()).rev().collect() } else { (0..run.len()).collect() };
        for n in 0..grid.n_chunks() {
            let part = grid.region(n);
            let from = from.part(&part);
            let shape: Idx = order.iter().map(|&axis| from.shape()[axis]).collect();
            let turned: Strides = order.iter().map(|&axis| from.strides()[axis]).collect();
            let from = from.restrided(from.offset(), &shape, &turned)?;
            from.copy_to(&mut ViewMut::new(&mut bytes, &shape, self.dtype)?)?;
            if self.swapped {
                swap_bytes(&mut bytes, self.dtype);
            }
            let first = part.shifted_by(&region.start).start;
            let steps: isize = first.iter().zip(&strides).map(|(&i, &s)| i as isize * s).sum();
            write_at(file, &bytes, self.offset as u64 + steps as u64).map_err(|e| Error::io("writing", &e))?;
        }
        Ok(())
    }
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], at: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut at: u64) -> std::io::Result<()> {
    while !bytes.is_empty() {
        let n = std::os::windows::fs::FileExt::seek_write(file, bytes, at)?;
        (bytes, at) = (&bytes[n..], at + n as u64);
    }
    Ok(())
}

/// The text of a field in the header, a Python dictionary.
fn field<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    let at = [format!("'{name}'"), format!("\"{name}\"")]
        .into_iter()
        .find_map(|key| header.find(&key).map(|at| at + key.len()))?;
    let rest = header[at..].trim_start().strip_prefix(':')?.trim_start();
    let end = match rest.chars().next()? {
        '(' => rest.find(')')? + 1,
        '[' => rest.rfind(']')? + 1,
        quote @ ('\'' | '"') => rest[1..].find(quote)? + 2,
        _ => rest.find([',', '}'])?,
    };
    Some(&rest[..end])
}

fn dtype_of(descr: &str) -> Result<(DType, bool)> {
    let code = descr.trim_matches(['\'', '"']);
    let unsupported = || {
        let known: Vec<_> = DType::ALL.iter().map(|dtype| dtype.name()).collect();
        Error::unsupported(format!("dtype {descr} is not supported; supported are {}", known.join(", ")))
    };
    let order = code.chars().next().ok_or_else(unsupported)?;
    let known = code.len() > 2 && code.is_ascii() && "<>|=".contains(order) && "biufc".contains(&code[1..2]);
    let dtype: DType =
        if known { code.replace('=', "<").parse().map_err(|_| unsupported())? } else { return Err(unsupported()) };
    let big = order == '>';
    Ok((dtype, dtype.size() > 1 && order != '=' && big == cfg!(target_endian = "little")))
}

/// Creates a file of zeros and opens it. The header and the length are written under another name and renamed, so the file appears
/// whole; the disk space is taken as parts are written.
pub fn create_npy(path: &str, shape: &[usize], dtype: DType, overwrite: bool) -> Result<Arc<dyn Store>> {
    let text = location::normal(path)?;
    let path = location::local_path(&text)?
        .ok_or_else(|| Error::unsupported(format!("'{path}' is remote; .npy files are written to local disks only")))?;
    if path.is_dir() || (path.exists() && !overwrite) {
        let hint = if path.is_dir() { "it is a folder; choose another name" } else { "set overwrite to replace it" };
        return Err(Error::new(ErrorClass::Exists, format!("'{}' exists already; {hint}", path.display())));
    }
    let header = header_bytes(shape, dtype)?;
    let len = header.len() as u64 + ArrayMeta::new(shape, dtype).n_bytes();
    bytes::replace_file_with(&path, |file| {
        use std::io::Write;
        file.write_all(&header)?;
        file.set_len(len)
    })?;
    Ok(Arc::new(NpyStore::open(&text)?))
}

/// The file that [`create_npy`] would make, to plan with. Nothing is written, and nobody may read or write it.
pub fn draft_npy(path: &str, shape: &[usize], dtype: DType) -> Result<Arc<dyn Store>> {
    let layout = NpyLayout { shape: shape.into(), dtype, swapped: false, fortran: false, offset: 0 };
    let meta = ArrayMeta::new(shape, dtype);
    let spec = StoreSpec::new("npy", location::normal(path)?);
    Ok(Arc::new(NpyDraft { spec, meta, write_grid: layout.write_grid(), layout }))
}

/// A file that does not exist yet.
#[derive(Debug)]
struct NpyDraft {
    spec: StoreSpec,
    meta: ArrayMeta,
    write_grid: ChunkGrid,
    layout: NpyLayout,
}

impl Store for NpyDraft {
    fn spec(&self) -> &StoreSpec {
        &self.spec
    }

    fn meta(&self) -> &ArrayMeta {
        &self.meta
    }

    fn read(&self, _region: &Region, _out: &mut ViewMut<'_>) -> Result<()> {
        Err(Error::internal("the draft of a file was read"))
    }

    fn write(&self, _region: &Region, _from: &View<'_>) -> Result<()> {
        Err(Error::internal("the draft of a file was written"))
    }

    fn write_grid(&self) -> &ChunkGrid {
        &self.write_grid
    }

    fn read_scratch(&self, _region: &Region) -> u64 {
        0
    }

    fn write_scratch(&self, region: &Region) -> u64 {
        self.layout.write_scratch(region)
    }

    fn latency(&self) -> Latency {
        Latency::Memory
    }
}

fn header_bytes(shape: &[usize], dtype: DType) -> Result<Vec<u8>> {
    if dtype == DType::BF16 {
        return Err(Error::unsupported("NumPy has no bfloat16; cast to float32, or write Zarr"));
    }
    let kind = if dtype == DType::Bool { "b" } else { &dtype.name()[..1] };
    let order = if dtype.size() == 1 { '|' } else { '<' };
    let sizes: String = shape.iter().map(|n| format!("{n}, ")).collect();
    let sizes = if shape.len() == 1 { sizes.trim_end().to_string() } else { sizes.trim_end_matches(", ").to_string() };
    let mut text =
        format!("{{'descr': '{order}{kind}{}', 'fortran_order': False, 'shape': ({sizes}), }}", dtype.size());
    // The elements begin at a multiple of 64, so that they are aligned in the mapping.
    while (10 + text.len() + 1) % 64 != 0 {
        text.push(' ');
    }
    text.push('\n');
    let len = u16::try_from(text.len()).map_err(|_| Error::invalid("the array has too many axes for a .npy header"))?;
    Ok([&MAGIC[..], &[1, 0], &len.to_le_bytes(), text.as_bytes()].concat())
}

/// Calls `visit` with the bytes of runs of neighbouring elements that together make up the array.
fn for_each_row(out: &mut ViewMut<'_>, mut visit: impl FnMut(&mut [u8])) {
    for_each_row_below(out.reborrow(), 0, &mut visit);
}

fn for_each_row_below(mut out: ViewMut<'_>, axis: usize, visit: &mut impl FnMut(&mut [u8])) {
    if let Some(bytes) = out.bytes_mut() {
        return visit(bytes);
    }
    let whole = Region::whole(out.shape());
    for i in 0..out.shape().get(axis).copied().unwrap_or(0) {
        for_each_row_below(out.part(&whole.with_axis(axis, i, 1)), axis + 1, visit);
    }
}
