"""What the tests of the command line share: the program, a small volume, and what an error looks like."""

import os
import signal
import subprocess
import time

import numpy as np
import pytest
import zarr

BIN = os.environ["VOXMILL_BIN"]


def voxmill(*args, cwd, **kwargs):
    return subprocess.run([BIN, *args], cwd=cwd, capture_output=True, text=True, timeout=120, **kwargs)


def fails(done, code, *words):
    """One message with these words, this exit code, and no trace of our own code."""
    assert done.returncode == code, (done.returncode, done.stderr)
    assert done.stderr.startswith("error: "), done.stderr
    for word in words:
        assert word in done.stderr, (word, done.stderr)
    assert "panicked" not in done.stderr and "RUST_BACKTRACE" not in done.stderr


def interrupt(process, *, times=1, within):
    """Presses Ctrl-C, and sees the process end as cancelled in so many seconds."""
    for k in range(times):
        if k > 0:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
    started = time.monotonic()
    _, stderr = process.communicate(timeout=30)
    assert time.monotonic() - started < within
    assert process.returncode == 130, stderr


@pytest.fixture
def volume(tmp_path):
    data = np.random.default_rng(1).integers(0, 60_000, (40, 90, 70)).astype("u2")
    array = zarr.create_array(str(tmp_path / "raw.zarr"), shape=data.shape, chunks=(16, 32, 32), dtype=data.dtype)
    array[:] = data
    return data
