"""What Dask users write, with the import changed: short scripts that must give the same values, shapes and dtypes.

A script is a function of the array module (`da`, as in most scripts), `delayed`, and a folder of its own. It gives what a user would
look at: arrays, numbers, or a dict of these.
"""

import inspect
import operator
import sys
from collections.abc import Mapping

import dask
import dask.array
import numpy as np
import pytest

import voxmill as vm

rng = np.random.default_rng(2024)
IMAGE = rng.random((60, 50))
COUNTS = rng.integers(0, 1000, (30, 40, 20)).astype(np.int32)
LINE = rng.normal(size=1000)
LINE[::97] = np.nan

SCRIPTS = []
TOLERANCE = {}


def script(rtol=0.0):
    """Note a script, and how exact the comparison is: bits, or a tolerance for floats that are added in another order."""

    def note(function):
        SCRIPTS.append(function)
        TOLERANCE[function] = rtol
        return function

    return note


SUMS = 1e-12
"""float64 sums in another order."""


@script()
def creation(da, delayed, folder):
    return {
        "ones": da.ones((5, 6), chunks=(2, 3), dtype="i4"),
        "zeros": da.zeros(7, chunks=3),
        "full": da.full((3, 3), 7.5, chunks=2),
        "empty": da.empty((3, 4), chunks=2).shape,
        "arange": da.arange(3, 50, 4, chunks=5),
        "linspace": da.linspace(0, 10, 11, chunks=4),
        "eye": da.eye(6, chunks=3),
        "like": da.ones_like(da.from_array(IMAGE, chunks=20)),
        "tri": da.tri(5, 7, k=1, chunks=3),
        "diag": da.diag(da.arange(4, chunks=2)),
        "indices": da.indices((3, 4), chunks=(2, 2)),
        "fromfunction": da.fromfunction(lambda i, j: i * 10 + j, shape=(4, 5), chunks=2, dtype=float),
        "meshgrid": da.meshgrid(da.arange(3, chunks=2), da.arange(4, chunks=2)),
    }


@script()
def chunks_are_what_was_asked(da, delayed, folder):
    x = da.ones((100, 80), chunks=(30, 80))
    return {
        "given": x.chunks,
        "numblocks": x.numblocks,
        "npartitions": x.npartitions,
        "all": x.rechunk(-1).chunks,
        "dict": x.rechunk({0: 25, 1: 40}).chunks,
        "uneven": x.rechunk(((10, 90), (40, 40))).chunks,
        "one": x.rechunk(50).chunks,
        "none": x.rechunk((None, 20)).chunks,
        "sum": (x + x.T[:1, :80].rechunk(7)).chunks[1][:2],
    }


@script()
def slicing(da, delayed, folder):
    x = da.from_array(COUNTS, chunks=(7, 9, 11))
    return {
        "slice": x[2:17, ::3, -5:],
        "integer": x[3, -1],
        "ellipsis": x[..., 4],
        "newaxis": x[:, None, 2],
        "backwards": x[::-2, 5, ::-1],
        "list": x[[1, 5, 28], :, 3],
        "array": x[:, np.array([3, 3, 0])],
        "mask": x[x[:, 0, 0].compute() > 500],
        "chained": x[5:25][3:10][::2],
    }


@script()
def boolean_mask(da, delayed, folder):
    x = da.from_array(COUNTS, chunks=(7, 9, 11))
    chosen = x[x > 900].compute()
    return {"sorted": np.sort(chosen), "order": np.array(len(chosen)), "where": da.where(x > 500, x, -1)}


@script()
def points(da, delayed, folder):
    x = da.from_array(COUNTS, chunks=(7, 9, 11))
    return {"vindex": x.vindex[[0, 3, 29], [1, 1, 39], [2, 0, 19]], "take": da.take(x, [4, 2, 2], axis=1)}


@script(SUMS)
def reductions(da, delayed, folder):
    x = da.from_array(IMAGE, chunks=(13, 17))
    return {
        "sum": x.sum(),
        "mean": x.mean(axis=0),
        "std": x.std(axis=1, ddof=1),
        "var": x.var(),
        "min": x.min(axis=(0, 1)),
        "max": x.max(axis=-1, keepdims=True),
        "argmax": x.argmax(axis=0),
        "argmin": x.argmin(),
        "prod": (x + 0.5).prod(axis=0),
        "any": (x > 0.99).any(axis=0),
        "all": (x > 0.001).all(),
        "cumsum": x.cumsum(axis=0),
        "cumprod": da.cumprod(x + 0.5, axis=1),
        "split": x.sum(axis=0, split_every=2),
        "count": da.count_nonzero(x > 0.5, axis=0),
        "ptp": da.ptp(x, axis=0),
        "moment": x.moment(3),
        "average": da.average(x, axis=0, weights=np.arange(60)),
    }


