//! Borrowed, strided windows onto bytes, and the one routine that copies between them.

use bytemuck::Pod;
use smallvec::SmallVec;

use crate::{DType, Element, Error, Idx, Region, Result};

/// Bytes to step per axis; negative steps run backwards, 0 repeats.
pub type Strides = SmallVec<[isize; 6]>;

/// The strides of a C-ordered array without gaps.
pub fn contiguous_strides(shape: &[usize], dtype: DType) -> Strides {
    let mut strides = Strides::from_elem(0, shape.len());
    let mut step = dtype.size() as isize;
    for k in (0..shape.len()).rev() {
        strides[k] = step;
        step *= shape[k].max(1) as isize;
    }
    strides
}

/// Where the elements of an array lie in a block of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) offset: usize,
    pub(crate) shape: Idx,
    pub(crate) strides: Strides,
    pub(crate) dtype: DType,
}

impl Layout {
    pub(crate) fn contiguous(shape: &[usize], dtype: DType) -> Self {
        Layout { offset: 0, shape: shape.into(), strides: contiguous_strides(shape, dtype), dtype }
    }

    pub(crate) fn size(&self) -> usize {
        self.shape.iter().product()
    }

    /// True if the elements lie in C order without gaps; axes of length 1 do not matter.
    pub(crate) fn is_contiguous(&self) -> bool {
        if self.shape.contains(&0) {
            return true;
        }
        let mut step = self.dtype.size() as isize;
        for (&n, &stride) in self.shape.iter().zip(&self.strides).rev() {
            if n > 1 && stride != step {
                return false;
            }
            step *= n as isize;
        }
        true
    }

    pub(crate) fn part(&self, region: &Region) -> Layout {
        let mut offset = self.offset as isize;
        if !region.is_empty() {
            offset += region.start.iter().zip(&self.strides).map(|(&i, &s)| i as isize * s).sum::<isize>();
        }
        Layout {
            offset: offset as usize,
            shape: region.shape.clone(),
            strides: self.strides.clone(),
            dtype: self.dtype,
        }
    }

    /// Checks that every element lies inside `len` bytes.
    pub(crate) fn check(&self, len: usize) -> Result<()> {
        if self.size() == 0 {
            return Ok(());
        }
        let (mut low, mut high) = (self.offset as isize, self.offset as isize);
        for (&n, &stride) in self.shape.iter().zip(&self.strides) {
            let reach = (n as isize - 1) * stride;
            if reach < 0 { low += reach } else { high += reach }
        }
        if low < 0 || high as usize + self.dtype.size() > len {
            return Err(Error::internal(format!(
                "a view of shape {:?} and strides {:?} leaves its {len} bytes",
                self.shape, self.strides
            )));
        }
        Ok(())
    }
}

/// A read-only array in borrowed bytes.
#[derive(Debug, Clone)]
pub struct View<'a> {
    data: &'a [u8],
    layout: Layout,
}

impl<'a> View<'a> {
    /// A C-ordered array of `shape` that starts at the first byte.
    pub fn new(data: &'a [u8], shape: &[usize], dtype: DType) -> Result<Self> {
        View::from_layout(data, Layout::contiguous(shape, dtype))
    }

    /// An array with explicit strides, whose first element lies at byte `offset`.
    pub fn strided(
        data: &'a [u8],
        dtype: DType,
        offset: usize,
        shape: impl AsRef<[usize]>,
        strides: impl AsRef<[isize]>,
    ) -> Result<Self> {
        View::from_layout(
            data,
            Layout { offset, shape: shape.as_ref().into(), strides: strides.as_ref().into(), dtype },
        )
    }

    pub(crate) fn from_layout(data: &'a [u8], layout: Layout) -> Result<Self> {
        layout.check(data.len())?;
        Ok(View { data, layout })
    }

    /// Shape.
    pub fn shape(&self) -> &[usize] {
        &self.layout.shape
    }

