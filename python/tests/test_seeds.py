"""Workflows of imaging scientists, once with Dask and once with Voxmill: the same calls must give the same numbers.

Each workflow is a function of the array module, called `da` as in the scripts it stands for. Two sources: averaging, re-centring and
Fourier-transforming a stack of electron microscopy slices, and a course about chunked arrays for image data.
"""

import dask
import dask.array
import numpy as np
import pytest
import scipy.ndimage
from numba import jit
from skimage import exposure, feature, filters, morphology

import voxmill as vm

RTOL = 1e-12
"""For float64 sums and means, which both add in another order than the other."""


def same(workflow, *args, rtol=0.0, atol=0.0):
    """Run a workflow with both, and expect equal numbers; equal bits where no tolerance is given."""
    expected = workflow(dask.array, dask.delayed, *args)
    found = workflow(vm, vm.delayed, *args)
    assert type(expected) is type(found) or not isinstance(expected, (tuple, dict))
    if isinstance(expected, dict):
        assert expected.keys() == found.keys()
        pairs = [(expected[name], found[name]) for name in expected]
    else:
        pairs = list(zip(expected, found, strict=True)) if isinstance(expected, tuple) else [(expected, found)]
    for e, f in pairs:
        # As a plotting function would: whatever comes is taken as an array.
        e, f = np.asarray(e), np.asarray(f)
        assert f.dtype == e.dtype
        assert f.shape == e.shape
        if rtol or atol:
            np.testing.assert_allclose(f, e, rtol=rtol, atol=atol)
        else:
            np.testing.assert_array_equal(f, e)


# A stack of slices


@pytest.fixture(scope="module")
def slices():
    """Images with a bright spot that wanders over the frame, and fades at both ends."""
    rng = np.random.default_rng(17)
    rows, columns = np.mgrid[0:60, 0:50]
    images = []
    for k in range(24):
        spot = np.exp(-((rows - 20 - k) ** 2 + (columns - 35 + k) ** 2) / 60) * 200 * np.sin(np.pi * (k + 1) / 26)
        images.append((spot + rng.integers(0, 12, spot.shape)).astype(np.uint8))
    return images


def stacked(da, delayed, images):
    """A lazy stack, each slice read by a delayed call."""
    read = delayed(lambda number: images[number], pure=True)
    lazy = [read(number) for number in range(len(images))]
    sample = images[0]
    arrays = [da.from_delayed(value, dtype=sample.dtype, shape=sample.shape) for value in lazy]
    return da.stack(arrays, axis=0)


def test_stack_of_delayed_reads(slices):
    def workflow(da, delayed):
        stack = stacked(da, delayed, slices)
        assert stack.shape == (24, 60, 50)
        assert stack.dtype == np.uint8
        assert stack.chunksize == (1, 60, 50)
        joined = stack.rechunk((5, 60, 50))
        assert joined.chunks == ((5, 5, 5, 5, 4), (60,), (50,))
        return joined.compute()

    same(workflow)


def test_only_the_slice_that_is_asked_for_is_read(slices):
    asked = []

    def workflow(da, delayed):
        asked.clear()

        def read(number):
            asked.append(number)
            return slices[number]

        lazy = [delayed(read, pure=True)(number) for number in range(len(slices))]
        arrays = [da.from_delayed(value, dtype=np.uint8, shape=(60, 50)) for value in lazy]
        image = da.stack(arrays, axis=0)[7, :, :].compute()
        assert set(asked) == {7}
        return image

    same(workflow)


def test_mean_of_one_slice(slices):
    same(lambda da, delayed: stacked(da, delayed, slices)[5, :, :].mean().compute(), rtol=RTOL)


def test_mean_over_time_and_over_space(slices):
    def workflow(da, delayed):
        stack = stacked(da, delayed, slices).rechunk((5, 60, 50)).persist()
        return stack.mean(axis=0).compute(), stack.mean(axis=[1, 2]).compute()

    same(workflow, rtol=RTOL)


@jit(nogil=True)
def centroid(image):
    """The place of the brightness, row and column."""
    total = down = across = 0.0
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            total += image[i, j]
            down += i * image[i, j]
            across += j * image[i, j]
    if total > 0:
        down /= total
        across /= total
    return down, across


def recentre(image, half=15):
    """Crop an image around its centroid."""
    row, column = centroid(image.squeeze())
    row = min(max(int(row), half), image.shape[-2] - half)
    column = min(max(int(column), half), image.shape[-1] - half)
    return image[..., row - half : row + half, column - half : column + half]


def recentre_block(block):
    """Crop each image of a short stack."""
    return np.stack([recentre(image) for image in block])


