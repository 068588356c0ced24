"""Indexing, joining, repeating and padding, compared with NumPy: every value and dtype must be equal."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from peer import VoxmillError

DTYPES = ["bool", "uint8", "int16", "uint32", "int64", "float16", "float32", "float64", "complex64", "complex128"]
REAL = [d for d in DTYPES if not d.startswith("complex")]

many = settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def values(shape, dtype, seed):
    """Random values, whole numbers and a few repeats included, that every dtype can hold."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.asarray(rng.random(shape) < 0.5)
    low, high = (0, 100) if kind == "u" else (-100, 100)
    x = rng.integers(low, high, shape)
    if kind in "fc":
        x = x + rng.integers(0, 8, shape) / 8
    if kind == "c":
        x = x + 1j * rng.integers(-9, 9, shape)
    return np.asarray(x).astype(dtype)


def shapes(min_rank=0, max_rank=5, min_side=0):
    return st.lists(st.sampled_from([n for n in (0, 1, 1, 2, 3, 4, 5, 7) if n >= min_side]), min_size=min_rank, max_size=max_rank)


@st.composite
def arrays(draw, min_rank=0, max_rank=5, min_side=0, dtypes=DTYPES):
    shape = draw(shapes(min_rank, max_rank, min_side))
    return values(shape, draw(st.sampled_from(dtypes)), draw(st.integers(0, 1000)))


def same(got, want):
    want = np.asarray(want)
    assert got.dtype == want.dtype and got.shape == want.shape, (got.dtype, got.shape, want.dtype, want.shape)
    np.testing.assert_array_equal(got, want)


def compare(peer, numpy_call, op, *ins, **params):
    """Both succeed with equal results, or both refuse."""
    try:
        want = numpy_call()
    except (ValueError, IndexError, TypeError, np.exceptions.AxisError) as refusal:
        with pytest.raises(VoxmillError) as mine:
            peer(op, *ins, **params)
        assert mine.value.kind == "invalid", (mine.value, refusal)
        return
    same(peer(op, *ins, **params), want)


# Indexing


@st.composite
def indices(draw, shape):
    """A NumPy index and its written form."""
    entries = []
    axes = list(shape)
    place = st.one_of(st.none(), st.integers(-9, 9))
    for n in axes[: draw(st.integers(0, len(axes)))]:
        if n > 0 and draw(st.integers(0, 3)) == 0:
            entries.append(draw(st.integers(-n, n - 1)))
        else:
            entries.append(slice(draw(place), draw(place), draw(st.one_of(st.none(), st.sampled_from([-7, -3, -2, -1, 1, 2, 3, 7])))))
    if draw(st.booleans()):
        entries.insert(draw(st.integers(0, len(entries))), ...)
        # Entries behind the ellipsis meet other axes; integers may then be out of bounds, which is a case of its own.
    for _ in range(draw(st.integers(0, 2))):
        entries.insert(draw(st.integers(0, len(entries))), None)
    return entries


def written(entries):
    def one(entry):
        if entry is ...:
            return "..."
        if isinstance(entry, slice):
            return {"start": entry.start, "stop": entry.stop, "step": entry.step}
        return entry

    return [one(entry) for entry in entries]


@many
@given(st.data())
def test_getitem(peer, data):
    x = data.draw(arrays())
    entries = data.draw(indices(x.shape))
    compare(peer, lambda: x[tuple(entries)], "getitem", x, index=written(entries))


@pytest.mark.parametrize(
    "index", [[9], [-6], [0, 0, 0], ["...", "..."], [{"step": 0}], ["all"], [1.5], [True], [{"begin": 1}], [[0, 1]]]
)
def test_getitem_refuses(peer, index):
    with pytest.raises(VoxmillError):
        peer("getitem", np.zeros((5, 4)), index=index)


# Axes


@many
@given(st.data())
def test_transpose(peer, data):
    x = data.draw(arrays())
    axes = data.draw(st.one_of(st.none(), st.permutations(range(x.ndim))))
    compare(peer, lambda: np.transpose(x, axes), "transpose", x, axes=axes)


