"""Functions that make arrays from nothing, or from other things."""

from __future__ import annotations

import numpy as np
from differential import ALL, FLOATS, REAL, Case, arrays
from hypothesis import strategies as st

ELSEWHERE = {
    "empty": "test_create.py",
    "empty_like": "test_create.py",
    "from_array": "test_create.py",
    "from_function": "test_create.py",
    "from_map": "test_create.py",
    "normalize_chunks": "test_create.py",
    "from_npy": "test_store.py",
    "from_zarr": "test_store.py",
    "open": "test_store.py",
    "store": "test_store.py",
    "to_npy": "test_store.py",
    "to_zarr": "test_store.py",
}

DTYPES = (None, "bool", "uint8", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128", int, float, bool)


def shapes(draw):
    """Draw a shape in one of its forms."""
    lengths = tuple(draw(st.integers(0, 5)) for _ in range(draw(st.integers(0, 3))))
    form = draw(st.sampled_from([tuple, list, np.array, "number"]))
    if form == "number" or (form is np.array and not lengths):
        return draw(st.integers(0, 9))
    return [*lengths] if form is list else (tuple(np.int64(n) for n in lengths) if form is np.array else lengths)


def filled(draw):
    """Draw the arguments of zeros and ones."""
    return (shapes(draw),), {"dtype": draw(st.sampled_from(DTYPES))}


def full(draw):
    """Draw the arguments of full: a number, or an array that broadcasts."""
    kwargs = {"dtype": draw(st.sampled_from(DTYPES))} if draw(st.booleans()) else {}
    shape = tuple(draw(st.integers(0, 4)) for _ in range(draw(st.integers(0, 3))))
    if draw(st.booleans()):
        # Plain numbers that do not fit are refused by both, with an OverflowError: see test_create.py.
        wide = [300, -1, 2**40] if kwargs.get("dtype") in (None, float, "float64", "complex128", "int64", int) else []
        return (shape, draw(st.sampled_from([0, 1, True, 2.5, 1j, np.float32(3), np.uint8(200), np.nan, *wide]))), kwargs
    part = tuple(1 if draw(st.booleans()) else n for n in shape[draw(st.integers(0, len(shape))) :])
    return (shape, draw(arrays(REAL, shape=part, low=0, high=9))), kwargs


def like(*more):
    """Draw an array to be like, and perhaps another dtype and shape."""

    def draw_like(draw):
        kwargs = {}
        if draw(st.booleans()):
            kwargs["dtype"] = draw(st.sampled_from(DTYPES))
        if draw(st.booleans()):
            kwargs["shape"] = shapes(draw)
        return (draw(arrays(ALL)), *(draw(m) for m in more)), kwargs

    return draw_like


NUMBERS = st.one_of(
    st.integers(-30, 30), st.floats(-30, 30, allow_subnormal=False), st.integers(-30, 30).map(np.int32),
    st.integers(-30, 30).map(np.float32),
)  # fmt: skip
STEPS = st.one_of(st.integers(-7, 7).filter(bool), st.sampled_from([0.1, 0.25, 1 / 3, -0.3, 7.7, np.float32(0.5), np.int16(-3)]))


def arange(draw):
    """Draw the arguments of arange."""
    args = draw(st.sampled_from([(NUMBERS,), (NUMBERS, NUMBERS), (NUMBERS, NUMBERS, STEPS)]))
    kwargs = {"dtype": draw(st.sampled_from(("int32", "uint8", "float32", "float64", "int64")))} if draw(st.booleans()) else {}
    values = tuple(draw(a) for a in args)
    # What a negative number is as an unsigned one is the affair of the C compiler.
    if kwargs.get("dtype") == "uint8":
        values = tuple(abs(v) for v in values)
    return values, kwargs


def linspace(draw):
    """Draw the arguments of linspace, with numbers or arrays as ends."""
    kwargs = {"num": draw(st.integers(0, 9)), "endpoint": draw(st.booleans()), "retstep": draw(st.booleans())}
    if draw(st.booleans()):
        kwargs["dtype"] = draw(st.sampled_from(["float32", "float64", "int32", "complex128"]))
    if draw(st.booleans()):
        ends = st.one_of(st.integers(-9, 9), st.floats(-9, 9, allow_subnormal=False), st.just(1 + 2j), st.just(np.float32(0.1)))
        return (draw(ends), draw(ends)), kwargs
    shape = tuple(draw(st.integers(1, 3)) for _ in range(draw(st.integers(1, 2))))
    start = draw(arrays((*FLOATS, "int32", "complex64"), shape=shape))
    stop = draw(st.one_of(st.integers(-5, 5), arrays((*FLOATS, "int32"), shape=shape[draw(st.integers(0, 1)) :])))
    kwargs["axis"] = draw(st.integers(-1, len(shape)))
    return (start, stop), kwargs


def linspace_of_numpy(*args, **kwargs):
    """NumPy's linspace, with a step that is compared as an array."""
    found = np.linspace(*args, **kwargs)
    return [np.asarray(part) for part in found] if kwargs.get("retstep") else found


def eye(draw):
    """Draw the arguments of eye."""
    kwargs = {"k": draw(st.integers(-6, 6)), "dtype": draw(st.sampled_from(DTYPES[1:]))}
    return (draw(st.integers(0, 5)), *((draw(st.integers(0, 5)),) if draw(st.booleans()) else ())), kwargs


def made(*, ndmin=False):
    """Draw something to make an array of: arrays, numbers and nested lists, perhaps of another type."""

    def draw_made(draw):
        a = draw(arrays(ALL))
        value = draw(st.sampled_from([a, a.tolist(), a[()] if a.ndim == 0 else a]))
        kwargs = {"dtype": draw(st.sampled_from(("float64", "int64", "complex64")))} if draw(st.booleans()) else {}
        if ndmin:
            kwargs["ndmin"] = draw(st.integers(0, 4))
        return (value,), kwargs

    return draw_made


CASES = [
    Case("zeros", filled),
    Case("ones", filled),
    Case("full", full),
    Case("zeros_like", like()),
    Case("ones_like", like()),
    Case("full_like", like(st.sampled_from([0, 1, 2.5, True, np.uint8(7), 100]))),
    Case("arange", arange),
    Case("linspace", linspace, reference=linspace_of_numpy),
    Case("eye", eye),
    Case("identity", lambda draw: ((draw(st.integers(0, 6)),), {"dtype": draw(st.sampled_from(DTYPES[1:]))})),
    Case("asarray", made()),
    Case("asanyarray", made()),
    Case("ascontiguousarray", made()),
    Case("array", made(ndmin=True)),
]
