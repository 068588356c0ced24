"""Image files as lazy arrays: stacks of TIFF, PNG, JPEG and .npy files."""

from __future__ import annotations

import glob
import itertools
import math
import os
import re
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from voxmill._chunks import normalize_chunks

__all__ = ["imread"]

TIFF = (".tif", ".tiff", ".btf", ".ome", ".lsm", ".svs", ".ndpi", ".stk", ".qptiff")


def imread(
    filename: str | os.PathLike | Iterable,
    imread: Callable | None = None,
    preprocess: Callable | None = None,
    *,
    chunks: Any = None,
    series: int | None = None,
) -> Any:
    """Give image files as a lazy array. Only the header of the first file is read; pages are decoded when they are needed.

    Parameters
    ----------
    filename : path, pattern, or list of paths
        A path gives one image: ``(y, x)``, ``(y, x, colour)``, or ``(page, y, x)`` for a file of several pages. A pattern such as
        ``"folder/*.tif"`` gives all files that match, along a new first axis, in natural order: ``z2.tif`` comes before ``z10.tif``.
        A list does so in its own order. All images must have the same shape and dtype.
    imread : callable, optional
        Reads a file, instead of the readers for TIFF, .npy and what Pillow knows. Called with the path, gives an array.
    preprocess : callable, optional
        Called with each page after it was decoded; gives the array to use instead. It is called for the first page to see its shape.
    chunks : int or tuple, optional
        Pages in a block, 1 by default; a tuple has one entry for each axis before those of a page.
    series : int, optional
        Which of several series in a TIFF file to read; the first one by default.

    Returns
    -------
    Array
        One block for each page. Uncompressed TIFF files and .npy files are read box by box.

    Raises
    ------
    FileNotFoundError
        If nothing matches the pattern, or a path does not exist.
    ValueError
        If a page has another shape or dtype than the first one. The message names the file and the page.

    Examples
    --------
    >>> from PIL import Image
    >>> for z in range(12):
    ...     Image.fromarray(np.full((4, 5), z, np.uint8)).save(tmp / f"z{z}.png")
    >>> x = vm.imread(tmp / "z*.png")
    >>> x
    voxmill.Array<shape=(12, 4, 5), dtype=uint8, chunks=(1, 4, 5)>
    >>> x[:, 0, 0].compute()
    array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11], dtype=uint8)
    """
    files, stacked = _files(filename)
    form = Custom(imread) if imread is not None else _form_of(files[0], series)
    head = _named(form.header, files[0])
    if not stacked and preprocess is None:
        whole = form.whole(files[0], head)
        if whole is not None:
            return whole.rechunk(_blocks(chunks, head.pages, head.shape, whole.dtype))
    lead = (len(files), *head.pages) if stacked else head.pages
    pages = Pages(files, stacked, form, head, preprocess)
    if preprocess is not None:
        head = pages.see_first()
    from voxmill._along import make_blocks

    shape = (*lead, *head.shape)
    return make_blocks(pages, shape, head.dtype, _blocks(chunks, lead, head.shape, head.dtype), {})


def _files(filename: Any) -> tuple[list[str], bool]:
    """Give the paths of the files, and whether they get an axis of their own."""
    if isinstance(filename, (str, os.PathLike)):
        text = os.fspath(filename)
        if os.path.isdir(text):
            raise IsADirectoryError(f"imread: {text!r} is a folder; say which files to read, as in {os.path.join(text, '*.tif')!r}")
        if os.path.exists(text):
            return [text], False
        if not glob.has_magic(text):
            raise FileNotFoundError(f"imread: there is no file {text!r}")
        found = sorted(glob.glob(text, recursive=True), key=natural)
        if not found:
            raise FileNotFoundError(f"imread: no file matches {text!r}")
        return found, True
    files = [os.fspath(path) for path in filename]
    if not files:
        raise ValueError("imread: the list of files is empty")
    missing = [path for path in files if not os.path.exists(path)]
    if missing:
        more = f", and {len(missing) - 1} more of {len(files)}" if len(missing) > 1 else ""
        raise FileNotFoundError(f"imread: there is no file {missing[0]!r}{more}")
    return files, True


def natural(name: str) -> list:
    """Give a key that sorts names as people do: numbers in them count by their value."""
    return [(1, int(part), part) if part.isdigit() else (0, part) for part in re.split(r"([0-9]+)", name)]


