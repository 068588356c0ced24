//! `reshape`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, Axis, AxisCuts, ChunkGrid, DType, Error, Region, Result, View, ViewMut};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::expand_dims::ExpandDims;
use super::squeeze::Squeeze;
use crate::family::boxes::{collapse, for_each_run, input_bytes, linear_index, nothing, output_bytes};
use crate::family::composite::params_of;
use crate::family::map::expect_inputs;
use crate::family::params::{self, Axes};

/// The same elements in C order under another shape.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reshape {
    /// The new shape; one length may be -1.
    pub shape: Axes,
}

impl Reshape {
    /// `array` under `shape`, which has the same number of elements.
    pub fn apply(array: &Array, shape: &[usize]) -> Result<Array> {
        if array.shape() == shape {
            return Ok(array.clone());
        }
        let shape = Axes::Many(shape.iter().map(|&n| n as i64).collect());
        Array::from_op(Arc::new(Reshape { shape }), vec![array.clone()])
    }

    /// The new shape of an array of `size` elements.
    fn resolve(&self, size: usize) -> Result<Vec<usize>> {
        let lengths = match &self.shape {
            Axes::One(n) => std::slice::from_ref(n),
            Axes::Many(list) => list,
        };
        let refuse = || Err(Error::invalid(format!("an array of {size} elements cannot get the shape {lengths:?}")));
        if lengths.iter().any(|&n| n < -1) {
            return Err(Error::invalid(format!("negative lengths in shape {lengths:?}; one may be -1")));
        }
        if lengths.iter().filter(|&&n| n == -1).count() > 1 {
            return Err(Error::invalid("only one length can be -1"));
        }
        let known = lengths.iter().filter(|&&n| n >= 0).try_fold(1usize, |p, &n| p.checked_mul(n as usize));
        let Some(known) = known else { return refuse() };
        let open = lengths.contains(&-1);
        if (open && (known == 0 || !size.is_multiple_of(known))) || (!open && known != size) {
            return refuse();
        }
        Ok(lengths.iter().map(|&n| if n == -1 { size / known } else { n as usize }).collect())
    }
}

/// The op `reshape`.
pub static DEF: OpDef = OpDef {
    name: "reshape",
    theme: "shape",
    summary: "The same elements in C order under another shape.",
    doc: "One length may be -1: it is what remains. A box of the result reads the smallest box of the input around its elements; where \
          groups of axes have the same number of elements before and after, they are mapped on their own, so that leading and \
          trailing axes that stay cost nothing.",
    inputs: Inputs::Named(&["x"]),
    params: &[Param { name: "shape", kind: "int or list of int", default: None, doc: "the new shape; one may be -1" }],
    form: Form::Kernel,
    cost: 0.2,
    hold: false,
    build: params::build::<Reshape>,
    samples: || {
        let one = |shape: &[i64], from: &[usize], dtype| Sample {
            params: json!({"shape": shape}),
            ins: vec![SampleInput::new(from, dtype)],
        };
        vec![
            one(&[35], &[5, 7], DType::F32),
            one(&[4, -1], &[24], DType::U8),
            one(&[6, 4, 5], &[4, 6, 5], DType::I16),
            one(&[6, 2, 10], &[2, 3, 4, 5], DType::C128),
            one(&[1, 3, 1, 8, 1], &[3, 2, 4], DType::F64),
            one(&[9, 4], &[6, 6], DType::U16),
            one(&[], &[1, 1], DType::Bool),
            one(&[1, 1], &[], DType::Bool),
            one(&[5, 0], &[0, 3], DType::F16),
        ]
    },
};

impl Op for Reshape {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        let input = ins[0];
        let shape = self.resolve(input.size())?;
        let mut grid = ChunkGrid::single(&shape);
        let mut axes = vec![Axis::default(); shape.len()];
        for group in groups(&input.shape, &shape) {
            if let (&[from], &[to]) = (&group.from[..], &group.to[..]) {
                grid.axes[to] = input.grid.axes[from].clone();
                axes[to] = input.axes.get(from).cloned().unwrap_or_default();
            } else {
                group.cut(input, &shape, &mut grid);
            }
        }
        let mut meta = ArrayMeta::new(&shape, input.dtype).with_grid(grid);
        if axes.iter().any(|axis| *axis != Axis::default()) {
            meta.axes = axes;
        }
        Ok(meta)
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let input = &ins[0];
        let shape = self.resolve(input.size())?;
        if input.shape() == shape {
            return Ok(Some(input.clone()));
        }
        if params_of::<Reshape>(input, &DEF).is_some() {
            return Reshape::apply(&input.ins()[0], &shape).map(Some);
        }
        // Where only axes of length 1 come or go, nothing has to be copied.
        let long = |shape: &[usize]| shape.iter().copied().filter(|&n| n != 1).collect::<Vec<_>>();
        if long(input.shape()) != long(&shape) {
            return Ok(None);
        }
        let ones = |shape: &[usize]| (0..shape.len()).filter(|&k| shape[k] == 1).collect::<Vec<_>>();
        let bare = Squeeze::apply(input, &ones(input.shape()))?;
        ExpandDims::apply(&bare, &ones(&shape)).map(Some)
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let from = &ins[0].shape;
        let shape = self.resolve(ins[0].size()).unwrap_or_default();
        if out.is_empty() {
            return vec![nothing(from.len())];
        }
        let mut read = Region::from_bounds(from.iter().map(|_| (0, 1)));
        for group in groups(from, &shape) {
            group.read(from, &shape, out, &mut read);
        }
        vec![read]
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let width = out.dtype().size();
        let (src, dst) = (input_bytes(&ins[0])?, output_bytes(out)?);
        let (have, full) = collapse(&at.reads[0], &at.ins[0].shape);
        let last = full.len() - 1;
        let n = full[last];
        for_each_run(at.out, &at.out_meta.shape, |mut linear, mut position, mut len| {
            while len > 0 {
                let here = len.min(n - linear % n);
                let mut rest = linear / n;
                let (mut offset, mut step) = (linear % n - have.start[last], have.shape[last]);
                for k in (0..last).rev() {
                    offset += (rest % full[k] - have.start[k]) * step;
                    step *= have.shape[k];
                    rest /= full[k];
                }
                let bytes = here * width;
                dst[position * width..][..bytes].copy_from_slice(&src[offset * width..][..bytes]);
                (linear, position, len) = (linear + here, position + here, len - here);
            }
        });
        Ok(())
    }
}

