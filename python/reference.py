"""Writes `docs/reference/` from the signatures and docstrings of the package: a page for each theme, and a list of all names.

    python python/reference.py          # write it
    python python/reference.py --check  # say whether it is up to date
"""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import voxmill
from voxmill import _native

TARGET = Path(__file__).parents[1] / "docs" / "reference"
NOTE = "<!-- Written by python/reference.py from the docstrings; not to be edited. -->"


@dataclass
class Page:
    """A page: what is said at its top, and which functions of the top namespace it holds."""

    stem: str
    title: str
    intro: str
    modules: tuple[str, ...] = ()
    """Modules of the package whose functions belong here."""
    themes: tuple[str, ...] = ()
    """Themes of the op table whose functions belong here."""
    names: tuple[str, ...] = ()
    """Functions that belong here wherever they are written."""
    namespace: str | None = None
    """A module that users see, whose functions belong here under its name."""
    entries: list[Entry] = field(default_factory=list)


@dataclass
class Entry:
    """A name, and what it stands for."""

    name: str
    value: Any
    alias_of: str | None = None
    """The name under which the same function is described."""

    @property
    def summary(self) -> str:
        """The first sentence of the docstring, on one line."""
        text = inspect.getdoc(self.value) or ""
        return " ".join(text.split("\n\n")[0].split())


PAGES = [
    Page("array", "The array", "What an array knows and does. Operators, indexing and assignment are NumPy's."),
    Page("creation", "Creating arrays", "From numbers, NumPy and functions.", ("_create", "_grids"), ("creation",)),
    Page(
        "files", "Files, images and other libraries", "In and out.", ("_store", "_table", "image", "interop"),
        names=("open", "from_zarr", "from_npy", "from_array", "imread"),
    ),
    Page(
        "computing", "Computing", "Results, plans, progress. Settings are in `voxmill.config`.", ("_run", "_progress", "_picture"),
        namespace="config",
    ),
    Page(
        "elementwise", "Element by element", "NumPy's universal functions and their like.", ("_numpy",), ("elementwise",),
        names=("around", "clip", "round", "where"),
    ),
    Page("reductions", "Reductions", "Over all axes, or some.", ("_reduce",), ("reduce",)),
    Page("statistics", "Statistics", "Histograms, quantiles, averages, correlation.", ("_stats",)),
    Page(
        "shape", "Shape, order and parts", "Moving, joining, cutting and picking elements.",
        ("_shape", "_manip", "_join", "_neighbours", "_parts", "_pick"), ("shape",),
    ),
    Page("search", "Sorting, searching and sets", "Order and membership.", ("_search", "_sets")),
    Page("blocks", "Your own functions", "Functions over blocks, neighbourhoods and axes.", ("_blocks", "_calls", "_overlap", "_blockwise", "_along", "_gufunc", "_chunks")),
    Page("delayed", "Delayed calls and futures", "Anything that is no array.", ("_delayed", "_graph", "_futures")),
    Page(
        "products", "Products", "Matrices and tensors.", ("_einsum",), ("linalg",), names=("dot", "inner", "outer", "tensordot", "vdot"),
    ),
    Page("linalg", "Linear algebra", "`voxmill.linalg`, as in `numpy.linalg`.", namespace="linalg"),
    Page(
        "fft", "Fourier transforms", "`voxmill.fft`, as in `numpy.fft`. Axes may be chunked or not.", (), ("transform", "fft"),
        namespace="fft",
    ),
    Page(
        "random", "Random numbers", "`voxmill.random`. Values depend on the seed and the place of an element, not on chunks.",
        namespace="random",
    ),
    Page(
        "ndimage", "Filters", "`voxmill.ndimage`, as in `scipy.ndimage`: seamless across chunks, in every border mode.", (), ("filter",),
        namespace="ndimage",
    ),
    Page("filters", "Edges, thresholds and ridges", "`voxmill.filters`, as in `skimage.filters`: over the whole image.", namespace="filters"),
    Page("exposure", "Brightness", "`voxmill.exposure`, as in `skimage.exposure`: by the histogram of the whole image.", namespace="exposure"),
    Page("restoration", "Noise, blur and background", "`voxmill.restoration`, as in `skimage.restoration`.", namespace="restoration"),
    Page("feature", "Features", "`voxmill.feature`, as in `skimage.feature`.", namespace="feature"),
    Page("morphology", "Shapes of objects", "`voxmill.morphology`, as in `skimage.morphology`.", namespace="morphology"),
    Page("segmentation", "Regions", "`voxmill.segmentation`, as in `skimage.segmentation`.", namespace="segmentation"),
    Page("measure", "Objects", "`voxmill.measure`, as in `skimage.measure`.", namespace="measure"),
    Page("transform", "Resizing and warping", "`voxmill.transform`, as in `skimage.transform`.", namespace="transform"),
    Page("registration", "Registration", "`voxmill.registration`, as in `skimage.registration`, and more.", namespace="registration"),
    Page("distance", "Distances", "`voxmill.distance`, as in `scipy.spatial.distance`.", namespace="distance"),
    Page("standard", "The Array API standard", "What the standard adds to NumPy's names: dtypes, inspection.", ("_api",)),
    Page("more", "More", "Everything else."),
]  # fmt: skip


