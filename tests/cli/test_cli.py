"""The command line as users meet it: real files, real packages beside it, real mistakes."""

import json
import os
import subprocess
import time

import numpy as np
import pytest
import zarr
from command import BIN, fails, interrupt, volume, voxmill  # noqa: F401


def test_eval_writes_what_numpy_computes(tmp_path, volume):
    done = voxmill("eval", 'x = open("raw.zarr"); (x - x.mean(axis=0)) / x.std()', "-o", "out.zarr", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    out = zarr.open_array(str(tmp_path / "out.zarr"), mode="r")
    expected = (volume - volume.mean(axis=0)) / volume.std()
    assert out.dtype == expected.dtype
    np.testing.assert_allclose(out[:], expected, rtol=1e-12, atol=1e-12)


def test_a_tight_memory_limit_changes_nothing(tmp_path, volume):
    expression = 'open("raw.zarr").transpose([2, 0, 1]).cumsum(axis=1)'
    for limit in ["2GiB", "4MiB"]:
        done = voxmill("eval", expression, "-o", f"{limit}.zarr", "--memory-limit", limit, "--chunks", "16,16,16", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        out = zarr.open_array(str(tmp_path / f"{limit}.zarr"), mode="r")[:]
        np.testing.assert_array_equal(out, volume.transpose(2, 0, 1).cumsum(axis=1))


def test_copy_changes_layout_and_nothing_else(tmp_path, volume):
    done = voxmill(
        "copy", "raw.zarr", "cut.zarr", "--chunks", "40,8,8", "--codec", "zstd:3", "--crop", ":, 10:80, ::2", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    out = zarr.open_array(str(tmp_path / "cut.zarr"), mode="r")
    assert out.chunks == (40, 8, 8)
    np.testing.assert_array_equal(out[:], volume[:, 10:80, ::2])


def test_a_pipeline_runs_with_other_parameters(tmp_path, volume):
    (tmp_path / "p.toml").write_text(
        '[inputs]\nraw = "raw.zarr"\n[[steps]]\nname = "top"\nop = "max"\ninputs = ["raw"]\naxis = 0\n'
        '[outputs]\n"top.npy" = "top"\n'
    )
    done = voxmill("run", "p.toml", "--set", "top.axis=1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "top.npy"), volume.max(axis=1))


def test_info_as_json(tmp_path, volume):
    done = voxmill("info", "raw.zarr", "--json", cwd=tmp_path)
    node = json.loads(done.stdout)
    assert (node["shape"], node["dtype"], node["chunks"]) == ([40, 90, 70], "uint16", [16, 32, 32])


MISTAKES = [
    (["eval", 'open("nothing.zarr")'], 4, "nothing.zarr"),
    (["eval", 'gausian_filter(open("raw.zarr"), 2)'], 4, "gaussian_filter"),
    (["eval", 'open("raw.zarr").sum(axis=7)'], 2, "axis 7"),
    (["eval", 'open("raw.zarr") + zeros([3, 3])'], 2, "broadcast"),
    (["eval", 'open("raw.zarr")[50]'], 2, "50"),
    (["eval", 'open("raw.zarr").astype("uint8", casting="safe")'], 2, "uint16"),
    (["eval", 'open("raw.zarr").mean(axs=0)'], 2, "axs"),
    (["eval", 'open("raw.zarr")', "-o", "raw.zarr"], 2, "both read and written"),
    (["eval", 'open("raw.zarr") * 2', "-o", "there.zarr"], 5, "there.zarr"),
    (["eval", 'open("raw.zarr") * 2', "-o", "x.zarr", "--memory-limit", "100KiB"], 8, "memory limit"),
    (["eval", 'open("raw.zarr") * 2', "-o", "x.zarr", "--codec", "middle-out"], 2, "middle-out"),
    (["run", "missing.toml"], 4, "missing.toml"),
    (["copy", "group", "x.zarr"], 2, "group"),
]


@pytest.mark.parametrize("args, code, word", MISTAKES, ids=lambda x: str(x)[:40])
def test_a_mistake_gets_one_clear_message(tmp_path, volume, args, code, word):
    zarr.create_array(str(tmp_path / "there.zarr"), shape=(2,), dtype="u1")
    zarr.create_group(str(tmp_path / "group"))
    done = voxmill(*args, cwd=tmp_path)
    fails(done, code, word)


def test_a_damaged_chunk_is_named(tmp_path, volume):
    chunk = tmp_path / "raw.zarr" / "c" / "1" / "1" / "1"
    chunk.write_bytes(chunk.read_bytes()[:100])
    done = voxmill("eval", 'open("raw.zarr").sum()', cwd=tmp_path)
    assert done.returncode == 6, done.stderr
    assert "1/1/1" in done.stderr


def test_ctrl_c_stops_within_a_second_and_leaves_nothing_behind(tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    command = [BIN, "eval", "exp(random_normal([3000, 1000, 1000], seed=1)).transpose()", "-o", "big.zarr"]
    env = {**os.environ, "VOXMILL_SCRATCH": str(scratch)}
    process = subprocess.Popen(
        [*command, "--memory-limit", "512MiB"], cwd=tmp_path, env=env, stderr=subprocess.PIPE, text=True
    )
    time.sleep(2)
    # One second is the promise; the rest is for a machine that does other things beside.
    interrupt(process, within=3)
    assert list(scratch.iterdir()) == []
    assert not [p for p in (tmp_path / "big.zarr").rglob("*") if "tmp" in p.name]


def test_a_full_disk_is_an_error_not_a_broken_chunk(tmp_path, volume):
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(small)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("a small file system needs the right to mount one")
    try:
        done = voxmill("eval", 'open("raw.zarr") * 1.5', "-o", "small/out.zarr", cwd=tmp_path)
        assert done.returncode == 7, done.stderr
        assert "space" in done.stderr, done.stderr
        expected = volume * 1.5
        out = zarr.open_array(str(small / "out.zarr"), mode="r")[:]
        assert (np.isclose(out, expected) | (out == 0)).all()
    finally:
        subprocess.run(["umount", str(small)], check=True)