@many
@given(st.data())
def test_swapaxes_and_moveaxis(peer, data):
    x = data.draw(arrays(max_rank=4))
    axis = st.integers(-x.ndim - 1, x.ndim)
    a, b = data.draw(axis), data.draw(axis)
    compare(peer, lambda: np.swapaxes(x, a, b), "swapaxes", x, axis1=a, axis2=b)
    compare(peer, lambda: np.moveaxis(x, a, b), "moveaxis", x, source=a, destination=b)
    source = data.draw(st.lists(axis, max_size=3))
    destination = data.draw(st.lists(axis, min_size=len(source), max_size=len(source)))
    compare(peer, lambda: np.moveaxis(x, source, destination), "moveaxis", x, source=source, destination=destination)


@many
@given(st.data())
def test_squeeze_and_expand_dims(peer, data):
    x = data.draw(arrays(max_rank=4))
    axis = data.draw(st.one_of(st.none(), st.integers(-4, 4), st.lists(st.integers(-4, 4), max_size=3)))
    as_numpy = tuple(axis) if isinstance(axis, list) else axis
    if x.ndim or axis is None:  # NumPy lets axis 0 of rank 0 pass
        compare(peer, lambda: np.squeeze(x, as_numpy), "squeeze", x, axis=axis)
    if axis is not None:
        compare(peer, lambda: np.expand_dims(x, as_numpy), "expand_dims", x, axis=axis)


@many
@given(st.data())
def test_flip_and_rot90(peer, data):
    x = data.draw(arrays(max_rank=4))
    axis = data.draw(st.one_of(st.none(), st.integers(-4, 4), st.lists(st.integers(-4, 4), max_size=3)))
    as_numpy = tuple(axis) if isinstance(axis, list) else axis
    compare(peer, lambda: np.flip(x, as_numpy), "flip", x, axis=axis)
    k, axes = data.draw(st.integers(-5, 5)), data.draw(st.lists(st.integers(-3, 3), min_size=2, max_size=2))
    # NumPy lets a plane of -1 and 0 of a rank-1 array pass and fails later; both refuse.
    compare(peer, lambda: np.rot90(x, k, axes), "rot90", x, k=k, axes=axes)


# Shapes


@st.composite
def factorings(draw, size):
    """A shape of `size` elements, sometimes with one length left open."""
    shape = []
    rest = size
    while rest > 1 and len(shape) < 4:
        shape.append(draw(st.sampled_from([d for d in range(1, rest + 1) if rest % d == 0])))
        rest //= shape[-1]
    shape.append(rest)
    for _ in range(draw(st.integers(0, 2))):
        shape.insert(draw(st.integers(0, len(shape))), 1)
    if draw(st.booleans()):
        shape[draw(st.integers(0, len(shape) - 1))] = -1
    return shape


@many
@given(st.data())
def test_reshape(peer, data):
    x = data.draw(arrays())
    shape = data.draw(factorings(x.size))
    compare(peer, lambda: np.reshape(x, shape), "reshape", x, shape=shape)
    again = data.draw(factorings(x.size))
    compare(peer, lambda: np.reshape(x, again), "reshape", x, shape=again)
    same(peer("ravel", x), np.ravel(x))


@pytest.mark.parametrize("shape", [[5], [-1, -1], [4, -1], [0, -1], 7, []])
def test_reshape_refuses(peer, shape):
    x = np.zeros((2, 3))
    compare(peer, lambda: np.reshape(x, shape), "reshape", x, shape=shape)


@many
@given(st.data())
def test_broadcast_to(peer, data):
    x = data.draw(arrays(max_rank=4))
    shape = [data.draw(st.sampled_from([0, 1, 3])) if n == 1 else n for n in x.shape]
    shape = data.draw(shapes(max_rank=2)) + shape
    compare(peer, lambda: np.broadcast_to(x, shape), "broadcast_to", x, shape=shape)
    wrong = data.draw(shapes(max_rank=4))
    compare(peer, lambda: np.broadcast_to(x, wrong), "broadcast_to", x, shape=wrong)


