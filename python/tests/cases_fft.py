"""Fourier transforms."""

from __future__ import annotations

import numpy as np
from differential import ALL, Case, arrays
from hypothesis import strategies as st

ELSEWHERE: dict[str, str] = {}

TYPES = ("float32", "float64", "complex64", "complex128", "int16", "uint8", "int64", "bool")
SAFE = 1e-6
NORMS = st.sampled_from([None, "backward", "ortho", "forward", "odd"])


def along(dtypes=TYPES, **kinds):
    """Draw an array, a length and an axis; mistakes now and then."""

    def draw_one(draw):
        a = draw(arrays(dtypes, ranks=(0, 1, 2, 3), low=-5, high=5, **kinds))
        kwargs = {"n": draw(st.one_of(st.none(), st.integers(0, 9))), "norm": draw(NORMS)}
        if draw(st.booleans()):
            kwargs["axis"] = draw(st.integers(-a.ndim - (draw(st.integers(0, 9)) == 0), max(a.ndim - 1, 0)))
        return (a,), kwargs

    return draw_one


def over(dtypes=TYPES, two=False, **kinds):
    """Draw an array, and lengths and axes in the ways they may be given."""

    def draw_one(draw):
        a = draw(arrays(dtypes, ranks=(1, 2, 3), longest=5, low=-5, high=5, **kinds))
        kwargs = {"norm": draw(NORMS)}
        n = 2 if two else draw(st.integers(0, 3))
        if draw(st.booleans()):
            kwargs["axes"] = tuple(draw(st.integers(-a.ndim, a.ndim - 1)) for _ in range(n))
        if draw(st.booleans()):
            kwargs["s"] = tuple(draw(st.integers(-1, 6)) for _ in range(n))
        return (a,), kwargs

    return draw_one


def draw_shift(draw):
    a = draw(arrays(ALL, ranks=(1, 2, 3)))
    axis = st.integers(-a.ndim, a.ndim - 1)
    axes = draw(st.one_of(st.none(), axis, st.tuples(axis), st.tuples(axis, axis)))
    return (a,), {"axes": axes}


def draw_frequencies(draw):
    return (draw(st.integers(1, 30)),), {"d": draw(st.sampled_from([1.0, 0.5, 3, 1e-3, -2.0]))}


def half(name):
    """NumPy's transform of half precision, without the factors that it rounds to that."""

    def call(a, **kwargs):
        function = getattr(np.fft, name)
        return function(a.astype(np.float32), **kwargs).astype(function(a, **kwargs).dtype)

    return call


REALS = tuple(name for name in TYPES if not name.startswith("complex"))

CASES = [
    *(Case(f"fft.{name}", along(), rtol=SAFE) for name in ("fft", "ifft")),
    *(Case(f"fft.{name}", along(REALS), rtol=SAFE) for name in ("rfft", "ihfft")),
    # Of axes without elements, NumPy's inverse transforms give what happens to be in memory.
    *(Case(f"fft.{name}", along(least=1), rtol=SAFE) for name in ("irfft", "hfft")),
    Case("fft.rfft", along(("complex64", "complex128"))),
    *(Case(f"fft.{name}", along("float16", least=1), half(name), rtol=SAFE) for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")),
    *(Case(f"fft.{name}", over(), rtol=SAFE) for name in ("fftn", "ifftn")),
    *(Case(f"fft.{name}", over(two=True), rtol=SAFE) for name in ("fft2", "ifft2")),
    Case("fft.rfftn", over(REALS), rtol=SAFE),
    Case("fft.rfft2", over(REALS, two=True), rtol=SAFE),
    Case("fft.irfftn", over(least=1), rtol=SAFE),
    Case("fft.irfft2", over(two=True, least=1), rtol=SAFE),
    *(Case(f"fft.{name}", draw_shift) for name in ("fftshift", "ifftshift")),
    *(Case(f"fft.{name}", draw_frequencies) for name in ("fftfreq", "rfftfreq")),
]