@script(SUMS)
def without_nan(da, delayed, folder):
    x = da.from_array(LINE, chunks=101)
    return {
        "nansum": da.nansum(x),
        "nanmean": da.nanmean(x),
        "nanstd": da.nanstd(x),
        "nanmin": da.nanmin(x),
        "nanmax": da.nanmax(x),
        "nanargmax": da.nanargmax(x),
        "isnan": da.isnan(x).sum(),
        "nan_to_num": da.nan_to_num(x),
        "mean": x.mean(),
    }


@script(SUMS)
def standardize(da, delayed, folder):
    x = da.from_array(IMAGE, chunks=(20, 20))
    y = (x - x.mean(axis=0)) / x.std(axis=0)
    return {"y": y, "clip": da.clip(y, -1, 1), "T": (y + y.T[:1, :1]), "dot": da.dot(x.T, x)}


@script()
def arithmetic(da, delayed, folder):
    x = da.from_array(COUNTS, chunks=10)
    y = da.from_array(COUNTS[::-1].copy(), chunks=(30, 7, 20))
    return {
        "mixed": (x + y * 2 - 1) // 3,
        "mod": x % 7,
        "divide": x / (y + 1),
        "power": x**2,
        "compare": (x > y) & (x != 5),
        "invert": ~(x > 3),
        "negative": -x,
        "shift": x << 2,
        "divmod": divmod(x, 9),
        "ufunc": np.sqrt(x),
        "maximum": da.maximum(x, 500),
        "astype": x.astype("u1"),
        "numpy": COUNTS + x,
        "round": (x / 7).round(2),
        "isclose": da.isclose(x / 3, y / 3),
        "allclose": da.allclose(x, x),
    }


@script()
def rechunk_and_blocks(da, delayed, folder):
    x = da.from_array(IMAGE, chunks=(20, 25)).rechunk((15, 25))
    return {
        "block": x.blocks[1, 0],
        "row": x.blocks[2],
        "some": x.blocks[[0, 3]],
        "partitions": x.partitions[:2, 1],
        "count": np.array([x.blocks[i, j].shape for i in range(4) for j in range(2)]),
    }


@script()
def map_blocks_with_info(da, delayed, folder):
    x = da.from_array(COUNTS[..., 0], chunks=(11, 13))

    def place(block, block_info=None):
        (rows, columns) = block_info[0]["array-location"]
        assert block_info[0]["shape"] == (30, 40)
        assert block_info[0]["num-chunks"] == (3, 4)
        assert block_info[None]["chunk-shape"] == block.shape
        return block * 0 + rows[0] * 100 + columns[0]

    def number(block, block_id=None):
        return block * 0 + block_id[0] * 10 + block_id[1]

    return {
        "info": x.map_blocks(place, dtype=x.dtype),
        "id": x.map_blocks(number, dtype=x.dtype),
        "drop": da.map_blocks(lambda b: b.sum(axis=1), x.rechunk({1: -1}), drop_axis=1, dtype=np.int64),
        "new": da.map_blocks(lambda b: b[:, :, None], x, new_axis=2, dtype=x.dtype),
        "chunks": x.map_blocks(lambda b: np.repeat(b, 2, axis=0), chunks=((22, 22, 16), x.chunks[1]), dtype=x.dtype),
        "two": da.map_blocks(operator.add, x, x.T.rechunk((11, 13))[:30, :30][:, :1], dtype=x.dtype),
        "extra": x.map_blocks(lambda b, k, *, scale: b * k * scale, 2, scale=3, dtype=x.dtype),
        "unsaid": x.map_blocks(np.sqrt),
    }


@script()
def map_blocks_from_nothing(da, delayed, folder):
    def make(block_info=None):
        (rows, columns) = block_info[None]["array-location"]
        return np.add.outer(np.arange(*rows), np.arange(*columns))

    return da.map_blocks(make, chunks=((4, 4, 2), (5, 5)), dtype=int)


