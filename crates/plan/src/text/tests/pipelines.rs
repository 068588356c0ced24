//! Pipelines: what they build, and what wrong ones are answered.

use std::path::Path;

use super::{Files, show_array, toys};
use crate::text::Pipeline;

fn build(text: &str, sets: &[&str]) -> voxmill_core::Result<Vec<(String, String)>> {
    let mut pipeline = Pipeline::parse(text)?;
    for set in sets {
        pipeline.set(set, &toys::TABLE)?;
    }
    let outputs = pipeline.build(&toys::TABLE, &Files, Path::new("/data"))?;
    Ok(outputs.into_iter().map(|output| (output.location, show_array(&output.array))).collect())
}

#[track_caller]
fn check(text: &str, sets: &[&str], expected: &[(&str, &str)]) {
    match build(text, sets) {
        Ok(found) => {
            let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (&a[..], &b[..])).collect();
            assert_eq!(found, expected, "{text}");
        }
        Err(error) => panic!("{text}: {error}"),
    }
}

#[track_caller]
fn check_error(text: &str, sets: &[&str], part: &str) {
    match build(text, sets) {
        Ok(found) => panic!("{text} gives {found:?}"),
        Err(error) => assert!(error.to_string().contains(part), "{text}: {error}"),
    }
}

const TWO_STEPS: &str = r#"
[inputs]
raw = "raw.zarr"
[[steps]]
name = "smooth"
op = "gaussian_filter"
inputs = ["raw"]
sigma = 2
[[steps]]
name = "bright"
expr = "smooth > k * 2"
k = 3
[outputs]
"out.zarr" = "bright"
"#;

#[test]
fn steps_chain() {
    let smooth = "gaussian_filter(source[4, 6, 8], sigma=2)";
    check(TWO_STEPS, &[], &[("/data/out.zarr", &format!("greater({smooth}, 6)"))]);
    let sets = ["smooth.sigma=[1, 2, 3]", "smooth.mode=nearest", "bright.k=5", "outputs.out.zarr=other.zarr"];
    let smooth = "gaussian_filter(source[4, 6, 8], mode=\"nearest\", sigma=[1,2,3])";
    check(TWO_STEPS, &sets, &[("other.zarr", &format!("greater({smooth}, 10)"))]);
    let sets = ["inputs.raw=s3://bucket/a.zarr", "bright.expr=smooth + k"];
    check(TWO_STEPS, &sets, &[("/data/out.zarr", "add(gaussian_filter(source[4, 6, 8], sigma=2), 3)")]);
}

#[test]
fn defaults_fill_the_gaps() {
    // The previous step, the only input, and steps without names.
    let text = r#"
        inputs.raw = { path = "/raw.zarr", crop = "0:2", dtype = "float32" }
        [[steps]]
        op = "clip"
        min = 0
        [[steps]]
        op = "transpose"
        [[steps]]
        op = "add"
        name = "sum"
        inputs = ["raw * 2", 1]
        [outputs]
        "a.npy" = "sum"
        "gs://b/c.zarr" = { from = "raw.T" }
    "#;
    let raw = "astype(getitem(source[4, 6, 8], index=[{\"start\":0,\"step\":null,\"stop\":2}]), dtype=\"float32\")";
    check(
        text,
        &[],
        &[("/data/a.npy", &format!("add(multiply({raw}, 2), 1)")), ("gs://b/c.zarr", &format!("transpose({raw})"))],
    );
}

#[test]
fn steps_may_stand_in_any_order() {
    let text = r#"
        steps = [
            { name = "b", expr = "a + 1" },
            { name = "a", op = "full", shape = [2], fill_value = 0 },
        ]
        outputs = { "b.zarr" = "b" }
    "#;
    check(text, &[], &[("/data/b.zarr", "add(full(fill_value=0, shape=[2]), 1)")]);
}

