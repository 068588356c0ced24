//! No text makes the parsers panic.

use proptest::prelude::*;

use super::{Files, run, toys};
use crate::text::{Pipeline, parse_index};

/// Pieces from which nearly valid expressions are made.
const PIECES: [&str; 56] = [
    "x",
    "y",
    "a",
    "1",
    "2.5",
    "1e308",
    "0",
    "-",
    "+",
    "*",
    "/",
    "//",
    "%",
    "**",
    "@",
    "(",
    ")",
    "[",
    "]",
    ",",
    ":",
    ".",
    "...",
    "==",
    "<",
    ">",
    "&",
    "|",
    "^",
    "~",
    "<<",
    ">>",
    "=",
    ";",
    "\n",
    "#",
    "'s'",
    "\"",
    "\\",
    "None",
    "True",
    "mean",
    "clip",
    "concatenate",
    ".shape",
    ".T",
    "axis=",
    "np.",
    "open(",
    "len(",
    "int(",
    "nan",
    "2j",
    "9223372036854775807",
    "ü",
    " ",
];

const PIPELINE: &str = r#"
[inputs]
raw = "raw.zarr"
mask = { path = "mask.npy", crop = "0:2, :", dtype = "bool" }
[[steps]]
name = "smooth"
op = "gaussian_filter"
inputs = ["raw"]
sigma = [1, 2, 2]
[[steps]]
name = "bright"
expr = "smooth > k * smooth.mean()"
k = 1.5
[outputs]
"out.zarr" = { from = "bright", chunks = [64, 64, 64], codec = "zstd", overwrite = true }
"b.npy" = "smooth"
"#;

/// Reads, changes and builds a pipeline; all of it may fail, none of it may panic.
fn build(text: &str) {
    if let Ok(mut pipeline) = Pipeline::parse(text) {
        let _ = pipeline.set("smooth.sigma=3", &toys::TABLE);
        let _ = pipeline.build(&toys::TABLE, &Files, std::path::Path::new("folder"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_answered(text in "\\PC{0,60}") {
        let _ = run(&text);
        let _ = parse_index(&text, &toys::TABLE);
    }

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let text = String::from_utf8_lossy(&bytes);
        let _ = run(&text);
        build(&text);
    }

    #[test]
    fn nearly_valid_text_is_answered(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..24)) {
        let text = pieces.concat();
        let _ = run(&text);
        let _ = parse_index(&text, &toys::TABLE);
    }

    #[test]
    fn changed_expressions_are_answered(at in 0usize..60, n in 0usize..8, with in prop::sample::select(&PIECES[..])) {
        let text = "a = clip(x[0, 1:3:2, ...], 0, max=2.5e3); (a + 1).mean(axis=(0, -1)) ** 2";
        let _ = run(&changed(text, at, n, with));
    }

    #[test]
    fn changed_pipelines_are_answered(at in 0usize..500, n in 0usize..20, with in "\\PC{0,4}|\n|\"|=|\\[|\\]|\\{") {
        build(&changed(PIPELINE, at, n, &with));
    }

    #[test]
    fn any_assignment_is_answered(text in "(smooth|bright|inputs|outputs|x)?\\.?(sigma|k|raw|expr)?=?\\PC{0,10}") {
        if let Ok(mut pipeline) = Pipeline::parse(PIPELINE) {
            let _ = pipeline.set(&text, &toys::TABLE);
        }
    }
}

/// `text` with `n` characters at `at` replaced.
fn changed(text: &str, at: usize, n: usize, with: &str) -> String {
    let head: String = text.chars().take(at).collect();
    let tail: String = text.chars().skip(at + n).collect();
    format!("{head}{with}{tail}")
}

#[test]
fn the_pipeline_that_is_changed_is_valid() {
    let pipeline = Pipeline::parse(PIPELINE).unwrap();
    assert_eq!(pipeline.build(&toys::TABLE, &Files, std::path::Path::new("folder")).unwrap().len(), 2);
}
