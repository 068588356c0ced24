//! The lazy array: an immutable node of an expression.

use std::fmt;
use std::sync::Arc;

use voxmill_core::{ArrayMeta, ChunkGrid, DType, Result, Scalar, Store, check_size};

use crate::Op;

/// A lazy array. Building one checks all arguments and reads nothing; clones are cheap.
#[derive(Clone)]
pub struct Array {
    node: Arc<Node>,
}

struct Node {
    what: What,
    ins: Vec<Array>,
    meta: ArrayMeta,
}

/// What an array is.
#[derive(Debug, Clone)]
pub enum What {
    /// Stored somewhere.
    Source(Arc<dyn Store>),
    /// One value.
    Literal(Scalar),
    /// Computed from the inputs.
    Op(Arc<dyn Op>),
}

impl Array {
    /// The array in `store`.
    pub fn from_store(store: Arc<dyn Store>) -> Array {
        let meta = store.meta().clone();
        Array::from_node(What::Source(store), Vec::new(), meta)
    }

    /// The result of `op` on `ins`. Wrong arguments are found here.
    pub fn from_op(op: Arc<dyn Op>, ins: Vec<Array>) -> Result<Array> {
        let metas: Vec<&ArrayMeta> = ins.iter().map(Array::meta).collect();
        let meta = op.infer(&metas).map_err(|e| e.at(op.def().name))?;
        // Two long axes that broadcast are enough.
        check_size(&meta.shape, meta.dtype).map_err(|e| e.at(op.def().name))?;
        Ok(Array::from_node(What::Op(op), ins, meta))
    }

    /// A bare number, whose dtype adapts to the array it meets (NEP 50).
    pub fn weak(value: impl Into<Scalar>) -> Array {
        let value = value.into();
        let mut meta = ArrayMeta::new([], value.default_dtype());
        meta.weak = Some(value);
        Array::from_node(What::Literal(value), Vec::new(), meta)
    }

    /// A rank-0 array of one value with a dtype of its own.
    pub fn scalar(value: impl Into<Scalar>, dtype: DType) -> Array {
        Array::from_node(What::Literal(value.into()), Vec::new(), ArrayMeta::new([], dtype))
    }

    /// The same array with other declared chunks. Reads nothing and changes no value.
    #[must_use]
    pub fn with_grid(&self, grid: ChunkGrid) -> Array {
        let node = &self.node;
        Array::from_node(node.what.clone(), node.ins.clone(), node.meta.clone().with_grid(grid))
    }

    fn from_node(what: What, ins: Vec<Array>, meta: ArrayMeta) -> Array {
        Array { node: Arc::new(Node { what, ins, meta }) }
    }

    /// What it is.
    pub fn what(&self) -> &What {
        &self.node.what
    }

    /// The op, if it is computed.
    pub fn op(&self) -> Option<&Arc<dyn Op>> {
        match &self.node.what {
            What::Op(op) => Some(op),
            _ => None,
        }
    }

    /// The inputs of the op.
    pub fn ins(&self) -> &[Array] {
        &self.node.ins
    }

    /// Shape, dtype and declared chunks.
    pub fn meta(&self) -> &ArrayMeta {
        &self.node.meta
    }

    /// Length of each axis.
    pub fn shape(&self) -> &[usize] {
        &self.node.meta.shape
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.node.meta.rank()
    }

    /// Number of elements.
    pub fn size(&self) -> usize {
        self.node.meta.size()
    }

    /// Element type.
    pub fn dtype(&self) -> DType {
        self.node.meta.dtype
    }

    /// Address of the shared node: equal for clones.
    pub fn key(&self) -> usize {
        Arc::as_ptr(&self.node) as usize
    }
}

impl Drop for Node {
    /// Takes long chains apart in a loop: a hundred thousand steps would overflow the stack one inside the other.
    fn drop(&mut self) {
        let mut stack = std::mem::take(&mut self.ins);
        while let Some(array) = stack.pop() {
            if let Some(mut node) = Arc::into_inner(array.node) {
                stack.append(&mut node.ins);
            }
        }
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match &self.node.what {
            What::Source(store) => store.spec().to_string(),
            What::Literal(value) => value.to_string(),
            What::Op(op) => op.def().name.to_string(),
        };
        write!(f, "Array({what}, {:?}, {})", self.shape(), self.dtype())
    }
}
