"""Image files as lazy arrays."""

import builtins
import pickle

import numpy as np
import pytest

import voxmill as vm

tifffile = pytest.importorskip("tifffile")
Image = pytest.importorskip("PIL.Image")

STACK = np.random.default_rng(0).integers(0, 60000, (5, 6, 7)).astype("u2")


def write_tiff(path, values=STACK, **options):
    tifffile.imwrite(path, values, **options)
    return path


def write_png(path, values):
    Image.fromarray(values).save(path)
    return path


def same(found, expected):
    found = np.asarray(found)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


class Count:
    """Counts how often each page is decoded."""

    def __init__(self, monkeypatch):
        self.pages = []
        real = tifffile.TiffPage.asarray

        def asarray(page, *args, **kwargs):
            self.pages.append(page.index)
            return real(page, *args, **kwargs)

        monkeypatch.setattr(tifffile.TiffPage, "asarray", asarray)
        monkeypatch.setattr(tifffile.TiffFrame, "asarray", asarray)


# TIFF


@pytest.mark.parametrize(
    "options",
    [{}, {"compression": "zlib"}, {"byteorder": ">"}, {"byteorder": ">", "compression": "zlib"}, {"truncate": True}, {"bigtiff": True}],
    ids=str,
)
def test_tiff_of_several_pages(tmp_path, options):
    path = write_tiff(tmp_path / "x.tif", **options)
    x = vm.imread(path)
    assert x.chunks == ((1,) * 5, (6,), (7,))
    same(x, STACK)
    same(x[1:3, 2:5, 3], STACK[1:3, 2:5, 3])
    same(pickle.loads(pickle.dumps(x)), STACK)
    stack = vm.imread([path] * 3)
    assert stack.shape == (3, 5, 6, 7)
    assert stack.chunksize == (1, 1, 6, 7)
    same(stack, np.stack([STACK] * 3))


@pytest.mark.parametrize(
    ("shape", "options", "pages"),
    [
        ((6, 7), {}, 0),
        ((6, 7, 3), {"photometric": "rgb"}, 0),
        ((4, 6, 7, 3), {"photometric": "rgb", "compression": "zlib"}, 1),
        ((4, 3, 6, 7), {"photometric": "rgb", "planarconfig": "separate"}, 1),
        ((2, 5, 16, 16), {"compression": "zlib", "ome": True, "metadata": {"axes": "TZYX"}}, 2),
        ((2, 5, 16, 16), {"imagej": True, "metadata": {"axes": "TZYX"}}, 2),
        ((3, 64, 48), {"photometric": "minisblack", "tile": (16, 16), "compression": "zlib"}, 1),
    ],
)
def test_tiff_axes(tmp_path, shape, options, pages):
    values = np.random.default_rng(1).integers(0, 255, shape).astype("u1")
    path = write_tiff(tmp_path / "x.tif", values, **options)
    x = vm.imread(path)
    assert x.chunksize == (1,) * pages + shape[pages:]
    same(x, values)


@pytest.mark.parametrize("dtype", ["bool", "i2", "u4", "f4", "f8", "c8"])
def test_tiff_dtypes(tmp_path, dtype):
    values = np.arange(12).reshape(3, 4).astype(dtype)
    same(vm.imread(write_tiff(tmp_path / "x.tif", values)), values)


def test_pages_written_one_by_one(tmp_path):
    with tifffile.TiffWriter(tmp_path / "x.tif") as file:
        for page in STACK:
            file.write(page, contiguous=False)
    same(vm.imread(tmp_path / "x.tif"), STACK)


def test_each_page_is_decoded_once(tmp_path, monkeypatch):
    path = write_tiff(tmp_path / "x.tif", np.zeros((40, 256, 256), "u1"), compression="zlib")
    count = Count(monkeypatch)
    x = vm.imread(path)
    assert count.pages == []
    (x.astype("f4") + 1).sum().compute()
    assert sorted(count.pages) == list(range(40))
    count.pages.clear()
    x[7].compute()
    assert count.pages == [7]


def test_a_file_of_many_pages_is_opened_a_few_times(tmp_path, monkeypatch):
    path = write_tiff(tmp_path / "x.tif", np.zeros((60, 16, 16), "u1"), compression="zlib")
    opened = []
    real = tifffile.TiffFile.__init__

    def count(self, *args, **kwargs):
        opened.append(self)
        real(self, *args, **kwargs)

    monkeypatch.setattr(tifffile.TiffFile, "__init__", count)
    x = vm.imread(path)
    opened.clear()
    x.sum().compute(threads=2)
    assert len(opened) <= 2