def test_recentred_slice_by_slice(slices):
    def workflow(da, delayed):
        stack = stacked(da, delayed, slices)
        recentred = stack.map_blocks(recentre, chunks=(1, 30, 30), dtype=stack.dtype).persist()
        assert recentred.shape == (24, 30, 30)
        return recentred.compute()

    same(workflow)


def test_recentred_in_short_stacks(slices):
    def workflow(da, delayed):
        stack = stacked(da, delayed, slices).rechunk((4, 60, 50))
        recentred = stack.map_blocks(recentre_block, chunks=(4, 30, 30), dtype=stack.dtype)
        # A plotting function gets the mean uncomputed.
        return recentred.mean(axis=0)

    same(workflow, rtol=RTOL)


def power_spectrum(da, delayed, images):
    """From slices to a time series for each pixel, and its power spectrum."""
    stack = stacked(da, delayed, images).rechunk((6, 60, 50))
    recentred = stack.map_blocks(recentre_block, chunks=(6, 30, 30), dtype=stack.dtype)
    series = recentred.rechunk((24, 10, 10))
    assert series.chunks == ((24,), (10, 10, 10), (10, 10, 10))
    spectrum = da.fft.fft(series, axis=0)
    return abs(spectrum**2).astype("float32").persist()


def test_power_spectrum_of_each_pixel(slices):
    def workflow(da, delayed):
        power = power_spectrum(da, delayed, slices)
        assert power.dtype == np.float32
        return power.compute()

    # Two Fourier transforms in float64, rounded to float32, differ by units of its last place; sums that cancel leave 1e-16 of values up
    # to 5000, whose squares are far below 1e-20.
    same(workflow, rtol=3e-7, atol=1e-20)


def test_power_spectrum_at_the_border_and_in_the_middle(slices):
    def workflow(da, delayed):
        power = power_spectrum(da, delayed, slices)
        return 1 + power[:, 0, 0].compute(), 1 + power[:, 15, 15].compute()

    same(workflow, rtol=3e-7, atol=1e-20)


# The course: creation, delayed, stores


def test_mean_of_random_numbers():
    """Random numbers are each library's own: what is compared is what they are, not their values."""

    def workflow(da, delayed):
        numbers = da.random.random((400, 300), chunks=(100, 100))
        means = da.mean(numbers, axis=0).compute()
        return numbers.shape, str(numbers.dtype), numbers.chunks, means.shape, bool(np.all(np.abs(means - 0.5) < 0.15))

    assert workflow(dask.array, dask.delayed) == workflow(vm, vm.delayed)


def test_two_delayed_sums_feed_a_third_task():
    rng = np.random.default_rng(3)
    a, b = rng.random((200, 200)), rng.random((200, 200))

    def workflow(da, delayed):
        first, second = delayed(np.sum)(a), delayed(np.sum)(b)
        return delayed(lambda x, y: x + y)(first, second).compute()

    same(workflow)


@pytest.fixture(scope="module")
def volume(tmp_path_factory):
    """An image over time, in a group on disk, and where it lies."""
    import zarr

    rng = np.random.default_rng(5)
    noise = rng.random((6, 12, 48, 40))
    values = (scipy.ndimage.gaussian_filter(noise, (0, 1, 3, 3)) * 60000).astype(np.uint16)
    where = tmp_path_factory.mktemp("seeds") / "data.zarr"
    group = zarr.open_group(where, mode="w")
    stored = group.create_array("0/0", shape=values.shape, dtype=values.dtype, chunks=(3, 12, 24, 20))
    stored[:] = values
    group.create_array("1", shape=(6, 12, 24, 20), dtype=np.float32, chunks=(3, 12, 24, 20))[:] = values[..., ::2, ::2] / 65535
    return where


def test_what_an_opened_array_says(volume):
    def workflow(da, delayed):
        x = da.from_zarr(volume, component="0/0")
        return np.array([x.shape, x.chunksize, x.numblocks]), np.array(x.nbytes), np.array(str(x.dtype))

    same(workflow)


@pytest.mark.parametrize("chunks", [(1, 1, 24, 20), (6, -1, 12, 10), (2, 5, 12, 10)])
def test_rechunk_for_another_access_and_store(volume, tmp_path, chunks):
    def workflow(da, delayed):
        x = da.from_zarr(str(volume), component="0/0").rechunk(chunks)
        where = str(tmp_path / f"{da.__name__}.zarr")
        x.to_zarr(where)
        # Chunks as small as here may be stored in larger ones: what counts are the values.
        return da.from_zarr(where).compute()

    same(workflow)


