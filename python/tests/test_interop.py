"""Arrays of other libraries, in and out; and libraries that take arrays of this package."""

import pickle
import threading

import numpy as np
import pytest

import voxmill as vm

A = np.random.default_rng(0).random((20, 30))


class Source:
    """Something with shape, dtype and []. Counts what is read."""

    def __init__(self, values=A):
        self.values, self.shape, self.dtype, self.read = values, values.shape, values.dtype, 0

    def __getitem__(self, index):
        box = self.values[index]
        self.read += box.size
        return box


def same(found, expected):
    found = np.asarray(found)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


# Anything that can be indexed


def test_an_object_with_brackets():
    source = Source()
    x = vm.from_array(source, chunks=(5, 10))
    assert source.read == 0
    same(x[2:4, 3:5], A[2:4, 3:5])
    assert source.read < A.size
    same(x, A)
    same(vm.asarray(source), A)
    same(pickle.loads(pickle.dumps(x)), A)


def test_what_lacks_something():
    class NoDtype:
        shape = (3,)

        def __getitem__(self, index):
            return None

    with pytest.raises(TypeError, match="NoDtype has no dtype"):
        vm.from_array(NoDtype())

    class Wrong(Source):
        def __getitem__(self, index):
            return self.values[index][:1]

    with pytest.raises(ValueError, match="Wrong gave float64 of shape"):
        vm.from_array(Wrong()).compute()


def test_h5py(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.create_dataset("cut", data=A, chunks=(5, 10), compression="gzip")
        file.create_dataset("whole", data=A)
        file.create_dataset("big", data=A.astype(">f4"))
    with h5py.File(tmp_path / "x.h5") as file:
        x = vm.from_array(file["cut"])
        assert x.chunksize == (5, 10)
        same(x, A)
        same(vm.asarray(file["cut"]) * 2, A * 2)
        assert vm.from_array(file["cut"], chunks=7).chunksize == (7, 7)
        assert vm.from_array(file["whole"]).chunksize == A.shape
        same(vm.from_array(file["whole"], chunks=7, lock=True), A)
        same(vm.from_array(file["big"]), A.astype("f4"))


def test_a_lock_keeps_threads_apart():
    inside = []

    class Careful(Source):
        def __getitem__(self, index):
            inside.append(threading.get_ident())
            assert len(inside) == 1
            box = np.array(self.values[index])
            inside.pop()
            return box

    same(vm.from_array(Careful(), chunks=2, lock=True), A)
    lock = threading.Lock()
    same(vm.from_array(Careful(), chunks=2, lock=lock), A)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"zarr_format": 2},
        {"zarr_format": 2, "order": "F"},
        {"shards": (10, 30)},
        {"compressors": None},
        {"dtype": ">f8", "zarr_format": 2},
    ],
    ids=str,
)
def test_zarr_on_disk_is_read_by_the_engine(tmp_path, options):
    zarr = pytest.importorskip("zarr")
    stored = zarr.create_array(tmp_path / "x.zarr", shape=A.shape, chunks=(5, 6), **{"dtype": "f8", **options})
    stored[:] = A
    x = vm.from_array(stored)
    assert x._expr.location.startswith("zarr:")
    assert x.chunksize == (5, 6)
    same(x, A)
    same(vm.from_zarr(stored, chunks=(10, 10)), A)


def test_zarr_elsewhere_is_read_through_python(tmp_path):
    zarr = pytest.importorskip("zarr")
    stored = zarr.create_array(zarr.storage.MemoryStore(), shape=A.shape, chunks=(5, 6), dtype="f8")
    stored[:] = A
    x = vm.from_array(stored)
    assert x._expr.location.startswith("python:")
    assert x.chunksize == (5, 6)
    same(x, A)
    with zarr.storage.ZipStore(tmp_path / "x.zip", mode="w") as store:
        stored = zarr.create_array(store, shape=A.shape, chunks=(5, 6), dtype="f8")
        stored[:] = A
        same(vm.from_array(stored), A)


def test_zarr_codecs_that_the_engine_lacks(tmp_path):
    zarr = pytest.importorskip("zarr")
    numcodecs = pytest.importorskip("numcodecs")
    values = np.arange(600, dtype="i4").reshape(20, 30)
    stored = zarr.create_array(
        tmp_path / "x.zarr", shape=(20, 30), chunks=(5, 6), dtype="i4", zarr_format=2,
        filters=[numcodecs.Delta(dtype="i4")], compressors=numcodecs.LZMA(),
    )  # fmt: skip
    stored[:] = values
    same(vm.from_array(stored), values)
    same(vm.from_zarr(stored), values)
    vm.store(vm.from_array(values * 2), stored)
    np.testing.assert_array_equal(stored[:], values * 2)


