"""What users get wrong: NumPy's kind of exception, words that help, and nothing of the engine's inside in them."""

from __future__ import annotations

import traceback

import numpy as np
import pytest
import voxmill as vm

X = vm.ones((3, 4), chunks=2)

WRONG = [
    # Elements that are no numbers
    ("objects", lambda: vm.from_array(np.array([1, None], object)), TypeError, "elements of type object are not supported"),
    ("objects in a list", lambda: vm.asarray([1, None]), TypeError, "does not hold numbers only"),
    ("an object", lambda: vm.asarray(object()), TypeError, "does not hold numbers only"),
    ("text", lambda: vm.asarray("abc"), TypeError, "turn text and objects into numbers first"),
    ("texts", lambda: vm.asarray(["a", "b"]), TypeError, "turn text and objects into numbers first"),
    ("bytes", lambda: vm.asarray(np.array([b"a"])), TypeError, "turn text and objects into numbers first"),
    ("times", lambda: vm.from_array(np.array(["2020-01-01"], "M8[D]")), TypeError, "view times as int64 first"),
    ("spans of time", lambda: vm.asarray(np.array([1], "m8[s]")), TypeError, "view times as int64 first"),
    ("fields", lambda: vm.from_array(np.zeros(2, "i4,f4")), TypeError, "take the fields one by one"),
    ("long doubles", lambda: vm.asarray(np.zeros(2, "longdouble")), TypeError, "elements of type"),
    ("masked", lambda: vm.asarray(np.ma.masked_array([1], [True])), TypeError, "fill them first"),
    ("a set", lambda: vm.asarray({1, 2}), TypeError, "set does not hold numbers only"),
    ("a dict", lambda: vm.asarray({"a": 1}), TypeError, "dict does not hold numbers only"),
    ("dtype of zeros", lambda: vm.zeros(3, dtype=object), TypeError, "elements of type object"),
    ("dtype that is none", lambda: vm.zeros(3, dtype="nonsense"), TypeError, "nonsense"),
    ("dtype of astype", lambda: X.astype("U5"), TypeError, "elements of type <U5"),
    ("dtype of sum", lambda: X.sum(dtype="O"), TypeError, "elements of type object"),
    ("dtype of full", lambda: vm.full(3, "a"), TypeError, "elements of type <U1"),
    ("a number too large", lambda: vm.asarray(2**64), TypeError, "numbers only"),
    # Ragged lists
    ("ragged", lambda: vm.asarray([[1, 2], [3]]), ValueError, "inhomogeneous shape"),
    ("ragged from_array", lambda: vm.from_array([[1, 2], [3]]), ValueError, "inhomogeneous shape"),
    ("ragged stack", lambda: vm.stack([vm.zeros(2), vm.zeros(3)]), ValueError, "same shape"),
    # Chunks
    ("no chunks", lambda: vm.zeros(5, chunks=0), ValueError, "at least 1 long, not 0"),
    ("negative chunks", lambda: vm.zeros((5, 5), chunks=(2, -3)), ValueError, "at least 1 long, not -3 .axis 1."),
    ("short chunks", lambda: vm.zeros(5, chunks=((2, 2),)), ValueError, "add up to 4, the axis has length 5"),
    ("long chunks", lambda: X.rechunk(((3,), (4, 4))), ValueError, "add up to 8, the axis has length 4"),
    ("negative lengths", lambda: vm.zeros(5, chunks=((6, -1),)), ValueError, r"\(6, -1\) of axis 0"),
    ("chunks of too many axes", lambda: vm.zeros((5, 5), chunks=(1, 2, 3)), ValueError, "have 3 axes, the array has 2"),
    ("chunks of too few axes", lambda: X.rechunk((2,)), ValueError, "have 1 axes, the array has 2"),
    ("NaN chunks", lambda: vm.zeros(5, chunks=(np.nan,)), ValueError, "are NaN"),
    ("NaN lengths", lambda: vm.zeros(5, chunks=((np.nan, np.nan),)), ValueError, "are NaN"),
    ("fractions", lambda: vm.zeros(5, chunks=2.5), TypeError, "must be numbers, 'auto' or a size, not 2.5"),
    ("words", lambda: vm.zeros(5, chunks="large"), ValueError, "cannot read 'large' as a size"),
    ("an object as chunks", lambda: vm.zeros(5, chunks=object()), TypeError, "chunks must be a number"),
    ("an object in chunks", lambda: vm.zeros(5, chunks=(object(),)), TypeError, "chunks of axis 0 must be numbers"),
    ("chunks of an axis that is not there", lambda: X.rechunk({2: 1}), np.exceptions.AxisError, "axis 2 is out of bounds"),
    ("chunks of an axis by name", lambda: X.rechunk({"x": 1}), TypeError, "str"),
    ("a limit", lambda: X.rechunk("auto", block_size_limit="large"), ValueError, "cannot read 'large' as a size"),
    ("normalize_chunks without shape", lambda: vm.normalize_chunks("auto"), ValueError, "the shape is needed"),
    # Shapes
    ("negative shape", lambda: vm.zeros((3, -1)), ValueError, "negative dimensions are not allowed"),
    ("fractions of elements", lambda: vm.ones(2.5), TypeError, "made of integers"),
    ("shape of text", lambda: vm.ones("ab"), TypeError, "made of integers"),
    ("too many axes", lambda: vm.zeros((1,) * 65), ValueError, "maximum supported dimension for an array is 64, found 65"),
    ("huge shape", lambda: vm.zeros((10**10, 10**10)), ValueError, "too large to be addressed"),
    ("huge length", lambda: vm.zeros(10**30), ValueError, "too large to be addressed"),
    ("huge arange", lambda: vm.arange(10**30), ValueError, "too many values"),
    ("huge broadcast", lambda: (vm.zeros((10**10, 1)) + vm.zeros((1, 10**10))).compute(), ValueError, "too large to be addressed"),
    ("huge repeat", lambda: vm.zeros(10**10).repeat(10**10), ValueError, "too large|overflow"),
    ("reshape", lambda: X.reshape(5, 5), ValueError, r"cannot reshape array of size 12 into shape \(5, 5\)"),
    ("reshape by -1 twice", lambda: X.reshape(-1, -1), ValueError, "one unknown dimension"),
    ("reshape to less", lambda: X.reshape(-2, 6), ValueError, "reshape"),
    ("reshape order", lambda: X.reshape(12, order="Z"), ValueError, "order"),
    ("broadcast", lambda: X + np.ones(3), ValueError, "add: shapes .3, 4. and .3. do not broadcast"),
    ("broadcast in where", lambda: vm.where(X > 0, np.ones(3), 0), ValueError, "broadcast"),
    ("broadcast_to", lambda: vm.broadcast_to(X, (3, 5)), ValueError, "broadcast"),
    ("matmul", lambda: X @ X, ValueError, "matmul"),
    ("matmul with a number", lambda: X @ 3, ValueError, "matmul"),
    ("concatenate", lambda: vm.concatenate([X, vm.ones((3, 5))]), ValueError, "concatenate"),
    ("concatenate nothing", lambda: vm.concatenate([]), ValueError, "need at least one array"),
    ("in place", lambda: vm.zeros(3).__iadd__(X), ValueError, "broadcast"),
    ("assignment", lambda: X.copy().__setitem__(0, np.ones(3)), ValueError, "could not broadcast input array from shape"),
    # Axes
    *(
        (f"axis of {name}", lambda name=name: getattr(vm, name)(X, axis=2), np.exceptions.AxisError, "axis 2 is out of")
        for name in ("sum", "mean", "max", "argmin", "cumsum", "median", "flip", "any", "std", "sort", "squeeze", "diff", "count_nonzero")
    ),
    ("axes twice", lambda: X.sum(axis=(0, 0)), ValueError, "axis"),
    ("negative axis", lambda: X.sum(axis=-3), np.exceptions.AxisError, "axis -3 is out of"),
    ("axis that is no number", lambda: X.sum(axis="x"), TypeError, "axis"),
    ("fraction of an axis", lambda: X.sum(axis=0.5), TypeError, "axis"),
    ("transpose", lambda: X.transpose(0), ValueError, "axes"),
    ("transpose twice", lambda: X.transpose(0, 0), ValueError, "axis|axes"),
    ("transpose out of range", lambda: X.transpose(0, 2), np.exceptions.AxisError, "axis 2"),
    ("swapaxes", lambda: X.swapaxes(0, 2), np.exceptions.AxisError, "axis 2"),
    ("moveaxis", lambda: vm.moveaxis(X, 0, 5), np.exceptions.AxisError, "axis 5"),
    ("expand_dims", lambda: vm.expand_dims(X, 5), np.exceptions.AxisError, "axis 5"),
    ("stack", lambda: vm.stack([X, X], axis=5), np.exceptions.AxisError, "axis 5"),
    ("squeeze of a long axis", lambda: X.squeeze(0), ValueError, "size not equal to one"),
    ("take", lambda: X.take([9], axis=0), IndexError, "out of bounds"),
    # Types of arguments
    ("bits of floats", lambda: X & 1, TypeError, "bitwise_and: not defined for float64"),
    ("not of floats", lambda: ~X, TypeError, "invert: not defined for float64"),
    ("shift of floats", lambda: X << 1, TypeError, "left_shift: not defined for float64"),
    ("minus of truth values", lambda: -(X > 0), TypeError, "negative"),
    ("difference of truth values", lambda: (X > 0) - (X > 0), TypeError, "subtract"),
    ("order of complex numbers", lambda: vm.floor(X * 1j), TypeError, "floor"),
    ("plus text", lambda: X + "a", TypeError, "not supported"),
    ("plus None", lambda: X + None, TypeError, "numbers only"),
    ("plus a large number", lambda: vm.ones(3, "u1") + 300, OverflowError, "300"),
    ("a negative number for unsigned", lambda: vm.ones(3, "u1") + (-1), OverflowError, "-1"),
    ("truth of many", lambda: bool(X), ValueError, "ambiguous; use x.any"),
    ("if many", lambda: 1 if X > 0 else 0, ValueError, "ambiguous; use x.any"),
    ("number of many", lambda: float(X), TypeError, "only 0-dimensional arrays"),
    ("length of a number", lambda: len(X.sum()), TypeError, "without axes"),
    ("loop over a number", lambda: list(X.sum()), TypeError, "without axes"),
    ("map_blocks without a function", lambda: vm.map_blocks(3, X), TypeError, "must be a function"),
    # Limits
    ("memory in words", lambda: X.compute(memory_limit="plenty"), ValueError, "'plenty'"),
    ("negative memory", lambda: X.compute(memory_limit=-5), ValueError, "-5"),
    ("no threads", lambda: X.compute(threads=0), ValueError, "at least 1, not 0"),
    ("threads in words", lambda: X.compute(threads="two"), (ValueError, TypeError), "two"),
    ("a setting that is not there", lambda: X.compute(schedule="fast"), TypeError, "no setting 'schedule'"),
    ("config", lambda: vm.config.set(nonsense=1), (TypeError, KeyError), "nonsense"),
    ("a result beyond memory", lambda: vm.ones((10**6, 10**6)).compute(memory_limit="100MB"), MemoryError, "does not fit the memory limit"),
    ("work beyond memory", lambda: vm.ones((4000, 4000)).map_blocks(abs, dtype=float).compute(memory_limit="1MB"), MemoryError, "limit"),
]  # fmt: skip