/// Neighbouring axes, none of length 1, that hold the same elements before and after.
struct Group {
    from: Vec<usize>,
    to: Vec<usize>,
}

/// The smallest groups of axes. Axes of length 1 belong to none.
fn groups(from: &[usize], to: &[usize]) -> Vec<Group> {
    let long = |shape: &[usize]| (0..shape.len()).filter(|&k| shape[k] != 1).collect::<Vec<_>>();
    let (a, b) = (long(from), long(to));
    let mut groups = Vec::new();
    if from.contains(&0) {
        return groups;
    }
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (first_i, first_j) = (i, j);
        let (mut before, mut after) = (from[a[i]], to[b[j]]);
        (i, j) = (i + 1, j + 1);
        while before != after {
            if before < after {
                before *= from[a[i]];
                i += 1;
            } else {
                after *= to[b[j]];
                j += 1;
            }
        }
        groups.push(Group { from: a[first_i..i].to_vec(), to: b[first_j..j].to_vec() });
    }
    groups
}

impl Group {
    /// Sets the axes of `read` to the smallest box around the elements of `out`.
    fn read(&self, from: &[usize], to: &[usize], out: &Region, read: &mut Region) {
        let pick = |f: &dyn Fn(usize) -> usize| self.to.iter().map(|&k| f(k)).collect::<Vec<_>>();
        let shape = pick(&|k| to[k]);
        let mut low = linear_index(&pick(&|k| out.start[k]), &shape);
        let mut high = linear_index(&pick(&|k| out.end(k) - 1), &shape);
        let mut size: usize = self.from.iter().map(|&k| from[k]).product();
        let mut whole = false;
        for &k in &self.from {
            size /= from[k];
            let (a, b) = if whole { (0, from[k] - 1) } else { (low / size, high / size) };
            (read.start[k], read.shape[k]) = (a, b - a + 1);
            whole |= a != b;
            (low, high) = (low % size, high % size);
        }
    }

    /// Cuts the new axes: pieces of about as many elements as the old chunks, contiguous in C order.
    fn cut(&self, input: &ArrayMeta, to: &[usize], grid: &mut ChunkGrid) {
        if let [axis] = self.to[..] {
            // Only the first old axis is cut: its cuts carry over one by one.
            let rows = self.from[1..].iter().map(|&k| input.shape[k]).product::<usize>();
            if self.from[1..].iter().all(|&k| input.grid.axes[k].n_chunks() == 1) {
                let cuts = &input.grid.axes[self.from[0]];
                grid.axes[axis] = match cuts {
                    AxisCuts::Even { len, chunk } => AxisCuts::even(len * rows, chunk * rows),
                    _ => AxisCuts::from_lengths(&cuts.lengths().iter().map(|n| n * rows).collect::<Vec<_>>()),
                };
                return;
            }
        }
        let mut left: usize = self.from.iter().map(|&k| input.grid.axes[k].longest()).product();
        for &k in self.to.iter().rev() {
            let chunk = left.clamp(1, to[k]);
            grid.axes[k] = AxisCuts::even(to[k], chunk);
            left /= chunk;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_pushed_through_tightly() {
        let check = |from: &[usize], to: &[i64], out: Region, want: Region| {
            let op = Reshape { shape: Axes::Many(to.to_vec()) };
            assert_eq!(op.reads(&out, &[&ArrayMeta::new(from, DType::U8)]), [want], "{from:?} to {to:?}");
        };
        let region = |bounds: &[(usize, usize)]| Region::from_bounds(bounds.iter().copied());
        check(&[4, 5, 6], &[20, 6], region(&[(7, 9), (2, 3)]), region(&[(1, 2), (2, 4), (2, 3)]));
        check(&[4, 5, 6], &[20, 6], region(&[(4, 6), (2, 3)]), region(&[(0, 2), (0, 5), (2, 3)]));
        check(&[100], &[10, 10], region(&[(2, 3), (4, 6)]), region(&[(24, 26)]));
        check(&[8, 1, 3], &[2, 4, 1, 3], region(&[(1, 2), (0, 2), (0, 1), (1, 3)]), region(&[(4, 6), (0, 1), (1, 3)]));
    }
}
