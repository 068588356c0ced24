"""What the workloads share: opening arrays with each peer, making data, comparing answers.

Heavy libraries are imported inside the functions, since the measuring process imports this module too.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np

from harness import Context

# One setting for every contender: what is compared is the engine, not the compression level.
CODECS: dict[str, dict[str, Any]] = {
    "blosc-lz4": {"name": "blosc", "configuration": {"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "blocksize": 0}},
    "zstd": {"name": "zstd", "configuration": {"level": 3, "checksum": False}},
}

# ---------------------------------------------------------------- Zarr, by each peer


def use_zarr(ctx: Context, zarrs: bool = False) -> Any:
    """zarr-python with its own or the zarrs codec pipeline, pinned to the thread count."""
    import zarr

    zarr.config.set({"threading.max_workers": ctx.threads})
    if zarrs:
        import zarrs as _  # registers the pipeline

        zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"})
    return zarr


def zarr_create(path: Path, shape: tuple, chunks: tuple, dtype: str, codec: str = "blosc-lz4") -> Any:
    import zarr

    spec = CODECS[codec]["configuration"]
    if codec == "zstd":
        compressor = zarr.codecs.ZstdCodec(level=spec["level"])
    else:
        compressor = zarr.codecs.BloscCodec(cname=spec["cname"], clevel=spec["clevel"], shuffle=spec["shuffle"])
    return zarr.create_array(path, shape=shape, chunks=chunks, dtype=dtype, compressors=compressor, fill_value=0)


def _ts_context(ctx: Context) -> dict[str, Any]:
    # The cache is off: every contender reads each chunk from the file system.
    return {"data_copy_concurrency": {"limit": ctx.threads}, "cache_pool": {"total_bytes_limit": 0}}


def ts_open(ctx: Context, path: Path) -> Any:
    import tensorstore as ts

    spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": f"{path}/"}, "context": _ts_context(ctx)}
    return ts.open(spec, read=True).result()


def ts_create(ctx: Context, path: Path, shape: tuple, chunks: tuple, dtype: str, codec: str = "blosc-lz4") -> Any:
    import tensorstore as ts

    compressor = json.loads(json.dumps(CODECS[codec]))
    if compressor["name"] == "blosc":
        compressor["configuration"]["typesize"] = np.dtype(dtype).itemsize
    else:
        # tensorstore has no checksum option; without one it writes none.
        del compressor["configuration"]["checksum"]
    metadata = {
        "shape": list(shape),
        "data_type": dtype,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(chunks)}},
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, compressor],
    }
    # Without fsync, as zarr-python writes.
    kvstore = {"driver": "file", "path": f"{path}/", "file_io_sync": False}
    spec = {"driver": "zarr3", "kvstore": kvstore, "metadata": metadata, "context": _ts_context(ctx)}
    return ts.open(spec, create=True, open=False).result()


def use_dask(ctx: Context, zarrs: bool = False) -> Any:
    """dask.array on its threaded scheduler."""
    import dask
    import dask.array as da

    use_zarr(ctx, zarrs)
    dask.config.set(scheduler="threads", num_workers=ctx.threads)
    return da


def use_voxmill(ctx: Context, memory_limit: int | None = None) -> Any:
    """Voxmill's Python package, with the threads and the memory limit that its command line is given."""
    import voxmill as vm

    vm.config.set(threads=ctx.threads, memory_limit=memory_limit, progress=False)
    return vm


def ahead(items: list[Any], start: Callable[[Any], Any], depth: int) -> Iterator[tuple[Any, Any]]:
    """Yields (item, result) in order, with up to `depth` futures started before they are needed."""
    futures: list[Any] = []
    for index, item in enumerate(items):
        while len(futures) <= index + depth and len(futures) < len(items):
            futures.append(start(items[len(futures)]))
        result, futures[index] = futures[index].result(), None
        yield item, result


# ---------------------------------------------------------------- data