    /// Strides in bytes.
    pub fn strides(&self) -> &[isize] {
        &self.layout.strides
    }

    /// Byte position of the first element.
    pub fn offset(&self) -> usize {
        self.layout.offset
    }

    /// The bytes underneath, of which the array may use only some.
    pub fn data(&self) -> &'a [u8] {
        self.data
    }

    /// Element type.
    pub fn dtype(&self) -> DType {
        self.layout.dtype
    }

    /// Number of elements.
    pub fn size(&self) -> usize {
        self.layout.size()
    }

    /// True if the elements lie in C order without gaps.
    pub fn is_contiguous(&self) -> bool {
        self.layout.is_contiguous()
    }

    /// The box `region` of this array, without copying.
    pub fn part(&self, region: &Region) -> View<'a> {
        View { data: self.data, layout: self.layout.part(region) }
    }

    /// The same bytes with other strides: what transposing, slicing and broadcasting are made of.
    pub fn restrided(
        &self,
        offset: usize,
        shape: impl AsRef<[usize]>,
        strides: impl AsRef<[isize]>,
    ) -> Result<View<'a>> {
        View::strided(self.data, self.layout.dtype, offset, shape, strides)
    }

    /// The elements as one slice, if they are contiguous, aligned and of type `T`.
    pub fn as_slice<T: Element>(&self) -> Option<&'a [T]> {
        if T::DTYPE != self.dtype() {
            return None;
        }
        self.bytes().and_then(|bytes| bytemuck::try_cast_slice(bytes).ok())
    }

    /// The bytes of the elements, if they are contiguous.
    pub fn bytes(&self) -> Option<&'a [u8]> {
        let n = self.size() * self.dtype().size();
        if n == 0 {
            // Aligned for every element type, so that it can be cast like any other run.
            return Some(bytemuck::cast_slice::<u64, u8>(&[]));
        }
        self.is_contiguous().then(|| &self.data[self.layout.offset..self.layout.offset + n])
    }

    /// Copies all elements into `out`, which must have the same shape and dtype.
    pub fn copy_to(&self, out: &mut ViewMut<'_>) -> Result<()> {
        if self.shape() != out.shape() || self.dtype() != out.dtype() {
            return Err(Error::internal(format!(
                "cannot copy {:?} {} into {:?} {}",
                self.shape(),
                self.dtype(),
                out.shape(),
                out.dtype()
            )));
        }
        if self.size() > 0 {
            copy_strided(self.data, &self.layout, out.data, &out.layout);
        }
        Ok(())
    }
}

/// A writable array in borrowed bytes.
#[derive(Debug)]
pub struct ViewMut<'a> {
    data: &'a mut [u8],
    layout: Layout,
}

impl<'a> ViewMut<'a> {
    /// A C-ordered array of `shape` that starts at the first byte.
    pub fn new(data: &'a mut [u8], shape: &[usize], dtype: DType) -> Result<Self> {
        let layout = Layout::contiguous(shape, dtype);
        layout.check(data.len())?;
        Ok(ViewMut { data, layout })
    }

    /// Shape.
    pub fn shape(&self) -> &[usize] {
        &self.layout.shape
    }

    /// Strides in bytes.
    pub fn strides(&self) -> &[isize] {
        &self.layout.strides
    }

    /// Byte position of the first element.
    pub fn offset(&self) -> usize {
        self.layout.offset
    }

    /// The bytes underneath, of which the array may use only some.
    pub fn data_mut(&mut self) -> &mut [u8] {
        self.data
    }

    /// Element type.
    pub fn dtype(&self) -> DType {
        self.layout.dtype
    }

    /// Number of elements.
    pub fn size(&self) -> usize {
        self.layout.size()
    }

    /// True if the elements lie in C order without gaps.
    pub fn is_contiguous(&self) -> bool {
        self.layout.is_contiguous()
    }