@pytest.mark.parametrize(("run", "kind", "words"), [wrong[1:] for wrong in WRONG], ids=[wrong[0] for wrong in WRONG])
def test_wrong(run, kind, words):
    with pytest.raises(kind, match=words) as caught:
        run()
    text = str(caught.value)
    for inside in ("panicked", "src/", ".rs", "unwrap", "Some(", "usize", "PyErr", "_native", "_expr", "called `"):
        assert inside not in text, text
    assert len(text) < 500
    # The first line of the traceback is the user's own.
    assert traceback.extract_tb(caught.value.__traceback__)[1].filename == __file__
    assert caught.value.__cause__ is None


NUMPY_TOO = [
    "ragged", "negative shape", "too many axes", "reshape", "reshape by -1 twice", "broadcast", "matmul", "concatenate nothing",
    "axes twice", "negative axis", "axis that is no number", "transpose", "transpose twice", "transpose out of range", "swapaxes",
    "squeeze of a long axis", "take", "bits of floats", "not of floats", "shift of floats", "minus of truth values",
    "difference of truth values", "plus text", "plus None", "plus a large number", "truth of many", "number of many",
    "length of a number", "loop over a number", "dtype that is none", "fractions of elements", "assignment", "in place",
]  # fmt: skip


@pytest.mark.parametrize("name", NUMPY_TOO)
def test_numpy_says_the_same(name, monkeypatch):
    """The same mistake with NumPy's arrays is the same kind of exception."""
    run, kind = next((run, kind) for n, run, kind, _ in WRONG if n == name)
    import sys

    here = sys.modules[__name__]
    monkeypatch.setattr(here, "vm", np)
    monkeypatch.setattr(here, "X", np.ones((3, 4)))
    with pytest.raises(Exception) as caught:  # noqa: PT011
        run()
    assert isinstance(caught.value, kind) or issubclass(kind, type(caught.value))