def main() -> int:
    """Write the pages, or compare them."""
    pages = filled()
    texts = {f"{page.stem}.md": page_text(page) for page in pages} | {"index.md": index_text(pages)}
    if "--check" in sys.argv:
        there = {path.name: path.read_text(encoding="utf-8") for path in TARGET.glob("*.md")}
        wrong = sorted(name for name in there.keys() | texts.keys() if there.get(name) != texts.get(name))
        print(f"not what the docstrings say: {', '.join(wrong)}; run python/reference.py" if wrong else "up to date")
        return 1 if wrong else 0
    TARGET.mkdir(parents=True, exist_ok=True)
    for path in TARGET.glob("*.md"):
        path.unlink()
    for name, text in texts.items():
        (TARGET / name).write_text(text, encoding="utf-8")
    return 0


# What belongs where


def filled() -> list[Page]:
    """Give the pages that have entries."""
    themes = {op["name"]: op["theme"] for op in _native.ops()}
    described: set[int] = set()
    for page in PAGES:
        if page.namespace:
            module = getattr(voxmill, page.namespace)
            page.entries = [Entry(f"{page.namespace}.{name}", value) for name, value in public(module)]
            described.update(id(entry.value) for entry in page.entries)
    for name, value in public(voxmill):
        if id(value) in described:
            continue
        page_of(name, value, themes).entries.append(Entry(name, value))
    names = {entry.name: entry.value for page in PAGES for entry in page.entries}
    for page in PAGES:
        page.entries.sort(key=lambda entry: (not inspect.isclass(entry.value), entry.name.lower()))
        for entry in page.entries:
            space = entry.name.rpartition(".")[0]
            own = f"{space}.{entry.value.__name__}" if space else entry.value.__name__
            entry.alias_of = own if own != entry.name and names.get(own) is entry.value else None
    return [page for page in PAGES if page.entries]


def public(module: ModuleType) -> list[tuple[str, Any]]:
    """Give functions and classes that are written in the package, by name."""
    chosen = getattr(module, "__all__", None)
    found = []
    for name, value in sorted(vars(module).items()):
        listed = name in chosen if chosen is not None else not name.startswith("_")
        own = str(getattr(value, "__module__", "")).startswith("voxmill")
        if module is voxmill.config:
            listed = name in ("get", "set")
        if listed and own and callable(value):
            found.append((name, value))
    return found


def page_of(name: str, value: Any, themes: dict[str, str]) -> Page:
    """Give the page of a function of the top namespace."""
    module = value.__module__.removeprefix("voxmill.")
    theme = themes.get(getattr(value, "__name__", name)) if module == "_generated" else None
    if value is voxmill.Array:
        return PAGES[0]
    for page in PAGES:
        if name in page.names:
            return page
    for page in PAGES:
        if module in page.modules or (theme is not None and theme in page.themes):
            return page
    return PAGES[-1]


# Text


def index_text(pages: list[Page]) -> str:
    """Give the list of all names."""
    lines = [NOTE, "", "# API reference", ""]
    lines += ["Names, arguments and defaults are NumPy's, or Dask's where NumPy has none. Functions are lazy unless they say otherwise."]
    lines.append("")
    lines += [f"- [{page.title}]({page.stem}.md)" for page in pages]
    for page in pages:
        lines += ["", f"## {page.title}", "", "| name | |", "| --- | --- |"]
        for entry in page.entries:
            text = f"same as `{entry.alias_of}`" if entry.alias_of else entry.summary.replace("|", "\\|")
            lines.append(f"| [`{entry.name}`]({page.stem}.md#{anchor(entry.name)}) | {text} |")
    return "\n".join(lines) + "\n"


def anchor(name: str) -> str:
    """Give the link to a heading."""
    return re.sub(r"[^\w\- ]", "", name).lower()


def page_text(page: Page) -> str:
    """Give a page."""
    lines = [NOTE, "", f"# {page.title}", "", page.intro]
    for entry in page.entries:
        lines += ["", f"## `{entry.name}`", ""]
        lines += class_lines(entry) if inspect.isclass(entry.value) else function_lines(entry)
    return "\n".join(lines).rstrip() + "\n"


