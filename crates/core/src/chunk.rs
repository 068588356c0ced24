//! An owned array in memory, cheap to clone and to cut.

use std::fmt;
use std::sync::Arc;

use crate::view::Layout;
use crate::{Buffer, DType, Element, Error, Idx, Region, Result, Scalar, View, ViewMut};

/// An array in memory. Clones and parts share the bytes.
#[derive(Clone)]
pub struct Chunk {
    data: Data,
    layout: Layout,
}

#[derive(Clone)]
enum Data {
    Own(Arc<Buffer>),
    /// Bytes that belong to somebody else: a mapped file, a NumPy array.
    Foreign(Arc<dyn AsRef<[u8]> + Send + Sync>),
}

impl Data {
    fn bytes(&self) -> &[u8] {
        match self {
            Data::Own(buffer) => (**buffer).as_ref(),
            Data::Foreign(bytes) => (**bytes).as_ref(),
        }
    }
}

impl Chunk {
    /// A new C-ordered array with arbitrary contents, which the caller fills.
    pub fn new(shape: &[usize], dtype: DType) -> Result<Chunk> {
        let buffer = Buffer::new(shape.iter().product::<usize>() * dtype.size())?;
        Ok(Chunk { data: Data::Own(Arc::new(buffer)), layout: Layout::contiguous(shape, dtype) })
    }

    /// A C-ordered array in the bytes of `buffer`.
    pub fn from_buffer(buffer: Buffer, shape: &[usize], dtype: DType) -> Result<Chunk> {
        let layout = Layout::contiguous(shape, dtype);
        layout.check(buffer.len())?;
        Ok(Chunk { data: Data::Own(Arc::new(buffer)), layout })
    }

    /// A copy of `values` as an array of `shape`.
    pub fn from_slice<T: Element>(values: &[T], shape: &[usize]) -> Result<Chunk> {
        let want: usize = shape.iter().product();
        if want != values.len() {
            return Err(Error::invalid(format!("{} values do not fill an array of shape {shape:?}", values.len())));
        }
        let mut chunk = Chunk::new(shape, T::DTYPE)?;
        if let Some(slice) = chunk.view_mut()?.as_slice_mut::<T>() {
            slice.copy_from_slice(values);
        }
        Ok(chunk)
    }

    /// A rank-0 array of one value.
    pub fn from_scalar(value: Scalar, dtype: DType) -> Result<Chunk> {
        let mut chunk = Chunk::new(&[], dtype)?;
        chunk.view_mut()?.fill(&value.to_bytes(dtype))?;
        Ok(chunk)
    }

    /// An array in bytes that belong to somebody else, with strides in bytes.
    pub fn from_foreign(
        bytes: Arc<dyn AsRef<[u8]> + Send + Sync>,
        dtype: DType,
        offset: usize,
        shape: impl AsRef<[usize]>,
        strides: impl AsRef<[isize]>,
    ) -> Result<Chunk> {
        let layout = Layout { offset, shape: shape.as_ref().into(), strides: strides.as_ref().into(), dtype };
        layout.check((*bytes).as_ref().len())?;
        Ok(Chunk { data: Data::Foreign(bytes), layout })
    }

    /// Shape.
    pub fn shape(&self) -> &[usize] {
        &self.layout.shape
    }

    /// Element type.
    pub fn dtype(&self) -> DType {
        self.layout.dtype
    }

    /// Number of elements.
    pub fn size(&self) -> usize {
        self.layout.size()
    }

    /// Bytes of the elements.
    pub fn n_bytes(&self) -> u64 {
        (self.size() * self.dtype().size()) as u64
    }

    /// Bytes of the buffer underneath that this process owns; 0 for foreign memory.
    pub fn footprint(&self) -> u64 {
        match &self.data {
            Data::Own(buffer) => Buffer::footprint(buffer.len()),
            Data::Foreign(_) => 0,
        }
    }

    /// The array, for reading.
    pub fn view(&self) -> View<'_> {
        // The layout was checked when the chunk was made, and cutting keeps it inside.
        View::from_layout(self.data.bytes(), self.layout.clone())
            .unwrap_or_else(|_| unreachable!("a chunk's layout lies inside its bytes"))
    }

    /// The array, for writing; an error if the bytes are shared.
    pub fn view_mut(&mut self) -> Result<ViewMut<'_>> {
        let shape = self.layout.shape.clone();
        let dtype = self.layout.dtype;
        match &mut self.data {
            Data::Own(buffer) => match Arc::get_mut(buffer) {
                Some(buffer) if self.layout.offset == 0 && self.layout.is_contiguous() => {
                    ViewMut::new(buffer.as_mut(), &shape, dtype)
                }
                _ => Err(Error::internal("a shared chunk cannot be written")),
            },
            Data::Foreign(_) => Err(Error::internal("foreign memory cannot be written")),
        }
    }

    /// The box `region` of this array; the bytes are shared.
    pub fn part(&self, region: &Region) -> Chunk {
        Chunk { data: self.data.clone(), layout: self.layout.part(region) }
    }

    /// The same bytes under another layout, as computed by [`View::restrided`].
    pub fn with_layout_of(&self, view: &View<'_>) -> Chunk {
        let layout = Layout {
            offset: view.offset(),
            shape: view.shape().into(),
            strides: view.strides().into(),
            dtype: view.dtype(),
        };
        Chunk { data: self.data.clone(), layout }
    }

    /// This array in C order without gaps: itself where it is, a copy where not.
    pub fn to_contiguous(&self) -> Result<Chunk> {
        if self.layout.is_contiguous() {
            return Ok(self.clone());
        }
        let mut copy = Chunk::new(self.shape(), self.dtype())?;
        self.view().copy_to(&mut copy.view_mut()?)?;
        Ok(copy)
    }

    /// All values in C order.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        let chunk = self.to_contiguous()?;
        let values = chunk.view().as_slice::<T>().map(<[T]>::to_vec);
        values.ok_or_else(|| Error::invalid(format!("the array is {}, not {}", self.dtype(), T::DTYPE)))
    }

    /// The value at position `at`.
    pub fn get(&self, at: &[usize]) -> Scalar {
        let offset = self.layout.part(&Region::new(at, Idx::from_elem(1, at.len()))).offset;
        Scalar::from_bytes(&self.data.bytes()[offset..], self.dtype())
    }
}

impl fmt::Debug for Chunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Chunk({:?}, {})", self.shape(), self.dtype())
    }
}