def test_nothing_is_computed_before_it_is_refused():
    """Shapes and types are checked when an expression is built, not when it is computed."""
    calls = []

    def slow(block):
        calls.append(1)
        return block

    x = vm.ones((3, 4)).map_blocks(slow, dtype=float)
    for wrong in (lambda: x + np.ones(3), lambda: x.reshape(5), lambda: x.sum(axis=7), lambda: x[9], lambda: x @ x, lambda: x.astype("O")):
        with pytest.raises((ValueError, TypeError, IndexError)):
            wrong()
    assert not calls


def test_a_wrong_call_changes_nothing():
    x = vm.arange(4)
    for wrong in (
        lambda: x.__setitem__(9, 1),
        lambda: x.__setitem__(0, [1, 2]),
        lambda: x.__iadd__(1.5),
        lambda: x.__iadd__(np.ones((2, 4), int)),
        lambda: x.sort(axis=3),
        lambda: x.put([9], 1),
    ):
        with pytest.raises((ValueError, TypeError, IndexError)):
            wrong()
    assert x.tolist() == [0, 1, 2, 3]
    before = vm.config.get("threads")
    with pytest.raises(ValueError, match="at least 1"):
        vm.config.set(threads=0)
    assert vm.config.get("threads") == before


def test_a_numpy_array_that_changes_after_wrapping():
    """Memory is shared: what is computed is what stands there then, whole elements of it, and never a crash."""
    a = np.zeros(1000)
    x = vm.from_array(a, chunks=100)
    total = x.sum()
    a[:] = 1
    assert float(total) == 1000
    with pytest.raises(ValueError, match="cannot resize|referenced"):
        a.resize(10, refcheck=True)
    del total, x


def test_sources_that_lie():
    class Text:
        shape, dtype = (3,), np.dtype("U3")

        def __getitem__(self, index):
            return np.array(["a", "b", "c"])[index]

    class Negative(Text):
        shape, dtype = (-3,), np.dtype(float)

    class NoShape(Text):
        shape, dtype = None, np.dtype(float)

    with pytest.raises(TypeError, match="elements of type <U3"):
        vm.from_array(Text())
    with pytest.raises(ValueError, match="negative"):
        vm.from_array(Negative())
    with pytest.raises(TypeError):
        vm.from_array(NoShape())