def test_zarr_groups(tmp_path):
    zarr = pytest.importorskip("zarr")
    group = zarr.open_group(tmp_path / "g.zarr", mode="w")
    group.create_array("a/b", data=A, chunks=(10, 10))
    same(vm.from_zarr(group, "a/b"), A)
    same(vm.from_array(group["a/b"]), A)
    same(vm.from_zarr(tmp_path / "g.zarr", component="a/b"), A)
    with pytest.raises(ValueError, match="is a Zarr group"):
        vm.from_zarr(group)


def test_tensorstore(tmp_path):
    ts = pytest.importorskip("tensorstore")
    spec = {"driver": "zarr", "kvstore": {"driver": "file", "path": str(tmp_path / "x.zarr")}}
    layout = ts.ChunkLayout(chunk_shape=[5, 6])
    stored = ts.open(spec, create=True, dtype=ts.float64, shape=A.shape, chunk_layout=layout).result()
    stored[:] = A
    x = vm.from_array(stored)
    assert x.chunksize == (5, 6)
    same(x, A)
    same(vm.asarray(stored) + 1, A + 1)
    part = vm.from_array(stored[5:15, 3:20])
    same(part, A[5:15, 3:20])
    same(pickle.loads(pickle.dumps(part)), A[5:15, 3:20])


def test_memmap(tmp_path):
    mapped = np.memmap(tmp_path / "x.bin", "f8", "w+", shape=A.shape)
    mapped[:] = A
    x = vm.from_array(mapped, chunks=5)
    assert x.chunksize == (5, 5)
    same(x, A)


# Things that can become NumPy arrays


class WithArray:
    def __array__(self, dtype=None, copy=None):
        return np.arange(4.0)


class WithInterface:
    def __init__(self):
        self.kept = np.arange(4.0)
        self.__array_interface__ = self.kept.__array_interface__


class WithDlpack:
    """As some GPU libraries have it: no way in but DLPack."""

    def __init__(self):
        self.kept = np.arange(4.0)

    def __dlpack__(self, **kwargs):
        return self.kept.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.kept.__dlpack_device__()


class WithDlpackAndMore(WithDlpack):
    shape, dtype = (4,), np.dtype(float)

    def __getitem__(self, index):
        raise AssertionError("is not to be read piece by piece")


@pytest.mark.parametrize("kind", [WithArray, WithInterface, WithDlpack, WithDlpackAndMore])
def test_array_protocols(kind):
    same(vm.asarray(kind()), np.arange(4.0))
    same(vm.asarray(kind(), dtype="f4"), np.arange(4, dtype="f4"))
    same(vm.ones(4) + kind(), np.arange(4.0) + 1)


def test_pandas():
    pd = pytest.importorskip("pandas")
    same(vm.asarray(pd.Series([1, 2, 3])), np.array([1, 2, 3]))
    same(vm.asarray(pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})), np.array([[1.0, 3.0], [2.0, 4.0]]))
    same(vm.ones(3) * pd.Series([1, 2, 3]).to_numpy(), np.array([1.0, 2.0, 3.0]))
    with pytest.raises(TypeError, match="numbers only"):
        vm.asarray(pd.Series(["a", "b"]))
    with pytest.raises(TypeError, match="datetime64"):
        vm.asarray(pd.Series(pd.to_datetime(["2000-01-01"])))


# Dask


@pytest.fixture
def da():
    return pytest.importorskip("dask.array")


class Counted:
    """Counts calls of a function over blocks."""

    def __init__(self):
        self.calls = 0

    def __call__(self, block):
        self.calls += 1
        return block + 1


def counted(da, values=A, chunks=(7, 11)):
    count = Counted()
    x = da.from_array(values, chunks=chunks).map_blocks(count, dtype=float, meta=np.empty((0, 0)))
    count.calls = 0
    return x, count


def test_from_dask_is_lazy_and_computes_what_is_asked(da):
    x, count = counted(da)
    y = vm.from_dask(x)
    assert y.chunks == x.chunks
    assert count.calls == 0
    same(y[:3, :3], (A + 1)[:3, :3])
    assert count.calls == 1
    same(y, A + 1)
    assert count.calls == 1 + 9


