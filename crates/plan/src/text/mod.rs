//! Arrays from text: expressions as in NumPy (`smooth > smooth.mean()`) and pipelines in TOML.
//!
//! Reading order: `token` (letters to words), `ast` and `parse` (words to a tree), `eval` (the tree to a [`Term`], most often a lazy
//! [`Array`](crate::Array)), `call` (how arguments become inputs and parameters of an op), [`pipeline`] (named steps in a file).
//!
//! Nothing here knows a single op: names are looked up in the [`OpTable`](crate::OpTable), so an op that enters the table can be
//! written at once. Nothing is read or computed either; files are opened through [`Opener`].
//!
//! Every mistake is an error that shows its place in the text. No text, however long or deeply nested, makes this code panic.

mod ast;
mod call;
mod eval;
mod fold;
mod index;
mod names;
mod parse;
pub mod pipeline;
mod source;
mod term;
mod token;

#[cfg(test)]
mod tests;

pub use call::signature;
pub use eval::{Opener, Scope, evaluate, free_names, parse_index};
pub use pipeline::{Output, OutputOptions, Pipeline};
pub use source::Span;
pub use term::Term;
