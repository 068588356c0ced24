"""Builds the small Rust program that the format tests drive."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def tool():
    """Path of `store_tool`; set STORE_TOOL to use one that is built already."""
    if path := os.environ.get("STORE_TOOL"):
        return path
    build = ["cargo", "build", "--quiet", "-p", "voxmill-store", "--example", "store_tool"]
    subprocess.run(build, cwd=ROOT, check=True)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return str(target / "debug" / "examples" / "store_tool")


class Store:
    """What Voxmill reads and writes, as NumPy arrays."""

    def __init__(self, tool, folder, env=None):
        self.tool, self.folder, self.env = tool, folder, env

    def run(self, *args):
        """The finished process, whatever its exit code."""
        env = {**os.environ, **(self.env or {})}
        return subprocess.run([self.tool, *map(str, args)], capture_output=True, text=True, env=env, timeout=120)

    def ok(self, *args):
        done = self.run(*args)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def read(self, location):
        out = self.folder / "read.npy"
        self.ok("zarr2npy", location, out)
        return np.load(out)

    def write(self, array, location, **settings):
        source = self.folder / "write.npy"
        np.save(source, array)
        options = [word for key, value in settings.items() for word in (f"--{key}", value)]
        self.ok("npy2zarr", source, location, *options)


@pytest.fixture
def store(tool, tmp_path):
    return Store(tool, tmp_path)


def same(got, want):
    """Equal in dtype, shape and bits."""
    want = np.ascontiguousarray(want).astype(want.dtype.newbyteorder("="), copy=False).reshape(want.shape)
    assert got.dtype == want.dtype and got.shape == want.shape
    assert np.ascontiguousarray(got).tobytes() == want.tobytes()


DTYPES = ["bool", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"]


def sample(shape, dtype, seed=0):
    """Smooth with some noise, so that codecs find something to do."""
    rng = np.random.default_rng(seed)
    n = int(np.prod(shape))
    values = np.arange(n) // 7 + rng.integers(0, 5, n)
    if np.dtype(dtype).kind == "b":
        values = values % 2
    elif np.dtype(dtype).itemsize == 1:
        values = values % 120
    values = values.astype(dtype)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(n).astype(dtype)
    return values.reshape(shape).astype(dtype)
