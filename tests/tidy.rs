//! House rules that a compiler does not check.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Which crates of ours each crate may use.
fn allowed() -> BTreeMap<&'static str, Vec<&'static str>> {
    BTreeMap::from([
        ("core", vec![]),
        ("plan", vec!["core"]),
        ("exec", vec!["core", "plan"]),
        ("ops", vec!["core", "plan"]),
        ("imaging", vec!["core", "plan", "ops"]),
        ("store", vec!["core"]),
        ("cli", vec!["voxmill"]),
        ("py", vec!["voxmill", "cli"]),
    ])
}

/// The names of our own crates in a section of a manifest.
fn own_dependencies(manifest: &str) -> Vec<String> {
    let section = manifest.split("[dependencies]").nth(1).unwrap_or_default().split("\n[").next().unwrap_or_default();
    let names = section.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
    names.filter(|name| name.starts_with("voxmill")).map(|name| name.replace("voxmill-", "")).collect()
}

#[test]
fn dependencies_point_downwards() {
    for (name, allowed) in allowed() {
        let manifest = fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
        for used in own_dependencies(&manifest) {
            assert!(allowed.contains(&used.as_str()), "crate {name} uses {used}; it may use {allowed:?}");
        }
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().to_string();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs" || e == "py") {
            found.push(path);
        }
    }
}

fn all_sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in ["crates", "src", "tests", "bench", "python"] {
        sources(&root().join(folder), &mut found);
    }
    found
}

#[test]
fn files_have_a_header_a_size_and_a_telling_name() {
    const BANNED: [&str; 6] = ["utils", "util", "common", "helpers", "misc", "manager"];
    for path in all_sources() {
        let text = fs::read_to_string(&path).unwrap();
        let shown = path.strip_prefix(root()).unwrap().display().to_string();
        let stem = path.file_stem().unwrap().to_string_lossy().to_string();
        assert!(!BANNED.contains(&stem.as_str()), "{shown}: the name says nothing");
        let generated = stem == "_generated";
        assert!(generated || text.lines().count() <= 800, "{shown}: more than 800 lines; split it");
        if path.extension().is_some_and(|e| e == "rs") {
            assert!(text.starts_with("//!"), "{shown}: no header that says what lives here");
        }
    }
}

#[test]
fn unsafe_code_lives_in_its_rooms_and_gives_reasons() {
    const ROOMS: [&str; 9] = [
        "crates/core/src/buffer.rs",
        "crates/imaging/src/numeric",
        "crates/ops/src/numeric",
        "crates/py/src/arrow.rs",
        "crates/py/src/memory.rs",
        "crates/py/src/threads.rs",
        "crates/store/src/sys.rs",
        "crates/store/tests",
        "tests",
    ];
    for path in all_sources().into_iter().filter(|p| p.extension().is_some_and(|e| e == "rs")) {
        let text = fs::read_to_string(&path).unwrap();
        let shown = path.strip_prefix(root()).unwrap().display().to_string();
        let blocks = text.matches("unsafe {").count() + text.matches("unsafe impl").count();
        if blocks == 0 || shown.ends_with("tidy.rs") {
            continue;
        }
        assert!(ROOMS.iter().any(|room| shown.starts_with(room)), "{shown}: unsafe code outside {ROOMS:?}");
        assert!(text.matches("SAFETY:").count() >= blocks, "{shown}: an unsafe block without a SAFETY sentence");
    }
}