    /// The same array, read-only.
    pub fn as_view(&self) -> View<'_> {
        View { data: self.data, layout: self.layout.clone() }
    }

    /// The box `region` of this array, for writing.
    pub fn part(&mut self, region: &Region) -> ViewMut<'_> {
        ViewMut { layout: self.layout.part(region), data: self.data }
    }

    /// A shorter loan of the same array.
    pub fn reborrow(&mut self) -> ViewMut<'_> {
        ViewMut { layout: self.layout.clone(), data: self.data }
    }

    /// The elements as one slice, if they are contiguous, aligned and of type `T`.
    pub fn as_slice_mut<T: Element>(&mut self) -> Option<&mut [T]> {
        if T::DTYPE != self.dtype() {
            return None;
        }
        self.bytes_mut().and_then(|bytes| bytemuck::try_cast_slice_mut(bytes).ok())
    }

    /// The bytes of the elements, if they are contiguous.
    pub fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        let n = self.size() * self.dtype().size();
        if n == 0 {
            return Some(bytemuck::cast_slice_mut::<u64, u8>(&mut []));
        }
        let offset = self.layout.offset;
        self.layout.is_contiguous().then(|| &mut self.data[offset..offset + n])
    }

    /// Sets every element to the one value whose bytes are `element`.
    pub fn fill(&mut self, element: &[u8]) -> Result<()> {
        let shape = self.layout.shape.clone();
        let strides = Strides::from_elem(0, shape.len());
        View::strided(element, self.layout.dtype, 0, shape, strides)?.copy_to(self)
    }
}

/// One axis of a copy: length, step in the source, step in the target.
type Axis = (usize, isize, isize);

/// Copies between two layouts of the same shape and dtype, neither of them empty.
fn copy_strided(src: &[u8], from: &Layout, dst: &mut [u8], to: &Layout) {
    let width = from.dtype.size();
    let axes = merged_axes(from, to);
    let (from, to) = (from.offset, to.offset);
    let last = axes.last().copied();
    if last.is_none_or(|(_, s, d)| s == width as isize && d == width as isize) {
        let bytes = last.map_or(1, |(n, ..)| n) * width;
        let outer = &axes[..axes.len().saturating_sub(1)];
        return walk(outer, from as isize, to as isize, &mut |s, d| {
            dst[d..d + bytes].copy_from_slice(&src[s..s + bytes]);
        });
    }
    match width {
        1 => copy_elements::<u8>(src, from, dst, to, &axes),
        2 => copy_elements::<u16>(src, from, dst, to, &axes),
        4 => copy_elements::<u32>(src, from, dst, to, &axes),
        8 => copy_elements::<u64>(src, from, dst, to, &axes),
        _ => copy_elements::<[u64; 2]>(src, from, dst, to, &axes),
    }
}

/// The axes of a copy with those of length 1 left out and neighbours merged where both sides run through.
fn merged_axes(from: &Layout, to: &Layout) -> SmallVec<[Axis; 6]> {
    let mut axes: SmallVec<[Axis; 6]> = SmallVec::new();
    for k in 0..from.shape.len() {
        let (n, s, d) = (from.shape[k], from.strides[k], to.strides[k]);
        if n == 1 {
            continue;
        }
        match axes.last_mut() {
            Some(outer) if outer.1 == s * n as isize && outer.2 == d * n as isize => *outer = (outer.0 * n, s, d),
            _ => axes.push((n, s, d)),
        }
    }
    axes
}

/// Calls `visit` with both byte positions for every index of `axes`, in C order.
fn walk(axes: &[Axis], s: isize, d: isize, visit: &mut impl FnMut(usize, usize)) {
    match axes {
        [] => visit(s as usize, d as usize),
        [(n, ss, ds), rest @ ..] => {
            for i in 0..*n as isize {
                walk(rest, s + i * ss, d + i * ds, visit);
            }
        }
    }
}

