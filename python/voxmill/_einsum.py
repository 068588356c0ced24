"""Sums of products over named axes: einsum and its kin, on the engine's own contraction."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from voxmill._assign import into
from voxmill._chunks import normalize_chunks
from voxmill._core import axis_in, call, dtype_name
from voxmill._create import asarray

LETTERS = string.ascii_uppercase + string.ascii_lowercase
"""What the numbers 0 to 51 stand for where axes are named by numbers; sorted as NumPy sorts them."""

DOTS = "..."
LONGEST_CORNER = 512
"""Side of the squares that diagonals are read from."""


def einsum(*operands: Any, out: Any = None, optimize: Any = False, dtype: Any = None, order: str = "K", casting: str = "safe") -> Any:
    """Multiply arrays and sum over axes, which are named by letters.

    Parameters
    ----------
    *operands
        The letters, as in ``"ij,jk->ik"``, and the arrays; or each array followed by a list of numbers that name its axes, and such a
        list for the result at the end. A letter twice in an array is its diagonal; ``...`` stands for axes that broadcast; without
        ``->``, the result has the letters that occur once, sorted.
    optimize : bool, str or list, optional
        In which order more than two arrays are multiplied, as in `numpy.einsum_path`: "greedy" (also for True and False), "optimal",
        or a path. Two arrays are multiplied at a time, so that sums of any length run in bounded memory.
    dtype : dtype, optional
        Element type to compute in; that of all arrays together by default.
    casting : str, optional
        Which casts to `dtype` are allowed, as in `numpy.can_cast`.
    out : Array or numpy.ndarray, optional
        Where to put the result, as in NumPy.
    order
        Accepted for NumPy's sake.

    Examples
    --------
    >>> x = vm.arange(6).reshape(2, 3)
    >>> vm.einsum("ij,kj->ik", x, x).compute()
    array([[ 5, 14],
           [14, 50]])
    """
    terms, result, given = _parsed(operands)
    arrays = [asarray(x) for x in given]
    labels, result = _spelled(terms, result, [x.ndim for x in arrays])
    kind = _common_dtype(arrays, dtype, casting)
    arrays = [_cast(x, kind) for x in arrays]
    _check_lengths(arrays, labels)
    pairs = [_diagonals(x, names) for x, names in zip(arrays, labels)]
    pairs = _without_ones(pairs)
    return into(out, _contracted(pairs, result, optimize), "einsum")


def einsum_path(*operands: Any, optimize: Any = "greedy", einsum_call: bool = False) -> tuple:
    """Give the order in which `einsum` multiplies arrays; see `numpy.einsum_path`. Reads nothing: shapes decide.

    Examples
    --------
    >>> a, b = vm.ones((2, 9)), vm.ones((9, 9))
    >>> vm.einsum_path("ij,jk,kl->il", a, b, b)[0]
    ['einsum_path', (0, 1), (0, 1)]
    """
    named = operands and isinstance(operands[0], str)
    last = len(operands) - len(operands) % 2
    stand_ins = [_stand_in(asarray(x).shape) if (k > 0 if named else k % 2 == 0 and k < last) else x for k, x in enumerate(operands)]
    return np.einsum_path(*stand_ins, optimize=optimize)


def _stand_in(shape: tuple[int, ...]) -> np.ndarray:
    """Give an array of any size that takes no memory."""
    return np.broadcast_to(np.zeros(()), shape)


def _parsed(operands: tuple) -> tuple[list[list[str]], list[str] | None, list]:
    """Give the names of the axes of all arrays and of the result, as written, and the arrays."""
    if not operands:
        raise ValueError("einsum needs the letters of all axes and at least one array")
    if isinstance(operands[0], str):
        text, *arrays = operands
        left, arrow, right = text.replace(" ", "").partition("->")
        terms = [_letters(term) for term in left.split(",")]
        if len(terms) != len(arrays):
            raise ValueError(f"einsum has {len(terms)} terms in {text!r} for {len(arrays)} arrays")
        return terms, _letters(right) if arrow else None, arrays
    arrays = list(operands[: len(operands) - len(operands) % 2 : 2])
    lists = [_numbered(numbers) for numbers in operands[1::2]]
    if not arrays:
        raise ValueError("einsum needs an array and the names of its axes")
    return lists, _numbered(operands[-1]) if len(operands) % 2 else None, arrays


def _letters(term: str) -> list[str]:
    before, dots, after = term.partition(DOTS)
    for letter in before + after:
        if letter not in LETTERS:
            raise ValueError(f"einsum names axes by letters, not by {letter!r} as in {term!r}")
    return [*before, *([DOTS] if dots else []), *after]


def _numbered(numbers: Any) -> list[str]:
    names = []
    for number in numbers if isinstance(numbers, (list, tuple)) else [None]:
        if number is Ellipsis:
            names.append(DOTS)
        elif isinstance(number, (int, np.integer)):
            if not 0 <= number < len(LETTERS):
                raise ValueError(f"einsum names axes by numbers from 0 to {len(LETTERS) - 1}, not by {number}")
            names.append(LETTERS[number])
        else:
            raise TypeError(f"einsum names the axes of an array by a list of integers and Ellipsis, not by {numbers!r}")
    if names.count(DOTS) > 1:
        raise ValueError("einsum takes one ellipsis for each array")
    return names


def _spelled(terms: list[list[str]], result: list[str] | None, ranks: list[int]) -> tuple[list[list[str]], list[str]]:
    """Give names with the ellipsis replaced by names of its own for each axis, and the names of the result."""
    labels, widest = [], 0
    for term, rank in zip(terms, ranks):
        n = rank - len(term) + term.count(DOTS)
        if n < 0 or (n and DOTS not in term):
            raise ValueError(f"einsum names {len(term)} axes as {''.join(term)!r} for an array of {rank}")
        widest = max(widest, n if DOTS in term else 0)
        labels.append(_filled(term, n))
    seen = [name for names in labels for name in names]
    if result is None:
        once = sorted(name for name in set(seen) if name in LETTERS and seen.count(name) == 1)
        return labels, _filled([DOTS], widest) + once
    if widest and DOTS not in result:
        raise ValueError("einsum has axes of an ellipsis that the result does not name: add '...' to it")
    names = _filled(result, widest)
    for name in names:
        if name not in seen:
            raise ValueError(f"einsum has {name!r} in the result, but in no array")
        if names.count(name) > 1:
            raise ValueError(f"einsum has {name!r} twice in the result")
    return labels, names


def _filled(term: list[str], n: int) -> list[str]:
    # Axes of an ellipsis are counted from its end, so that they meet as in broadcasting.
    dots = [chr(0x100 + k) for k in reversed(range(n))]
    return [name for part in term for name in (dots if part == DOTS else [part])]


def _common_dtype(arrays: Sequence, dtype: Any, casting: Any) -> np.dtype:
    if dtype is None:
        return np.result_type(*(x.dtype for x in arrays))
    kind = np.dtype(dtype)
    for x in arrays:
        if not np.can_cast(x.dtype, kind, casting):
            raise TypeError(f"einsum cannot cast {x.dtype} to {kind} by the rule {casting!r}; pass casting='unsafe'")
    return kind


def _cast(x: Any, dtype: np.dtype) -> Any:
    return x if x.dtype == dtype else call("astype", (x,), {"dtype": dtype_name(dtype)})


def _check_lengths(arrays: Sequence, labels: list[list[str]]) -> None:
    lengths: dict[str, int] = {}
    for x, names in zip(arrays, labels):
        own = dict(zip(names, x.shape))
        for name, n in zip(names, x.shape):
            if own[name] != n:
                raise ValueError(f"einsum has {name!r} twice in an array, for axes of lengths {own[name]} and {n}")
            if lengths.setdefault(name, n) == 1:
                lengths[name] = n
            elif n not in (1, lengths[name]):
                raise ValueError(f"einsum has {name!r} for axes of lengths {lengths[name]} and {n}; they must be equal or 1")


# One array


def _diagonals(x: Any, names: list[str]) -> tuple[Any, list[str]]:
    """Give an array in which each name stands once."""
    names = list(names)
    while len(set(names)) < len(names):
        second = next(k for k, name in enumerate(names) if name in names[:k])
        x = diagonal_of(x, names.index(names[second]), second)
        del names[second]
    return x, names


def diagonal_of(x: Any, first: int, second: int) -> Any:
    """Give the diagonal of two axes of one length, in the place of the first, which stands before the second.

    A block reads the square around its part of the diagonal, not the rows.
    """
    from voxmill._host import Reads, host
    from voxmill._index import _bounds

    shape = tuple(n for k, n in enumerate(x.shape) if k != second)
    side = max(min(shape[first], LONGEST_CORNER), 1)
    wanted = tuple(side if k == first else "auto" for k in range(len(shape)))
    chunks = normalize_chunks(wanted, shape, dtype=x.dtype, limit=(1 << 23) // side)
    places = [first if k == second else k - (k > second) for k in range(x.ndim)]
    reads: Reads = [(place, _bounds(chunks[place])) for place in places]
    return host(Diagonal(first, second), "diagonal", [x], [reads], shape, x.dtype, chunks)


class Diagonal:
    """Picks the diagonal of squares."""

    def __init__(self, first: int, second: int):
        self.first, self.second = first, second

    def __call__(self, block: tuple[int, ...], box: np.ndarray) -> np.ndarray:
        return np.moveaxis(np.diagonal(box, 0, self.first, self.second), -1, self.first)


def _without_ones(pairs: list[tuple[Any, list[str]]]) -> list[tuple[Any, list[str]]]:
    """Drop axes of length 1 that meet longer ones: they are the same for all positions."""
    longest: dict[str, int] = {}
    for x, names in pairs:
        for name, n in zip(names, x.shape):
            if longest.setdefault(name, n) == 1:
                longest[name] = n
    result = []
    for x, names in pairs:
        ones = [k for k, (name, n) in enumerate(zip(names, x.shape)) if n == 1 and longest[name] != 1]
        if ones:
            x = call("squeeze", (x,), {"axis": ones})
        result.append((x, [name for k, name in enumerate(names) if k not in ones]))
    return result


def _summed(x: Any, names: list[str], gone: set[str]) -> tuple[Any, list[str]]:
    """Sum over some axes in the array's own dtype, as einsum does: integers wrap around, truth values are or-ed."""
    axes = [k for k, name in enumerate(names) if name in gone]
    if not axes:
        return x, names
    rest = [name for name in names if name not in gone]
    if x.dtype == bool:
        return call("any", (x,), {"axis": axes}), rest
    wide = np.dtype("float32") if x.dtype.itemsize == 2 and x.dtype.kind not in "iu" else x.dtype
    return _cast(call("sum", (_cast(x, wide),), {"axis": axes, "dtype": dtype_name(wide)}), x.dtype), rest


