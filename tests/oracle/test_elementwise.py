"""Every element-wise op against NumPy, live: all dtypes, mixed pairs, bare Python numbers, special values.

Integers and booleans must be equal; floats may differ by the stated number of units in the last place, since NumPy itself answers
with one of several vector libraries. Result dtypes must be equal everywhere, and what NumPy refuses must be refused.
"""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from peer import VoxmillError

EXACT = "?BHIQbhiq"
FLOATS = "efd"
DTYPES = EXACT + FLOATS + "FD"
COUNT = 40

UNARY = {
    "negative": 0, "positive": 0, "absolute": 4, "abs": 4, "fabs": 0, "sign": 1, "reciprocal": 2, "square": 1, "sqrt": 2,
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


# Where NumPy refuses a bare integer beyond 64 or 32 bits, these ops answer.
ANSWERS_ANY_INTEGER = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and", "logical_or",
                       "logical_xor", "ldexp", "isclose"}
# NumPy computes these complex functions by plain formulas in the precision of the array, whose error grows with the arguments.
PLAIN_COMPLEX = {"exp2", "expm1", "log1p", "power", "float_power", "isclose"}


@pytest.fixture(scope="module")
def peer(peer):
    """Bare numbers that JSON lacks travel as words."""
    plain = peer._input
    peer._input = lambda k, x: {"weak": str(x)} if isinstance(x, float) and not np.isfinite(x) else plain(k, x)
    yield peer
    peer._input = plain


def numpy_answer(name, *ins, **params):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(np, name)(*ins, **params)


def compare(peer, name, ins, ulps, what, **params):
    """Both answer alike, or both refuse."""
    ins = [defined(name, k, x, ins) for k, x in enumerate(ins)]
    try:
        want = numpy_answer(name, *ins, **params)
    except (TypeError, OverflowError, ValueError) as e:
        if not (isinstance(e, OverflowError) and name in ANSWERS_ANY_INTEGER):
            with pytest.raises(VoxmillError):
                got = peer(name, *ins, **params)
                print(f"{what}: NumPy refuses ({e}), got {got.dtype}")
        return
    if name == "ldexp" and not isinstance(ins[0], np.ndarray):
        return  # NumPy takes float16 for any bare number here.
    if name == "isclose" and want.size and any(beyond_half(x, ins) for x in ins):
        return  # NumPy multiplies the bare number by the tolerance before it meets the array.
    if name in PLAIN_COMPLEX and np.iscomplexobj(want):
        largest = max([abs(x) for x in ins if not isinstance(x, np.ndarray)], default=0)
        if np.isfinite(largest) and largest > 1000:
            return  # Nothing is left of the angle.
        ulps = 4096 if largest > 100 else 32
    check(peer(name, *ins, **params), want, ulps, what, name not in ZERO_SIGN_FREE)


def beyond_half(x, ins):
    halves = any(isinstance(y, np.ndarray) and y.dtype.char == "e" for y in ins)
    return halves and isinstance(x, (int, float)) and abs(x) > 65504


def defined(name, k, x, ins):
    """The input without values on which NumPy has no answer of its own."""
    complex_in = any(np.iscomplexobj(x) for x in ins)
    if not isinstance(x, np.ndarray):
        return x
    if name in PLAIN_COMPLEX and complex_in and x.dtype.kind in "fc":
        with np.errstate(all="ignore"):
            return np.where(np.isfinite(x) & (np.abs(x) < 4) & (np.abs(x) > 0.1), x, x.dtype.type(1.5))
    if name in ("power", "float_power") and complex_in and x.dtype.kind in "iu":
        return (x % 4).astype(x.dtype)
    if name == "power" and all(np.asarray(x).dtype.kind in "biu" for x in ins) and k == 1 and x.dtype.kind == "i":
        return x & 7
    if name == "power" and k == 0 and isinstance(ins[1], float) and ins[1] == 0.5:
        return np.abs(x)
    return x


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_unary(peer, name, dtype):
    x = values(dtype, np.random.default_rng(1), 400)
    compare(peer, name, [x], UNARY[name], f"{name}({np.dtype(dtype)})")


@pytest.mark.parametrize("a", DTYPES)
@pytest.mark.parametrize("name", BINARY)
def test_binary(peer, name, a):
    rng = np.random.default_rng(2)
    for b in DTYPES:
        ins = [values(a, rng, 80), values(b, rng, 80)]
        compare(peer, name, ins, BINARY[name], f"{name}({np.dtype(a)}, {np.dtype(b)})")


@pytest.mark.parametrize("a", DTYPES)
@pytest.mark.parametrize("name", BINARY)
def test_bare_numbers(peer, name, a):
    rng = np.random.default_rng(3)
    for number in BARE:
        x = values(a, rng)
        compare(peer, name, [x, number], BINARY[name], f"{name}({np.dtype(a)}, {number!r})")
        compare(peer, name, [number, x], BINARY[name], f"{name}({number!r}, {np.dtype(a)})")


@pytest.mark.parametrize("x", DTYPES)
def test_where(peer, x):
    rng = np.random.default_rng(4)
    for y in DTYPES:
        for condition in "?bfD":
            ins = [values(c, rng) for c in (condition, x, y)]
            check(peer("where", *ins), np.where(*ins), 0, f"where({condition}, {x}, {y})")
    for number in [True, 3, 0.5, 1j]:
        ins = [values("?", rng), values(x, rng), number]
        check(peer("where", *ins), np.where(*ins), 0, f"where(bool, {x}, {number!r})")
    broadcast = [values("?", rng)[:3, None], values(x, rng)[None, :4], values(x, rng)[:1]]
    check(peer("where", *broadcast), np.where(*broadcast), 0, "where broadcast")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("decimals", [0, 1, 2, 5, -1, -2, -3])
