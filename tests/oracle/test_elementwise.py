"""Every element-wise op against NumPy, live: all dtypes, mixed pairs, bare Python numbers, special values.

Integers and booleans must be equal; floats may differ by the stated number of units in the last place, since NumPy itself answers
with one of several vector libraries. Result dtypes must be equal everywhere, and what NumPy refuses must be refused.
"""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st, HealthCheck

from peer import VoxmillError

EXACT = "?BHIQbhiq"
FLOATS = "efd"
DTYPES = EXACT + FLOATS + "FD"
COUNT = 40

UNARY = {
    "negative": 0, "positive": 0, "absolute": 1, "abs": 1, "fabs": 0, "sign": 1, "reciprocal": 2, "square": 1, "sqrt": 2,
    "cbrt": 2, "exp": 4, "exp2": 4, "expm1": 4, "log": 4, "log2": 4, "log10": 4, "log1p": 4, "sin": 4, "cos": 4, "tan": 4,
    "arcsin": 4, "arccos": 4, "arctan": 4, "sinh": 4, "cosh": 4, "tanh": 4, "arcsinh": 4, "arccosh": 4, "arctanh": 4,
    "deg2rad": 1, "rad2deg": 1, "degrees": 1, "radians": 1, "floor": 0, "ceil": 0, "trunc": 0, "rint": 0, "round": 0,
    "logical_not": 0, "invert": 0, "bitwise_not": 0, "bitwise_invert": 0, "isnan": 0, "isinf": 0, "isfinite": 0, "signbit": 0,
    "spacing": 0, "real": 0, "imag": 0, "conj": 0, "conjugate": 0, "angle": 4, "nan_to_num": 0, "bitwise_count": 0,
}
BINARY = {
    "add": 0, "subtract": 0, "multiply": 1, "divide": 1, "true_divide": 1, "floor_divide": 0, "remainder": 0, "mod": 0,
    "fmod": 0, "power": 4, "float_power": 4, "logaddexp": 4, "logaddexp2": 4, "arctan2": 4, "hypot": 2, "equal": 0,
    "not_equal": 0, "less": 0, "less_equal": 0, "greater": 0, "greater_equal": 0, "logical_and": 0, "logical_or": 0,
    "logical_xor": 0, "bitwise_and": 0, "bitwise_or": 0, "bitwise_xor": 0, "left_shift": 0, "right_shift": 0,
    "bitwise_left_shift": 0, "bitwise_right_shift": 0, "copysign": 0, "nextafter": 0, "ldexp": 0, "minimum": 0, "maximum": 0,
    "fmin": 0, "fmax": 0, "heaviside": 0, "gcd": 0, "lcm": 0, "isclose": 0,
}
# Complex results are compared by the distance of the two numbers, in units of the last place of the larger part.
COMPLEX_SLACK = 8
# The sign of a zero is not defined by NumPy where its vector loops disagree with its scalar ones.
ZERO_SIGN_FREE = {"minimum", "maximum", "fmin", "fmax", "clip"}

BARE = [True, 0, 1, 3, -1, 300, 70000, 2**40, 2**63, -(2**63), 0.5, -2.25, 1e10, float("nan"), float("inf"), 1.5 - 2j]