@many
@given(st.data())
def test_atleast(peer, data):
    x = data.draw(arrays(max_rank=4))
    for n, f in ((1, np.atleast_1d), (2, np.atleast_2d), (3, np.atleast_3d)):
        same(peer("atleast_nd", x, n=n), f(x))
    same(peer("copy", x), x)
    same(peer("rechunk", x, chunks=2), x)


# Joining


@many
@given(st.data())
def test_concatenate(peer, data):
    first = data.draw(arrays(min_rank=1, max_rank=4))
    axis = data.draw(st.integers(-first.ndim, first.ndim - 1))
    parts = [first]
    for _ in range(data.draw(st.integers(0, 3))):
        shape = list(first.shape)
        shape[axis] = data.draw(st.integers(0, 3))
        parts.append(values(shape, data.draw(st.sampled_from(DTYPES)), data.draw(st.integers(0, 99))))
    compare(peer, lambda: np.concatenate(parts, axis), "concatenate", *parts, axis=axis)
    compare(peer, lambda: np.concatenate(parts, None), "concatenate", *parts, axis=None)


@many
@given(st.data())
def test_stacks(peer, data):
    shape = data.draw(shapes(max_rank=4))
    parts = [
        values(shape, data.draw(st.sampled_from(DTYPES)), data.draw(st.integers(0, 99)))
        for _ in range(data.draw(st.integers(1, 3)))
    ]
    axis = data.draw(st.integers(-len(shape) - 2, len(shape) + 1))
    compare(peer, lambda: np.stack(parts, axis), "stack", *parts, axis=axis)
    for name in ("hstack", "vstack", "dstack"):
        same(peer(name, *parts), getattr(np, name)(parts))


def test_joining_refuses(peer):
    a, b = np.zeros((2, 3)), np.zeros((3, 2))
    for axis in (0, 1, 2, -3):
        compare(peer, lambda: np.concatenate([a, b], axis), "concatenate", a, b, axis=axis)
    compare(peer, lambda: np.concatenate([a, a[0]]), "concatenate", a, a[0])
    compare(peer, lambda: np.concatenate([a[0, 0]]), "concatenate", a[0, 0])
    compare(peer, lambda: np.stack([a, b]), "stack", a, b)


# Repeating


@many
@given(st.data())
def test_roll(peer, data):
    x = data.draw(arrays(max_rank=4))
    shift = data.draw(st.one_of(st.integers(-20, 20), st.lists(st.integers(-20, 20), min_size=1, max_size=3)))
    axis = data.draw(
        st.one_of(
            st.none(),
            st.integers(-x.ndim - 1, x.ndim),
            st.lists(st.integers(-x.ndim, max(x.ndim - 1, 0)), min_size=1, max_size=3),
        )
    )
    as_numpy = tuple(axis) if isinstance(axis, list) else axis
    if axis is None and isinstance(shift, list) and len(shift) > 1:
        return  # NumPy sums the shifts up; not worth a promise
    compare(peer, lambda: np.roll(x, shift, as_numpy), "roll", x, shift=shift, axis=axis)


@many
@given(st.data())
def test_tile(peer, data):
    x = data.draw(arrays(max_rank=3))
    reps = data.draw(st.one_of(st.integers(-1, 4), st.lists(st.integers(0, 4), max_size=4)))
    compare(peer, lambda: np.tile(x, reps), "tile", x, reps=reps)


