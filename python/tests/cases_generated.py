"""Functions that are generated from the op table."""

from __future__ import annotations

import numpy as np
from differential import ALL, COMPLEX, FLOATS, INTEGERS, NUMBERS, REAL, Case, arrays, axes
from hypothesis import strategies as st

ELSEWHERE: dict[str, str] = {}


def one(dtypes=REAL, **kwargs):
    """Draw one array."""
    return lambda draw: ((draw(arrays(dtypes, **kwargs)),), {})


def two(dtypes=REAL, second=None, **kwargs):
    """Draw two arrays that broadcast, or an array and a number."""

    def draw_two(draw):
        a = draw(arrays(dtypes, **kwargs))
        kind = draw(st.sampled_from(["same", "row", "number", "scalar"]))
        if kind == "number":
            return (a, draw(st.integers(0, 5))), {}
        if kind == "scalar":
            return (a, np.dtype(draw(st.sampled_from(dtypes))).type(3)), {}
        shape = a.shape if kind == "same" else a.shape[1:]
        return (a, draw(arrays(second or dtypes, shape=shape, **kwargs))), {}

    return draw_two


def reduced(dtypes=REAL, several=True, extra=None, **kwargs):
    """Draw an array and axes to reduce."""

    def draw_reduced(draw):
        a = draw(arrays(dtypes, ranks=(1, 2, 3), **kwargs))
        params = {"axis": draw(axes(a.ndim, several=several)), "keepdims": draw(st.booleans())}
        return (a,), params | (extra(draw) if extra else {})

    return draw_reduced


SAFE = 1e-6
TIGHT = 1e-12

CASES = [
    *(Case(name, one(ALL)) for name in ("positive", "conj", "conjugate", "real", "imag", "isfinite", "isinf", "isnan", "logical_not")),
    *(Case(name, one(("bool", *REAL))) for name in ("abs", "absolute", "square")),
    # NumPy's vector loops for complex numbers fuse products and sums, or scale them; the last bit depends on the machine.
    *(Case(name, one(COMPLEX), rtol=SAFE) for name in ("abs", "absolute", "square")),
    *(Case(name, one(NUMBERS)) for name in ("negative", "sign")),
    *(Case(name, one(REAL)) for name in ("ceil", "floor", "trunc", "rint", "fabs", "signbit")),
    *(Case(name, one((*FLOATS, "int32", "bool"), low=-3, high=3), rtol=SAFE) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "arctan", "arcsinh", "exp", "exp2", "expm1", "cbrt", "deg2rad", "degrees", "rad2deg", "radians", "sinc")),
    *(Case(name, one((*FLOATS, "int32"), low=0.1, high=9), rtol=SAFE) for name in ("sqrt", "log", "log2", "log10", "log1p")),
    *(Case(name, one(FLOATS, low=-1, high=1), rtol=SAFE) for name in ("arcsin", "arccos", "arctanh")),
    Case("arccosh", one(FLOATS, low=1, high=9), rtol=SAFE),
    Case("reciprocal", one(FLOATS, low=1, high=9)),
    Case("spacing", one(FLOATS)),
    Case("angle", one(("complex128", "float64", "int32")), rtol=SAFE),
    Case("nan_to_num", one(FLOATS, nan=True)),
    *(Case(name, one(("bool", *INTEGERS))) for name in ("invert", "bitwise_not", "bitwise_invert")),
    Case("bitwise_count", one(INTEGERS)),
    Case("multiply", two(("bool", *REAL))),
    Case("multiply", two(COMPLEX), rtol=SAFE),
    *(Case(name, two(ALL)) for name in ("add", "equal", "not_equal", "logical_and", "logical_or", "logical_xor")),
    *(Case(name, two(REAL)) for name in ("less", "less_equal", "greater", "greater_equal", "maximum", "minimum", "fmax", "fmin")),
    Case("subtract", two(NUMBERS)),
    *(Case(name, two(REAL, low=1, high=9)) for name in ("divide", "true_divide", "floor_divide", "remainder", "mod", "fmod")),
    Case("power", two((*FLOATS, "int64"), low=0, high=4), rtol=SAFE),
    Case("float_power", two((*FLOATS, "int64"), low=0, high=4), rtol=SAFE),
    *(Case(name, two(FLOATS), rtol=SAFE) for name in ("hypot", "arctan2", "copysign", "logaddexp", "logaddexp2", "heaviside")),
    Case("nextafter", two(FLOATS)),
    *(Case(name, two(("bool", *INTEGERS))) for name in ("bitwise_and", "bitwise_or", "bitwise_xor")),
    *(Case(name, two(("int16", "int64", "uint8"), low=0, high=6)) for name in ("left_shift", "right_shift", "bitwise_left_shift", "bitwise_right_shift")),
    *(Case(name, two(("int16", "int64", "uint8"), low=0, high=30)) for name in ("gcd", "lcm")),
    Case("ldexp", two(FLOATS, second=("int32",), low=-4, high=4)),
    Case("isclose", two(FLOATS, low=0, high=1)),
    Case("where", lambda draw: ((lambda a: (a > 0, a, draw(arrays(REAL, shape=a.shape))))(draw(arrays(REAL))), {})),
    *(Case(name, reduced(ALL, low=-3, high=3), rtol=TIGHT) for name in ("sum", "prod")),
    *(Case(name, reduced(ALL), rtol=SAFE) for name in ("mean", "var", "std")),
    *(Case(name, reduced(REAL)) for name in ("min", "max", "ptp")),
    *(Case(name, reduced(ALL)) for name in ("any", "all", "count_nonzero")),
    *(Case(name, reduced(REAL, several=False)) for name in ("argmin", "argmax")),
    *(Case(name, reduced((*FLOATS, "int32"), low=-3, high=3, nan=True), rtol=TIGHT) for name in ("nansum", "nanprod")),
    *(Case(name, reduced((*FLOATS, "int32"), nan=True), rtol=SAFE) for name in ("nanmean", "nanvar", "nanstd")),
    *(Case(name, reduced((*FLOATS, "int32"), nan=True)) for name in ("nanmin", "nanmax")),
    *(Case(name, reduced((*FLOATS, "int32"), several=False)) for name in ("nanargmin", "nanargmax")),
    *(Case(name, reduced((*FLOATS, "int32", "uint8")), rtol=SAFE) for name in ("median",)),
    Case("nanmedian", reduced((*FLOATS, "int32"), nan=True), rtol=SAFE),
]