def _blocks(chunks: Any, lead: tuple[int, ...], shape: tuple[int, ...], dtype: Any) -> tuple[tuple[int, ...], ...]:
    whole = tuple((n,) for n in shape)
    if chunks is None:
        chunks = (1,) * len(lead)
    elif isinstance(chunks, (int, np.integer)):
        chunks = (1,) * (len(lead) - 1) + (int(chunks),) if lead else ()
    if not isinstance(chunks, (tuple, list)) or len(chunks) != len(lead):
        wanted = f"the pages of a block, or one entry for each of the {len(lead)} axes of pages"
        raise ValueError(f"imread: chunks must be {wanted}, not {chunks!r}")
    return normalize_chunks(tuple(chunks), lead, dtype=dtype) + whole


class Header(NamedTuple):
    """What is known of a file before its pages are decoded."""

    pages: tuple[int, ...]
    """Axes of pages; empty for a file of one image."""
    shape: tuple[int, ...]
    """Shape of a page."""
    dtype: np.dtype


class Pages:
    """Makes blocks of pages."""

    __name__ = "imread"

    def __init__(self, files: list[str], stacked: bool, form: Any, head: Header, preprocess: Callable | None):
        self.files, self.stacked, self.form, self.head, self.preprocess = files, stacked, form, head, preprocess
        self.first: np.ndarray | None = None
        self.made = head

    def see_first(self) -> Header:
        """Decode and preprocess the first page, and keep it until it is asked for."""
        self.first = self._page(0, 0)
        self.made = Header(self.head.pages, self.first.shape, self.first.dtype)
        return self.made

    def __call__(self, box: tuple[slice, ...]) -> np.ndarray:
        lead = len(self.head.pages) + self.stacked
        ranges = [range(part.start, part.stop) for part in box[:lead]]
        numbers = [self._number(index) for index in itertools.product(*ranges)]
        lengths = tuple(len(part) for part in ranges)
        if len(numbers) == 1:
            return self._checked(*numbers[0])[(None,) * lead]
        out = np.empty((len(numbers), *self.made.shape), self.made.dtype)
        for place, (file, page) in enumerate(numbers):
            out[place] = self._checked(file, page)
        return out.reshape(lengths + self.made.shape)

    def _number(self, index: tuple[int, ...]) -> tuple[int, int]:
        """Give the number of the file, and of the page in it."""
        file, index = (index[0], index[1:]) if self.stacked else (0, index)
        return file, int(np.ravel_multi_index(index, self.head.pages)) if index else 0

    def _checked(self, file: int, page: int) -> np.ndarray:
        first = self.first
        if file == page == 0 and first is not None:
            self.first = None
            return first
        values = self._page(file, page)
        if values.shape != self.made.shape or values.dtype != self.made.dtype:
            raise ValueError(_differs(_place(self.files[file], page, self.head), values.shape, values.dtype, self.made))
        return values

    def _page(self, file: int, page: int) -> np.ndarray:
        path = self.files[file]
        values = _named(self.form.page, path, page, self.head)
        if self.preprocess is not None:
            try:
                values = self.preprocess(values)
            except Exception as error:
                error.add_note(f"while preprocessing {_place(path, page, self.head)}")
                raise
        values = np.asarray(values)
        return values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("="))


def _place(path: str, page: int, head: Header) -> str:
    return f"page {page} of {path}" if head.pages else path


def _differs(place: str, shape: tuple, dtype: Any, first: Header) -> str:
    return f"imread: {place} has shape {shape} and dtype {dtype}, but the first page has {first.shape} and {first.dtype}"


def _named(function: Callable, path: str, *args: Any) -> Any:
    """Call a reader; whatever is wrong with a file is said together with its name."""
    try:
        return function(path, *args)
    except (FileNotFoundError, PermissionError, ImportError, MemoryError):
        raise
    except Exception as error:
        if str(error).startswith("imread"):
            raise
        what = f"{type(error).__name__}: {error}"
        raise OSError(f"imread cannot read {path}{_page_words(args)}: {what}") from error


def _page_words(args: Sequence) -> str:
    return f", page {args[0]}" if len(args) == 2 and args[1].pages else ""


# The formats: each has `header`, `page`, and `whole` for files that can be read box by box


def _form_of(path: str, series: int | None) -> Any:
    ending = os.path.splitext(path)[1].lower()
    if ending in TIFF:
        return Tiff(series)
    if series is not None:
        raise ValueError(f"imread: series is for TIFF files, not for {path!r}")
    return Npy() if ending == ".npy" else Pillow()


