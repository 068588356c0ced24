"""Talks to a Voxmill process that computes single ops: arrays go through .npy files, requests through pipes."""

import json
import os
import subprocess
import tempfile

import numpy as np


class VoxmillError(Exception):
    """What Voxmill answered instead of a result."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


class Peer:
    """One Voxmill process. `peer("add", a, b)` or `peer("sum", a, axis=0)`; Python numbers stay bare numbers (NEP 50)."""

    def __init__(self, binary=None):
        binary = binary or os.environ["VOXMILL_PEER"]
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, op, *ins, **params):
        written = [self._input(k, x) for k, x in enumerate(ins)]
        out = os.path.join(self.folder.name, "out.npy")
        request = {"op": op, "params": params, "ins": written, "out": out}
        self.process.stdin.write(json.dumps(request, default=_plain) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"Voxmill ended while computing {request}")
        answer = json.loads(line)
        if not answer["ok"]:
            raise VoxmillError(answer["kind"], answer["error"])
        return np.load(out)

    def _input(self, k, x):
        if isinstance(x, (bool, int, float)):
            return {"weak": x}
        if isinstance(x, complex):
            return {"weak": [x.real, x.imag]}
        path = os.path.join(self.folder.name, f"in{k}.npy")
        np.save(path, np.asarray(x, order="C"))
        return path

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.folder.cleanup()


def _plain(x):
    if isinstance(x, np.dtype):
        return x.name
    if isinstance(x, type) and issubclass(x, np.generic):
        return np.dtype(x).name
    if isinstance(x, np.generic):
        return x.item()
    raise TypeError(f"{x!r} has no JSON form")