def test_round(peer, dtype, decimals):
    x = values(dtype, np.random.default_rng(5), 200)
    if np.dtype(dtype).itemsize == 8 and np.dtype(dtype).kind in "iu":
        x %= 10**6  # Beyond 2**53 NumPy's way through float64 leaves the range.
    compare(peer, "round", [x], 0, f"round({np.dtype(dtype)}, {decimals})", decimals=decimals)


LIMITS = [(0, 1), (None, 5), (-3, None), (0.5, 2.5), (-1, 300), (-(10**6), 10**6), (2, 1), (None, 2**40), (300, None), (1, 2.5)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("limits", LIMITS)
def test_clip(peer, dtype, limits):
    low, high = limits
    x = values(dtype, np.random.default_rng(6), 100)
    compare(peer, "clip", [x], 0, f"clip({np.dtype(dtype)}, {low}, {high})", min=low, max=high)


@pytest.mark.parametrize("dtype", DTYPES)
def test_parameters(peer, dtype):
    rng = np.random.default_rng(7)
    x = values(dtype, rng, 100)
    compare(peer, "angle", [x], 4, "angle in degrees", deg=True)
    compare(peer, "nan_to_num", [x], 0, "nan_to_num", nan=1.5, posinf=7.0, neginf=-3)
    with np.errstate(all="ignore"):
        y = values("?", rng, 100) if dtype == "?" else x + values(dtype, rng, 100)
    for params in [{}, {"rtol": 0.1}, {"atol": 2.0}, {"equal_nan": True}, {"rtol": 0.0, "atol": 0.5}]:
        with np.errstate(all="ignore"):
            compare(peer, "isclose", [x, y], 0, f"isclose({np.dtype(dtype)}, {params})", **params)


@pytest.mark.parametrize("a", DTYPES)
@pytest.mark.parametrize("b", DTYPES)
def test_astype(peer, a, b):
    x = values(a, np.random.default_rng(8), 400)
    if a in "fdFD":
        with np.errstate(all="ignore"):
            edges = np.array([s * 2.0**k + d for s in (1, -1) for k in (7, 8, 15, 16, 31, 32, 63, 64) for d in (-1, -0.5, 0, 1)])
            x = np.concatenate([x, edges.astype(a)])
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = x.astype(b)
        if b == "I":
            # Beyond the range NumPy's vector loops and its scalar ones differ; ours are the former.
            x = x if a in "fd" else np.where((x.real > -(2.0**31)) & (x.real < 2.0**32), x, x.dtype.type(1))
            want = x.astype(b)
    check(peer("astype", x, dtype=np.dtype(b)), want, 0, f"{np.dtype(a)} to {np.dtype(b)}")


@settings(max_examples=60, deadline=None)
@given(xs=st.lists(st.floats(width=64), min_size=1, max_size=30), dtype=st.sampled_from("BHIQbhiqef"))
def test_any_float_casts_as_numpy(peer, xs, dtype):
    x = np.array(xs)
    if dtype == "I":
        x = np.where((x > -(2.0**31)) & (x < 2.0**32), x, 1.0)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = x.astype(dtype)
    check(peer("astype", x, dtype=np.dtype(dtype)), want, 0, f"float64 to {np.dtype(dtype)}")


@pytest.mark.parametrize("dtype", "?Bhiqfd")
def test_sinc(peer, dtype):
    x = values(dtype, np.random.default_rng(9), 100)
    with np.errstate(all="ignore"):
        x = np.where(np.abs(x) < 1000, x, x.dtype.type(1))
        check(peer("sinc", x), np.sinc(x), 4, f"sinc({np.dtype(dtype)})")


@pytest.mark.parametrize("name", ["add", "less", "arctan2", "maximum"])
def test_broadcasting(peer, name):
    rng = np.random.default_rng(10)
    for shapes in [((3, 1, 4), (2, 4)), ((), (5,)), ((1,), (0,)), ((0, 3), (3,)), ((1, 1), (2, 3))]:
        a, b = rng.standard_normal(shapes[0]), rng.standard_normal(shapes[1])
        check(peer(name, a, b), getattr(np, name)(a, b), 4, f"{name}{shapes}")
    with pytest.raises(VoxmillError, match="broadcast"):
        peer(name, np.ones(3), np.ones(4))


def test_signed_and_unsigned_long_integers_compare_by_value(peer):
    a = np.array([0, 1, 2**63 - 1, 2**63, 2**64 - 1], np.uint64)
    b = np.array([0, -1, 2**63 - 1, -(2**63), -1], np.int64)
    for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
        for x, y in [(a[:, None], b), (b[:, None], a)]:
            check(peer(name, x, y), getattr(np, name)(x, y), 0, name)


def test_negative_integer_powers(peer):
    got = peer("power", np.array([1, -1, -1, 2, 0], np.int32), np.array([-3, -3, -2, -1, -1], np.int32))
    assert got.tolist() == [1, -1, 1, 0, 0]
    with pytest.raises(VoxmillError, match="float_power"):
        peer("power", np.array([2]), -1)


def test_refusals_say_what_is_taken(peer):
    with pytest.raises(VoxmillError, match="float64 and float64; it takes integers and booleans") as e:
        peer("bitwise_and", np.ones(2), np.ones(2))
    assert e.value.kind == "invalid"
    with pytest.raises(VoxmillError, match="real numbers"):
        peer("floor_divide", np.ones(2, "D"), np.ones(2))
    with pytest.raises(VoxmillError, match="logical_xor"):
        peer("subtract", np.ones(2, bool), np.ones(2, bool))
    with pytest.raises(VoxmillError, match="300 does not fit uint8"):
        peer("add", np.ones(2, "u1"), 300)