def values(dtype, rng, n=COUNT):
    """Random and special values of one dtype."""
    d = np.dtype(dtype)
    if d.kind == "b":
        return rng.integers(0, 2, n).astype(bool)
    if d.kind in "iu":
        info = np.iinfo(d)
        wide = rng.integers(info.min, info.max, n, dtype=d, endpoint=True)
        small = rng.integers(max(info.min, -5), 10, n).astype(d)
        out = np.where(rng.random(n) < 0.5, small, wide)
        edges = [0, 1, info.min, info.max, info.max - 1]
        out[: len(edges)] = edges
        return rng.permutation(out)
    if d.kind == "c":
        part = "f" if d.itemsize == 8 else "d"
        out = np.empty(n, d)
        out.real, out.imag = values(part, rng, n), values(part, rng, n)
        return out
    info = np.finfo(d)
    with np.errstate(all="ignore"):
        out = (rng.standard_normal(n) * 10.0 ** rng.integers(-3, 4, n)).astype(d)
        out[: n // 4] = rng.integers(-9, 10, n // 4) / 2
    specials = [0.0, -0.0, np.nan, np.inf, -np.inf, info.max, info.min, info.smallest_subnormal, -info.tiny, 1, -1, 0.5]
    out[-len(specials):] = specials
    return rng.permutation(out)


def ordered(x):
    """Floats as integers in the same order, so that a difference counts the numbers between."""
    unsigned = x.view(f"u{x.itemsize}").astype(object)
    top = 1 << (8 * x.itemsize - 1)
    return np.where(unsigned >= top, -(unsigned - top), unsigned)


def check(got, want, ulps, what, zero_sign=True):
    want = np.asarray(want)
    assert got.dtype == want.dtype, f"{what}: {got.dtype}, NumPy has {want.dtype}"
    assert got.shape == want.shape, what
    if want.dtype.kind in "biu":
        wrong = got != want
    elif want.dtype.kind == "f":
        wrong = float_wrong(got, want, ulps, zero_sign)
    else:
        wrong = complex_wrong(got, want, ulps)
    if np.any(wrong):
        at = tuple(np.argwhere(wrong)[0])
        raise AssertionError(f"{what} at {at}: {got[at]!r}, NumPy has {want[at]!r} ({np.sum(wrong)} of {wrong.size} differ)")


def float_wrong(got, want, ulps, zero_sign):
    nan = np.isnan(got) & np.isnan(want)
    same = (got == want) if not zero_sign else (got == want) & (np.signbit(got) == np.signbit(want))
    near = np.abs(ordered(np.ascontiguousarray(got)) - ordered(np.ascontiguousarray(want))) <= ulps
    return ~(nan | same | (near & ~np.isnan(got) & ~np.isnan(want)))


def complex_wrong(got, want, ulps):
    if ulps == 0:
        return float_wrong(got.real, want.real, 0, False) | float_wrong(got.imag, want.imag, 0, False)
    finite = np.isfinite(got) & np.isfinite(want)
    eps = np.finfo(want.dtype).eps
    tiny = np.finfo(want.dtype).tiny
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(want.real), np.abs(want.imag))
        far = np.maximum(np.abs(got.real - want.real), np.abs(got.imag - want.imag)) > COMPLEX_SLACK * ulps * eps * size + tiny
    # Beyond the finite numbers both must agree that the number is infinite, or NaN.
    alike = (np.isinf(got) == np.isinf(want)) & (np.isfinite(got) == np.isfinite(want))
    return np.where(finite, far, ~alike)


def numpy_answer(name, *ins, **params):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(np, name)(*ins, **params)


def compare(peer, name, ins, ulps, what, **params):
    """Both answer alike, or both refuse."""
    try:
        want = numpy_answer(name, *ins, **params)
    except (TypeError, OverflowError, ValueError) as e:
        with pytest.raises(VoxmillError):
            got = peer(name, *ins, **params)
            print(f"{what}: NumPy refuses ({e}), got {got.dtype}")
        return
    check(peer(name, *ins, **params), want, ulps, what, name not in ZERO_SIGN_FREE)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_unary(peer, name, dtype):
    x = values(dtype, np.random.default_rng(1), 400)
    compare(peer, name, [x], UNARY[name], f"{name}({np.dtype(dtype)})")


def suits(name, ins):
    """Inputs on which NumPy is defined: it refuses negative integer powers while it runs, and shifts of 64 bits hang on the width."""
    if name == "power" and all(np.asarray(x).dtype.kind in "biu" for x in ins):
        ins = [np.abs(ins[0]) if np.asarray(ins[0]).dtype.kind == "x" else ins[0], np.bitwise_and(ins[1], 7)]
    return ins


@pytest.mark.parametrize("a", DTYPES)
@pytest.mark.parametrize("name", BINARY)
def test_binary(peer, name, a):
    rng = np.random.default_rng(2)
    for b in DTYPES:
        ins = suits(name, [values(a, rng, 80), values(b, rng, 80)])
        compare(peer, name, ins, BINARY[name], f"{name}({np.dtype(a)}, {np.dtype(b)})")


@pytest.mark.parametrize("a", DTYPES)
@pytest.mark.parametrize("name", BINARY)
def test_bare_numbers(peer, name, a):
    rng = np.random.default_rng(3)
    for number in BARE:
        x = values(a, rng)
        what = f"{name}({np.dtype(a)}, {number!r})"
        compare(peer, name, suits(name, [x, number]) if not_negative(number) else [x, number], BINARY[name], what)
        if name == "power" and np.dtype(a).kind in "iu":
            x = np.abs(x % 8)
        compare(peer, name, [number, x], BINARY[name], f"{name}({number!r}, {np.dtype(a)})")


def not_negative(number):
    return not isinstance(number, int) or number >= 0
