//! The one trait of all operations, and the description from which help, pipelines and tests are made.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use voxmill_core::{ArrayMeta, ChunkGrid, DType, Error, Region, Result, View, ViewMut};

use crate::Array;

/// An operation with its parameters. It answers questions about boxes; it never sees chunks, files or threads.
pub trait Op: Any + Send + Sync + fmt::Debug {
    /// Name, documentation, parameters, samples.
    fn def(&self) -> &'static OpDef;

    /// A word for people: the op's name, or that of the user's function it calls.
    fn title(&self) -> &str {
        self.def().name
    }

    /// The parameters, from which [`OpDef::build`] makes an equal op again.
    fn params(&self) -> Value;

    /// Shape, dtype and declared chunks of the result. The only place where arguments are checked.
    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta>;

    /// The same result in simpler ops. `None` for an op that has a kernel of its own for these inputs.
    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let _ = ins;
        Ok(None)
    }

    /// The box of each input that the box `out` of the result depends on. An empty box means that the input is not needed.
    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region>;

    /// The boxes that the result is made in as a whole, one task each: the blocks that a user's function sees. `None` where any box can
    /// be made for itself.
    fn blocks(&self) -> Option<&ChunkGrid> {
        None
    }

    /// Bytes that [`Op::run`] allocates beside its output.
    fn scratch(&self, out: &Region, reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        let _ = (out, reads, ins);
        0
    }

    /// Nanoseconds that the box `out` takes on one core, roughly. The default multiplies [`OpDef::cost`] with the elements of the result or
    /// of the largest input; ops whose work grows faster than their boxes, such as products of matrices, say it themselves.
    fn work(&self, out: &Region, reads: &[&Region]) -> f64 {
        let elements = reads.iter().map(|read| read.size()).fold(out.size(), usize::max);
        elements as f64 * f64::from(self.def().cost)
    }

    /// For [`Form::Map`]: the loop over runs of elements. Inputs have exactly the dtypes that `expand` left them with.
    fn kernel(&self, ins: &[&ArrayMeta]) -> Result<MapKernel> {
        let _ = ins;
        Err(Error::internal(format!("{} has no element-wise kernel", self.def().name)))
    }

    /// For [`Form::Restride`]: the result as another look at the bytes of the only input.
    fn restride<'a>(&self, at: &Place<'_>, input: &View<'a>) -> Result<View<'a>> {
        let _ = (at, input);
        Err(Error::internal(format!("{} cannot be expressed by strides", self.def().name)))
    }

    /// For [`Form::Kernel`]: fills `out`. Inputs are the boxes from [`Op::reads`], C-ordered without gaps; a box that is empty comes
    /// as an empty view. `out` is C-ordered without gaps, and every element must be written.
    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let _ = (at, ins, out);
        Err(Error::internal(format!("{} has no kernel", self.def().name)))
    }

    /// For [`Form::Kernel`] with one input: true if [`Op::taker`] can take its box run by run, so that it need not lie in memory.
    fn takes_runs(&self, read: &Region, ins: &[&ArrayMeta]) -> bool {
        let _ = (read, ins);
        false
    }

    /// What takes the elements of the only input in C order, as they are made, in place of [`Op::run`]. The result is the same bits.
    fn taker(&self, at: &Place<'_>) -> Result<Box<dyn Taker>> {
        let _ = at;
        Err(Error::internal(format!("{} takes no runs", self.def().name)))
    }
}

/// Takes the elements of a box in C order, and gives a box of the result when it has them all.
pub trait Taker {
    /// The next elements, aligned to their type.
    fn take(&mut self, run: &[u8]);

