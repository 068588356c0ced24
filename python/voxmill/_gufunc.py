"""Functions with a signature over blocks: generalised ufuncs, and functions of single elements."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from voxmill._blocks import _first_block, _see_first, first_boxes
from voxmill._calls import BOX, UserCall, _axis_reads, _matched, name_of
from voxmill._host import Reads, host
from voxmill._chunks import AUTO_BYTES, normalize_chunks
from voxmill._core import axis_in, dtype_name
from voxmill._create import asarray
from voxmill._index import _bounds, basic

__all__ = ["apply_gufunc", "as_gufunc", "frompyfunc", "gufunc", "vectorize"]

Dims = tuple[str, ...]

_ARGUMENT = r"\((?:\w+(?:,\w+)*,?)?\)"
_SIGNATURE = re.compile(rf"(?:{_ARGUMENT}(?:,{_ARGUMENT})*,?)?->{_ARGUMENT}(?:,{_ARGUMENT})*,?")


def parse_signature(signature: str) -> tuple[list[Dims], list[Dims], bool]:
    """Give the core axes of inputs and outputs, and whether the function gives a tuple.

    >>> parse_signature("(i,j),(j)->(i)")
    ([('i', 'j'), ('j',)], [('i',)], False)
    """
    if not isinstance(signature, str):
        raise TypeError(f"the signature must be text such as '(i),(i)->()', not {type(signature).__name__}")
    text = re.sub(r"\s+", "", signature)
    if _SIGNATURE.fullmatch(text) is None:
        raise ValueError(f"{signature!r} is no signature; write it as '(i,j),(j)->(i)': the core axes of each argument and result")
    sides = [[tuple(re.findall(r"\w+", part)) for part in re.findall(_ARGUMENT, side)] for side in text.split("->")]
    return sides[0], sides[1], len(sides[1]) > 1 or text.endswith(",")


def apply_gufunc(
    func: Callable,
    signature: str,
    *args: Any,
    axes: list | None = None,
    axis: int | None = None,
    keepdims: bool = False,
    output_dtypes: Any = None,
    output_sizes: Mapping[str, int] | None = None,
    vectorize: bool | None = None,
    allow_rechunk: bool = False,
    meta: Any = None,
    **kwargs: Any,
) -> Any:
    """Call a function that works along core axes, for blocks of all other axes.

    Parameters
    ----------
    func : callable
        Gets NumPy arrays whose last axes are the core axes of `signature`, whole, and whose other axes, those of a block, are to be
        broadcast. Gives an array, or a tuple of arrays if the signature has several results. It is called once for each block, also
        if several of its results are computed together.
    signature : str
        As in NumPy: ``"(i),(i)->()"`` for a function of two vectors that gives a number.
    *args
        Arrays. Axes that are not core axes are broadcast.
    axes : list of tuples, optional
        Where the core axes of each argument, and of each result, are; the last axes by default.
    axis : int, optional
        The core axis, if there is one only.
    keepdims : bool
        True to keep core axes with length 1 in results that have none.
    output_dtypes : dtype or sequence of dtypes, optional
        Element types of the results. If not given, the function is called for the first block, to see; that call is not repeated.
    output_sizes : dict, optional
        Lengths of core axes that only results have.
    vectorize : bool
        True if `func` cannot broadcast: it is then called for single elements of the other axes.
    allow_rechunk
        Accepted for Dask's sake: chunks do not matter.
    meta : array or tuple of arrays, optional
        Arrays that have the element types of the results.
    **kwargs
        Passed on to `func`.

    Examples
    --------
    >>> def stats(x):
    ...     return x.mean(axis=-1), x.max(axis=-1)
    >>> mean, high = vm.apply_gufunc(stats, "(i)->(),()", vm.arange(6, chunks=2).reshape(2, 3))
    >>> mean.compute(), high.compute()
    (array([1., 4.]), array([2, 5]))
    """
    if not callable(func):
        raise TypeError(f"the first argument of apply_gufunc must be a function, not {type(func).__name__}")
    ins, outs, several = parse_signature(signature)
    if len(ins) != len(args):
        raise ValueError(f"the signature {signature!r} has {len(ins)} arguments, but {len(args)} were given")
    dtypes = _dtypes(output_dtypes, meta, len(outs), several)
    in_axes, out_axes = _axes_of(axes, axis, keepdims, ins, outs)
    name = name_of(func)
    if vectorize:
        func = _Vectorized(func, re.sub(r"\s+", "", signature), dtypes)
    arrays = [_core_last(asarray(arg), where, k) for k, (arg, where) in enumerate(zip(args, in_axes))]
    loop = _Loop(arrays, ins, output_sizes or {}, outs, signature)
    results = loop.call(func, name, outs, dtypes, several, kwargs)
    results = [_placed(y, where, keepdims) for y, where in zip(results, out_axes)]
    return tuple(results) if several else results[0]


def _dtypes(output_dtypes: Any, meta: Any, n: int, several: bool) -> list[np.dtype] | None:
    """Give the announced dtypes of all results, or None."""
    if meta is not None and output_dtypes is not None:
        raise ValueError("give either meta or output_dtypes, not both")
    given = output_dtypes
    if meta is not None:
        given = [m.dtype for m in meta] if isinstance(meta, (tuple, list)) else meta.dtype
    if given is None:
        return None
    many = isinstance(given, (tuple, list))
    if several and not many:
        raise ValueError(f"the function has {n} results, but there is a single dtype: give a tuple of {n}")
    each = list(given) if many else [given]
    if len(each) != n:
        raise ValueError(f"the function has {n} results, but {len(each)} dtypes were given")
    dtypes = [np.dtype(dtype) for dtype in each]
    for dtype in dtypes:
        dtype_name(dtype)
    return dtypes


def _axes_of(axes: Any, axis: Any, keepdims: bool, ins: list[Dims], outs: list[Dims]) -> tuple[list, list]:
    """Give where the core axes of each argument and of each result are, as tuples of numbers."""
    if axes is not None and axis is not None:
        raise ValueError("give either axis or axes, not both")
    core = [dims for dims in ins if dims]
    if keepdims and any(outs):
        raise ValueError("keepdims is for results without core axes")
    if keepdims and len(set(ins)) > 1:
        raise ValueError("keepdims needs arguments that all have the same core axes")
    if axis is not None:
        if isinstance(axis, bool) or not isinstance(axis, (int, np.integer)):
            raise ValueError(f"axis must be an integer, not {axis!r}; use axes for several")
        if any(len(dims) != 1 or dims != core[0] for dims in core):
            raise ValueError("axis is for signatures with a single core axis that all arguments share; use axes")
        axes = [(axis,) if dims else () for dims in (*ins, *outs)]
    if axes is None:
        axes = [tuple(range(-len(dims), 0)) for dims in (*ins, *outs)]
    if not isinstance(axes, list):
        raise ValueError(f"axes must be a list of tuples, not {type(axes).__name__}")
    axes = [(a,) if isinstance(a, (int, np.integer)) else tuple(a) for a in axes]
    if len(axes) == len(ins) and not any(outs):
        axes = [*axes, *[()] * len(outs)]
    if len(axes) != len(ins) + len(outs):
        raise ValueError(f"axes has {len(axes)} entries for {len(ins)} arguments and {len(outs)} results")
    for what, dims, where in zip(range(len(axes)), (*ins, *outs), axes):
        kept = keepdims and what >= len(ins) and not dims
        if len(where) != len(dims) and not kept:
            place = f"argument {what}" if what < len(ins) else f"result {what - len(ins)}"
            raise ValueError(f"axes has {len(where)} numbers for {place}, whose core axes are {dims}")
    out_axes = axes[len(ins) :]
    if keepdims:
        out_axes = [where or axes[0] for where in out_axes]
    return axes[: len(ins)], out_axes


def _core_last(x: Any, where: tuple[int, ...], k: int) -> Any:
    """Move core axes to the end."""
    if x.ndim < len(where):
        raise ValueError(f"argument {k} has {x.ndim} axes, but {len(where)} core axes")
    core = [axis_in(axis, x.ndim) for axis in where]
    if len(set(core)) < len(core):
        raise ValueError(f"an axis of argument {k} is given twice: {where}")
    order = [axis for axis in range(x.ndim) if axis not in core] + core
    return x if order == list(range(x.ndim)) else x.transpose(*order)


def _placed(y: Any, where: tuple[int, ...], keepdims: bool) -> Any:
    """Move core axes from the end to their places; with `keepdims` there are none, and axes of length 1 are put there."""
    n = len(where)
    if not n:
        return y
    if keepdims:
        y = basic(y, (Ellipsis, *(None,) * n))
    core = [axis_in(axis, y.ndim) for axis in where]
    rest = iter(range(y.ndim - n))
    order = [y.ndim - n + core.index(axis) if axis in core else next(rest) for axis in range(y.ndim)]
    return y if order == list(range(y.ndim)) else y.transpose(*order)


class _Loop:
    """The blocks of the axes that a function does not name, and what each block reads."""

    def __init__(self, arrays: Sequence, ins: list[Dims], sizes: Mapping[str, int], outs: list[Dims], signature: str):
        self.arrays = arrays
        self.core = _core_lengths(arrays, ins, sizes, outs, signature)
        depth = max((x.ndim - len(dims) for x, dims in zip(arrays, ins)), default=0)
        loops = [_LoopAxes(x, x.ndim - len(dims)) for x, dims in zip(arrays, ins)]
        labels = [range(depth - x.ndim, depth) for x in loops]
        lengths, _ = _matched(loops, labels, False)
        chunks = tuple(lengths[k] for k in range(depth))
        self.chunks = _small_enough(chunks, arrays, ins)
        self.reads: list[Reads] = []
        for x, dims in zip(arrays, ins):
            n = x.ndim - len(dims)
            own = [_axis_reads(self.chunks[depth - n + k], x.shape[k], depth - n + k) for k in range(n)]
            self.reads.append([*own, *[(None, [(0, m)]) for m in x.shape[n:]]])

    def call(self, func: Callable, name: str, outs: list[Dims], dtypes: list | None, several: bool, kwargs: Mapping) -> list:
        """Give the results of a function."""
        user = UserCall(func, [BOX] * len(self.arrays), kwargs, name)
        arrays, reads = user.inputs(self.arrays, self.reads)
        shapes = [self._core_shape(dims) for dims in outs]
        if not several:
            return [self._single(user, arrays, reads, shapes[0], dtypes and dtypes[0])]
        packer = _Packer(user, self.chunks, shapes, dtypes)
        kept = None
        if dtypes is None or None in shapes:
            block, made = _first_results(packer, arrays, reads, self.chunks)
            kept = {(*block, 0): packer.packed(block, made)} if all(map(sum, self.chunks)) else None
        return _unpacked(packer, arrays, reads, self.chunks, kept)

    def _core_shape(self, dims: Dims) -> tuple[int, ...] | None:
        """Give the lengths of core axes; None if one is to be seen from the first block."""
        return None if any(self.core[dim] is None for dim in dims) else tuple(self.core[dim] for dim in dims)

    def _single(self, user: UserCall, arrays: list, reads: list[Reads], shape: tuple | None, dtype: Any) -> Any:
        kept = None
        if dtype is None or shape is None:
            made, kept = _see_first(user, arrays, reads, self.chunks)
            dtype = made.dtype if dtype is None else dtype
            if shape is None:
                shape = made.shape[len(self.chunks) :]
            kept = {(*block, *(0,) * len(shape)): first for block, first in kept.items()}
        chunks = (*self.chunks, *((n,) for n in shape))
        return host(user, user.name, arrays, reads, tuple(map(sum, chunks)), dtype, chunks, kept)


class _LoopAxes:
    """An array without its core axes, as far as chunks go."""

    def __init__(self, x: Any, n: int):
        self.shape, self.chunks, self.ndim = x.shape[:n], x.chunks[:n], n


def _core_lengths(
    arrays: Sequence, ins: list[Dims], sizes: Mapping[str, int], outs: list[Dims], signature: str
) -> dict[str, int | None]:
    """Give the length of each core axis; None for those of results that nobody declared."""
    core: dict[str, int | None] = {}
    for k, (x, dims) in enumerate(zip(arrays, ins)):
        if x.ndim < len(dims):
            raise ValueError(f"argument {k} has {x.ndim} axes, but the signature {signature!r} names {len(dims)} core axes")
        for dim, n in zip(dims, x.shape[x.ndim - len(dims) :]):
            known = core.setdefault(dim, n)
            if n != known and 1 not in (n, known):
                raise ValueError(f"core axis {dim!r} has length {known} in one argument and {n} in argument {k}")
            core[dim] = max(n, known) if 0 not in (n, known) else 0
    core.update({dim: int(n) for dim, n in sizes.items()})
    for dims in outs:
        for dim in dims:
            core.setdefault(dim, None)
    return core


def _small_enough(chunks: tuple, arrays: Sequence, ins: list[Dims]) -> tuple:
    """Cut the other axes finer where blocks would be very large, since core axes are whole: results do not depend on it."""
    def bytes_of(x: Any, dims: Dims) -> int:
        n = x.ndim - len(dims)
        loop = math.prod(max(c) for c, m in zip(chunks[len(chunks) - n :], x.shape) if m != 1)
        return loop * math.prod(x.shape[n:]) * x.itemsize

    row = max((math.prod(x.shape[x.ndim - len(dims) :]) * x.itemsize for x, dims in zip(arrays, ins)), default=1)
    if max((bytes_of(x, dims) for x, dims in zip(arrays, ins)), default=0) <= AUTO_BYTES:
        return chunks
    budget = max(AUTO_BYTES // max(row, 1), 1)
    return normalize_chunks("auto", tuple(map(sum, chunks)), limit=budget, dtype=np.uint8, previous_chunks=chunks)


class _Packer:
    """Calls a function with several results and lays these side by side, since a block is one array: for each element of the loop
    the bytes of its part of every result. The results are cut out again from there, so that one call serves all of them."""

    def __init__(self, user: UserCall, chunks: tuple, shapes: list[tuple | None], dtypes: list[np.dtype] | None):
        self.user, self.chunks, self.shapes, self.dtypes = user, chunks, shapes, dtypes
        self.name = user.name

    def results(self, block: tuple[int, ...], boxes: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Call the function, and check how many results it gives."""
        made = self.user.raw(block, boxes)
        if not isinstance(made, (tuple, list)) or len(made) != len(self.shapes):
            what = f"{len(made)} results" if isinstance(made, (tuple, list)) else f"a {type(made).__name__}"
            raise ValueError(f"{self.name} gave {what} for block {block}, which should be a tuple of {len(self.shapes)} arrays")
        return [np.asarray(part) for part in made]

    def declare(self, made: list[np.ndarray]) -> None:
        """Take what is not declared from the first results."""
        rank = len(self.chunks)
        for part in made:
            dtype_name(part.dtype)
        self.shapes = [part.shape[rank:] if shape is None else shape for part, shape in zip(made, self.shapes)]
        self.dtypes = [part.dtype.newbyteorder("=") for part in made] if self.dtypes is None else self.dtypes

    @property
    def same(self) -> bool:
        """Whether all results have one dtype: then elements are packed, not bytes."""
        return len(set(self.dtypes)) == 1

    @property
    def offsets(self) -> list[int]:
        """Where each result begins, and the end of the last one."""
        ends = [0]
        for dtype, shape in zip(self.dtypes, self.shapes):
            ends.append(ends[-1] + math.prod(shape) * (1 if self.same else dtype.itemsize))
        return ends

    def packed(self, block: tuple[int, ...], made: list[np.ndarray]) -> np.ndarray:
        """Lay results side by side."""
        loop = tuple(axis[number] for axis, number in zip(self.chunks, block))
        offsets = self.offsets
        out = np.empty((*loop, offsets[-1]), self.dtypes[0] if self.same else np.uint8)
        for k, (part, dtype, shape) in enumerate(zip(made, self.dtypes, self.shapes)):
            if part.shape != (*loop, *shape):
                raise ValueError(
                    f"result {k} of {self.name} has shape {part.shape} for block {block}, which should be {(*loop, *shape)}"
                )
            if part.dtype.newbyteorder("=") != dtype:
                raise TypeError(
                    f"result {k} of {self.name} is {part.dtype} for block {block}, but {dtype} was announced; "
                    "say so in output_dtypes, or cast inside the function"
                )
            rows = np.ascontiguousarray(part, dtype).reshape(*loop, math.prod(shape))
            out[..., offsets[k] : offsets[k + 1]] = rows if self.same else rows.view(np.uint8)
        return out

    def __call__(self, block: tuple[int, ...], *boxes: np.ndarray) -> np.ndarray:
        block = block[:-1]
        return self.packed(block, self.results(block, boxes))