@many
@given(st.data())
def test_repeat(peer, data):
    x = data.draw(arrays(max_rank=4))
    axis = data.draw(st.one_of(st.none(), st.integers(-x.ndim - 1, x.ndim)))
    n = x.size if axis is None else (x.shape[axis] if -x.ndim <= axis < x.ndim else 1)
    repeats = data.draw(st.one_of(st.integers(0, 5), st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    if x.ndim or axis is None:  # NumPy lets axis 0 of rank 0 pass
        compare(peer, lambda: np.repeat(x, repeats, axis), "repeat", x, repeats=repeats, axis=axis)


@pytest.mark.parametrize("repeats", [-1, [1, 2], [1, -1, 1]])
def test_repeat_refuses(peer, repeats):
    x = np.zeros((3, 2))
    compare(peer, lambda: np.repeat(x, repeats, 0), "repeat", x, repeats=repeats, axis=0)


# Padding

SEPARATE = ["constant", "edge", "reflect", "symmetric", "wrap"]


@st.composite
def widths(draw, rank, most=12):
    """A pad width as users write it, with NumPy's form beside it."""
    width = st.one_of(st.integers(0, 3), st.integers(0, most))
    pair = st.lists(width, min_size=2, max_size=2)
    form = draw(st.integers(0, 4))
    if form == 0:
        n = draw(width)
        return n, n
    if form == 1:
        both = draw(pair)
        return both, both
    if form == 2 and rank:
        rows = draw(st.lists(pair, min_size=rank, max_size=rank))
        return rows, rows
    if form == 3 and rank:
        rows = draw(st.lists(st.lists(width, min_size=1, max_size=1), min_size=rank, max_size=rank))
        return rows, rows
    if rank:
        named = draw(st.dictionaries(st.integers(-rank, rank - 1), pair, max_size=rank))
        if len({axis % rank for axis in named}) == len(named):
            return {str(axis): width for axis, width in named.items()}, {axis: tuple(w) for axis, w in named.items()}
    return [[1, 2]], [[1, 2]]


@settings(many, max_examples=400)
@given(st.data())
def test_pad_by_copies(peer, data):
    x = data.draw(arrays(max_rank=4))
    mine, numpys = data.draw(widths(x.ndim))
    mode = data.draw(st.sampled_from(SEPARATE))
    compare(peer, lambda: np.pad(x, numpys, mode), "pad", x, pad_width=mine, mode=mode)


@many
@given(st.data())
def test_pad_constant_values(peer, data):
    x = data.draw(arrays(min_rank=1, max_rank=4))
    mine, numpys = data.draw(widths(x.ndim))
    value = st.integers(0, 100)
    values = data.draw(
        st.one_of(
            value,
            st.lists(value, min_size=2, max_size=2),
            st.lists(st.lists(value, min_size=2, max_size=2), min_size=x.ndim, max_size=x.ndim),
        )
    )
    compare(
        peer, lambda: np.pad(x, numpys, constant_values=values), "pad", x, pad_width=mine, constant_values=values
    )


@settings(many, max_examples=300)
@given(st.data())
def test_pad_odd(peer, data):
    x = data.draw(arrays(max_rank=3))
    mine, numpys = data.draw(widths(x.ndim, most=30))
    mode = data.draw(st.sampled_from(["reflect", "symmetric"]))
    with np.errstate(over="ignore", invalid="ignore"):
        compare(
            peer,
            lambda: np.pad(x, numpys, mode, reflect_type="odd"),
            "pad",
            x,
            pad_width=mine,
            mode=mode,
            reflect_type="odd",
        )


@many
@given(st.data())
def test_pad_ramp(peer, data):
    x = data.draw(arrays(max_rank=3))
    mine, numpys = data.draw(widths(x.ndim))
    ends = data.draw(st.one_of(st.integers(0, 50), st.lists(st.integers(0, 50), min_size=2, max_size=2)))
    try:
        want = np.pad(x, numpys, "linear_ramp", end_values=ends)
    except ValueError:
        with pytest.raises(VoxmillError):
            peer("pad", x, pad_width=mine, mode="linear_ramp", end_values=ends)
        return
    got = peer("pad", x, pad_width=mine, mode="linear_ramp", end_values=ends)
    assert got.dtype == want.dtype and got.shape == want.shape
    if x.dtype.kind in "fc":
        np.testing.assert_allclose(got, want, rtol=4 * np.finfo(x.dtype).eps, atol=200 * np.finfo(x.dtype).eps)
    elif not reduces(peer):
        # Without the reduction that finds level lines, a whole step may be missing.
        np.testing.assert_allclose(got.astype(float), want.astype(float), atol=1)
    else:
        np.testing.assert_array_equal(got, want)


def reduces(peer):
    """Whether this build has reductions, of which some modes of pad consist."""
    return all(peer.has(op) for op in ("max", "min", "mean", "any", "rint", "equal"))


@settings(many, max_examples=300)
@given(st.data())
def test_pad_statistics(peer, data):
    if not reduces(peer):
        pytest.skip("this build has no reductions")
    x = data.draw(arrays(max_rank=3, dtypes=REAL))
    mine, numpys = data.draw(widths(x.ndim))
    known = ["maximum", "minimum", "mean", "median"] if peer.has("median") else ["maximum", "minimum", "mean"]
    mode = data.draw(st.sampled_from(known))
    length = data.draw(st.one_of(st.none(), st.integers(1, 9), st.lists(st.integers(1, 9), min_size=2, max_size=2)))
    params = {} if length is None else {"stat_length": length}
    try:
        want = np.pad(x, numpys, mode, **params)
    except ValueError:
        with pytest.raises(VoxmillError):
            peer("pad", x, pad_width=mine, mode=mode, **params)
        return
    got = peer("pad", x, pad_width=mine, mode=mode, **params)
    assert got.dtype == want.dtype and got.shape == want.shape
    if x.dtype.kind == "f" and mode in ("mean", "median"):
        eps = np.finfo(x.dtype).eps
        np.testing.assert_allclose(got, want, rtol=8 * eps, atol=800 * eps)
    else:
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(
    "params",
    [
        {"pad_width": -1},
        {"pad_width": [1, 2, 3]},
        {"pad_width": [[1, 2], [3, 4], [5, 6]]},
        {"pad_width": 1.5},
        {"pad_width": 1, "mode": "mirror"},
        {"pad_width": 1, "mode": "edge", "constant_values": 1},
        {"pad_width": 1, "mode": "constant", "stat_length": 1},
        {"pad_width": {"2": 1}},
        {"pad_width": 1, "mode": "maximum", "stat_length": 0},
        {"pad_width": 1, "mode": "maximum", "stat_length": -1},
    ],
)
def test_pad_refuses(peer, params):
    with pytest.raises(VoxmillError):
        peer("pad", np.zeros((2, 3)), **params)


# Coarsening


@settings(many, max_examples=300)
@given(st.data())
def test_coarsen(peer, data):
    x = data.draw(arrays(max_rank=4))
    name = data.draw(st.sampled_from(["sum", "prod", "mean", "median", "min", "max", "std", "var", "any", "all"]))
    if x.dtype.kind == "c" and name in ("median", "std", "var"):
        return
    factors = data.draw(st.lists(st.integers(1, 4), min_size=x.ndim, max_size=x.ndim))
    trim = data.draw(st.booleans())
    axes = data.draw(st.sampled_from([factors, {str(k): f for k, f in enumerate(factors)}]))
    if not trim and any(n % f for n, f in zip(x.shape, factors)):
        with pytest.raises(VoxmillError):
            peer("coarsen", x, reduction=name, axes=axes, trim_excess=trim)
        return
    trimmed = x[tuple(slice(0, n // f * f) for n, f in zip(x.shape, factors))]
    if trimmed.size == 0:
        return
    split = trimmed.reshape([m for n, f in zip(trimmed.shape, factors) for m in (n // f, f)])
    with np.errstate(all="ignore"):
        want = np.asarray(getattr(np, name)(split, axis=tuple(range(1, 2 * x.ndim, 2))))
    got = peer("coarsen", x, reduction=name, axes=axes, trim_excess=trim)
    assert got.dtype == want.dtype and got.shape == want.shape, (got.dtype, want.dtype)
    if want.dtype.kind in "fc" and name in ("sum", "prod", "mean", "std", "var"):
        eps = np.finfo(want.dtype).eps
        with np.errstate(all="ignore"):
            scale = np.nanmax(np.abs(np.where(np.isfinite(want), want, 1)), initial=1)
        finite = np.isfinite(want) & np.isfinite(got)
        np.testing.assert_allclose(got[finite], want[finite], rtol=64 * eps, atol=64 * eps * float(scale))
    else:
        np.testing.assert_array_equal(got, want)