    /// Fills the box of the result. Called once, after the last run.
    fn finish(&mut self, out: &mut ViewMut<'_>) -> Result<()>;
}

/// Which boxes a kernel works on, and which arrays they are cut from: a box that ends where its array ends is at a real border.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The box of the result.
    pub out: &'a Region,
    /// The whole result.
    pub out_meta: &'a ArrayMeta,
    /// The boxes of the inputs.
    pub reads: &'a [Region],
    /// The whole inputs.
    pub ins: &'a [&'a ArrayMeta],
    /// Rows attached to elements of the inputs and of the result.
    pub rows: &'a dyn RowBook,
}

/// Bytes attached to an element of an array, as many as an op likes: what tiles tell each other where a fixed number of values per tile
/// is not enough, such as which objects touch. Nobody knows their number before they are made, so they count as held when they are there.
pub type Rows = Arc<[u8]>;

/// Where an op finds the rows of its inputs, and leaves its own. An array with rows is held ([`OpDef::hold`]), and its users see it as
/// they see any other array: the rows come with the box.
pub trait RowBook: fmt::Debug {
    /// The rows of the element `at` of input number `input`; none where nothing was attached.
    fn rows(&self, input: usize, at: &[usize]) -> Result<Rows>;

    /// Attaches rows to the element `at` of the result.
    fn attach(&self, at: &[usize], rows: Vec<u8>);
}

/// For ops on arrays without rows.
#[derive(Debug, Clone, Copy)]
pub struct NoRows;

impl RowBook for NoRows {
    fn rows(&self, _input: usize, _at: &[usize]) -> Result<Rows> {
        Ok(Rows::from([]))
    }

    fn attach(&self, _at: &[usize], _rows: Vec<u8>) {}
}

/// How an op works, which decides how it is fused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Each element of the result from the same element of every input (after broadcasting).
    Map,
    /// The same elements at other places, expressible by strides.
    Restride,
    /// A kernel over whole boxes.
    Kernel,
    /// Never run: always expands.
    Composite,
}

/// A loop over one run of elements: input runs and output run have the same number of elements and are aligned to their types.
#[derive(Clone)]
pub struct MapKernel(pub Arc<RunLoop>);

/// Input runs, output run.
pub type RunLoop = dyn Fn(&[&[u8]], &mut [u8]) + Send + Sync;

impl fmt::Debug for MapKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MapKernel")
    }
}

/// What an op takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inputs {
    /// These inputs, in this order.
    Named(&'static [&'static str]),
    /// Any number of at least one input.
    Many(&'static str),
}

/// One parameter, for help and for messages.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    /// Name, as in NumPy or scipy.
    pub name: &'static str,
    /// What may be given, in words: `"float or list of float"`.
    pub kind: &'static str,
    /// The default as JSON; `None` if the parameter must be given.
    pub default: Option<&'static str>,
    /// What it does.
    pub doc: &'static str,
}

/// Everything about an op that does not depend on its parameters.
pub struct OpDef {
    /// Name, as in NumPy, scipy or scikit-image.
    pub name: &'static str,
    /// The chapter it belongs to: the folder of its file.
    pub theme: &'static str,
    /// One line: what you get.
    pub summary: &'static str,
    /// Rules for dtype, borders, NaN, rounding and empty input; differences from the reference.
    pub doc: &'static str,
    /// Inputs.
    pub inputs: Inputs,
    /// Parameters in their positional order.
    pub params: &'static [Param],
    /// How it works.
    pub form: Form,
    /// Nanoseconds per element of the result, or of the largest input if that has more, on one core, roughly: the planner weighs
    /// holding against computing again. See [`Op::work`].
    pub cost: f32,
    /// The result is small next to what it is made from and serves many tasks, so it always becomes a stage of its own.
    pub hold: bool,
    /// Makes the op from its parameters (a JSON object).
    pub build: fn(&Value) -> Result<Arc<dyn Op>>,
    /// Cases on which the table-wide tests run.
    pub samples: fn() -> Vec<Sample>,
}

impl fmt::Debug for OpDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OpDef({})", self.name)
    }
}

/// One case for the table-wide tests.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Parameters, as for [`OpDef::build`].
    pub params: Value,
    /// Inputs, filled with random values.
    pub ins: Vec<SampleInput>,
}

