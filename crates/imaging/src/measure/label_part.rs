//! `label_part` (internal)

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, Chunk, ChunkGrid, DType, Error, Region, Result, Scalar, View, ViewMut, dispatch};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::blocks;
use crate::family::grid::Grid;
use crate::filter::line::lost;
use crate::numeric::components::{self, Member, Touching, Truth};

/// Components of each block for itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelPart {
    /// Which neighbours belong together.
    pub structure: Grid,
    /// What is no object; everything but zero is one for truth values.
    pub background: i64,
    /// Lengths of the blocks.
    pub block: Vec<usize>,
    /// Shape of the array.
    pub shape: Vec<usize>,
    /// What follows from these, which is asked for with every tile.
    #[serde(skip)]
    pub prepared: OnceLock<Arc<(ChunkGrid, Touching)>>,
}

/// The op `label_part`.
pub static DEF: OpDef = OpDef {
    name: "label_part",
    theme: "measure",
    summary: "Internal: connected components of blocks, each numbered for itself.",
    doc: "",
    inputs: Inputs::Named(&["input"]),
    params: &[
        Param {
            name: "structure",
            kind: "nested list of 0 and 1",
            default: None,
            doc: "which neighbours belong together",
        },
        Param { name: "background", kind: "int", default: None, doc: "the value that is no object" },
        Param { name: "block", kind: "list of int", default: None, doc: "lengths of the blocks" },
        Param { name: "shape", kind: "list of int", default: None, doc: "shape of the array" },
    ],
    form: Form::Kernel,
    cost: 2.0,
    hold: true,
    build: params::build::<LabelPart>,
    samples: || {
        let one = |structure: Value, background: i64, block: &[usize], shape: &[usize], dtype| Sample {
            params: json!({"structure": structure, "background": background, "block": block, "shape": shape}),
            ins: vec![SampleInput::new(shape, dtype).between(0.0, 3.0)],
        };
        let cross = json!([[0, 1, 0], [1, 1, 1], [0, 1, 0]]);
        vec![
            one(cross.clone(), 0, &[4, 3], &[9, 11], DType::Bool),
            one(json!([[1, 1, 1], [1, 1, 1], [1, 1, 1]]), 1, &[5, 20], &[9, 11], DType::U8),
            one(json!([[1, 0, 0], [0, 1, 0], [0, 0, 1]]), 0, &[9, 11], &[9, 11], DType::I64),
            one(json!([1, 1, 1]), 0, &[2], &[0], DType::Bool),
        ]
    },
};

impl LabelPart {
    fn prepared(&self) -> &(ChunkGrid, Touching) {
        self.prepared.get_or_init(|| {
            let block: Vec<usize> = self.block.iter().map(|&n| n.max(1)).collect();
            Arc::new((ChunkGrid::even(&self.shape, &block), Touching::new(&self.structure)))
        })
    }

    /// Labels one block.
    fn label(&self, x: &View<'_>, shape: &[usize], out: &mut [u32]) -> Result<()> {
        let touching = &self.prepared().1;
        if x.dtype() == DType::Bool {
            let bytes = x.bytes().ok_or_else(lost)?;
            // Bytes that came from outside may say true in other ways than 1.
            let x: Vec<Truth> = bytes.iter().map(|&b| Truth(u8::from(b != 0))).collect();
            components::label_truth(&x, shape, touching, out);
            return Ok(());
        }
        dispatch!(int x.dtype(), T => {
            let x = x.as_slice::<T>().ok_or_else(lost)?;
            by_value(x, shape, self.background, touching, out)
        }, else Err(Error::internal("objects are whole numbers or truth values")))
    }
}

/// Components of equal values.
fn by_value<T: Member + voxmill_core::Element>(
    x: &[T],
    shape: &[usize],
    background: i64,
    touching: &Touching,
    out: &mut [u32],
) -> Result<()> {
    components::label(x, shape, T::from_scalar(Scalar::Int(background.into())), touching, out);
    Ok(())
}

impl Op for LabelPart {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        let grid = blocks::cut(&ins[0].shape, &self.block)?;
        if self.shape[..] != ins[0].shape[..] || self.structure.shape != vec![3; ins[0].rank()] {
            return Err(Error::internal("a structure or shape does not suit the array"));
        }
        Ok(ArrayMeta::new(&ins[0].shape, DType::U32).with_grid(grid))
    }

    fn blocks(&self) -> Option<&ChunkGrid> {
        Some(&self.prepared().0)
    }

    fn reads(&self, out: &Region, _ins: &[&ArrayMeta]) -> Vec<Region> {
        vec![out.clone()]
    }

    fn scratch(&self, out: &Region, _reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        let block: usize = self.block.iter().zip(&out.shape).map(|(&b, &n)| b.min(n)).product();
        let width = self.block.last().copied().unwrap_or(1);
        // A copy of the block's input and numbers where a box has several blocks, and the truth values of bytes.
        (block * (2 * ins[0].dtype.size() + 4)) as u64 + components::scratch(block, width) + 256
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let grid = &self.prepared().0;
        let numbers = grid.numbers_touching(at.out);
        if let [only] = numbers[..]
            && grid.region(only) == *at.out
        {
            return self.label(&ins[0], &at.out.shape, out.as_slice_mut::<u32>().ok_or_else(lost)?);
        }
        for number in numbers {
            let block = grid.region(number).relative_to(&at.out.start);
            let mut x = Chunk::new(&block.shape, ins[0].dtype())?;
            ins[0].part(&block).copy_to(&mut x.view_mut()?)?;
            let mut labels = Chunk::new(&block.shape, DType::U32)?;
            self.label(&x.view(), &block.shape, labels.view_mut()?.as_slice_mut::<u32>().ok_or_else(lost)?)?;
            labels.view().copy_to(&mut out.part(&block))?;
        }
        Ok(())
    }
}

/// True for the types that objects can be told apart by.
pub fn is_countable(dtype: DType) -> bool {
    dtype.is_exact()
}