#[test]
fn mistakes_name_the_step() {
    let steps = |steps: &str| format!("inputs.raw = 'a'\n{steps}\n[outputs]\n'o.zarr' = 'raw'");
    let rows = [
        (
            "[[steps]]\nname = 'a'\nexpr = 'b'\n[[steps]]\nname = 'b'\nexpr = 'a'",
            "the steps form a cycle: step 'a' needs step 'b' needs step 'a'",
        ),
        ("[[steps]]\nname = 'a'\nexpr = 'a + 1'", "step 'a' needs step 'a'"),
        ("[[steps]]\nname = 'a'\nexpr = 'raw'\n[[steps]]\nname = 'a'\nexpr = 'raw'", "the name 'a' is used twice"),
        ("[[steps]]\nname = 'raw'\nexpr = '1'", "the name 'raw' is used twice, by a step and by an input"),
        ("[[steps]]\nname = 'a'\nop = 'clip'\nmni = 3", "in step 'a'"),
        ("[[steps]]\nname = 'a'\nop = 'clip'\nmni = 3", "clip has no parameter 'mni'"),
        ("[[steps]]\nname = 'a'\nop = 'clop'", "there is no op 'clop'; did you mean clip?"),
        ("[[steps]]\nop = 'clip'\ninputs = ['rew']", "did you mean raw?"),
        ("[[steps]]\nop = 'clip'\ninputs = ['rew']", "in step 1"),
        ("[[steps]]\nop = 'add'", "add takes 2 inputs (x1, x2), 1 given; it is called as add(x1, x2)"),
        ("[[steps]]\nname = 'a'\nexpr = 'raw'\nk = 1", "there is no name in the expression called 'k'; there are raw"),
        ("[[steps]]\nname = 'a'\nexpr = 'raw'\nop = 'clip'", "step 'a' has both op and expr"),
        ("[[steps]]\nname = 'a'", "step 'a' has neither op nor expr"),
        ("[[steps]]\nname = 'a-b'\nexpr = 'raw'", "must be made of letters"),
        ("[[steps]]\nname = 'a'\nexpr = 'raw +'", "expected a value"),
        ("[steps]\nname = 'a'", "with two brackets"),
        ("[[stebs]]\nname = 'a'", "the file has the unknown key 'stebs'; did you mean steps?"),
    ];
    for (text, part) in rows {
        check_error(&steps(text), &[], part);
    }
    let outputs = [
        ("'o.zarr' = 'brigt'", "in output 'o.zarr'"),
        (
            "'o.zarr' = { from = 'raw', chunk = [1] }",
            "output 'o.zarr' has the unknown key 'chunk'; did you mean chunks?",
        ),
        ("'o.zarr' = { from = 'raw', chunks = [-1] }", "chunks of output 'o.zarr' must be a list of lengths"),
        ("'o.zarr' = { from = 'raw', zarr_format = 4 }", "must be 2 or 3"),
        ("'o.zarr' = { chunks = [1] }", "output 'o.zarr' has no from"),
        ("", "the pipeline has no [outputs]"),
        ("x = [", "the file is not TOML"),
    ];
    for (text, part) in outputs {
        check_error(&format!("inputs.raw = 'a'\n[outputs]\n{text}"), &[], part);
    }
    check_error("inputs.raw = 'missing'\noutputs.o = 'raw'", &[], "in input 'raw'");
    check_error("inputs.raw = { pth = 'a' }\noutputs.o = 'raw'", &[], "unknown key 'pth'; did you mean path?");
}

#[test]
fn wrong_settings_suggest() {
    check_error(TWO_STEPS, &["smoth.sigma=1"], "there is no step called 'smoth'; did you mean smooth?");
    check_error(
        TWO_STEPS,
        &["smooth.sgma=1"],
        "there is no parameter of gaussian_filter in step 'smooth' called 'sgma'; did you mean sigma?",
    );
    check_error(TWO_STEPS, &["bright.q=1"], "there is no name in step 'bright' called 'q'");
    check_error(TWO_STEPS, &["smooth"], "has not the form step.param=value");
    check_error(TWO_STEPS, &["inputs.rw=a"], "there is no input called 'rw'; did you mean raw?");
    check_error(TWO_STEPS, &["outputs.x=a"], "there is no output called 'x'; there are out.zarr");
}