/// An input of a [`Sample`]: random values between `low` and `high`.
#[derive(Debug, Clone)]
pub struct SampleInput {
    /// Shape.
    pub shape: Vec<usize>,
    /// Element type.
    pub dtype: DType,
    /// Smallest value.
    pub low: f64,
    /// Largest value.
    pub high: f64,
}

impl SampleInput {
    /// An input with values that suit most ops: -100 to 100, or 0 to 100 for unsigned.
    pub fn new(shape: &[usize], dtype: DType) -> Self {
        let low =
            if matches!(dtype.kind(), voxmill_core::Kind::Unsigned | voxmill_core::Kind::Bool) { 0.0 } else { -100.0 };
        SampleInput { shape: shape.to_vec(), dtype, low, high: 100.0 }
    }

    /// The same input with other values.
    #[must_use]
    pub fn between(mut self, low: f64, high: f64) -> Self {
        (self.low, self.high) = (low, high);
        self
    }
}

/// All ops of a build, by name.
#[derive(Debug, Clone, Copy)]
pub struct OpTable {
    themes: &'static [&'static [&'static OpDef]],
}

impl OpTable {
    /// A table of these ops, theme by theme.
    pub const fn new(themes: &'static [&'static [&'static OpDef]]) -> Self {
        OpTable { themes }
    }

    /// Every op, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = &'static OpDef> + use<> {
        self.themes.iter().flat_map(|theme| theme.iter().copied())
    }

    /// The op called `name`; the error names the nearest ones.
    pub fn find(&self, name: &str) -> Result<&'static OpDef> {
        self.iter().find(|def| def.name == name).ok_or_else(|| {
            let near = nearest(name, self.iter().map(|def| def.name));
            let hint = if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) };
            Error::not_found(format!("there is no op '{name}'{hint}"))
        })
    }

    /// Builds the op called `name` from a JSON object of parameters.
    pub fn build(&self, name: &str, params: &Value) -> Result<Arc<dyn Op>> {
        let def = self.find(name)?;
        check_params(def, params)?;
        (def.build)(params).map_err(|e| e.at(name))
    }
}

/// Refuses parameters that the op does not have, and says which it has.
fn check_params(def: &OpDef, params: &Value) -> Result<()> {
    let Some(object) = params.as_object() else {
        return Err(Error::invalid(format!("parameters of {} must be named, got {params}", def.name)));
    };
    for name in object.keys() {
        if !def.params.iter().any(|p| p.name == name) {
            let known: Vec<_> = def.params.iter().map(|p| p.name).collect();
            let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
            return Err(Error::invalid(format!("{} has no parameter '{name}'; it takes {known}", def.name)));
        }
    }
    for param in def.params {
        if param.default.is_none() && !object.contains_key(param.name) {
            return Err(Error::invalid(format!(
                "{} needs the parameter '{}' ({}): {}",
                def.name, param.name, param.kind, param.doc
            )));
        }
    }
    Ok(())
}

/// Up to three names close to `name`, nearest first.
pub fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut scored: Vec<(usize, &str)> = names
        .map(|other| (if other.contains(name) && name.len() > 2 { 1 } else { edit_distance(name, other) }, other))
        .filter(|(distance, other)| *distance <= 1 + other.len().min(name.len()) / 4)
        .collect();
    scored.sort();
    scored.into_iter().take(3).map(|(_, other)| other).collect()
}

/// Number of single-letter changes between two words.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let change = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_slips_find_their_word() {
        let names = ["gaussian_filter", "sum", "sqrt", "square"];
        assert_eq!(nearest("gausian_filter", names.into_iter()), ["gaussian_filter"]);
        assert_eq!(nearest("gaussian", names.into_iter()), ["gaussian_filter"]);
        assert!(nearest("fft", names.into_iter()).is_empty());
    }
}