def _placed(x: Any, names: list[str], wanted: list[str]) -> Any:
    """Put the axes of an array where the wanted names are; missing ones get length 1."""
    order = [names.index(name) for name in wanted if name in names]
    if order != sorted(order):
        x = call("transpose", (x,), {"axes": order})
    new = [k for k, name in enumerate(wanted) if name not in names]
    return call("expand_dims", (x,), {"axis": new}) if new else x


# Several arrays


def _contracted(pairs: list[tuple[Any, list[str]]], result: list[str], optimize: Any) -> Any:
    """Multiply arrays two at a time, and sum over each axis as soon as no other array needs it."""
    pairs = list(pairs)
    for step in _steps(pairs, result, optimize):
        taken = [pairs.pop(k) for k in sorted(step, reverse=True)]
        needed = set(result).union(*(names for _, names in pairs))
        while len(taken) > 1:
            first, second = taken.pop(), taken.pop()
            later = needed.union(*(names for _, names in taken))
            taken.append(_product(first, second, later))
        pairs.append(taken[0])
    ((x, names),) = pairs
    x, names = _summed(x, names, set(names) - set(result))
    return _placed(x, names, result)


def _steps(pairs: list[tuple[Any, list[str]]], result: list[str], optimize: Any) -> Sequence[tuple[int, ...]]:
    if len(pairs) < 3:
        return [tuple(range(len(pairs)))]
    names = list(dict.fromkeys(name for _, own in pairs for name in own))
    if len(names) > len(LETTERS):
        return [(0, 1)] + [(0, len(pairs) - 2 - k) for k in range(len(pairs) - 2)]
    spell = {name: LETTERS[k] for k, name in enumerate(names)}
    text = ",".join("".join(spell[name] for name in own) for _, own in pairs) + "->" + "".join(spell[name] for name in result)
    chosen = "greedy" if isinstance(optimize, bool) else optimize
    return np.einsum_path(text, *(_stand_in(x.shape) for x, _ in pairs), optimize=chosen)[0][1:]


