"""Every function against NumPy: see `differential.py`."""

import importlib
import inspect
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import voxmill as vm

sys.path.insert(0, str(Path(__file__).parent))

from differential import EXAMPLES, compare  # noqa: E402

MODULES = [importlib.import_module(path.stem) for path in sorted(Path(__file__).parent.glob("cases_*.py"))]
CASES = [case for module in MODULES for case in module.CASES]


@pytest.mark.parametrize("case", CASES, ids=[f"{k}-{case.name}" for k, case in enumerate(CASES)])
def test_equals_numpy(case):
    @settings(max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def run(data):
        compare(case, data.draw)

    run()


def test_every_function_is_compared():
    """A function of the namespace without a case must be tested elsewhere, and say where."""
    elsewhere = set().union(*(getattr(module, "ELSEWHERE", {}) for module in MODULES))
    compared = {case.name for case in CASES}
    public = {name for name, value in vars(vm).items() if inspect.isfunction(value) and not name.startswith("_")}
    missing = sorted(public - compared - elsewhere)
    assert not missing, missing