class Custom:
    """A reader of the user's. The first file is read to see its shape, and not read again."""

    def __init__(self, function: Callable):
        if not callable(function):
            raise TypeError(f"imread: the reader must be a function, not {type(function).__name__}")
        self.function = function
        self.first: dict[str, np.ndarray] = {}

    def header(self, path: str) -> Header:
        """Read the first file."""
        self.first[path] = values = np.asarray(self.function(path))
        return Header((), values.shape, values.dtype.newbyteorder("="))

    def page(self, path: str, page: int, head: Header) -> np.ndarray:
        """Read a file."""
        values = self.first.pop(path, None)
        return np.asarray(self.function(path)) if values is None else values

    def whole(self, path: str, head: Header) -> Any:
        """Nothing is known of how the file is laid out."""
        return None


class Npy:
    """NumPy's own format."""

    def header(self, path: str) -> Header:
        """Read the header."""
        values = np.load(path, mmap_mode="r", allow_pickle=False)
        return Header((), values.shape, values.dtype.newbyteorder("="))

    def page(self, path: str, page: int, head: Header) -> np.ndarray:
        """Read the file."""
        return np.load(path, allow_pickle=False)

    def whole(self, path: str, head: Header) -> Any:
        """The engine reads such files itself."""
        from voxmill._create import open

        return open(path)


class Pillow:
    """PNG, JPEG, and everything else that Pillow knows."""

    MANY = ("GIF", "PNG", "WEBP")
    MODES: ClassVar = {
        "1": ((), "bool"), "L": ((), "uint8"), "I;16": ((), "uint16"), "I;16L": ((), "uint16"), "I;16B": ((), "uint16"),
        "I": ((), "int32"), "F": ((), "float32"), "LA": ((2,), "uint8"), "RGB": ((3,), "uint8"), "RGBA": ((4,), "uint8"),
        "CMYK": ((4,), "uint8"), "YCbCr": ((3,), "uint8"), "HSV": ((3,), "uint8"), "LAB": ((3,), "uint8"),
    }  # fmt: skip

    def header(self, path: str) -> Header:
        """Read the header."""
        with self._open(path) as image:
            colours, dtype = self.MODES[self._mode(image)]
            frames = getattr(image, "n_frames", 1) if image.format in self.MANY else 1
            return Header((frames,) if frames > 1 else (), (image.height, image.width, *colours), np.dtype(dtype))

    def page(self, path: str, page: int, head: Header) -> np.ndarray:
        """Decode a frame."""
        with self._open(path) as image:
            mode = self._mode(image)
            if page:
                image.seek(page)
            return np.asarray(image if image.mode == mode else image.convert(mode))

    def whole(self, path: str, head: Header) -> Any:
        """Such files are compressed."""
        return None

    @staticmethod
    def _open(path: str) -> Any:
        from voxmill.interop import imported

        return imported("PIL.Image", "imread", "pillow").open(path)

    def _mode(self, image: Any) -> str:
        """Give what an image is decoded to: colours in a palette become colours."""
        if image.mode in self.MODES:
            return image.mode
        return "RGBA" if "transparency" in image.info or image.mode.endswith(("A", "a")) else "RGB"


class Tiff:
    """TIFF and its relatives, through tifffile. Some files stay open: to find all pages of a file takes time."""

    IDLE = 4
    """Most files that stay open while nobody reads them."""

    PLAIN = ("generic", "shaped", "uniform")
    """Kinds of series that are pages written one after the other, without anything that says how they belong together."""

    def __init__(self, series: int | None):
        self.series = series
        self.lock = threading.Lock()
        self.idle: list[_OpenTiff] = []

    def __getstate__(self) -> dict:
        return {"series": self.series}

    def __setstate__(self, state: dict) -> None:
        self.__init__(state["series"])

    def header(self, path: str) -> Header:
        """Read the headers of the first file."""
        file = _OpenTiff(path, self.series)
        return Header(file.lead, file.first.shape, file.dtype)

    def page(self, path: str, page: int, head: Header) -> np.ndarray:
        """Decode a page."""
        file = self._take(path)
        try:
            return self._decoded(file, path, page, head)
        finally:
            with self.lock:
                self.idle = [*self.idle, file][-self.IDLE :]

    def _take(self, path: str) -> _OpenTiff:
        """Give an open file that nobody else has meanwhile."""
        stamp = _stamp(path)
        with self.lock:
            for place, file in enumerate(self.idle):
                if file.path == path and file.stamp == stamp:
                    return self.idle.pop(place)
        return _OpenTiff(path, self.series)

    @staticmethod
    def _decoded(file: _OpenTiff, path: str, page: int, head: Header) -> np.ndarray:
        if file.lead != head.pages:
            here, first = file.lead + file.first.shape, head.pages + head.shape
            raise ValueError(f"imread: {path} has shape {here}, but the first file has {first}")
        return file.decoded(page)

    def whole(self, path: str, head: Header) -> Any:
        """Give a file whose elements lie one behind the other as it is on disk."""
        from voxmill._create import from_array

        mapped = _OpenTiff(path, self.series).mapped()
        return None if mapped is None else from_array(mapped)