def _product(first: tuple[Any, list[str]], second: tuple[Any, list[str]], needed: set[str]) -> tuple[Any, list[str]]:
    """Multiply two arrays, and sum over the axes that nobody needs."""
    a, own_a = _summed(*first, set(first[1]) - set(second[1]) - needed)
    b, own_b = _summed(*second, set(second[1]) - set(first[1]) - needed)
    shared = [name for name in own_a if name in own_b]
    kept = [name for name in shared if name in needed]
    names = kept + [name for name in own_a if name not in shared] + [name for name in own_b if name not in shared]
    if len(kept) == len(shared):
        return call("multiply", (_placed(a, own_a, names), _placed(b, own_b, names))), names
    return call("contract", (a, b), {"a": "".join(own_a), "b": "".join(own_b), "out": "".join(names)}), names


# Products with names of their own


def kron(a: Any, b: Any) -> Any:
    """Give the Kronecker product: a copy of `b` for each element of `a`, multiplied by it.

    Examples
    --------
    >>> vm.kron([1, 10], [1, 2, 3]).compute()
    array([ 1,  2,  3, 10, 20, 30])
    """
    a, b = asarray(a), asarray(b)
    rank = max(a.ndim, b.ndim)
    if rank == 0:
        return call("multiply", (a, b))
    a, b = (x.reshape((1,) * (rank - x.ndim) + x.shape) for x in (a, b))
    wide = a
    for axis, n in enumerate(b.shape):
        if n != 1:
            wide = call("repeat", (wide,), {"repeats": n, "axis": axis})
    return call("multiply", (wide, call("tile", (b,), {"reps": list(a.shape)})))


