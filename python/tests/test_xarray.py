"""xarray with arrays of this package: the same answers as with NumPy, and lazy until asked."""

import pickle
import sys
import warnings

import numpy as np
import pytest

import voxmill as vm

xr = pytest.importorskip("xarray")
pytest.importorskip("zarr")

from xarray.namedarray import parallelcompat

DAYS = np.arange("2000-01-01", "2000-03-01", dtype="M8[D]").astype("M8[ns]")


@pytest.fixture(scope="module", autouse=True)
def registered(tmp_path_factory):
    """Register the chunk manager as an installed package does: by an entry point in its metadata."""
    place = tmp_path_factory.mktemp("site")
    info = place / "voxmill-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: voxmill\nVersion: 0\n")
    (info / "entry_points.txt").write_text("[xarray.chunkmanagers]\nvoxmill = voxmill.xarray:VoxmillManager\n")
    sys.path.append(str(place))
    parallelcompat.list_chunkmanagers.cache_clear()
    yield
    sys.path.remove(str(place))
    parallelcompat.list_chunkmanagers.cache_clear()


@pytest.fixture(scope="module")
def eager():
    """Data in memory."""
    rng = np.random.default_rng(0)
    a = rng.random((60, 8, 10))
    a[3:5, 2] = np.nan
    return xr.Dataset(
        {"a": (("time", "y", "x"), a), "b": (("time", "y"), rng.integers(0, 9, (60, 8))), "stamp": ("time", DAYS)},
        coords={"time": DAYS, "y": np.arange(8.0), "x": np.arange(10), "name": ("x", [f"n{k}" for k in range(10)])},
    )


@pytest.fixture(scope="module")
def stored(eager, tmp_path_factory):
    """The same data in a file."""
    path = tmp_path_factory.mktemp("data") / "x.zarr"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        eager.to_zarr(path, encoding={"a": {"chunks": (20, 4, 5)}, "b": {"chunks": (20, 4)}}, consolidated=False)
    return path


@pytest.fixture(scope="module")
def lazy(stored):
    """The same data, opened lazily."""
    return xr.open_zarr(stored, chunked_array_type="voxmill", chunks={}, consolidated=False)


def held(x):
    return x.variable._data


def is_lazy(x):
    variables = x.data_vars.values() if isinstance(x, xr.Dataset) else [x]
    return all(isinstance(held(v), vm.Array) for v in variables if v.dtype.kind not in "MUOT")


# Opening


def test_the_manager_is_found():
    assert type(parallelcompat.list_chunkmanagers()["voxmill"]).__name__ == "VoxmillManager"
    assert type(parallelcompat.get_chunked_array_type(vm.ones(3))).__name__ == "VoxmillManager"


def test_open_zarr(lazy, eager):
    assert is_lazy(lazy)
    assert held(lazy.a)._expr.op in ("source", "host_call")
    assert lazy.a.chunksizes == {"time": (20, 20, 20), "y": (4, 4), "x": (5, 5)}
    xr.testing.assert_identical(lazy.compute(), eager)


def test_plain_zarr_is_read_by_the_engine(lazy):
    assert held(lazy.b)._expr.location.startswith("zarr:")


def test_times_and_text_stay_with_xarray(lazy, eager):
    assert not isinstance(held(lazy.stamp), vm.Array)
    assert not lazy.stamp.variable._in_memory
    xr.testing.assert_equal(lazy.stamp.compute(), eager.stamp)
    assert lazy.name.values.tolist() == eager.name.values.tolist()


@pytest.mark.parametrize("chunks", ["auto", -1, {"time": 7}, {"time": 40, "y": -1}, {"x": "auto"}])
def test_open_with_chunks(stored, eager, chunks):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = xr.open_zarr(stored, chunked_array_type="voxmill", chunks=chunks, consolidated=False)
    assert is_lazy(x)
    xr.testing.assert_identical(x.compute(), eager)
    if chunks == {"time": 7}:
        assert x.a.chunksizes["time"] == (7,) * 8 + (4,)