@script()
def overlap(da, delayed, folder):
    x = da.from_array(COUNTS[..., 0], chunks=(10, 8))

    def laplace(block):
        out = np.zeros_like(block)
        out[1:-1, 1:-1] = block[2:, 1:-1] + block[:-2, 1:-1] + block[1:-1, 2:] + block[1:-1, :-2] - 4 * block[1:-1, 1:-1]
        return out

    return {
        "reflect": x.map_overlap(laplace, depth=1, boundary="reflect", dtype=x.dtype),
        "constant": da.map_overlap(laplace, x, depth=1, boundary=0, dtype=x.dtype),
        "periodic": da.map_overlap(laplace, x, depth={0: 1, 1: 2}, boundary={0: "periodic", 1: "nearest"}, dtype=x.dtype),
        "none": da.map_overlap(lambda b: b.cumsum(axis=0), x, depth=(2, 0), boundary="none", dtype=np.int64),
        "two": da.map_overlap(lambda a, b: a + b[:, ::-1], x, x, depth=1, boundary="reflect", dtype=x.dtype),
        "trimmed": da.map_overlap(lambda b: b[1:-1, 2:], x, depth=1, boundary="reflect", trim=False, dtype=x.dtype),
        "module": da.overlap.trim_internal(da.overlap.overlap(x, depth=2, boundary="reflect") * 2, {0: 2, 1: 2}, "reflect"),
    }


@script()
def shape_changes(da, delayed, folder):
    x = da.from_array(COUNTS, chunks=(7, 9, 11))
    return {
        "transpose": x.transpose(2, 0, 1),
        "reshape": x.reshape(1200, 20),
        "split": x.reshape(5, 6, 40, 20),
        "ravel": x.ravel(),
        "swapaxes": x.swapaxes(0, 2),
        "moveaxis": da.moveaxis(x, 0, -1),
        "squeeze": x[:, :1].squeeze(),
        "expand": da.expand_dims(x, 1),
        "flip": da.flip(x, 0),
        "roll": da.roll(x, 5, axis=1),
        "rot90": da.rot90(x, 1, (0, 1)),
        "pad": da.pad(x, ((1, 2), (0, 0), (3, 0)), mode="constant", constant_values=9),
        "reflected": da.pad(x, 2, mode="reflect"),
        "tile": da.tile(x[:2, :2, :2], (2, 1, 2)),
        "repeat": da.repeat(x, 3, axis=1),
        "broadcast": da.broadcast_to(x[0], (4, 40, 20)),
        "diff": da.diff(x, axis=1),
        "atleast": da.atleast_3d(x[0, 0]),
    }


@script()
def joining(da, delayed, folder):
    parts = [da.from_array(COUNTS[k : k + 5, :, 0], chunks=(2, 15)) for k in range(0, 30, 5)]
    return {
        "stack": da.stack(parts, axis=1),
        "concatenate": da.concatenate(parts, axis=0),
        "across": da.concatenate(parts[:3], axis=1),
        "vstack": da.vstack(parts),
        "hstack": da.hstack(parts),
        "dstack": da.dstack(parts[:2]),
        "block": da.block([[parts[0], parts[1]], [parts[2], parts[3]]]),
        "append": da.append(parts[0], parts[1], axis=0),
        # NumPy keeps the dtype of the array, Dask does not.
        "insert": da.insert(parts[0], [1, 3], -1, axis=0).astype(int),
        "delete": da.delete(parts[0], [0, 2], axis=1),
    }


@script()
def choosing(da, delayed, folder):
    x = da.from_array(COUNTS[..., 0], chunks=10)
    return {
        "where": da.where(x > 500, x, 0),
        "select": da.select([x < 100, x < 500], [x, x * 2], default=-1),
        "choose": da.choose(x % 3, [x, -x, x * 10]),
        "piecewise": da.where(da.isin(x, [1, 2, 3, 500]), 1, 0),
        "digitize": da.digitize(x, np.array([0, 100, 500, 900])),
        "searchsorted": da.searchsorted(da.arange(0, 1000, 10, chunks=30), x),
        "compress": da.compress([True, False, True], x, axis=0),
        "extract": np.sort(np.asarray(da.extract(x > 990, x))),
        "nonzero": da.argwhere(x > 990),
        "flatnonzero": da.flatnonzero(x > 990),
    }


@script()
def setting(da, delayed, folder):
    x = da.from_array(COUNTS[..., 0].copy(), chunks=(7, 9))
    x[0] = 1
    x[1:5, ::2] = 2
    x[x > 900] = -1
    x[[7, 9], 3] = 55
    x[-1, :] = np.arange(40)
    x[10:12, 10:12] = da.ones((2, 2), chunks=1, dtype=x.dtype) * 5
    return x