/// Copies element by element. Where the two sides run along different axes, both are walked in small squares, so that each cache
/// line is used whole before it is dropped.
fn copy_elements<W: Pod>(src: &[u8], from: usize, dst: &mut [u8], to: usize, axes: &[Axis]) {
    const SQUARE: usize = 32;
    let last = axes.len() - 1;
    let narrow = (0..last).min_by_key(|&k| axes[k].1.unsigned_abs()).filter(|&k| axes[k].1.abs() < axes[last].1.abs());
    let Some(across) = narrow else {
        let (n, ss, ds) = axes[last];
        return walk(&axes[..last], from as isize, to as isize, &mut |s, d| copy_line::<W>(src, s, ss, dst, d, ds, n));
    };
    let outer: SmallVec<[Axis; 6]> =
        axes.iter().enumerate().filter(|&(k, _)| k != across && k != last).map(|(_, a)| *a).collect();
    let ((n0, s0, d0), (n1, s1, d1)) = (axes[across], axes[last]);
    walk(&outer, from as isize, to as isize, &mut |s, d| {
        for i in (0..n0).step_by(SQUARE) {
            for j in (0..n1).step_by(SQUARE) {
                for k in i..(i + SQUARE).min(n0) {
                    let (k, j0) = (k as isize, j as isize);
                    let at = (s as isize + k * s0 + j0 * s1) as usize;
                    let to = (d as isize + k * d0 + j0 * d1) as usize;
                    copy_line::<W>(src, at, s1, dst, to, d1, SQUARE.min(n1 - j));
                }
            }
        }
    });
}

#[inline(always)]
fn copy_line<W: Pod>(src: &[u8], s: usize, ss: isize, dst: &mut [u8], d: usize, ds: isize, n: usize) {
    let width = size_of::<W>();
    for i in 0..n as isize {
        let (s, d) = ((s as isize + i * ss) as usize, (d as isize + i * ds) as usize);
        let word: W = bytemuck::pod_read_unaligned(&src[s..s + width]);
        dst[d..d + width].copy_from_slice(bytemuck::bytes_of(&word));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_equal_index_arithmetic_for_any_strides() {
        let src: Vec<u16> = (0..6 * 70 * 40).collect();
        let bytes: &[u8] = bytemuck::cast_slice(&src);
        let shape = [40usize, 6, 70];
        let strides: [isize; 3] = [2, 70 * 40 * 2, 40 * 2];
        let view = View::strided(bytes, DType::U16, 0, shape, strides).unwrap();
        let mut out = vec![0u16; src.len()];
        view.copy_to(&mut ViewMut::new(bytemuck::cast_slice_mut(&mut out), &shape, DType::U16).unwrap()).unwrap();
        for i in 0..40 {
            for j in 0..6 {
                for k in 0..70 {
                    assert_eq!(out[(i * 6 + j) * 70 + k], src[(j * 70 + k) * 40 + i]);
                }
            }
        }
    }

    #[test]
    fn negative_and_zero_strides() {
        let src = [1u8, 2, 3, 4];
        let flipped = View::strided(&src, DType::U8, 3, [4usize], [-1isize]).unwrap();
        let repeated = View::strided(&src, DType::U8, 1, [3usize], [0isize]).unwrap();
        let mut out = [0u8; 4];
        flipped.copy_to(&mut ViewMut::new(&mut out, &[4], DType::U8).unwrap()).unwrap();
        assert_eq!(out, [4, 3, 2, 1]);
        let mut out = [0u8; 3];
        repeated.copy_to(&mut ViewMut::new(&mut out, &[3], DType::U8).unwrap()).unwrap();
        assert_eq!(out, [2, 2, 2]);
    }

    #[test]
    fn views_that_leave_their_bytes_are_refused() {
        assert!(View::new(&[0; 7], &[4], DType::U16).is_err());
        assert!(View::strided(&[0; 8], DType::U16, 0, [2usize], [-2isize]).is_err());
    }
}