def test_packed_data(tmp_path, eager):
    packed = {"dtype": "i2", "scale_factor": 0.001, "add_offset": 0.5, "_FillValue": -999, "chunks": (20, 4, 5)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        eager[["a"]].to_zarr(tmp_path / "x.zarr", encoding={"a": packed}, consolidated=False)
    expected = xr.open_zarr(tmp_path / "x.zarr", chunks=None, consolidated=False).load()
    x = xr.open_zarr(tmp_path / "x.zarr", chunked_array_type="voxmill", chunks={}, consolidated=False)
    assert is_lazy(x)
    assert x.a.chunksizes["time"] == (20, 20, 20)
    xr.testing.assert_identical(x.compute(), expected)


def test_nothing_is_read_before_it_is_asked_for(tmp_path, eager):
    values = eager.b.to_dataset()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values.to_zarr(tmp_path / "x.zarr", encoding={"b": {"chunks": (20, 4)}}, consolidated=False)
    x = xr.open_zarr(tmp_path / "x.zarr", chunked_array_type="voxmill", chunks={}, consolidated=False)
    damaged = tmp_path / "x.zarr" / "b" / "c" / "2" / "1"
    damaged.write_bytes(b"damaged")
    result = (x.b - x.b.mean("time")).isel(time=slice(0, 10))
    fine = x.b.isel(time=slice(0, 20), y=slice(0, 4))
    np.testing.assert_array_equal(fine.values, values.b.values[:20, :4])
    with pytest.raises((ValueError, OSError)):
        result.compute()


def test_netcdf(tmp_path, eager):
    pytest.importorskip("scipy")
    eager[["a"]].drop_vars("name").to_netcdf(tmp_path / "x.nc", engine="scipy")
    with xr.open_dataset(tmp_path / "x.nc", engine="scipy", chunked_array_type="voxmill", chunks={"time": 10}) as x:
        assert is_lazy(x)
        xr.testing.assert_allclose(x.a.mean("time").compute(), eager.a.mean("time").drop_vars("name"))


def test_chunk(eager):
    x = eager.chunk({"time": 7}, chunked_array_type="voxmill")
    assert is_lazy(x)
    assert x.a.chunksizes["time"] == (7,) * 8 + (4,)
    assert x.a.chunksizes["y"] == (8,)
    again = x.chunk({"y": 3}, chunked_array_type="voxmill")
    assert again.a.chunksizes["time"] == (7,) * 8 + (4,)
    assert again.a.chunksizes["y"] == (3, 3, 2)
    xr.testing.assert_identical(again.compute(), eager)
    with xr.set_options(chunk_manager="voxmill"):
        assert isinstance(eager.a.chunk(time=5).data, vm.Array)


def test_no_elements():
    x = xr.DataArray(np.zeros((0, 3)), dims=("y", "x")).chunk("auto", chunked_array_type="voxmill")
    assert x.sum().compute() == 0
    assert x.compute().shape == (0, 3)


# The same answers, still lazy


def points(d):
    return d.y + 1


REDUCTIONS = ("mean", "sum", "std", "var", "min", "max", "median", "prod", "count")

OPERATIONS = {
    "arithmetic": lambda d: (d.a - d.a.mean("time")) / d.a.std("time"),
    "two arrays": lambda d: d.a * d.b + 1,
    "compare": lambda d: (d.a > 0.5) & (d.b < 4),
    "ufunc": lambda d: np.sqrt(d.a) + np.maximum(d.a, 0.5),
    **{name: (lambda d, name=name: getattr(d.a, name)("time")) for name in REDUCTIONS},
    **{f"{name} of all": (lambda d, name=name: getattr(d.b, name)()) for name in REDUCTIONS},
    "mean of two dims": lambda d: d.a.mean(("y", "x")),
    "mean of a dataset": lambda d: d[["a", "b"]].mean(),
    "any": lambda d: (d.a > 0.99).any("x"),
    "all": lambda d: (d.b >= 0).all(),
    "argmax": lambda d: d.a.fillna(0).argmax("x"),
    "argmin": lambda d: d.b.argmin("time"),
    "cumsum": lambda d: d.a.cumsum("time"),
    "cumprod": lambda d: d.a.cumprod("time"),
    "without nan": lambda d: d.a.max("time", skipna=False),
    "min_count": lambda d: d.a.sum("time", min_count=60),
    "ddof": lambda d: d.a.std("time", ddof=1),
    "quantile": lambda d: d.a.quantile([0.1, 0.5], dim="y"),
    "quantile of two dims": lambda d: d.a.quantile(0.3, dim=["y", "time"]),
    "groupby mean": lambda d: d.a.groupby("time.month").mean(),
    "groupby sum": lambda d: d.b.groupby("time.month").sum(),
    "groupby median": lambda d: d.a.groupby("time.month").median(),
    "groupby first": lambda d: d.a.groupby("time.month").first(),
    "groupby last": lambda d: d.a.groupby("time.month").last(),
    "groupby anomaly": lambda d: d.a.groupby("time.month") - d.a.groupby("time.month").mean("time"),
    "groupby map": lambda d: d.a.groupby("time.month").map(lambda part: part - part.mean()),
    "groupby_bins": lambda d: d.a.groupby_bins("y", [0, 3, 8]).mean(),
    "resample": lambda d: d.a.resample(time="1MS").mean(),
    "resample sum": lambda d: d.b.resample(time="1W").sum(),
    "rolling mean": lambda d: d.a.rolling(time=3).mean(),
    "rolling sum": lambda d: d.a.rolling(time=3, center=True, min_periods=1).sum(),
    "rolling max": lambda d: d.a.rolling(y=2).max(),
    "rolling of two dims": lambda d: d.a.rolling(y=2, x=3).mean(),
    "rolling construct": lambda d: d.a.rolling(time=3).construct("w").mean("w"),
    "rolling reduce": lambda d: d.a.rolling(time=3).reduce(np.mean),
    "coarsen": lambda d: d.a.coarsen(time=5, y=2).mean(),
    "coarsen trim": lambda d: d.a.coarsen(time=7, boundary="trim").max(),
    "coarsen pad": lambda d: d.a.coarsen(time=7, boundary="pad").sum(),
    "weighted": lambda d: d.a.weighted(points(d)).mean("y"),
    "where": lambda d: d.a.where(d.a > 0.5),
    "where other": lambda d: d.a.where(d.a > 0.5, 0),
    "where of three": lambda d: xr.where(d.a > 0.5, d.a, d.b),
    "fillna": lambda d: d.a.fillna(0),
    "isnull": lambda d: d.a.isnull(),
    "notnull": lambda d: d.a.notnull().sum(),
    "isin": lambda d: d.b.isin([1, 2]),
    "clip": lambda d: d.a.clip(0.2, 0.8),
    "round": lambda d: d.a.round(2),
    "astype": lambda d: d.a.astype("f4"),
    "isel": lambda d: d.a.isel(time=3, x=slice(1, 5)),
    "isel lists": lambda d: d.a.isel(time=[3, 1, 5], x=[1, 2]),
    "isel mask": lambda d: d.a.isel(x=d.x.values > 3),
    "isel reversed": lambda d: d.a.isel(time=slice(None, None, -2)),
    "sel": lambda d: d.a.sel(time="2000-02", y=[1.0, 3.0]),
    "sel nearest": lambda d: d.a.sel(y=2.2, method="nearest"),
    "sel slice": lambda d: d.a.sel(time=slice("2000-01-05", "2000-02-02")),
    "reindex": lambda d: d.a.reindex(y=[0, 1, 9.0]),
    "sortby": lambda d: d.a.sortby("y", ascending=False),
    "concat": lambda d: xr.concat([d.a, d.a], "time"),
    "concat new": lambda d: xr.concat([d.a, d.a * 2], "new"),
    "merge": lambda d: xr.merge([d[["a"]], d[["b"]]]),
    "transpose": lambda d: d.a.transpose("x", "time", "y"),
    "stack": lambda d: d.a.stack(k=("y", "x")),
    "unstack": lambda d: d.a.stack(k=("y", "x")).unstack("k"),
    "expand_dims": lambda d: d.a.expand_dims("n"),
    "squeeze": lambda d: d.a.isel(x=[0]).squeeze(),
    "broadcast": lambda d: xr.broadcast(d.a, d.b)[1],
    "pad": lambda d: d.a.pad(x=2),
    "pad edge": lambda d: d.a.pad(x=2, mode="edge"),
    "shift": lambda d: d.a.shift(time=2),
    "roll": lambda d: d.a.roll(time=2),
    "diff": lambda d: d.a.diff("time"),
    "differentiate": lambda d: d.a.differentiate("y"),
    "integrate": lambda d: d.a.integrate("y"),
    "cumulative_integrate": lambda d: d.a.cumulative_integrate("y"),
    "dot": lambda d: xr.dot(d.a, d.b, dim="time"),
    "corr": lambda d: xr.corr(d.a, d.b, "time"),
    "cov": lambda d: xr.cov(d.a, d.b),
    "full_like": lambda d: xr.full_like(d.a, 2.0),
    "zeros_like": lambda d: xr.zeros_like(d.a),
    "dropna": lambda d: d.a.dropna("time"),
    "interp": lambda d: d.a.fillna(0).interp(y=[0.5, 1.5]),
    "interp of two dims": lambda d: d.a.fillna(0).interp(y=[0.5, 1.5], x=[2.2, 3.3]),
    "interp in time": lambda d: d.a.interp(time=["2000-01-03T12:00"]),
    "parallelized": lambda d: xr.apply_ufunc(np.sqrt, d.a, dask="parallelized", output_dtypes=[float]),
    "parallelized of two": lambda d: xr.apply_ufunc(np.hypot, d.a, d.b, dask="parallelized", output_dtypes=[float]),
    "parallelized core dim": lambda d: xr.apply_ufunc(
        lambda a: a.sum(-1), d.a, input_core_dims=[["x"]], dask="parallelized", output_dtypes=[float],
        dask_gufunc_kwargs={"allow_rechunk": True},
    ),
    "vectorized": lambda d: xr.apply_ufunc(
        lambda a: a[:2], d.a, input_core_dims=[["x"]], output_core_dims=[["k"]], vectorize=True, dask="parallelized",
        output_dtypes=[float], dask_gufunc_kwargs={"output_sizes": {"k": 2}, "allow_rechunk": True},
    ),
    "allowed": lambda d: xr.apply_ufunc(np.hypot, d.a, d.b, dask="allowed"),
    "map": lambda d: d[["a", "b"]].map(lambda v: v * 2),
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATIONS)
def test_same_as_numpy(name, lazy, eager):
    with warnings.catch_warnings():
        # All-NaN slices: NumPy says so, too.
        warnings.simplefilter("ignore", RuntimeWarning)
        expected = OPERATIONS[name](eager)
        found = OPERATIONS[name](lazy)
        assert is_lazy(found)
        computed = found.compute()
    xr.testing.assert_allclose(computed, expected)
    for variable in computed.data_vars.values() if isinstance(computed, xr.Dataset) else [computed]:
        assert isinstance(held(variable), np.ndarray)
    kinds = [(v.dtype, e.dtype) for v, e in zip(_variables(computed), _variables(expected))]
    assert all(found == wanted for found, wanted in kinds), kinds


def _variables(x):
    return list(x.data_vars.values()) if isinstance(x, xr.Dataset) else [x]


def test_unknown_functions_warn_of_computing(lazy):
    with pytest.raises(ValueError, match="has not been enabled"):
        xr.apply_ufunc(np.sqrt, lazy.a)


def test_core_dims_must_be_in_one_chunk(lazy):
    with pytest.raises(ValueError, match="multiple chunks"):
        xr.apply_ufunc(lambda a: a.sum(-1), lazy.a, input_core_dims=[["x"]], dask="parallelized", output_dtypes=[float])


# The manager's other methods


def test_persist_and_load(lazy, eager):
    kept = lazy[["a", "b"]].persist()
    assert is_lazy(kept)
    xr.testing.assert_identical(kept.compute(), eager[["a", "b"]])
    loaded = lazy[["a"]].copy().load()
    assert isinstance(held(loaded.a), np.ndarray)


def test_compute_passes_limits(lazy, eager):
    xr.testing.assert_allclose(lazy.a.mean().compute(threads=1, memory_limit="64MiB"), eager.a.mean())


def test_unify_chunks(lazy):
    a, b = xr.unify_chunks(lazy.a.chunk(time=7, chunked_array_type="voxmill"), lazy.b)
    assert a.chunksizes["time"] == b.chunksizes["time"]


def test_shuffle(lazy, eager):
    found = lazy.a.groupby("time.month").shuffle_to_chunks()
    assert is_lazy(found)
    assert found.chunksizes["time"] == (31, 29)
    xr.testing.assert_equal(found.sortby("time").drop_vars("month").compute(), eager.a)


def test_scan(eager):
    manager = parallelcompat.list_chunkmanagers()["voxmill"]
    values = eager.a.fillna(0.5).values
    for chunks in ((7, 8, 3), (60, 3, 10), (1, 8, 10)):
        x = vm.from_array(values, chunks=chunks)
        found = manager.scan(np.cumsum, np.add, 0, x, axis=0, dtype=x.dtype)
        np.testing.assert_allclose(found, values.cumsum(axis=0))
        found = manager.scan(np.cumprod, np.multiply, 1, x, axis=-1, preop=np.prod)
        np.testing.assert_allclose(found, values.cumprod(axis=-1))
        np.testing.assert_allclose(manager.scan(np.cumsum, np.add, 0, x), values.cumsum())
    found = manager.scan(np.maximum.accumulate, np.maximum, -np.inf, x, axis=1)
    np.testing.assert_array_equal(found, np.maximum.accumulate(values, axis=1))


def test_reduction_and_blockwise(eager):
    manager = parallelcompat.list_chunkmanagers()["voxmill"]
    values = eager.b.values
    x = vm.from_array(values, chunks=(7, 3))
    found = manager.reduction(x, np.max, aggregate_func=np.max, axis=0, dtype=x.dtype)
    np.testing.assert_array_equal(found, values.max(axis=0))
    found = manager.blockwise(np.add, "ij", x, "ij", x, "ij", dtype=x.dtype)
    np.testing.assert_array_equal(found, values * 2)
    found = manager.map_blocks(np.negative, x, dtype=x.dtype)
    np.testing.assert_array_equal(found, -values)
    assert manager.get_auto_chunk_size() > 0
    assert manager.chunks(x) == x.chunks
    assert manager.normalize_chunks("auto", (100, 100), dtype="f8", previous_chunks=(10, (50, 50)))[0]
    assert manager.compute(x.sum(), 3, "a")[1:] == (3, "a")


def test_pickle(lazy, eager):
    xr.testing.assert_identical(pickle.loads(pickle.dumps(lazy)).compute(), eager)
    xr.testing.assert_identical(pickle.loads(pickle.dumps(lazy.a + 1)).compute(), eager.a + 1)


def test_single_points_are_refused(lazy):
    where = {"y": xr.DataArray([1.0, 2.0], dims="p"), "x": xr.DataArray([1, 2], dims="p")}
    with pytest.raises(TypeError, match="Vectorized indexing"):
        lazy.a.sel(where)
    np.testing.assert_array_equal(lazy.a.data.vindex[:, [1, 2], [1, 2]].T, lazy.a.values[:, [1, 2], [1, 2]])


def test_beside_dask(lazy, eager):
    pytest.importorskip("dask")
    dasked = eager.a.chunk(time=5, chunked_array_type="dask")
    other = dasked.chunk(chunked_array_type="voxmill")
    assert is_lazy(other)
    xr.testing.assert_identical(other.compute(), eager.a)
    found = lazy.a + eager.a.chunk(time=5, chunked_array_type="dask")
    xr.testing.assert_allclose(found.compute(), eager.a * 2)


# Writing


def test_to_zarr(lazy, eager, tmp_path):
    result = lazy[["a", "b"]].map(lambda v: v * 2).chunk(time=10, y=8, x=10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for v in result.variables.values():
            v.encoding.clear()
        result.to_zarr(tmp_path / "x.zarr", consolidated=False)
    again = xr.open_zarr(tmp_path / "x.zarr", chunked_array_type="voxmill", chunks={}, consolidated=False)
    assert again.a.chunksizes["time"] == (10,) * 6
    xr.testing.assert_allclose(again[["a", "b"]].compute(), eager[["a", "b"]] * 2)


def test_to_zarr_as_it_was_opened(lazy, eager, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lazy.to_zarr(tmp_path / "x.zarr", consolidated=False)
    again = xr.open_zarr(tmp_path / "x.zarr", chunks=None, consolidated=False)
    xr.testing.assert_identical(again.load(), eager)


def test_to_zarr_later(lazy, eager, tmp_path):
    pytest.importorskip("dask")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        later = lazy[["b"]].to_zarr(tmp_path / "x.zarr", consolidated=False, compute=False)
        assert not xr.open_zarr(tmp_path / "x.zarr", consolidated=False).b.values.any()
        later.compute()
    np.testing.assert_array_equal(xr.open_zarr(tmp_path / "x.zarr", consolidated=False).b.values, eager.b.values)


def test_to_zarr_in_regions(lazy, eager, tmp_path):
    small = lazy[["b"]].drop_vars("name", errors="ignore")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        small.to_zarr(tmp_path / "x.zarr", consolidated=False)
        (small.isel(time=slice(20, 40)) * 10).drop_vars(["y"]).to_zarr(
            tmp_path / "x.zarr", region={"time": slice(20, 40)}, consolidated=False
        )
    expected = eager.b.values.copy()
    expected[20:40] *= 10
    np.testing.assert_array_equal(xr.open_zarr(tmp_path / "x.zarr", consolidated=False).b.values, expected)


def test_to_zarr_packed(lazy, eager, tmp_path):
    packed = {"dtype": "i2", "scale_factor": 0.001, "_FillValue": -999, "chunks": (20, 4, 5)}
    values = lazy[["a"]].drop_vars("name", errors="ignore")
    values.a.encoding.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values.to_zarr(tmp_path / "x.zarr", encoding={"a": packed}, consolidated=False)
    again = xr.open_zarr(tmp_path / "x.zarr", consolidated=False).a
    np.testing.assert_allclose(again.values, eager.a.values, atol=0.0006)


def test_to_netcdf(lazy, eager, tmp_path):
    pytest.importorskip("scipy")
    lazy[["b"]].drop_vars("name", errors="ignore").astype("i4").to_netcdf(tmp_path / "x.nc", engine="scipy")
    with xr.open_dataset(tmp_path / "x.nc", engine="scipy") as again:
        np.testing.assert_array_equal(again.b.values, eager.b.values)


# Looking at them


def test_repr(lazy):
    assert "voxmill.Array" in repr(lazy.a)
    assert "voxmill.Array" in repr(lazy)
    assert lazy._repr_html_()
    assert lazy.a._repr_html_()


def test_plotting(lazy):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    lazy.a.isel(time=0).plot()
    plt.close("all")
    lazy.a.mean(("y", "x")).plot()
    plt.close("all")


def test_equality(lazy, eager):
    assert lazy.a.equals(eager.a)
    assert not lazy.a.equals(eager.a + 1)
    assert bool((lazy.b == eager.b).all())