@pytest.mark.parametrize("chunks", [(7, 11), (20, 1), (3, 30)])
def test_from_dask_computes_common_parts_once(da, chunks):
    x, count = counted(da, chunks=chunks)
    np.testing.assert_allclose(vm.from_dask(x - x.mean()), A - A.mean())
    # All blocks for the mean, and all again for the differences; the first one may serve both.
    assert count.calls <= 2 * x.npartitions
    count.calls = 0
    np.testing.assert_allclose(vm.from_dask(x / x.sum(axis=0)), (A + 1) / (A + 1).sum(axis=0))
    assert count.calls <= 2 * x.npartitions


def test_from_dask_computes_again_when_asked_again(da):
    dask = pytest.importorskip("dask")
    now = [1.0]
    source = da.from_delayed(dask.delayed(lambda: np.full(4, now[0]), pure=False)(), shape=(4,), dtype=float)
    x = vm.from_dask((source - source.sum() / 8).rechunk(2))
    same(x, np.full(4, 0.5))
    now[0] = 2.0
    same(x, np.full(4, 1.0))


def test_from_dask_of_all_kinds(da):
    x = da.from_array(A, chunks=(6, 7))
    simple = [x.rechunk((20, 3)), x[::2, ::-1], x.T, x.sum(), x.sum(axis=1), x.astype("f4"), x > 0.5, x[:0]]
    for y in (*simple, da.fft.fft(x.rechunk((6, 30)))):
        expected = np.asarray(y.compute())
        found = vm.from_dask(y)
        assert found.shape == y.shape
        np.testing.assert_array_equal(np.asarray(found), expected)
        assert found.dtype == expected.dtype
    same(vm.asarray(x), A)
    same(vm.from_array(x, chunks=5), A)
    assert vm.from_array(x, chunks=5).chunksize == (5, 5)
    same(vm.from_dask(vm.from_dask(x)), A)


def test_from_dask_pickles(da):
    x = vm.from_dask(da.from_array(A, chunks=5).sum(axis=0) * 2)
    same(pickle.loads(pickle.dumps(x)), np.asarray(x))


def test_from_dask_of_delayed(da):
    dask = pytest.importorskip("dask")
    parts = [da.from_delayed(dask.delayed(np.full)((2, 3), k), shape=(2, 3), dtype=np.dtype(int)) for k in range(3)]
    same(vm.from_dask(da.stack(parts)), np.stack([np.full((2, 3), k) for k in range(3)]))


def test_from_dask_reads_sources_itself(da, tmp_path):
    zarr = pytest.importorskip("zarr")
    h5py = pytest.importorskip("h5py")
    stored = zarr.create_array(tmp_path / "x.zarr", shape=A.shape, chunks=(5, 6), dtype="f8")
    stored[:] = A
    x = vm.from_dask(da.from_zarr(stored, chunks=(10, 6)))
    assert x._expr.location.startswith("zarr:")
    assert x.chunksize == (10, 6)
    same(x, A)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        x = vm.from_dask(da.from_array(file.create_dataset("x", data=A), chunks=10, lock=True))
        assert x._expr.location.startswith("python:Dataset")
        same(x, A)


def test_from_dask_refuses(da):
    x = da.from_array(A, chunks=5)
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        vm.from_dask(x[x > 0.5])
    with pytest.raises(TypeError, match="masked"):
        vm.from_dask(da.ma.masked_greater(x, 0.5))
    with pytest.raises(TypeError, match="Dask array, not ndarray"):
        vm.from_dask(A)
    with pytest.raises(TypeError, match="datetime64"):
        vm.from_dask(da.from_array(np.array(["2000-01-01"], "M8[D]")))


def test_an_error_in_dask_names_the_block(da):
    def fail(block):
        raise RuntimeError("not this one")

    x = da.from_array(A, chunks=10).map_blocks(fail, dtype=float, meta=np.empty((0, 0)))
    with pytest.raises(RuntimeError, match="not this one") as caught:
        vm.from_dask(x)[:5, :5].compute()
    assert "block (0, 0)" in caught.value.__notes__[0]


@pytest.mark.parametrize("scheduler", ["threads", "sync"])
def test_to_dask(da, scheduler):
    x = vm.from_array(A, chunks=(7, 11)) * 2
    y = x.to_dask()
    assert isinstance(y, da.Array)
    assert y.chunks == x.chunks
    assert y.dtype == x.dtype
    same(y.compute(scheduler=scheduler), A * 2)
    same(y[3:5].compute(scheduler=scheduler), A[3:5] * 2)
    np.testing.assert_allclose((y + y.mean()).compute(scheduler=scheduler), A * 2 + (A * 2).mean())