@script(SUMS)
def statistics(da, delayed, folder):
    x = da.from_array(IMAGE, chunks=(60, 10))
    counts, edges = da.histogram(x, bins=20, range=(0, 1))
    density, _ = da.histogram(x, bins=np.linspace(0, 1, 11), density=True)
    weighted, _ = da.histogram(x, bins=5, range=(0, 1), weights=x)
    two, *_ = da.histogram2d(x[:, 0], x[:, 1], bins=4, range=[[0, 1], [0, 1]])
    return {
        "counts": counts,
        "edges": edges,
        "density": density,
        "weighted": weighted,
        "two": two,
        "median": da.median(x, axis=0),
        "quantile": da.quantile(x, [0.1, 0.9], axis=0),
        "cov": da.cov(x[:, :5].T),
        "corrcoef": da.corrcoef(x[:, :3].T),
        "bincount": da.bincount(da.from_array(COUNTS.ravel(), chunks=999), minlength=1001),
    }


@script(SUMS)
def percentile_of_one_chunk(da, delayed, folder):
    """Dask's answer is exact for one chunk, and approximate for more. Voxmill's is always the exact one."""
    return da.percentile(da.from_array(IMAGE.ravel(), chunks=-1), [5, 50, 95])


@script(SUMS)
def products(da, delayed, folder):
    a, b = da.from_array(IMAGE, chunks=(20, 25)), da.from_array(IMAGE.T.copy(), chunks=(25, 15))
    return {
        "matmul": a @ b,
        "dot": a.dot(b),
        "tensordot": da.tensordot(a, b, axes=((1,), (0,))),
        "both": da.tensordot(a, b.T, axes=2),
        "einsum": da.einsum("ij,jk->i", a, b),
        "trace": da.einsum("ii", a[:50].rechunk(25)),
        "outer": da.outer(a[0], b[0]),
        "vdot": da.vdot(a[0], a[1]),
        "norm": da.linalg.norm(a),
    }


@script(1e-9)
def linear_algebra(da, delayed, folder):
    """Solutions agree to the condition of the matrices, about 100 here."""
    tall = da.from_array(IMAGE[:, :5].copy(), chunks=(20, 5))
    square = da.from_array(IMAGE[:20, :20] + 20 * np.eye(20), chunks=10)
    # NumPy and Voxmill give all of u by default, Dask only the part that counts.
    u, s, v = da.linalg.svd(tall)
    u = u[:, :5]
    q, r = da.linalg.qr(tall)
    return {
        "svd": s,
        "usv": u @ da.diag(s) @ v,
        "qr": q @ r,
        "r": abs(r),
        "solve": da.linalg.solve(square, da.from_array(LINE[1:21].copy(), chunks=10)),
        "inv": da.linalg.inv(square),
        "cholesky": da.linalg.cholesky(square @ square.T, lower=True),
    }


@script(1e-10)
def fourier(da, delayed, folder):
    x = da.from_array(IMAGE, chunks=(60, 10))
    return {
        "fft": da.fft.fft(x, axis=0),
        "rfft": da.fft.rfft(x, axis=0),
        "ifft": da.fft.ifft(da.fft.fft(x, axis=0), axis=0),
        "fft2": da.fft.fft2(x.rechunk(-1)),
        "shift": da.fft.fftshift(x, axes=0),
        "freq": da.fft.fftfreq(10, 0.1, chunks=3),
    }


@script()
def arrays_on_disk(da, delayed, folder):
    import h5py
    import zarr

    with h5py.File(folder / "image.h5", "w") as file:
        file.create_dataset("image", data=IMAGE, chunks=(20, 25))
    stored = zarr.create_array(folder / "counts.zarr", shape=COUNTS.shape, dtype=COUNTS.dtype, chunks=(10, 10, 10))
    stored[:] = COUNTS
    np.save(folder / "line.npy", LINE)
    file = h5py.File(folder / "image.h5", "r")
    return {
        "h5py": da.from_array(file["image"], chunks=(20, 25))[3:40:2, 5],
        "locked": da.from_array(file["image"], chunks="auto", lock=True).max(axis=0),
        "zarr": da.from_array(stored).max(axis=2),
        "from_zarr": da.from_zarr(stored)[:, 0],
        "path": da.from_zarr(str(folder / "counts.zarr"), chunks=(30, 40, 5)).min(axis=(0, 1)),
        "memmap": da.from_array(np.load(folder / "line.npy", mmap_mode="r"), chunks=100)[10:20],
    }