def _stamp(path: str) -> tuple[int, int, int]:
    """Give what changes when a file is written again."""
    state = os.stat(path)
    return state.st_ino, state.st_size, state.st_mtime_ns


class _OpenTiff:
    """An open TIFF file and its pages."""

    def __init__(self, path: str, number: int | None):
        from voxmill.interop import imported

        tifffile = imported("tifffile", "imread", "tifffile")
        self.path, self.stamp = path, _stamp(path)
        self.tiff = tifffile.TiffFile(path)
        found = self.tiff.series
        if not found:
            raise ValueError("there is no image in it")
        if number is not None and not -len(found) <= number < len(found):
            raise ValueError(f"imread: {path} has {len(found)} series, there is no series {number}")
        self.series = None
        if number is None and len(found) > 1 and all(series.kind in Tiff.PLAIN for series in found):
            self.pages: Any = self.tiff.pages
            self.lead: tuple[int, ...] = (len(self.pages),)
        else:
            self.series = found[number or 0]
            self.pages = self.series.pages
            self.lead = self._axes_of_pages(self.series)
        self.first = self.pages[0] if self.series is None else self.series.keyframe
        if self.first.dtype is None:
            raise TypeError("elements of this kind cannot be decoded")
        self.dtype = np.dtype(self.first.dtype).newbyteorder("=")
        if self.series is None:
            self._refuse_odd()

    @staticmethod
    def _axes_of_pages(series: Any) -> tuple[int, ...]:
        page = series.keyframe.shape
        lead = tuple(series.shape[: len(series.shape) - len(page)])
        known = tuple(series.shape) == lead + page and (math.prod(lead) == len(series.pages) or series.dataoffset is not None)
        return lead if known else (len(series.pages),) if len(series.pages) > 1 else ()

    def _refuse_odd(self) -> None:
        """Refuse pages that do not go together. They would be left out silently otherwise."""
        head = Header(self.lead, self.first.shape, self.dtype)
        for number, page in enumerate(self.pages):
            if page.shape != head.shape or np.dtype(page.dtype) != self.first.dtype:
                words = _differs(_place(self.path, number, head), page.shape, page.dtype, head)
                raise ValueError(f"{words}; pass series= to read pages that belong together")

    def mapped(self) -> Mapped | None:
        """Give the elements as they lie on disk, if they do so one behind the other."""
        series = self.series
        shape = self.lead + self.first.shape
        if series is None or series.dataoffset is None or self.dtype == bool or tuple(series.shape) != shape:
            return None
        return Mapped(self.path, series.dataoffset, self.dtype.newbyteorder(self.tiff.byteorder), shape)

    def decoded(self, page: int) -> np.ndarray:
        """Decode a page."""
        mapped = self.mapped()
        if mapped is not None:
            return mapped[np.unravel_index(page, self.lead) if self.lead else ()]
        return self.pages[page].asarray(maxworkers=1)

    def __del__(self) -> None:
        tiff = getattr(self, "tiff", None)
        if tiff is not None:
            tiff.close()


class Mapped:
    """Elements one behind the other in a file, from some byte on."""

    def __init__(self, path: str, offset: int, dtype: np.dtype, shape: tuple[int, ...]):
        self.path, self.offset, self.stored, self.shape = path, offset, dtype, shape
        self.dtype = dtype.newbyteorder("=")

    def __getitem__(self, index: tuple) -> np.ndarray:
        return _named(self._read, self.path, index)

    def _read(self, path: str, index: tuple) -> np.ndarray:
        values = np.memmap(path, self.stored, "r", self.offset, self.shape)
        return np.asarray(values[index]).astype(self.dtype)