def test_to_dask_computes_what_is_asked(da):
    source = Source()
    y = vm.from_array(source, chunks=(5, 10)).to_dask()
    assert source.read == 0
    same(y[:5, :10].compute(), A[:5, :10])
    assert source.read == 50


def test_to_dask_of_all_kinds(da):
    same(vm.arange(5).sum().to_dask().compute(), np.asarray(10))
    assert vm.zeros((0, 3)).to_dask().compute().shape == (0, 3)
    same(vm.from_dask(vm.from_array(A, chunks=5).to_dask()), A)
    y = pickle.loads(pickle.dumps(vm.from_array(A, chunks=5).to_dask()))
    same(y.compute(), A)
    same(vm.from_array(A, chunks=5).map_blocks(lambda b: b + 1, dtype=float).to_dask().compute(), A + 1)


def test_an_array_is_no_dask_collection(da):
    from dask.base import is_dask_collection

    assert not is_dask_collection(vm.ones(3))


def test_with_a_cluster(da):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster),
    ):
        x = da.from_array(A, chunks=10)
        same(vm.from_dask((x + 1).persist()), A + 1)
        same((vm.from_array(A, chunks=10) * 2).to_dask().compute(), A * 2)


# xarray


@pytest.fixture
def xr():
    return pytest.importorskip("xarray")


def test_from_xarray(xr, da):
    x = xr.DataArray(A, dims=("y", "x"))
    for held in (x, x.chunk(7), x.variable, vm.to_xarray(vm.from_array(A, chunks=5))):
        same(vm.from_xarray(held), A)
        same(vm.asarray(held), A)
        same(vm.from_array(held, chunks=6), A)
    assert vm.from_xarray(x.chunk(7)).chunksize == (7, 7)
    same(vm.from_xarray(xr.DataArray(A, dims=("y", "x"), coords={"x": np.arange(30)}).x), np.arange(30))
    with pytest.raises(TypeError, match=r"dataset\['name'\]"):
        vm.from_xarray(x.to_dataset(name="x"))
    with pytest.raises(TypeError, match="DataArray or a Variable, not ndarray"):
        vm.from_xarray(A)
    with pytest.raises(TypeError, match="datetime64"):
        vm.from_xarray(xr.DataArray(np.array(["2000-01-01"], "M8[ns]")))


def test_from_xarray_of_a_file(xr, tmp_path):
    pytest.importorskip("zarr")
    values = np.arange(600, dtype="i2").reshape(20, 30)
    packed = {"dtype": "i2", "scale_factor": 0.5, "add_offset": 10.0, "_FillValue": -1, "chunks": (5, 6)}
    data = xr.Dataset({"plain": (("y", "x"), values), "packed": (("y", "x"), values * 0.5)})
    data.to_zarr(tmp_path / "x.zarr", encoding={"packed": packed, "plain": {"chunks": (5, 6)}}, consolidated=False)
    opened = xr.open_zarr(tmp_path / "x.zarr", chunks=None, consolidated=False)
    plain = vm.from_xarray(opened["plain"])
    assert plain._expr.location.startswith("zarr:")
    assert plain.chunksize == (5, 6)
    same(plain, values)
    decoded = vm.from_xarray(opened["packed"])
    assert decoded.chunksize == (5, 6)
    np.testing.assert_allclose(decoded, opened["packed"].values)
    # Nothing was loaded on the way.
    assert not opened["plain"].variable._in_memory
    part = vm.from_xarray(opened["plain"].isel(y=slice(2, 9), x=3))
    same(part, values[2:9, 3])
    same(vm.from_xarray(opened["plain"].isel(y=[3, 1])), values[[3, 1]])


def test_from_xarray_of_netcdf(xr, tmp_path):
    pytest.importorskip("scipy")
    xr.Dataset({"a": (("y", "x"), A)}).to_netcdf(tmp_path / "x.nc", engine="scipy")
    with xr.open_dataset(tmp_path / "x.nc", engine="scipy") as opened:
        same(vm.from_xarray(opened["a"], chunks=5), A)
        same(vm.from_xarray(opened["a"])[3:5], A[3:5])


def test_to_xarray(xr, tmp_path):
    x = vm.to_xarray(vm.from_array(A, chunks=5), dims=("y", "x"), coords={"x": np.arange(30)}, name="a", attrs={"unit": "m"})
    assert isinstance(x.data, vm.Array)
    assert (x.dims, x.name, x.attrs) == (("y", "x"), "a", {"unit": "m"})
    np.testing.assert_allclose(x.mean("y"), A.mean(axis=0))
    assert vm.to_xarray(vm.ones(3)).dims == ("dim_0",)
    assert vm.to_xarray(vm.ones(3)).name is None
    vm.ones((2, 3)).to_zarr(tmp_path / "x.zarr", dimension_names=["p", "q"])
    assert vm.to_xarray(vm.open(tmp_path / "x.zarr")).dims == ("p", "q")


