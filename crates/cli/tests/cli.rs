//! Transcripts of the `voxmill` command: arguments, what it prints, its exit code.
#![allow(clippy::unwrap_used, reason = "a test that cannot start its command has failed")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_voxmill"));
    command.args(args).current_dir(folder).env_remove("VOXMILL_THREADS").env_remove("VOXMILL_MEMORY_LIMIT");
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[track_caller]
fn output(folder: &Path, args: &[&str], code: i32) -> (String, String) {
    let Output { status, stdout, stderr } = command(folder, args).output().unwrap();
    let (stdout, stderr) = (text(&stdout), text(&stderr));
    assert_eq!(status.code(), Some(code), "{args:?}\nstdout: {stdout}\nstderr: {stderr}");
    assert!(!stderr.contains("RUST_BACKTRACE"), "{args:?} prints a stack trace: {stderr}");
    (stdout, stderr)
}

/// Succeeds and prints exactly this.
#[track_caller]
fn check(folder: &Path, args: &[&str], stdout: &str) {
    let (found, stderr) = output(folder, args, 0);
    assert_eq!(found, stdout, "{args:?}\nstderr: {stderr}");
}

/// Fails with this exit code and exactly this on standard error.
#[track_caller]
fn check_error(folder: &Path, args: &[&str], code: i32, stderr: &str) {
    let (stdout, found) = output(folder, args, code);
    assert_eq!((&found[..], &stdout[..]), (stderr, ""), "{args:?}");
}