def make(ctx: Context, path: Path, write: Callable[[Path], None]) -> Path:
    """Makes a data set once: written in the work folder, then renamed, so that half a set is never used or left."""
    if not path.exists():
        part = ctx.work / f"part-{path.name}"
        write(part)
        path.parent.mkdir(parents=True, exist_ok=True)
        os.rename(part, path)
    return path


def shape_name(shape: tuple) -> str:
    return "x".join(str(n) for n in shape)


def planes(shape: tuple, dtype: str, noise_bits: int, seed: int, step: int) -> Iterator[tuple[int, np.ndarray]]:
    """A microscope-like stack in blocks of `step` planes: smooth structure, a slow drift in time, noise.

    Compresses like real data: the high bits are smooth, the low bits are not.
    """
    rng = np.random.default_rng(seed)
    depth, height, width = shape
    y = np.sin(np.linspace(0, 7, height))[:, None]
    x = np.cos(np.linspace(0, 5, width))[None, :]
    level = 1 << noise_bits
    base = ((y * x + 1) * 2 * level).astype(dtype)
    for start in range(0, depth, step):
        count = min(step, depth - start)
        drift = (level * (1 + np.sin(np.arange(start, start + count) / 9.0))).astype(dtype)
        noise = rng.integers(0, level, size=(count, height, width), dtype=dtype)
        yield start, noise + base + drift[:, None, None]


def em_shape(ctx: Context) -> tuple[int, int, int]:
    return (ctx.scaled(400, multiple=20, least=60), 1000, 1000)


def em_path(ctx: Context) -> Path:
    return ctx.data / f"em-{shape_name(em_shape(ctx))}.zarr"


def em_stack(ctx: Context) -> Path:
    """u8 (400, 1000, 1000), chunks (20, 1000, 1000): the electron microscope stack of several workloads."""
    shape = em_shape(ctx)

    def write(path: Path) -> None:
        array = zarr_create(path, shape, (20, 1000, 1000), "uint8")
        for start, block in planes(shape, "uint8", 5, seed=1, step=20):
            array[start : start + len(block)] = block

    return make(ctx, em_path(ctx), write)


def read_all(path: Path) -> np.ndarray:
    import zarr

    return zarr.open_array(path, mode="r")[...]


# ---------------------------------------------------------------- answers


def reference(ctx: Context, key: str, compute: Callable[[], np.ndarray]) -> np.ndarray:
    """An expected answer, computed once by plain NumPy or scipy and kept beside the data."""
    def write(path: Path) -> None:
        with open(path, "wb") as file:
            np.save(file, np.asarray(compute()))

    return np.load(make(ctx, ctx.data / "expected" / f"{key}.npy", write))


def agree(answer: np.ndarray, expected: np.ndarray, rtol: float) -> tuple[bool, str]:
    """Largest difference, relative to the largest expected value, against the tolerance."""
    if answer.shape != expected.shape:
        return False, f"shape {answer.shape}, expected {expected.shape}"
    if not np.all(np.isfinite(answer)):
        return False, "answer is not finite"
    scale = max(float(np.max(np.abs(expected))), 1e-30)
    difference = float(np.max(np.abs(answer.astype("f8") - expected.astype("f8")))) / scale
    return difference <= rtol, f"differs {difference:.1e}, tolerance {rtol:g}"


def check_layout(path: Path, shape: tuple, chunks: tuple, dtype: str) -> str:
    """Empty when the Zarr array at `path` has this shape, chunks and dtype; else what differs."""
    import zarr

    array = zarr.open_array(path, mode="r")
    # A sharded array stores its inner chunks elsewhere; none of the bars asks for shards.
    found = (array.shape, array.chunks, str(array.dtype))
    wanted = (tuple(shape), tuple(chunks), dtype)
    return "" if found == wanted else f"found shape, chunks, dtype {found}, wanted {wanted}"