@script()
def stores(da, delayed, folder):
    import zarr

    x = da.from_array(COUNTS, chunks=(10, 20, 20))
    x.to_zarr(str(folder / "whole.zarr"))
    da.to_zarr(x + 1, str(folder / "group.zarr"), component="deep/level")
    (x * 2).to_zarr(str(folder / "whole.zarr"), overwrite=True)
    into = np.zeros_like(COUNTS)
    da.store(x - 1, into)
    several = [np.zeros((30, 40)), np.zeros((30, 20))]
    da.store([x.max(axis=2), x.max(axis=1)], several)
    part = zarr.create_array(folder / "part.zarr", shape=(50, 40, 20), dtype="i4", chunks=(10, 20, 20))
    x.to_zarr(part, region=(slice(10, 40), slice(None), slice(None)))
    late = da.to_zarr(x + 5, str(folder / "late.zarr"), compute=False)
    assert not (folder / "late.zarr" / "c").exists() and not (folder / "late.zarr" / "0.0.0").exists()
    late.compute()
    again = x.to_zarr(str(folder / "again.zarr"), return_stored=True)
    return {
        "whole": zarr.open_array(folder / "whole.zarr")[:],
        "group": zarr.open_array(folder / "group.zarr/deep/level")[:],
        "into": into,
        "several": several,
        "part": part[:],
        "late": zarr.open_array(folder / "late.zarr")[:],
        "again": again[3:5],
    }


@script()
def hdf5(da, delayed, folder):
    import h5py

    x = da.from_array(COUNTS, chunks=(10, 20, 20))
    with h5py.File(folder / "out.h5", "w") as file:
        data = file.create_dataset("x", shape=x.shape, dtype=x.dtype, chunks=(10, 10, 10))
        da.store(x * 3, data)
        return data[:]


@script(SUMS)
def compute_several(da, delayed, folder):
    x = da.from_array(IMAGE, chunks=20)
    everything = dask.compute if da is dask.array else vm.compute
    low, (mean, more) = everything(x.min(), [x.mean(), {"max": x.max()}])
    kept = (x * 2).persist()
    return {"low": low, "mean": mean, "max": more["max"], "kept": kept.sum(), "number": everything(3)[0]}


@script()
def delayed_images(da, delayed, folder):
    @delayed
    def load(number):
        return COUNTS[number]

    images = [da.from_delayed(load(k), shape=(40, 20), dtype=np.int32) for k in range(30)]
    total = delayed(sum)([load(k).sum() for k in range(3)])
    return {
        "stack": da.stack(images)[3:9].max(axis=0),
        "total": total.compute(),
        "blocks": da.stack(images).to_delayed()[2, 0, 0].compute(),
    }


@script()
def largest(da, delayed, folder):
    x = da.from_array(COUNTS[..., 0], chunks=(10, 13))
    return {
        "topk": x.topk(3),
        "least": da.topk(x, -4, axis=0),
        "argtopk": da.argtopk(da.from_array(rng_order(), chunks=30), 5),
    }


def rng_order():
    """Numbers that are all different, so that their places are certain."""
    return np.random.default_rng(1).permutation(200)


@script()
def unique_values(da, delayed, folder):
    x = da.from_array(COUNTS.ravel() % 50, chunks=777)
    values, inverse, counts = da.unique(x, return_inverse=True, return_counts=True)
    return {
        "values": da.unique(x),
        "counts": counts,
        "inverse": inverse,
        "again": values,
        "union": da.union1d(x, da.arange(60, chunks=7)),
        "isin": da.isin(x, [3, 4]),
    }


@script()
def random_shapes(da, delayed, folder):
    """Random numbers are each library's own: what is compared is their shape, dtype, range and repeatability."""
    generator = da.random.default_rng(7)
    old = da.random.RandomState(7)
    uniform, normal = da.random.random((200, 100), chunks=50), generator.normal(5, 2, size=(300, 300), chunks=100)
    whole = da.random.randint(0, 10, size=1000, chunks=300)
    choice = generator.integers(3, 9, size=(20, 30), chunks=10)
    twice = [da.random.default_rng(3).random(50, chunks=10).compute() for _ in range(2)]
    x = uniform.compute()
    return {
        "shapes": np.array([uniform.shape, normal.shape, choice.shape]),
        "chunks": uniform.chunks,
        "dtypes": [str(a.dtype) for a in (uniform, normal, old.uniform(size=3, chunks=3))],
        "range": bool(x.min() >= 0 and x.max() < 1 and abs(x.mean() - 0.5) < 0.02),
        "normal": [round(float(normal.mean().compute())), round(float(normal.std().compute()))],
        "whole": np.unique(whole.compute()),
        "integers": np.unique(choice.compute()),
        "again": bool((twice[0] == twice[1]).all()),
        "poisson": generator.poisson(3, size=10, chunks=5).shape,
    }