class _Unpacker:
    """Gives one result back its dtype and shape."""

    def __init__(self, dtype: np.dtype, shape: tuple[int, ...]):
        self.dtype, self.shape = dtype, shape

    def __call__(self, block: tuple[int, ...], box: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(box).view(self.dtype).reshape(*box.shape[:-1], *self.shape)


def _first_results(packer: _Packer, arrays: list, reads: list[Reads], chunks: tuple) -> tuple[tuple, list]:
    """Call a function with several results for the first real block."""
    block = _first_block(chunks)
    try:
        made = packer.results(block, first_boxes(arrays, reads, block))
    except Exception as error:
        if all(map(sum, chunks)):
            raise
        raise ValueError(f"{packer.name} cannot be called for an empty array to see its dtypes; pass output_dtypes=") from error
    packer.declare(made)
    return block, made


def _unpacked(packer: _Packer, arrays: list, reads: list[Reads], chunks: tuple, kept: dict | None) -> list:
    """Give all results of a function that is called once for each block."""
    offsets, dtypes = packer.offsets, packer.dtypes
    dtype = dtypes[0] if packer.same else np.dtype(np.uint8)
    whole = (*chunks, (offsets[-1],))
    y = host(packer, packer.name, arrays, reads, tuple(map(sum, whole)), dtype, whole, kept if offsets[-1] else None)
    results = []
    for k, (own, shape) in enumerate(zip(dtypes, packer.shapes)):
        begin, end = offsets[k], offsets[k + 1]
        if packer.same and len(shape) < 2:
            results.append(basic(y, (Ellipsis, slice(begin, end) if shape else begin)))
            continue
        axes = [*[(axis, _bounds(lengths)) for axis, lengths in enumerate(chunks)], (None, [(begin, end)])]
        lengths = (*chunks, *((n,) for n in shape))
        results.append(host(_Unpacker(own, shape), packer.name, [y], [axes], tuple(map(sum, lengths)), own, lengths))
    return results


class _Vectorized:
    """A function of single elements, called for all of a block."""

    def __init__(self, function: Callable, signature: str | None, dtypes: list[np.dtype] | None):
        self.function, self.signature, self.dtypes = function, signature, dtypes
        self.__name__ = name_of(function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        function = functools.partial(self.function, **kwargs) if kwargs else self.function
        otypes = None if self.dtypes is None else [dtype.char for dtype in self.dtypes]
        # The first call, which NumPy makes to see what comes out, is kept, too.
        return np.vectorize(function, otypes=otypes, signature=self.signature, cache=otypes is None)(*args)


class gufunc:
    """A function with a signature, to be called with arrays; see `apply_gufunc`.

    Examples
    --------
    >>> length = vm.gufunc(lambda v: np.sqrt((v * v).sum(axis=-1)), signature="(i)->()", output_dtypes=float)
    >>> length(vm.asarray([[3.0, 4.0], [6.0, 8.0]])).compute()
    array([ 5., 10.])
    """

    def __init__(
        self,
        pyfunc: Callable,
        *,
        signature: str | None = None,
        vectorize: bool = False,
        axes: list | None = None,
        axis: int | None = None,
        keepdims: bool = False,
        output_sizes: Mapping[str, int] | None = None,
        output_dtypes: Any = None,
        allow_rechunk: bool = False,
        meta: Any = None,
    ):
        parse_signature(signature)  # Refuses what is wrong here and now.
        self.pyfunc, self.signature = pyfunc, signature
        self.vectorize, self.axes, self.axis, self.keepdims = vectorize, axes, axis, keepdims
        self.output_sizes, self.output_dtypes, self.allow_rechunk, self.meta = output_sizes, output_dtypes, allow_rechunk, meta
        functools.update_wrapper(self, pyfunc, updated=())

    def __call__(self, *args: Any, allow_rechunk: bool = False, **kwargs: Any) -> Any:
        return apply_gufunc(
            self.pyfunc, self.signature, *args, vectorize=self.vectorize, axes=self.axes, axis=self.axis, keepdims=self.keepdims,
            output_sizes=self.output_sizes, output_dtypes=self.output_dtypes, allow_rechunk=True, meta=self.meta, **kwargs,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"voxmill.gufunc<{name_of(self.pyfunc)} {self.signature}>"


def as_gufunc(signature: str | None = None, **kwargs: Any) -> Callable[[Callable], gufunc]:
    """Decorate a function that has a signature; see `apply_gufunc` for the keywords.

    Examples
    --------
    >>> @vm.as_gufunc("(i),(i)->()", output_dtypes=float)
    ... def dot(a, b):
    ...     return np.einsum("...i,...i->...", a, b)
    >>> dot(vm.ones((2, 3)), vm.ones(3)).compute()
    array([3., 3.])
    """
    return lambda pyfunc: gufunc(pyfunc, signature=signature, **kwargs)


class vectorize:
    """A function of single elements, to be called with arrays: `numpy.vectorize` over blocks.

    Parameters
    ----------
    pyfunc : callable
        Gets single elements; or, with a signature, small arrays. May be left out to decorate a function.
    otypes : str or list of dtypes, optional
        Element types of the results. If not given, the first block decides.
    doc : str, optional
        Text of the docstring.
    excluded : set of int and str, optional
        Positions and names of arguments that are passed on whole.
    cache : bool
        Accepted for NumPy's sake: the function is never called twice for one element.
    signature : str, optional
        As in `apply_gufunc`.

    Examples
    --------
    >>> @vm.vectorize
    ... def clipped(value, limit):
    ...     return value if value < limit else limit
    >>> clipped(vm.arange(5, chunks=2), 3).compute()
    array([0, 1, 2, 3, 3])
    """

    def __init__(
        self,
        pyfunc: Callable | None = None,
        otypes: Any = None,
        doc: str | None = None,
        excluded: Any = None,
        cache: bool = False,
        signature: str | None = None,
    ):
        if pyfunc is not None and not callable(pyfunc):
            raise TypeError(f"vectorize needs a function, not {type(pyfunc).__name__}")
        self.otypes = None if otypes is None else [np.dtype(kind) for kind in otypes]
        self.excluded = set() if excluded is None else set(excluded)
        self.signature, self.cache, self.doc = signature, cache, doc
        if signature is not None:
            parse_signature(signature)
        self.pyfunc: Any = None
        if pyfunc is not None:
            self._wrap(pyfunc)

    def _wrap(self, pyfunc: Callable) -> vectorize:
        self.pyfunc = pyfunc
        self.__name__ = name_of(pyfunc)
        self.__doc__ = self.doc if self.doc is not None else pyfunc.__doc__
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.pyfunc is None:
            return self._wrap(args[0])
        names = [key for key in kwargs if key not in self.excluded]
        positions = [k for k in range(len(args)) if k not in self.excluded]
        values = [*[args[k] for k in positions], *[kwargs[key] for key in names]]
        rest = {key: value for key, value in kwargs.items() if key in self.excluded}
        fixed = {k: arg for k, arg in enumerate(args) if k in self.excluded}
        function = self.pyfunc if not (names or fixed) else _Arguments(self.pyfunc, positions, names)
        more = {"fixed": fixed, "rest": rest} if names or fixed else rest
        if self.signature is not None:
            _, outs, several = parse_signature(self.signature)
            dtypes = self.otypes if several or self.otypes is None else self.otypes[0]
            return apply_gufunc(function, self.signature, *values, output_dtypes=dtypes, vectorize=True, **more)
        return _elements(function, values, self.otypes, more)


class _Arguments:
    """Puts arguments that are passed whole back between those that are not."""

    def __init__(self, function: Callable, positions: list[int], names: list[str]):
        self.function, self.positions, self.names = function, positions, names
        self.__name__ = name_of(function)

    def __call__(self, *values: Any, fixed: dict[int, Any], rest: dict[str, Any]) -> Any:
        n = len(self.positions)
        own = {**fixed, **dict(zip(self.positions, values[:n]))}
        return self.function(*[own[k] for k in range(len(own))], **dict(zip(self.names, values[n:])), **rest)


def _elements(function: Callable, values: list, dtypes: list[np.dtype] | None, kwargs: Mapping) -> Any:
    """Call a function for single elements; without declared dtypes, the first block says how many results there are."""
    arrays = [asarray(value) for value in values]
    if not arrays:
        raise ValueError("vectorize needs at least one argument that is not excluded")
    ins: list[Dims] = [()] * len(arrays)
    loop = _Loop(arrays, ins, {}, [()], "")
    known = dtypes is not None
    vectorized = _Vectorized(function, None, dtypes)
    if known:
        outs: list[Dims] = [()] * len(dtypes)
        results = loop.call(vectorized, vectorized.__name__, outs, dtypes, len(outs) > 1, kwargs)
        return results[0] if len(outs) == 1 else tuple(results)
    if not all(map(sum, loop.chunks)):
        raise ValueError("vectorize cannot be called on arrays without elements unless otypes is set")
    return _elements_seen(vectorized, loop, kwargs)


def _elements_seen(vectorized: _Vectorized, loop: _Loop, kwargs: Mapping) -> Any:
    user = UserCall(vectorized, [BOX] * len(loop.arrays), kwargs, vectorized.__name__)
    arrays, reads = user.inputs(loop.arrays, loop.reads)
    block = _first_block(loop.chunks)
    made = user.raw(block, first_boxes(arrays, reads, block))
    parts = [np.asarray(part) for part in made] if isinstance(made, tuple) else [np.asarray(made)]
    for part in parts:
        dtype_name(part.dtype)
    vectorized.dtypes = [part.dtype for part in parts]
    if not isinstance(made, tuple):
        return host(user, user.name, arrays, reads, tuple(map(sum, loop.chunks)), parts[0].dtype, loop.chunks, {block: parts[0]})
    packer = _Packer(user, loop.chunks, [()] * len(parts), vectorized.dtypes)
    return tuple(_unpacked(packer, arrays, reads, loop.chunks, {(*block, 0): packer.packed(block, parts)}))


def frompyfunc(func: Callable, nin: int, nout: int, *, identity: Any = None) -> Callable:
    """Make a function of single elements one of arrays, as `numpy.frompyfunc` does.

    Results have the element type that NumPy gives the numbers of the first block, or that of ``dtype=`` in a call; NumPy's own
    function gives objects, which arrays here do not hold.

    Parameters
    ----------
    func : callable
        Gets `nin` elements, gives `nout` numbers (a tuple of them if `nout` is not 1).
    identity
        Accepted for NumPy's sake.

    Examples
    --------
    >>> vm.frompyfunc(lambda a, b: 10 * a + b, 2, 1)(vm.arange(3), 4).compute()
    array([ 4, 14, 24])
    """
    if not callable(func):
        raise TypeError(f"frompyfunc needs a function, not {type(func).__name__}")
    if nin < 1 or nout < 1:
        raise ValueError(f"frompyfunc needs at least one argument and one result, not {nin} and {nout}")
    return _PyFunc(func, nin, nout, identity)


class _PyFunc:
    """What `frompyfunc` gives."""

    def __init__(self, function: Callable, nin: int, nout: int, identity: Any):
        self.function, self.nin, self.nout, self.nargs, self.identity = function, nin, nout, nin + nout, identity
        self.__name__ = f"{name_of(function)} (vectorized)"

    def __call__(self, *args: Any, dtype: Any = None) -> Any:
        if len(args) != self.nin:
            raise TypeError(f"{self.__name__} takes {self.nin} arguments, not {len(args)}")
        otypes = None
        if dtype is not None:
            otypes = list(dtype) if isinstance(dtype, (tuple, list)) else [dtype] * self.nout
        return vectorize(self.function, otypes=otypes)(*args)

    def __repr__(self) -> str:
        return f"voxmill.frompyfunc<{self.__name__}, {self.nin} to {self.nout}>"