# Those that take arrays


def napari_slice(data, point, shown):
    """What napari does to draw: it asks for one plane, and makes a NumPy array of it."""
    index = tuple(slice(None) if axis in shown else int(point[axis]) for axis in range(data.ndim))
    return np.asarray(data[index])


def test_napari():
    source = Source(np.arange(4 * 16 * 24, dtype="u2").reshape(4, 16, 24))
    x = vm.from_array(source, chunks=(1, 8, 8))
    # The protocol that its layers check.
    for name in ("dtype", "shape", "ndim", "size", "__getitem__"):
        assert hasattr(x, name)
    same(napari_slice(x, (2, 0, 0), (1, 2)), source.values[2])
    assert source.read == 16 * 24
    same(napari_slice(x, (0, 5, 0), (0, 2)), source.values[:, 5])
    pyramid = [x, vm.coarsen(np.mean, x, {1: 2, 2: 2}), vm.coarsen(np.mean, x, {1: 4, 2: 4})]
    assert [level.shape for level in pyramid] == [(4, 16, 24), (4, 8, 12), (4, 4, 6)]
    sizes = [np.prod(level.shape) for level in pyramid]
    assert sizes == sorted(sizes, reverse=True)
    level = pyramid[1]
    corner = np.asarray(level[(1, slice(0, 4), slice(2, 6))])
    np.testing.assert_allclose(corner, source.values[1].reshape(8, 2, 12, 2).mean(axis=(1, 3))[:4, 2:6])
    # Contrast limits come from the smallest level, and dtype limits from the dtype.
    assert float(np.min(pyramid[-1])) < float(np.max(pyramid[-1]))
    assert np.iinfo(x.dtype).max == 65535
    assert np.asarray(x[0, 0, 0]).shape == ()


def test_matplotlib():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    x = vm.from_array(A, chunks=7)
    figure, axes = plt.subplots(1, 3)
    image = axes[0].imshow(x)
    np.testing.assert_array_equal(image.get_array(), A)
    (line,) = axes[1].plot(vm.arange(30, chunks=7), x[3])
    np.testing.assert_array_equal(line.get_ydata(), A[3])
    counts, _, _ = axes[2].hist(x.ravel(), bins=5)
    assert counts.sum() == A.size
    axes[1].scatter(x[0], x[1])
    axes[1].contourf(x)
    figure.canvas.draw()
    plt.close(figure)


def test_scikit_image():
    pytest.importorskip("skimage")
    from skimage import exposure, filters, measure, morphology, transform

    x = vm.from_array(A, chunks=7)
    np.testing.assert_allclose(filters.gaussian(x, 1), filters.gaussian(A, 1))
    np.testing.assert_array_equal(measure.label(x > 0.5), measure.label(A > 0.5))
    assert filters.threshold_otsu(x) == filters.threshold_otsu(A)
    np.testing.assert_allclose(filters.sobel(x), filters.sobel(A))
    np.testing.assert_array_equal(morphology.dilation(x), morphology.dilation(A))
    np.testing.assert_allclose(exposure.equalize_hist(np.asarray(x)), exposure.equalize_hist(A))
    np.testing.assert_allclose(transform.resize(x, (10, 15)), transform.resize(A, (10, 15)))
    table = measure.regionprops_table(measure.label(x > 0.5), intensity_image=np.asarray(x), properties=("label", "mean_intensity"))
    assert len(table["label"])


def test_scipy():
    ndimage = pytest.importorskip("scipy.ndimage")
    x = vm.from_array(A, chunks=7)
    np.testing.assert_allclose(ndimage.gaussian_filter(x, 1), ndimage.gaussian_filter(A, 1))
    labels, number = ndimage.label(x > 0.5)
    expected, wanted = ndimage.label(A > 0.5)
    assert number == wanted
    np.testing.assert_array_equal(labels, expected)


def test_numpy_takes_arrays():
    x = vm.from_array(A, chunks=7)
    same(np.asarray(x), A)
    same(np.array(x, dtype="f4"), A.astype("f4"))
    same(np.from_dlpack(x), A)
    np.testing.assert_allclose(x, A)
    out = np.empty_like(A)
    out[:] = x
    same(out, A)