def _conjugated(x: Any) -> Any:
    return call("conj", (x,)) if x.dtype.kind == "c" else x


def _product_of(name: str, x1: Any, x2: Any, cores: tuple[str, str, str]) -> Any:
    """Multiply stacks whose last axes have the letters of `cores`; the axes before them broadcast."""
    a, b, out = cores
    for which, x, core in (("first", x1, a), ("second", x2, b)):
        if x.ndim < len(core):
            raise ValueError(f"{name}: the {which} array needs at least {len(core)} axes, it has {x.ndim}")
    shared = set(a) & set(b)
    lengths = [dict(zip(core, x.shape[x.ndim - len(core) :])) for x, core in ((x1, a), (x2, b))]
    for letter in sorted(shared):
        if lengths[0][letter] != lengths[1][letter]:
            raise ValueError(f"{name}: axes that are multiplied have lengths {lengths[0][letter]} and {lengths[1][letter]}")
    return einsum(f"...{a},...{b}->...{out}", x1, x2)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """Sum the products of vectors along an axis, those of `x1` conjugated.

    Examples
    --------
    >>> vm.vecdot(vm.ones((2, 3)), vm.arange(3)).compute()
    array([3., 3.])
    """
    x1, x2 = asarray(x1), asarray(x2)
    if axis != -1:
        x1, x2 = (call("moveaxis", (x,), {"source": [axis_in(axis, x.ndim)], "destination": [-1]}) for x in (x1, x2))
    return _product_of("vecdot", _conjugated(x1), x2, ("i", "i", ""))


def matvec(x1: Any, x2: Any, /) -> Any:
    """Multiply stacks of matrices and vectors.

    Examples
    --------
    >>> vm.matvec(vm.eye(2), [3, 4]).compute()
    array([3., 4.])
    """
    return _product_of("matvec", asarray(x1), asarray(x2), ("ij", "j", "i"))


def vecmat(x1: Any, x2: Any, /) -> Any:
    """Multiply stacks of vectors, conjugated, and matrices.

    Examples
    --------
    >>> vm.vecmat([1, 2], vm.ones((2, 3))).compute()
    array([3., 3., 3.])
    """
    return _product_of("vecmat", _conjugated(asarray(x1)), asarray(x2), ("i", "ij", "j"))


__all__ = ["einsum", "einsum_path", "kron", "matvec", "vecdot", "vecmat"]
