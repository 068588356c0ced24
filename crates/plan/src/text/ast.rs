//! The tree of an expression, as a list in which children come before their parents.
//!
//! The order of the list is the order of evaluation, so neither evaluating nor dropping a long chain of operators recurses.

use voxmill_core::Scalar;

use super::source::Span;

/// Position of a node in [`Ast::nodes`].
pub(super) type Id = usize;

/// The statements of a text; the last node is the result.
#[derive(Debug, Default)]
pub(super) struct Ast {
    pub nodes: Vec<Node>,
}

#[derive(Debug)]
pub(super) struct Node {
    pub kind: NodeKind,
    pub span: Span,
}

#[derive(Debug)]
pub(super) enum NodeKind {
    Number(Scalar),
    Text(String),
    None,
    Ellipsis,
    Name(String),
    List(Vec<Id>),
    /// `{"name": value}`, for parameters that map names to values.
    Dict(Vec<(String, Id)>),
    Unary(&'static Operator, Id),
    Binary(&'static Operator, Id, Id),
    Attribute(Id, String),
    Call(Id, Vec<Argument>),
    Index(Id, Vec<Id>),
    Slice([Option<Id>; 3]),
    Assign(String, Id),
}

/// An argument of a call, with its name if it has one.
#[derive(Debug)]
pub(super) struct Argument {
    pub name: Option<(String, Span)>,
    pub value: Id,
}

/// An operator: its spelling, how tightly it binds, and the op it stands for.
#[derive(Debug)]
pub(super) struct Operator {
    pub mark: &'static str,
    pub power: u8,
    pub op: &'static str,
}

const fn operator(mark: &'static str, power: u8, op: &'static str) -> Operator {
    Operator { mark, power, op }
}

/// How tightly comparisons bind; they do not chain.
pub(super) const COMPARE: u8 = 1;

/// How tightly `**` binds; it groups from the right.
pub(super) const POWER: u8 = 9;

/// Operators between two values, in Python's order of precedence.
pub(super) static BINARY: [Operator; 19] = [
    operator("==", COMPARE, "equal"),
    operator("!=", COMPARE, "not_equal"),
    operator("<", COMPARE, "less"),
    operator("<=", COMPARE, "less_equal"),
    operator(">", COMPARE, "greater"),
    operator(">=", COMPARE, "greater_equal"),
    operator("|", 2, "bitwise_or"),
    operator("^", 3, "bitwise_xor"),
    operator("&", 4, "bitwise_and"),
    operator("<<", 5, "left_shift"),
    operator(">>", 5, "right_shift"),
    operator("+", 6, "add"),
    operator("-", 6, "subtract"),
    operator("*", 7, "multiply"),
    operator("/", 7, "divide"),
    operator("//", 7, "floor_divide"),
    operator("%", 7, "remainder"),
    operator("@", 7, "matmul"),
    operator("**", POWER, "power"),
];

/// Operators before one value. They bind looser than `**` to their right: `-x**2` is `-(x**2)`.
pub(super) static UNARY: [Operator; 3] =
    [operator("-", 8, "negative"), operator("+", 8, "positive"), operator("~", 8, "invert")];