/// Ends with this exit code, and prints these parts somewhere.
#[track_caller]
fn check_parts(folder: &Path, args: &[&str], code: i32, parts: &[&str]) {
    let (stdout, stderr) = output(folder, args, code);
    for part in parts {
        assert!(stdout.contains(part) || stderr.contains(part), "{args:?} lacks {part:?}\n{stdout}\n{stderr}");
    }
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn expressions_are_printed_as_numpy_prints() {
    let folder = folder();
    let at = folder.path();
    let rows = [
        ("1 + 2 * 3", "7\n"),
        ("-2 ** 2", "-4\n"),
        ("1 < 2", "True\n"),
        ("full([2, 3], 1.5) + 1", "[[2.5 2.5 2.5]\n [2.5 2.5 2.5]]\nshape (2, 3), dtype float64\n"),
        ("full([3], 200, dtype=np.uint8) + 100", "[44 44 44]\nshape (3,), dtype uint8\n"),
        ("x = full((3, 4), 7, dtype='int16'); x.T.shape", "[4, 3]\n"),
        ("x = full((3, 4), 7, dtype='int16'); x.T.dtype", "int16\n"),
        ("full([2], True)", "[ True  True]\nshape (2,), dtype bool\n"),
        ("full([1, 1], 1 - 2.5j)", "[[1.-2.5j]]\nshape (1, 1), dtype complex128\n"),
        ("full([0, 2], 1)", "[]\nshape (0, 2), dtype int64\n"),
        ("full([], 3).astype('float32')", "3.0\nshape (), dtype float32\n"),
        ("full([3000], 1)", "[1 1 1 ... 1 1 1]\nshape (3000,), dtype int64\n"),
        ("None", "None\n"),
    ];
    for (expression, expected) in rows {
        check(at, &["eval", expression], expected);
    }
}

#[test]
fn expressions_come_from_standard_input_too() {
    let folder = folder();
    let mut child =
        command(folder.path(), &["eval", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"a = 2\na * 21 # the answer\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(text(&output.stdout), "42\n");
}

#[test]
fn mistakes_show_their_place() {
    let folder = folder();
    let at = folder.path();
    check_error(
        at,
        &["eval", "trnspose(3)"],
        4,
        "error: there is no variable or function 'trnspose'; did you mean transpose?\n  1 | trnspose(3)\n    | ^^^^^^^^\n",
    );
    check_error(
        at,
        &["eval", "full([2], 1) +"],
        2,
        "error: expected a value, found the end of the text\n  1 | full([2], 1) +\n    |               ^\n",
    );
    check_error(
        at,
        &["eval", "x = full([2, 3], 1)\nx.transpose(axs=[0, 1])"],
        2,
        "error: transpose has no parameter 'axs'; did you mean axes?\n  2 | x.transpose(axs=[0, 1])\n    |             ^^^\n  \
         usage: transpose(x, axes=None)\n",
    );
    check_parts(
        at,
        &["eval", "full([2, 3], 1) + full([4], 1)"],
        2,
        &["  1 | full([2, 3], 1) + full([4], 1)", "  in add\n"],
    );
    check_parts(
        at,
        &["eval", "full([2, 3], 1).transpose([0, 7])"],
        2,
        &["axis 7 is out of range", "usage: transpose("],
    );
    check_parts(at, &["eval", &"(".repeat(50_000)], 2, &["nested more than 100 deep"]);
    check_parts(at, &["eval", "open('nowhere.npy')"], 4, &["nowhere.npy"]);
    check_parts(at, &["eval", "full([100000, 100000], 7)"], 2, &["74.5 GiB", "too much to print", "-o out.zarr"]);
}

#[test]
fn results_go_to_files_and_back() {
    let folder = folder();
    let at = folder.path();
    check_parts(at, &["eval", "full([2, 2], 3)", "-o", "a.npy"], 0, &["wrote [2, 2] int64 (32 B) to a.npy", "done in"]);
    check_parts(at, &["eval", "full([2, 2], 3)", "-o", "a.npy"], 5, &["exists", "hint: add --overwrite"]);
    check(at, &["eval", "full([2, 2], 4)", "-o", "a.npy", "--overwrite", "--quiet"], "");
    check(at, &["eval", "open('a.npy') + 0.5"], "[[4.5 4.5]\n [4.5 4.5]]\nshape (2, 2), dtype float64\n");
    check(at, &["copy", "a.npy", "b.npy", "--dtype", "uint8", "-q"], "");
    check(at, &["eval", "open('b.npy')"], "[[4 4]\n [4 4]]\nshape (2, 2), dtype uint8\n");
    check_parts(at, &["copy", "a.npy", "a.npy", "--overwrite"], 2, &["is both read and written"]);
    check_parts(at, &["copy", "a.npy", "c.npy", "--dtype", "float31"], 2, &["unknown dtype 'float31'"]);
    check(at, &["copy", "a.npy", "c.npy", "--crop", "0:1, -1:", "-q"], "");
    check(at, &["eval", "open('c.npy').shape"], "[1, 1]\n");
    check_parts(at, &["copy", "a.npy", "d.npy", "--crop", "0:x"], 4, &["no variable or function 'x'", "in --crop"]);
    check_parts(at, &["info", "a.npy"], 0, &["array [2, 2] int64 (npy)", "chunks", "32 B"]);
    check_parts(at, &["info", "a.npy", "--json"], 0, &["\"dtype\": \"int64\"", "\"kind\": \"array\""]);
    check_parts(at, &["info", "nowhere"], 4, &["nowhere"]);
}

#[test]
fn zarr_arrays_keep_their_layout() {
    let folder = folder();
    let at = folder.path();
    let make = [
        "eval",
        "arange(24).reshape([4, 6]).astype('uint16')",
        "-o",
        "a.zarr",
        "--chunks",
        "2,3",
        "--codec",
        "zstd",
        "-q",
    ];
    check(at, &make, "");
    check_parts(
        at,
        &["info", "a.zarr"],
        0,
        &["array [4, 6] uint16 (zarr v3)", "chunks      [2, 3]", "zstd", "4 of 4 chunks stored"],
    );
    check(at, &["copy", "a.zarr", "b.zarr", "--zarr-format", "2", "-q"], "");
    check_parts(at, &["info", "b.zarr"], 0, &["(zarr v2)", "chunks      [2, 3]"]);
    let picked = "x = open('b.zarr'); x[1:, ::-2].T";
    check(at, &["eval", picked], "[[11 17 23]\n [ 9 15 21]\n [ 7 13 19]]\nshape (3, 3), dtype uint16\n");
    let shards = ["copy", "a.zarr", "c.zarr", "--chunks", "2,2", "--shards", "4,6", "--codec", "none", "-q"];
    check(at, &shards, "");
    check_parts(at, &["info", "c.zarr"], 0, &["shards      [4, 6]"]);
    check_parts(at, &["copy", "a.zarr", "d.zarr", "--codec", "zip"], 2, &["zip"]);
}

#[test]
fn the_demo_makes_a_picture() {
    let folder = folder();
    let at = folder.path();
    check_parts(at, &["demo", "--dir", "here", "--size", "32"], 0, &["here/picture.png", "here/bright.zarr"]);
    assert!(std::fs::read(at.join("here/picture.png")).unwrap().starts_with(b"\x89PNG"));
    check_parts(at, &["run", "here/pipeline.toml", "--set", "smooth.sigma=1", "--overwrite"], 0, &["smooth.zarr"]);
}

#[test]
fn an_interrupt_stops_the_run() {
    let folder = folder();
    let child = command(folder.path(), &["eval", "sin(full([400000, 400000], 1.0)).sum()"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &text(&output.stderr)[..]), (Some(130), "error: cancelled\n"));
}

#[test]
fn dry_runs_and_explanations_write_nothing() {
    let folder = folder();
    let at = folder.path();
    check(
        at,
        &["eval", "full([4, 4], 7)", "-o", "a.zarr", "--dry-run"],
        "would write [4, 4] int64 (128 B) to a.zarr\n",
    );
    check(at, &["eval", "full([4, 4], 7)", "--dry-run"], "would compute [4, 4] int64 (128 B), nothing is written\n");
    let explain = ["eval", "full([4, 4], 7)", "-o", "a.npy", "--explain", "--memory-limit", "1GiB"];
    check_parts(at, &explain, 0, &["plan: 1 stage", "memory limit 1.00 GiB", "write  npy:"]);
    let chunks = ["eval", "full([4, 4], 7)", "-o", "a.zarr", "--chunks", "2", "--explain"];
    check_parts(at, &chunks, 2, &["chunks [2] have 1 axes, the result has 2: [4, 4]", "in output 'a.zarr'"]);
    assert_eq!(std::fs::read_dir(at).unwrap().count(), 0);
}

const PIPELINE: &str = r#"
[inputs]
raw = "raw.npy"
[[steps]]
name = "more"
op = "add"
inputs = ["raw", 1]
[[steps]]
name = "turned"
op = "transpose"
[[steps]]
name = "sum"
expr = "turned + k"
k = 10
[outputs]
"sum.npy" = "sum"
"turned.npy" = { from = "turned", overwrite = true }
"#;

#[test]
fn pipelines_run_beside_their_file() {
    let folder = folder();
    let at = folder.path();
    std::fs::create_dir(at.join("work")).unwrap();
    std::fs::write(at.join("work/pipe.toml"), PIPELINE).unwrap();
    check(at, &["eval", "full([1, 2], 5)", "-o", "work/raw.npy", "-q"], "");
    let run = ["run", "work/pipe.toml", "--stats-json", "stats.json"];
    check_parts(at, &run, 0, &["wrote [2, 1] int64 (16 B) to work/sum.npy"]);
    check(at, &["eval", "open('work/sum.npy')"], "[[16]\n [16]]\nshape (2, 1), dtype int64\n");
    let stats: serde_json::Value = serde_json::from_slice(&std::fs::read(at.join("stats.json")).unwrap()).unwrap();
    assert_eq!(stats["status"], "done");
    assert_eq!(stats["outputs"][0]["shape"], serde_json::json!([2, 1]));
    check_parts(at, &["run", "work/pipe.toml"], 5, &["sum.npy", "hint: add --overwrite"]);
    check(at, &["run", "work/pipe.toml", "--set", "sum.k=0.5", "--overwrite", "-q"], "");
    check(at, &["eval", "open('work/sum.npy')"], "[[6.5]\n [6.5]]\nshape (2, 1), dtype float64\n");
    let other = ["run", "work/pipe.toml", "--set", "outputs.sum.npy=here.npy", "-q"];
    check(at, &other, "");
    check(at, &["eval", "open('here.npy').shape"], "[2, 1]\n");
    let dry = ["run", "work/pipe.toml", "--dry-run"];
    check(
        at,
        &dry,
        "would write [2, 1] int64 (16 B) to work/sum.npy\nwould write [2, 1] int64 (16 B) to work/turned.npy\n",
    );
}

#[test]
fn wrong_pipelines_name_the_step() {
    let folder = folder();
    let at = folder.path();
    check_parts(at, &["run", "nowhere.toml"], 4, &["reading 'nowhere.toml'"]);
    let rows = [
        ("[[steps]]\nname = 'a'\nop = 'tanspose'", 4, "did you mean transpose?\n  in step 'a'\n  in pipe.toml"),
        ("[[steps]]\nname = 'a'\nexpr = 'b'\n[[steps]]\nname = 'b'\nexpr = 'a'", 2, "the steps form a cycle"),
        ("steps = 3", 2, "with two brackets"),
        ("x = [1", 2, "the file is not TOML"),
    ];
    for (steps, code, part) in rows {
        std::fs::write(at.join("pipe.toml"), format!("{steps}\n[outputs]\n'o.npy' = 'a'\n")).unwrap();
        check_parts(at, &["run", "pipe.toml"], code, &[part]);
    }
    std::fs::write(at.join("pipe.toml"), PIPELINE).unwrap();
    check_parts(at, &["run", "pipe.toml"], 4, &["in input 'raw'"]);
    check_parts(
        at,
        &["run", "pipe.toml", "--set", "sm.k=1"],
        4,
        &["there is no step called 'sm'", "did you mean sum", "in --set"],
    );
}

#[test]
fn ops_are_listed_and_explained() {
    let folder = folder();
    let at = folder.path();
    check_parts(at, &["ops"], 0, &["elementwise\n", "  add ", "shape\n", "  transpose "]);
    let page = [
        "transpose(x, axes=None)\n",
        "Inputs: x\n",
        "axes (list of int; default None)",
        "voxmill eval 'transpose(open(\"a.zarr\"))'",
    ];
    check_parts(at, &["ops", "transpose"], 0, &page);
    check_parts(
        at,
        &["ops", "transpose", "--json"],
        0,
        &["\"signature\": \"transpose(x, axes=None)\"", "\"default\": null"],
    );
    check_error(at, &["ops", "trnspose"], 4, "error: there is no op 'trnspose'; did you mean transpose?\n");
    let (stdout, _) = output(at, &["ops", "--json"], 0);
    let all: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(all.as_array().map(Vec::len), Some(voxmill::TABLE.iter().count()));
}

/// Every op's page shows a call; the parser must at least read all of them.
#[test]
fn examples_of_all_ops_can_be_read() {
    let folder = folder();
    for def in voxmill::TABLE.iter() {
        let (page, _) = output(folder.path(), &["ops", def.name], 0);
        let call = page.rsplit("voxmill eval '").next().unwrap().trim_end().trim_end_matches('\'');
        voxmill::plan::text::free_names(call).unwrap_or_else(|e| panic!("{}: {e}", def.name));
    }
}

#[test]
fn help_has_examples_for_every_command() {
    let folder = folder();
    for command in ["info", "run", "eval", "ops", "copy", "demo", "completions"] {
        check_parts(folder.path(), &[command, "--help"], 0, &["Usage: voxmill ", "Examples:\n  voxmill "]);
    }
    check_parts(folder.path(), &["--help"], 0, &["Exit codes: 0 done"]);
    check(folder.path(), &["--version"], &format!("voxmill {}\n", env!("CARGO_PKG_VERSION")));
    check_parts(folder.path(), &["frob"], 2, &["unrecognized subcommand 'frob'"]);
    check_parts(folder.path(), &[], 2, &["Usage: voxmill <COMMAND>"]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        check_parts(folder.path(), &["completions", shell], 0, &["voxmill", "memory-limit"]);
    }
}

#[test]
fn limits_come_from_flags_and_environment() {
    let folder = folder();
    let run = |name: &str, value: &str| {
        let args = ["eval", "full([4], 1)", "--explain"];
        let output = command(folder.path(), &args).env(name, value).output().unwrap();
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    assert!(run("VOXMILL_MEMORY_LIMIT", "64MiB").1.contains("memory limit 64.0 MiB"));
    let (code, message) = run("VOXMILL_MEMORY_LIMIT", "lots");
    assert!(code == Some(2) && message.contains("'lots' is not a number of bytes"), "{message}");
    assert_eq!(run("VOXMILL_THREADS", "0").0, Some(2));
    let small = ["eval", "full([1000], 1)", "-o", "a.npy", "--memory-limit", "100"];
    check_parts(folder.path(), &small, 8, &["hint: raise --memory-limit"]);
}

#[test]
fn a_closed_pipe_is_success() {
    let folder = folder();
    let mut child =
        command(folder.path(), &["completions", "bash"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
}