def test_a_file_that_is_written_again(tmp_path):
    path = write_tiff(tmp_path / "x.tif", compression="zlib")
    x = vm.imread(path)
    same(x, STACK)
    write_tiff(path, STACK + 1, compression="zlib")
    same(x, STACK + 1)


def test_only_the_first_header_is_read(tmp_path):
    first = write_tiff(tmp_path / "z0.tif", STACK[0])
    for k in range(1, 4):
        (tmp_path / f"z{k}.tif").write_bytes(b"nothing yet")
    x = vm.imread(tmp_path / "z*.tif")
    assert x.shape == (4, 6, 7)
    same(x[0], STACK[0])
    assert first.exists()


def test_uncompressed_tiff_is_read_by_box(tmp_path, monkeypatch):
    path = write_tiff(tmp_path / "x.tif")
    count = Count(monkeypatch)
    same(vm.imread(path)[2, 1:3], STACK[2, 1:3])
    assert count.pages == []


def test_series(tmp_path):
    with tifffile.TiffWriter(tmp_path / "x.tif") as file:
        file.write(STACK)
        file.write(STACK[0, :3])
    same(vm.imread(tmp_path / "x.tif", series=0), STACK)
    same(vm.imread(tmp_path / "x.tif", series=1), STACK[0, :3])
    with pytest.raises(ValueError, match=r"x\.tif has 2 series, there is no series 2"):
        vm.imread(tmp_path / "x.tif", series=2)


# Other formats


@pytest.mark.parametrize(
    ("mode", "shape", "dtype"),
    [("L", (), "u1"), ("RGB", (3,), "u1"), ("RGBA", (4,), "u1"), ("LA", (2,), "u1"), ("1", (), "bool"), ("I;16", (), "u2")],
)
def test_png_modes(tmp_path, mode, shape, dtype):
    if mode == "I;16":
        image = Image.fromarray(np.arange(20, dtype="u2").reshape(4, 5) * 3000)
    else:
        colours = np.random.default_rng(0).integers(0, 255, (4, 5, 4)).astype("u1")
        image = Image.fromarray(colours, "RGBA").convert(mode)
    image.save(tmp_path / "x.png")
    x = vm.imread(tmp_path / "x.png")
    assert x.shape == (4, 5, *shape)
    same(x, np.asarray(image).astype(dtype))


def test_palette_becomes_colours(tmp_path):
    image = Image.fromarray(np.arange(20, dtype="u1").reshape(4, 5)).convert("P")
    image.save(tmp_path / "x.png")
    same(vm.imread(tmp_path / "x.png"), np.asarray(image.convert("RGB")))


def test_frames_of_a_gif(tmp_path):
    frames = [Image.fromarray(np.full((4, 5), 60 * k, "u1")) for k in range(3)]
    frames[0].save(tmp_path / "x.gif", save_all=True, append_images=frames[1:])
    x = vm.imread(tmp_path / "x.gif")
    assert x.shape[:3] == (3, 4, 5)
    np.testing.assert_array_equal(np.asarray(x).reshape(3, -1)[:, 0], [0, 60, 120])


def test_jpeg_stack(tmp_path):
    values = np.random.default_rng(0).integers(0, 255, (3, 16, 16, 3)).astype("u1")
    for k, page in enumerate(values):
        write_png(tmp_path / f"{k}.jpg", page)
    expected = np.stack([np.asarray(Image.open(tmp_path / f"{k}.jpg")) for k in range(3)])
    same(vm.imread(tmp_path / "*.jpg"), expected)


@pytest.mark.parametrize("dtype", ["u2", ">f4", "c16"])
def test_npy(tmp_path, dtype):
    values = np.arange(12).reshape(3, 4).astype(dtype)
    for k in range(2):
        np.save(tmp_path / f"{k}.npy", values + k)
    native = np.dtype(dtype).newbyteorder("=")
    same(vm.imread(tmp_path / "0.npy"), values.astype(native))
    same(vm.imread(tmp_path / "*.npy"), np.stack([values, values + 1]).astype(native))


# Which files


def test_natural_order(tmp_path):
    for k in (0, 2, 10, 1, 9, 100):
        write_png(tmp_path / f"z{k}.png", np.full((2, 3), k, "u1"))
    x = vm.imread(str(tmp_path / "z*.png"))
    assert x[:, 0, 0].compute().tolist() == [0, 1, 2, 9, 10, 100]