def function_lines(entry: Entry) -> list[str]:
    """Describe a function."""
    if entry.alias_of:
        return [f"The same function as `{entry.alias_of}`."]
    return ["```python", *signature(entry.name, entry.value), "```", "", *documentation(entry.value)]


def class_lines(entry: Entry) -> list[str]:
    """Describe a class: what it is, its attributes, its methods."""
    cls = entry.value
    lines = ["```python", *signature(entry.name, cls), "```", "", *documentation(cls)]
    members = [(name, value) for name, value in inspect.getmembers(cls) if not name.startswith("_")]
    properties = [(name, value) for name, value in members if isinstance(value, property)]
    if properties:
        lines += ["", "| attribute | |", "| --- | --- |"]
        lines += [f"| `{name}` | {Entry(name, value).summary} |" for name, value in properties]
    methods = {name: value for name, value in members if inspect.isfunction(value) or inspect.ismethod(value)}
    for name, value in methods.items():
        other = value.__name__
        lines += ["", f"### `{cls.__name__}.{name}`", ""]
        if other != name and methods.get(other) is value:
            lines.append(f"The same method as `{other}`.")
            continue
        lines += ["```python", *signature(f"{cls.__name__}.{name}", value), "```", "", *documentation(value)]
    return lines


def signature(name: str, value: Any) -> list[str]:
    """Give the call as users write it, without annotations, on as many lines as it needs."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return [f"{name}(...)"]
    parameters = [p.replace(annotation=inspect.Parameter.empty) for p in found.parameters.values() if p.name != "self"]
    call = str(found.replace(parameters=parameters, return_annotation=inspect.Signature.empty))
    # Defaults that are objects have an address, which is another one in each run.
    call = re.sub(r" at 0x[0-9a-f]+", "", call)
    if len(name + call) <= 110:
        return [name + call]
    inside = call.removeprefix("(").removesuffix(")")
    return [f"{name}(", *textwrap.wrap(inside, 104, initial_indent="    ", subsequent_indent="    ", break_long_words=False), ")"]


SECTIONS = ("Parameters", "Returns", "Yields", "Raises", "Notes", "Examples", "See Also", "References", "Attributes", "Warnings")


def documentation(value: Any) -> list[str]:
    """Give a docstring in numpydoc's form as Markdown."""
    lines: list[str] = []
    for title, body in sections(inspect.getdoc(value) or ""):
        if title is None:
            lines += prose(body)
        elif title == "Examples":
            lines += ["", "```pycon", *body, "```"]
        elif title in ("Parameters", "Returns", "Yields", "Raises", "Attributes", "See Also"):
            lines += ["", f"**{title}**", "", *fields(body)]
        else:
            lines += ["", f"**{title}**", "", *prose(body)]
    return lines


def prose(body: list[str]) -> list[str]:
    """Give text as it is, with examples in it as code."""
    lines: list[str] = []
    inside = False
    for line in body:
        starts = line.startswith(">>>")
        if starts and not inside:
            lines += ["```pycon"]
            inside = True
        elif inside and not line.strip():
            lines += ["```"]
            inside = False
        lines.append(line)
    return [*lines, "```"] if inside else lines


def sections(text: str) -> Iterator[tuple[str | None, list[str]]]:
    """Cut a docstring at its headings."""
    lines = text.splitlines()
    title: str | None = None
    body: list[str] = []
    k = 0
    while k < len(lines):
        if lines[k] in SECTIONS and k + 1 < len(lines) and set(lines[k + 1]) == {"-"}:
            yield title, stripped(body)
            title, body = lines[k], []
            k += 2
            continue
        body.append(lines[k])
        k += 1
    yield title, stripped(body)


def stripped(body: list[str]) -> list[str]:
    """Leave out empty lines at both ends."""
    return "\n".join(body).strip("\n").splitlines()


def fields(body: list[str]) -> list[str]:
    """Give "name : type" and the indented lines below it as list entries."""
    lines: list[str] = []
    for line in body:
        if not line.strip():
            continue
        if line.startswith(" "):
            lines.append(f"  {line.strip()}")
            continue
        name, colon, kind = line.partition(" : ")
        lines.append(f"- `{name.strip()}`" + (f": {kind.strip()}" if colon else ""))
        lines.append("")
    return spaced(lines)


def spaced(lines: list[str]) -> list[str]:
    """Leave out empty lines behind entries that have no text."""
    return [line for k, line in enumerate(lines) if line or (k + 1 < len(lines) and lines[k + 1].startswith("  "))]


if __name__ == "__main__":
    sys.exit(main())