# The course: functions over blocks


def smooth(block, sigma=2):
    return filters.gaussian(block, sigma=sigma, preserve_range=True)


def normalize(block):
    return exposure.rescale_intensity(block, out_range=(0, 1))


def bright(block, threshold=0.5):
    return block > threshold


def large(block):
    return morphology.remove_small_objects(block, max_size=5)


def test_smooth_every_block(volume):
    def workflow(da, delayed):
        x = da.from_zarr(volume, component="1")
        return da.map_blocks(smooth, x, sigma=2, dtype=x.dtype, meta=np.array((), dtype=x.dtype)).compute()

    same(workflow)


def test_a_wrong_dtype_is_no_longer_silent(volume):
    """Dask believes `dtype=`, whatever the function gives. Voxmill says so."""
    x = vm.from_zarr(volume, component="0/0")
    with pytest.raises(TypeError, match="smooth gave float64 for block .*, but uint16 was announced; pass dtype='float64'"):
        vm.map_blocks(smooth, x, dtype=x.dtype).compute()
    same(lambda da, delayed: da.map_blocks(smooth, da.from_zarr(volume, component="0/0"), dtype=float).compute())


def test_chain_of_functions_over_blocks(volume):
    def workflow(da, delayed):
        x = da.from_zarr(volume, component="1")
        smoothed = da.map_blocks(smooth, x, sigma=1.5, dtype=x.dtype)
        normalized = da.map_blocks(normalize, smoothed, dtype=np.float32)
        binary = da.map_blocks(bright, normalized, threshold=0.3, dtype=bool)
        return da.map_blocks(large, binary, dtype=bool).compute()

    same(workflow)


def test_edges_with_overlap(volume):
    def workflow(da, delayed):
        x = da.from_zarr(volume, component="1")[0, 3].rechunk((12, 10))
        found = da.map_overlap(
            lambda block: feature.canny(block, sigma=1.0), x, depth=10, boundary="reflect", dtype=bool, meta=np.array((), dtype=bool)
        )
        return found.compute()

    same(workflow)


@pytest.mark.parametrize("boundary", ["reflect", "nearest", "periodic", 0.0, "none"])
def test_smooth_each_slice_with_overlap(volume, boundary):
    def workflow(da, delayed):
        x = da.from_zarr(volume, component="1")[2].rechunk((1, 12, 10)).astype(float)
        inside = da.map_overlap(
            scipy.ndimage.gaussian_filter, x, sigma=(0, 1, 1), truncate=3, depth=(0, 3, 3), boundary=boundary, dtype=float
        )
        return inside.compute()

    same(workflow)


def test_smooth_each_slice_equals_the_whole_image(volume):
    """What the overlap is for: with it, blocks leave no trace."""

    def workflow(da, delayed):
        x = da.from_zarr(volume, component="1")[2].rechunk((1, 12, 10)).astype(float)
        return da.map_overlap(
            scipy.ndimage.gaussian_filter, x, sigma=(0, 1, 1), truncate=3, depth=(0, 3, 3), boundary="reflect", dtype=float
        )

    same(workflow)
    whole = np.asarray(vm.from_zarr(volume, component="1")[2]).astype(float)
    expected = scipy.ndimage.gaussian_filter(whole, sigma=(0, 1, 1), truncate=3)
    np.testing.assert_allclose(np.asarray(workflow(vm, None)), expected, rtol=1e-13)


def ratio(one, other, background):
    """Ratio of two images without background, 0 where there is none."""
    above, below = one - background, other - background
    return np.divide(above, below, out=np.zeros_like(above), where=below != 0)


def test_blockwise_over_three_images():
    rng = np.random.default_rng(9)
    images = [rng.integers(0, 9, (8, 20, 18)).astype(np.float32) for _ in range(3)]

    def workflow(da, delayed):
        one, other, background = (da.from_array(image, chunks=(4, 10, 9)) for image in images)
        result = da.blockwise(ratio, "ijk", one, "ijk", other, "ijk", background, "ijk", dtype=np.float32, concatenate=False)
        return result.compute()

    same(workflow)


def test_blockwise_mask_over_time():
    rng = np.random.default_rng(10)
    series, mask = rng.integers(0, 99, (10, 32, 24)), rng.random((32, 24)) < 0.4

    def workflow(da, delayed):
        x = da.from_array(series, chunks=(3, 16, 12))
        m = da.from_array(mask, chunks=(16, 12))
        return da.blockwise(lambda t, mm: t * mm[np.newaxis, :, :], "tij", x, "tij", m, "ij", dtype=x.dtype).compute()

    same(workflow)