def test_a_list_keeps_its_order(tmp_path):
    files = [write_png(tmp_path / f"z{k}.png", np.full((2, 3), k, "u1")) for k in (2, 0, 1)]
    assert vm.imread(files)[:, 0, 0].compute().tolist() == [2, 0, 1]
    assert vm.imread(iter(files)).shape == (3, 2, 3)


def test_folders_below(tmp_path):
    for k in range(3):
        (tmp_path / f"f{k}").mkdir()
        write_png(tmp_path / f"f{k}" / "x.png", np.full((2, 3), k, "u1"))
    assert vm.imread(tmp_path / "**" / "*.png").shape == (3, 2, 3)


def test_a_name_that_looks_like_a_pattern(tmp_path):
    write_png(tmp_path / "x[1].png", np.zeros((2, 3), "u1"))
    assert vm.imread(tmp_path / "x[1].png").shape == (2, 3)


def test_a_pattern_with_one_match_is_a_stack(tmp_path):
    write_png(tmp_path / "x.png", np.zeros((2, 3), "u1"))
    assert vm.imread(tmp_path / "*.png").shape == (1, 2, 3)


def test_missing_files(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no file matches '.*none\*\.tif'"):
        vm.imread(tmp_path / "none*.tif")
    with pytest.raises(FileNotFoundError, match=r"no file '.*none\.tif'"):
        vm.imread(tmp_path / "none.tif")
    with pytest.raises(FileNotFoundError, match=r"a\.tif', and 1 more of 2"):
        vm.imread([tmp_path / "a.tif", tmp_path / "b.tif"])
    with pytest.raises(IsADirectoryError, match=r"\*\.tif"):
        vm.imread(tmp_path)
    with pytest.raises(ValueError, match="empty"):
        vm.imread([])


def test_a_file_that_goes_away(tmp_path):
    for k in range(2):
        write_png(tmp_path / f"{k}.png", np.zeros((2, 3), "u1"))
    x = vm.imread(tmp_path / "*.png")
    (tmp_path / "1.png").unlink()
    with pytest.raises(FileNotFoundError, match=r"1\.png"):
        x.compute()


# Pages that do not fit


def test_odd_files(tmp_path):
    write_png(tmp_path / "0.png", np.zeros((2, 3), "u1"))
    write_png(tmp_path / "1.png", np.zeros((2, 4), "u1"))
    with pytest.raises(ValueError, match=r"1\.png has shape \(2, 4\) and dtype uint8, but the first page has \(2, 3\)"):
        vm.imread(tmp_path / "*.png").compute()
    write_png(tmp_path / "1.png", np.zeros((2, 3), "u2"))
    with pytest.raises(ValueError, match=r"1\.png has shape \(2, 3\) and dtype uint16"):
        vm.imread(tmp_path / "*.png").compute()


def test_odd_pages_in_a_file(tmp_path):
    with tifffile.TiffWriter(tmp_path / "x.tif") as file:
        for k in range(4):
            file.write(np.zeros((6, 7 + (k == 2)), "u1"), contiguous=False)
    with pytest.raises(ValueError, match=r"page 2 of .*x\.tif has shape \(6, 8\)"):
        vm.imread(tmp_path / "x.tif")


def test_odd_files_of_several_pages(tmp_path):
    files = [write_tiff(tmp_path / "0.tif"), write_tiff(tmp_path / "1.tif", STACK[:, :5], compression="zlib")]
    with pytest.raises(ValueError, match=r"page \d of .*1\.tif has shape \(5, 7\)"):
        vm.imread(files).compute()
    write_tiff(files[1], STACK[:2])
    with pytest.raises(ValueError, match=r"1\.tif has shape \(2, 6, 7\), but the first file has \(5, 6, 7\)"):
        vm.imread(files).compute()


@pytest.mark.parametrize("name", ["x.tif", "x.png", "x.npy"])
def test_corrupt_files(tmp_path, name):
    (tmp_path / name).write_bytes(b"II*\0 no image at all")
    with pytest.raises(OSError, match=f"cannot read .*{name}"):
        vm.imread(tmp_path / name)


def test_a_corrupt_file_in_a_stack(tmp_path):
    for k in range(3):
        write_png(tmp_path / f"{k}.png", np.random.default_rng(k).integers(0, 255, (20, 30)).astype("u1"))
    whole = (tmp_path / "1.png").read_bytes()
    (tmp_path / "1.png").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(OSError, match=r"cannot read .*1\.png"):
        vm.imread(tmp_path / "*.png").compute()


def test_a_cut_off_tiff(tmp_path):
    path = write_tiff(tmp_path / "x.tif", np.zeros((20, 64, 64), "u2"))
    x = vm.imread(path)
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(OSError, match=r"cannot read .*x\.tif"):
        x.compute()


# Options


def test_pages_per_block(tmp_path):
    path = write_tiff(tmp_path / "x.tif", compression="zlib")
    x = vm.imread(path, chunks=2)
    assert x.chunks[0] == (2, 2, 1)
    same(x, STACK)
    x = vm.imread([path] * 3, chunks=(2, -1))
    assert x.chunks[:2] == ((2, 1), (5,))
    same(x, np.stack([STACK] * 3))
    with pytest.raises(ValueError, match="one entry for each of the 1 axes"):
        vm.imread(path, chunks=(1, 6, 7))


def test_a_reader_of_the_user(tmp_path):
    files = [write_png(tmp_path / f"{k}.png", np.full((2, 3), k, "u1")) for k in range(3)]
    read = []

    def reader(path):
        read.append(path)
        return np.asarray(Image.open(path)).astype("f4")

    x = vm.imread(tmp_path / "*.png", reader)
    assert len(read) == 1
    assert x[:, 0, 0].compute().tolist() == [0, 1, 2]
    assert sorted(read) == sorted(str(path) for path in files)
    with pytest.raises(TypeError, match="must be a function"):
        vm.imread(tmp_path / "*.png", 3)


def test_a_reader_that_raises(tmp_path):
    write_png(tmp_path / "0.png", np.zeros((2, 3), "u1"))

    def reader(path):
        raise RuntimeError("not today")

    with pytest.raises(OSError, match=r"cannot read .*0\.png: RuntimeError: not today"):
        vm.imread(tmp_path / "0.png", imread=reader)


def test_preprocess(tmp_path):
    for k in range(3):
        write_png(tmp_path / f"{k}.png", np.full((4, 6, 3), k, "u1"))
    seen = []

    def grey(page):
        seen.append(page.shape)
        return page.mean(axis=-1)[::2]

    x = vm.imread(tmp_path / "*.png", preprocess=grey)
    assert x.shape == (3, 2, 6)
    assert x.dtype == float
    assert x[:, 0, 0].compute().tolist() == [0, 1, 2]
    assert seen == [(4, 6, 3)] * 3


def test_preprocess_gets_pages(tmp_path):
    path = write_tiff(tmp_path / "x.tif")
    same(vm.imread(path, preprocess=lambda page: page[:2]), STACK[:, :2])


def test_the_same_as_dask(tmp_path):
    image = pytest.importorskip("dask.array.image")
    skio = pytest.importorskip("skimage.io")
    for k in range(3):
        write_png(tmp_path / f"{k}.png", np.full((4, 6), k, "u1"))
    pattern = str(tmp_path / "*.png")
    expected = image.imread(pattern, imread=skio.imread, preprocess=np.transpose)
    found = vm.imread(pattern, imread=skio.imread, preprocess=np.transpose)
    assert found.chunks == expected.chunks
    same(found, expected.compute())


@pytest.mark.parametrize(("name", "package"), [("x.tif", "tifffile"), ("x.png", "pillow")])
def test_a_missing_package_is_named(tmp_path, monkeypatch, name, package):
    (tmp_path / name).write_bytes(b"anything")
    real = builtins.__import__
    missing = {"tifffile": "tifffile", "pillow": "PIL"}[package]

    def without(name, *args, **kwargs):
        if name.split(".")[0] == missing:
            raise ImportError(f"No module named {name!r}")
        return real(name, *args, **kwargs)

    import importlib

    def find(name, package=None):
        if name.split(".")[0] == missing:
            raise ImportError(f"No module named {name!r}")
        return real(name)

    monkeypatch.setattr(importlib, "import_module", find)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=f"pip install '{package}'"):
        vm.imread(tmp_path / name)


def test_a_pipeline_over_files(tmp_path):
    values = np.random.default_rng(0).integers(0, 255, (6, 32, 32)).astype("u1")
    for k, page in enumerate(values):
        write_tiff(tmp_path / f"z{k}.tif", page, compression="zlib")
    x = vm.imread(tmp_path / "z*.tif")
    x.astype("f4").to_zarr(tmp_path / "x.zarr")
    same(vm.open(tmp_path / "x.zarr"), values.astype("f4"))
    np.testing.assert_allclose(x.mean(axis=(1, 2)), values.mean(axis=(1, 2)))
