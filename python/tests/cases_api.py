"""Functions under the names of the array API standard."""

from __future__ import annotations

import numpy as np
from differential import ALL, FLOATS, REAL, Case, arrays, axes
from hypothesis import strategies as st

ELSEWHERE: dict[str, str] = {"can_cast": "test_array_api.py", "from_dlpack": "test_array_api.py", "isdtype": "test_array_api.py"}

SAFE = 1e-6


def one(low, high):
    return lambda draw: ((draw(arrays((*FLOATS, "int32"), low=low, high=high)),), {})


def two(low, high):
    def draw_two(draw):
        a = draw(arrays(FLOATS, low=low, high=high))
        return (a, draw(arrays(FLOATS, shape=a.shape, low=low, high=high))), {}

    return draw_two


def draw_spread(draw):
    a = draw(arrays(ALL, ranks=(1, 2, 3)))
    kwargs = {"axis": draw(axes(a.ndim)), "keepdims": draw(st.booleans()), "dtype": draw(st.sampled_from([None, None, "float32"]))}
    name = draw(st.sampled_from(["ddof", "correction"]))
    kwargs[name] = draw(st.sampled_from([0, 1, 0.5, 2]))
    if kwargs["dtype"] is not None and a.dtype.kind == "c":
        del kwargs["dtype"]
    return (a,), kwargs


def draw_spread_positional(draw):
    a = draw(arrays(REAL, ranks=(1, 2), least=1))
    return (a, draw(axes(a.ndim)), "float64", None, draw(st.integers(0, 2)), draw(st.booleans())), {}


CASES = [
    *(Case(name, one(-1, 1), rtol=SAFE) for name in ("acos", "asin", "atanh")),
    *(Case(name, one(-9, 9), rtol=SAFE) for name in ("asinh", "atan")),
    Case("acosh", one(1, 9), rtol=SAFE),
    Case("atan2", two(-9, 9), rtol=SAFE),
    Case("pow", two(0, 4), np.power, rtol=SAFE),
    *(Case(name, draw_spread, rtol=SAFE) for name in ("std", "var")),
    *(Case(name, draw_spread_positional, rtol=SAFE) for name in ("std", "var")),
]