def test_stack_and_concatenate(volume):
    def workflow(da, delayed):
        x = da.from_zarr(volume, component="0/0")
        return da.stack([x[0], x[3]], axis=1).compute(), da.concatenate([x[:2], x[-1:]], axis=0).compute()

    same(workflow)


@pytest.mark.parametrize("axis", [None, 0, (0, 1), -1])
def test_reductions(volume, axis):
    def workflow(da, delayed):
        x = da.from_zarr(volume, component="0/0")
        return x.sum(axis=axis).compute(), x.max(axis=axis).compute(), x.mean(axis=axis).compute(), x.std(axis=axis).compute()

    same(workflow, rtol=RTOL)


def test_gufunc_over_pixels(volume):
    def workflow(da, delayed):
        x = da.from_zarr(volume, component="0/0").rechunk({0: -1})
        spread = da.apply_gufunc(lambda series: np.ptp(series, axis=-1), "(t)->()", x, axes=[(0,), ()], output_dtypes=x.dtype)
        mean, deviation = da.apply_gufunc(
            lambda series: (series.mean(axis=-1), series.std(axis=-1)), "(t)->(),()", x, axes=[(0,), (), ()], output_dtypes=(float, float)
        )
        return spread.compute(), mean.compute(), deviation.compute()

    same(workflow, rtol=RTOL)


def test_overlap_by_hand(volume):
    def workflow(da, delayed):
        x = da.from_zarr(volume, component="0/0")[0, 0].rechunk((12, 10))
        shared = da.overlap.overlap_internal(x, {0: 2, 1: 1})
        around = da.overlap.overlap(x, depth={0: 2, 1: 2}, boundary={0: "reflect", 1: "nearest"})
        peaks = around.map_blocks(scipy.ndimage.maximum_filter, size=5, dtype=x.dtype)
        back = da.overlap.trim_internal(peaks, {0: 2, 1: 2}, boundary={0: "reflect", 1: "nearest"})
        return np.array(shared.chunksize), shared.compute(), around.compute(), back.compute()

    same(workflow)


# The course: the exercises


def test_projections(volume):
    def workflow(da, delayed):
        x = da.from_zarr(volume, component="0/0")
        return {"max": x.max(axis=1).compute(), "mean": x.mean(axis=1).compute(), "first": da.max(x, axis=(0, 1)).compute()}

    same(workflow, rtol=RTOL)


def test_filtered_stack_to_zarr(volume, tmp_path):
    def workflow(da, delayed):
        x = da.from_zarr(volume, component="0/0")[0].rechunk((1, 48, 40))
        filtered = x.map_blocks(
            lambda block: filters.gaussian(block, sigma=(0, 2, 2), preserve_range=True).astype(block.dtype), dtype=x.dtype
        )
        where = tmp_path / f"filtered-{da.__name__}.zarr"
        filtered.to_zarr(str(where))
        return da.from_zarr(str(where)).compute()

    same(workflow)
    image = vm.from_zarr(volume, component="0/0")[0].compute()
    expected = np.stack([filters.gaussian(plane, sigma=2, preserve_range=True).astype(plane.dtype) for plane in image])
    np.testing.assert_array_equal(vm.open(tmp_path / "filtered-voxmill.zarr").compute(), expected)


def otsu(counts, edges):
    """The threshold that parts a histogram best: the largest variance between the two sides."""
    centres = (edges[:-1] + edges[1:]) / 2
    low, high = np.cumsum(counts), np.cumsum(counts[::-1])[::-1]
    below = np.cumsum(counts * centres) / np.maximum(low, 1)
    above = (np.cumsum((counts * centres)[::-1]) / np.maximum(high[::-1], 1))[::-1]
    variance = low[:-1] * high[1:] * (below[:-1] - above[1:]) ** 2
    return centres[np.argmax(variance)]


def test_one_global_threshold(volume):
    def workflow(da, delayed):
        x = da.from_zarr(volume, component="1")
        low, high = dask.compute(x.min(), x.max()) if da is dask.array else vm.compute(x.min(), x.max())
        counts, edges = da.histogram(x, bins=256, range=[low, high])
        counts, edges = np.asarray(counts), np.asarray(edges)
        threshold = otsu(counts, edges)
        return counts, threshold, (x > threshold).compute()

    same(workflow)
    x = vm.from_zarr(volume, component="1")
    threshold = filters.threshold_otsu(x.compute(), nbins=256)
    found = workflow(vm, None)[1]
    assert abs(found - threshold) <= float(x.max() - x.min()) / 256
