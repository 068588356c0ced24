//! `distance_part`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, AxisCuts, ChunkGrid, DType, Error, Region, Result, View, ViewMut};
use voxmill_ops::family::boxes::{elements_mut, nothing};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::sums::{self, Box2};
use crate::numeric::pairs::Target;

/// What is added up over the features of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// `a b`
    Products,
    /// `(a - b)^2`
    Squares,
    /// `|a - b|`
    Differences,
    /// The largest `|a - b|`.
    Largest,
    /// `|a - b|^p`
    Powers,
    /// `|a - b| / (|a| + |b|)`
    Shares,
    /// 1 where they differ.
    Differing,
    /// `|a - b|` and `|a + b|`.
    DifferencesAndSums,
    /// 1 where only one of both is zero, and 1 where not both are.
    OnlyOne,
}

impl Kind {
    /// Number of sums.
    pub fn states(self) -> usize {
        if matches!(self, Kind::DifferencesAndSums | Kind::OnlyOne) { 2 } else { 1 }
    }
}

/// Sums over blocks of features, for all pairs of rows.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DistancePart {
    /// What is added up.
    pub kind: Kind,
    /// The exponent of [`Kind::Powers`].
    #[serde(default = "two")]
    pub p: f64,
    /// Features per block.
    pub block: usize,
    /// Pass over features where a value is negative or NaN.
    #[serde(default)]
    pub known: bool,
    /// Only pairs with `row <= column`; 0 for the others.
    #[serde(default)]
    pub upper: bool,
}

fn two() -> f64 {
    2.0
}

/// The op `distance_part`.
pub static DEF: OpDef = OpDef {
    name: "distance_part",
    theme: "distance",
    summary: "Sums over blocks of features, for all pairs of rows.",
    doc: "Internal: a step of cdist and pdist. The first axis of the result counts the blocks, the second the sums.",
    inputs: Inputs::Named(&["x1", "x2"]),
    params: &[
        Param { name: "kind", kind: "text", default: None, doc: "what is added up" },
        Param { name: "p", kind: "float", default: Some("2"), doc: "the exponent of powers" },
        Param { name: "block", kind: "int", default: None, doc: "features per block" },
        Param { name: "known", kind: "bool", default: Some("false"), doc: "pass over negative values and NaN" },
        Param { name: "upper", kind: "bool", default: Some("false"), doc: "only pairs with row <= column" },
    ],
    form: Form::Kernel,
    cost: 1.0,
    hold: true,
    build: params::build::<DistancePart>,
    samples: || {
        let one = |params: Value, a: &[usize], b: &[usize], dtype: DType, high: f64| Sample {
            params,
            ins: [a, b].map(|shape| SampleInput::new(shape, dtype).between(-3.0, high)).to_vec(),
        };
        let kinds = [
            "products",
            "squares",
            "differences",
            "largest",
            "powers",
            "shares",
            "differing",
            "differences_and_sums",
            "only_one",
        ];
        let mut all = Vec::new();
        for kind in kinds {
            for (dtype, high) in [(DType::I8, 9.0), (DType::I8, 99.0), (DType::F32, 4.0), (DType::I32, 4.0)] {
                for (known, upper) in [(false, false), (false, true), (true, true)] {
                    if known && kind == "products" {
                        continue;
                    }
                    let params = json!({"kind": kind, "p": 3, "block": 7, "known": known, "upper": upper});
                    all.push(one(params, &[9, 17], &[9, 17], dtype, high));
                }
            }
        }
        for p in [1.5, 2.5, 4.0, 5.0, 0.7] {
            let params = json!({"kind": "powers", "p": p, "block": 100});
            all.push(one(params, &[3, 70], &[5, 70], DType::F64, 4.0));
        }
        for dtype in [DType::Bool, DType::U8, DType::U16, DType::F16, DType::F64] {
            all.push(one(json!({"kind": "squares", "block": 700}), &[5, 1300], &[6, 1300], dtype, 100.0));
        }
        all.push(one(json!({"kind": "squares", "block": 8}), &[3, 0], &[2, 0], DType::F32, 1.0));
        all.push(one(json!({"kind": "squares", "block": 8}), &[0, 3], &[2, 3], DType::I8, 1.0));
        all
    },
};

impl DistancePart {
    /// The features of the blocks of `out`.
    fn features(&self, out: &Region, n: usize) -> (usize, usize) {
        ((out.start[0] * self.block).min(n), (out.end(0) * self.block).min(n))
    }

    /// True if no pair of the box is wanted.
    fn is_below(&self, out: &Region) -> bool {
        self.upper && out.start[2] >= out.end(3)
    }
}

impl Op for DistancePart {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        if ins.iter().any(|m| m.rank() != 2) || ins[0].shape[1] != ins[1].shape[1] || self.block == 0 {
            return Err(Error::invalid(
                "pairs need two matrices with the same number of columns, and blocks of features",
            ));
        }
        if ins[0].dtype != ins[1].dtype || ins[0].dtype.is_complex() {
            return Err(Error::invalid(format!("distances are not defined for {} and {}", ins[0].dtype, ins[1].dtype)));
        }
        let n_blocks = ins[0].shape[1].div_ceil(self.block).max(1);
        let axes = vec![
            AxisCuts::even(n_blocks, 1),
            AxisCuts::even(self.kind.states(), 0),
            ins[0].grid.axes[0].clone(),
            ins[1].grid.axes[0].clone(),
        ];
        let grid = ChunkGrid { axes: axes.into_iter().collect() };
        Ok(ArrayMeta::new(grid.shape(), DType::F64).with_grid(grid))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        if out.is_empty() || self.is_below(out) {
            return vec![nothing(2), nothing(2)];
        }
        let features = self.features(out, ins[0].shape[1]);
        let rows = |axis: usize| Region::from_bounds([(out.start[axis], out.end(axis)), features]);
        vec![rows(2), rows(3)]
    }

    fn scratch(&self, out: &Region, _reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        sums::scratch(self, (out.shape[2], out.shape[3]), ins[0].shape[1].min(self.block), ins[0].dtype)
    }

    fn work(&self, out: &Region, reads: &[&Region]) -> f64 {
        // Boxes below the diagonal cost nothing, but tiles are chosen for those that do.
        let features = if self.is_below(out) { out.shape[0] * self.block } else { reads[0].shape[1] };
        let terms = (out.shape[2] * out.shape[3] * features) as f64;
        let per_term = match self.kind {
            Kind::Products | Kind::Squares => 0.02,
            Kind::Powers if (2.0 * self.p).fract() != 0.0 => 10.0,
            Kind::Shares => 0.5,
            _ => 0.12,
        };
        terms * per_term + ((out.shape[2] + out.shape[3]) * features + out.size()) as f64
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let sums = elements_mut::<f64>(out)?;
        sums.fill(0.0);
        if at.out.is_empty() || self.is_below(at.out) {
            return Ok(());
        }
        let (first, last) = self.features(at.out, at.ins[0].shape[1]);
        let upper = self.upper.then_some((at.out.start[2], at.out.start[3]));
        let size: usize = at.out.shape[1..].iter().product();
        for (number, sums) in sums.chunks_exact_mut(size).enumerate() {
            let begin = number * self.block;
            let end = (begin + self.block).min(last - first);
            let mut target = Target {
                sums,
                shape: (at.out.shape[2], at.out.shape[3]),
                states: (at.out.start[1], at.out.shape[1]),
                upper,
            };
            let boxes = [&ins[0], &ins[1]].map(|view| Box2 { view, features: (begin, end) });
            sums::add(self, boxes, &mut target)?;
        }
        Ok(())
    }
}