@script(SUMS)
def own_reduction(da, delayed, folder):
    x = da.from_array(IMAGE, chunks=(13, 17))
    return {
        "sum of squares": da.reduction(
            x, chunk=lambda b, axis, keepdims: (b**2).sum(axis=axis, keepdims=keepdims), aggregate=np.sum, axis=0, dtype=float
        ),
        "along": da.apply_along_axis(lambda row: row.max() - row.min(), 1, x),
        "over": da.apply_over_axes(da.sum, x, [0, 1]),
        "gufunc": da.apply_gufunc(lambda a: a.mean(axis=-1), "(i)->()", x.rechunk({1: -1}), output_dtypes=float),
        "vectorized": da.apply_gufunc(lambda a: a.sum(), "(i)->()", x.rechunk({1: -1}), vectorize=True, output_dtypes=float),
        "blockwise": da.blockwise(operator.add, "ij", x, "ij", x, "ij", dtype=float),
        "coarsen": da.coarsen(np.mean, x, {0: 2, 1: 5}),
    }


@script()
def python_protocols(da, delayed, folder):
    x = da.from_array(COUNTS[..., 0], chunks=10)
    return {
        "len": len(x),
        "float": float(x.sum()),
        "int": int(x[0, 0]),
        "bool": bool((x >= 0).all()),
        "iter": [int(row.sum()) for row in x][:4],
        "index": [10, 20, 30][da.asarray(np.int64(1))],
        "asarray": np.asarray(x),
        "np.mean": np.mean(x).dtype,
        "np.concatenate": np.concatenate([x, x]),
        "properties": (x.ndim, x.size, x.itemsize, x.nbytes),
    }


@script(SUMS)
def sliding_windows(da, delayed, folder):
    x = da.from_array(IMAGE, chunks=(20, 25))
    windows = da.lib.stride_tricks.sliding_window_view(x, 5, axis=1)
    return {"mean": windows.mean(axis=-1), "shape": windows.shape, "gradient": da.gradient(x, axis=0)}


@pytest.mark.parametrize("one", SCRIPTS, ids=[one.__name__ for one in SCRIPTS])
def test_same_as_dask(one, tmp_path):
    results = []
    for da, delayed, name in ((dask.array, dask.delayed, "dask"), (vm, vm.delayed, "voxmill")):
        folder = tmp_path / name
        folder.mkdir()
        results.append(computed(one(da, delayed, folder)))
    same(*results, TOLERANCE[one], one.__name__)


def computed(value):
    """Give results without anything lazy in them."""
    if isinstance(value, Mapping):
        return {name: computed(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [computed(part) for part in value]
    return value.compute() if hasattr(value, "compute") else value


def same(expected, found, rtol, where):
    """Expect equal values, shapes and dtypes."""
    if isinstance(expected, dict):
        assert expected.keys() == found.keys()
        for name in expected:
            same(expected[name], found[name], rtol, f"{where}: {name}")
    elif isinstance(expected, list):
        assert len(expected) == len(found), where
        for k, (e, f) in enumerate(zip(expected, found)):
            same(e, f, rtol, f"{where}: {k}")
    elif isinstance(expected, (np.ndarray, np.generic)):
        found = np.asarray(found)
        assert found.dtype == expected.dtype, f"{where}: {found.dtype} instead of {expected.dtype}"
        assert found.shape == expected.shape, f"{where}: {found.shape} instead of {expected.shape}"
        if rtol and expected.dtype.kind in "fc":
            finite = np.abs(expected[np.isfinite(expected)])
            # Where sums cancel, what is left is small compared with what was added.
            np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * finite.max(initial=0), err_msg=where)
        else:
            np.testing.assert_array_equal(found, expected, err_msg=where)
    else:
        assert found == expected, where


def test_scripts_use_only_the_module_they_are_given():
    """A script that calls Dask by its own name would compare Dask with Dask."""
    for one in SCRIPTS:
        source = inspect.getsource(one)
        assert "vm." not in source.replace("vm.compute", "") and "dask.array." not in source, one.__name__
    assert len(SCRIPTS) >= 25
    assert "dask.array" in sys.modules
