"""Pictures: the chunks of an array for notebooks, and the plan of a computation, both as SVG without any dependency."""

from __future__ import annotations

import itertools
import math
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

Point = tuple[float, float]

# The array in a notebook

LONGEST = 150
"""Pixels of the longest axis."""
NARROWEST = 1 / 6
"""Share of these that the shortest axis gets, so that its lines can be told apart."""
LINES = 20
"""Cuts that are drawn along an axis; where there are more, a line stands for several."""
GLYPH = 6.7
"""Pixels that a character of a label needs, at most."""


def array_html(x: Any) -> str:
    """Give the description of an array that notebooks show: a table and a picture of its chunks."""
    rows = [
        ("Shape", _tuple(x.shape)),
        ("Dtype", str(x.dtype)),
        ("Size", _bytes(x.nbytes)),
        ("Chunk shape", _tuple(x.chunksize)),
        ("Chunk size", _bytes(math.prod(x.chunksize) * x.itemsize)),
        ("Chunks", f"{x.npartitions:,}"),
        ("Ops", f"{x._expr.n_ops():,}"),
    ]
    cell = 'style="text-align:{};padding:2px 8px;white-space:nowrap"'
    body = "".join(f"<tr><th {cell.format('left')}>{name}</th><td {cell.format('left')}>{escape(value)}</td></tr>" for name, value in rows)
    table = f'<table style="border-collapse:collapse">{body}</table>'
    return (
        '<table style="border-collapse:collapse"><tr>'
        f'<td style="vertical-align:top">{table}</td><td style="padding-left:24px">{chunks_svg(x.chunks)}</td></tr></table>'
    )


def _tuple(lengths: Sequence[int]) -> str:
    return str(tuple(lengths))


def _bytes(count: float) -> str:
    """Give a number of bytes as people read it."""
    for unit in ("B", "KiB", "MiB", "GiB", "TiB", "PiB"):
        if count < 1000 or unit == "PiB":
            break
        count /= 1024
    if unit == "B":
        return f"{count:.0f} B"
    return f"{count:.{2 if count < 10 else 1 if count < 100 else 0}f} {unit}"


@dataclass
class Side:
    """An axis of a picture: how long it is drawn, and where it is cut."""

    axis: int
    length: int
    pixels: float
    cuts: list[float]
    """Places of the lines, as shares of the length."""
    step: int
    """Chunks between two lines."""


@dataclass
class Drawing:
    """Shapes around an origin, and the box they need: left, top, right, bottom."""

    shapes: list[str]
    box: tuple[float, float, float, float]


def chunks_svg(chunks: Sequence[Sequence[int]]) -> str:
    """Draw how an array is cut: a bar, a sheet, a cube, or several of these, multiplied, where there are more axes than three."""
    # The last three axes make a cube, those before them the next one; more than nine axes tell nobody anything.
    groups: list[list[Side]] = []
    rest = len(chunks)
    while rest and len(groups) < 3:
        first = max(rest - 3, 0)
        groups.insert(0, _sides(chunks[first:rest], first))
        rest = first
    drawings = [_block(group) for group in groups] or [_point()]
    notes = [f"axis {side.axis}: a line for every {side.step:,} chunks" for group in groups for side in group if side.step > 1]
    return _joined(drawings, notes, dots=rest > 0)


def _sides(chunks: Sequence[Sequence[int]], first: int) -> list[Side]:
    lengths = [max(sum(axis), 1) for axis in chunks]
    longest, shortest = max(lengths, default=1), min(lengths, default=1)
    # A power that brings the shortest axis to its share keeps the order of the others.
    power = 1.0 if shortest / longest >= NARROWEST else math.log(NARROWEST) / math.log(shortest / longest)
    sides = []
    for number, (axis, n) in enumerate(zip(chunks, lengths), first):
        step = -(-len(axis) // LINES)
        ends = itertools.islice(itertools.accumulate(axis), step - 1, len(axis) - 1, step)
        cuts = [end / n for end in ends if 0 < end < n]
        sides.append(Side(number, sum(axis), LONGEST * (n / longest) ** power, cuts, step))
    return sides


def _point() -> Drawing:
    return Drawing([_face((0, 0), (24, 0), (0, 24), None, None)], (0, 0, 24, 24))


def _block(sides: Sequence[Side]) -> Drawing:
    if len(sides) == 1:
        (across,) = sides
        face = _face((0, 0), (across.pixels, 0), (0, 28), across, None)
        return Drawing([face, _label(across, across.pixels / 2, 42, "middle")], _bar_box(across))
    if len(sides) == 2:
        down, across = sides
        return _sheet(across, down)
    depth, down, across = sides
    return _cube(across, down, depth)


def _bar_box(across: Side) -> tuple[float, float, float, float]:
    over = max(_width(across.length) - across.pixels, 0) / 2
    return (-over, 0, across.pixels + over, 46)


def _sheet(across: Side, down: Side) -> Drawing:
    width, height = across.pixels, down.pixels
    shapes = [
        _face((0, 0), (width, 0), (0, height), across, down),
        _label(across, width / 2, height + 14, "middle"),
        _label(down, -6, height / 2 + 4, "end"),
    ]
    over = max(_width(across.length) - width, 0) / 2
    return Drawing(shapes, (-max(_width(down.length) + 8, over), 0, width + over, height + 18))


def _cube(across: Side, down: Side, depth: Side) -> Drawing:
    """Draw a cube: the last two axes lie in the sheet, the first one goes into it, to the upper right."""
    width, height = across.pixels, down.pixels
    back = (0.45 * depth.pixels, -0.35 * depth.pixels)
    shapes = [
        _face((0, 0), (width, 0), back, across, depth, shade=0.12),
        _face((width, 0), back, (0, height), depth, down, shade=0.38),
        _face((0, 0), (width, 0), (0, height), across, down),
        _label(across, width / 2, height + 14, "middle"),
        _label(down, -6, height / 2 + 4, "end"),
        _label(depth, width + back[0] / 2 + 6, height + back[1] / 2 + 10, "start"),
    ]
    over = max(_width(across.length) - width, 0) / 2
    right = max(width + over, width + back[0] + 2, width + back[0] / 2 + 8 + _width(depth.length))
    return Drawing(shapes, (-max(_width(down.length) + 8, over), back[1], right, height + 18))


def _width(number: int) -> float:
    return GLYPH * len(str(number))


def _label(side: Side, x: float, y: float, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{side.length}</text>'


def _face(origin: Point, u: Point, v: Point, along_u: Side | None, along_v: Side | None, shade: float = 0.24) -> str:
    """Draw a parallelogram and the cuts along its two sides."""
    (x, y), (ux, uy), (vx, vy) = origin, u, v
    outline = f"M{_at(x, y)}l{_at(ux, uy)}l{_at(vx, vy)}l{_at(-ux, -uy)}z"
    solid: list[str] = []
    dashed: list[str] = []
    for side, (sx, sy), (tx, ty) in ((along_u, u, v), (along_v, v, u)):
        if side is None:
            continue
        strokes = [f"M{_at(x + sx * cut, y + sy * cut)}l{_at(tx, ty)}" for cut in side.cuts]
        (solid if side.step == 1 else dashed).extend(strokes)
    shapes = [f'<path d="{outline}" fill="#4878a8" fill-opacity="{shade}" stroke="currentColor" stroke-width="1.5"/>']
    if solid:
        shapes.append(f'<path d="{"".join(solid)}" stroke="currentColor" stroke-width=".6"/>')
    if dashed:
        shapes.append(f'<path d="{"".join(dashed)}" stroke="currentColor" stroke-width=".6" stroke-dasharray="3 2"/>')
    return "".join(shapes)


def _at(x: float, y: float) -> str:
    return f"{_short(x)},{_short(y)}"


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0").replace("-0", "0") if abs(value) < 0.05 else f"{value:.1f}".removesuffix(".0")


def _joined(drawings: Sequence[Drawing], notes: Sequence[str], *, dots: bool) -> str:
    """Put drawings side by side, with signs between them and notes below."""
    margin, gap = 4, 26
    tall = max(drawing.box[3] - drawing.box[1] for drawing in drawings)
    x: float = margin
    parts = []
    if dots:
        parts.append(f'<text x="{x}" y="{margin + tall / 2 + 4:.1f}">… ×</text>')
        x += gap
    for k, drawing in enumerate(drawings):
        if k:
            parts.append(f'<text x="{x + gap / 2:.1f}" y="{margin + tall / 2 + 4:.1f}" text-anchor="middle">×</text>')
            x += gap
        left, top, right, bottom = drawing.box
        place = _at(x - left, margin - top + (tall - (bottom - top)) / 2)
        parts.append(f'<g transform="translate({place})">{"".join(drawing.shapes)}</g>')
        x += right - left
    y = tall + margin
    for note in notes:
        y += 14
        parts.append(f'<text x="{margin}" y="{y:.0f}" font-size="10">{note}</text>')
    width = max(x, *(margin + GLYPH * len(note) for note in notes), 0) + margin
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{y + margin + 2:.0f}" role="img" '
        'aria-label="chunks of the array" font-family="sans-serif" font-size="11" fill="none">'
        f'<g fill="currentColor" stroke="none">{"".join(parts)}</g></svg>'
    )


# The plan


def visualize(x: Any, filename: Any = None, format: str | None = None, **limits: Any) -> Picture:
    """Draw how arrays would be computed, as SVG: stages with their ops, what flows between them, tiles, bytes, promised memory.

    Parameters
    ----------
    x : Array or sequence of Array
    filename : path, optional
        Where to write the picture. The name ends in ``.svg``, or gets that ending.
    format : str, optional
        Must be ``"svg"``.
    **limits
        As in `Array.compute`: the plan depends on them. Dask's options for pictures (``rankdir``, ``optimize_graph`` ...) are accepted,
        and change nothing.

    Returns
    -------
    Picture
        Notebooks show it; its attribute `svg` is the text.
    """
    path = None if filename is None else _svg_path(filename, format)
    if filename is None:
        _svg_only(format, "format")
    from voxmill import config
    from voxmill._core import ARRAY
    from voxmill._run import explain

    arrays = [x] if isinstance(x, ARRAY) else list(x)
    known = {name: value for name, value in limits.items() if name in config.DEFAULTS}
    picture = Picture(plan_svg(explain(*arrays, **known)))
    if path is not None:
        picture.save(path)
    return picture


class Picture:
    """A picture that notebooks show."""

    def __init__(self, svg: str):
        self.svg = svg

    def save(self, filename: Any) -> None:
        """Write the picture to a file whose name ends in .svg."""
        with open(_svg_path(filename, None), "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return f'<div style="overflow:auto">{self.svg}</div>'

    def __repr__(self) -> str:
        return f"<Picture: SVG, {_bytes(len(self.svg))}; save('plan.svg') writes it>"


def _svg_path(filename: Any, format: str | None) -> str:
    path = os.fspath(filename)
    ending = os.path.splitext(path)[1]
    if ending and ending[1:].lower() != "svg":
        # A dot in a name such as "run.2" begins no ending of a picture.
        if ending[1:].lower() in ("png", "pdf", "jpg", "jpeg", "dot", "ps", "eps", "gif", "webp", "html"):
            _svg_only(ending[1:], "filename", path)
        ending = ""
    _svg_only(format, "format")
    return path if ending else f"{path}.svg"


def _svg_only(format: str | None, argument: str, value: str | None = None) -> None:
    if format is not None and format.lower() != "svg":
        raise ValueError(
            f"visualize: {argument}={value or format!r}: pictures are written as SVG only; use a name that ends in .svg, "
            "and a browser or Inkscape to turn it into another format"
        )


@dataclass
class Stage:
    """What `explain` says about a stage."""

    number: int
    tiles: str
    memory: str
    takes: list[tuple[int, str]] = field(default_factory=list)
    """Stage, and the words for what comes from it."""
    reads: list[tuple[str, str]] = field(default_factory=list)
    """Store, and the words for what comes from it."""
    ops: list[tuple[str, str]] = field(default_factory=list)
    """Kind (view, run, fuse) and names."""
    keeps: list[str] = field(default_factory=list)
    gives: list[tuple[str, str]] = field(default_factory=list)
    """Where results go, and the words for them."""


def parse(text: str) -> tuple[str, list[Stage]]:
    """Read what `explain` says: its first line, and the stages."""
    head, *lines = text.strip().splitlines()
    stages: list[Stage] = []
    for line in lines:
        if found := re.match(r"stage (\d+): (\d+) tiles? of (\[.*\]), (.+) each$", line):
            number, count, tile, memory = found.groups()
            plural = "" if count == "1" else "s"
            stages.append(Stage(int(number), f"{int(count):,} tile{plural} of {_times(tile)}", memory))
        elif stages and (found := re.match(r" +(\w+) +(.*)$", line)):
            _note(stages[-1], *found.groups())
    return head.removeprefix("plan: "), stages


def _note(stage: Stage, verb: str, rest: str) -> None:
    if verb == "take" and (found := re.match(r"(.*) (\[[^\]]*\]) from stage (\d+) \((.*)\)$", rest)):
        name, _, number, size = found.groups()
        stage.takes.append((int(number), f"{name}, {size}"))
    elif verb == "read" and (found := re.match(r"(.*) (\[[^\]]*\]) (\w+) \((.*)\)$", rest)):
        store, _, dtype, size = found.groups()
        stage.reads.append((store, f"{_tail(store)}, {dtype}, {size}"))
    elif verb in ("view", "run", "fuse"):
        stage.ops.append((verb, re.sub(r" \[[^\]]*\]$", "", rest)))
    elif verb == "hold" and (found := re.match(r"(.*) (\[[^\]]*\]) (\w+) in (\d+ chunks?) \((.*)\)$", rest)):
        name, shape, dtype, _, size = found.groups()
        stage.keeps.append(f"{name}, {_times(shape)} {dtype}, {size}")
    elif verb in ("return", "write") and (found := re.match(r"(.*?) ?(\[[^\]]*\]) (\w+) \((.*)\)$", rest)):
        store, shape, dtype, size = found.groups()
        stage.gives.append((_tail(store) if store else "result", f"{_times(shape)} {dtype}, {size}"))


def _times(shape: str) -> str:
    """Give "[3, 4]" as "3 × 4"."""
    lengths = re.findall(r"\d+", shape)
    return " × ".join(lengths) or "one value"


def _tail(store: str) -> str:
    """Give a location so that it fits: the end of a long one, and no number for what is in memory."""
    if store.startswith("memory:"):
        return "array in memory"
    return store if len(store) <= 36 else f"{store.split(':', 1)[0]}:…{store[-28:]}"


# Boxes of the picture. All text has one width per character, so that the box it needs is known without a font.

EM = 6.65
"""Pixels of a character at 11 pixels."""
ROW = 17
PAD = 10
WRAP = 46
"""Characters of a line."""
MOST = 80
"""Stages that are drawn; a person sees nothing in more."""

COLORS = {
    "stage": ("#f6f8fa", "#8b98a5"),
    "source": ("#e2f0e4", "#6fa477"),
    "result": ("#fcebcf", "#cf9a3f"),
}


@dataclass
class Box:
    """A thing in the picture: rows of text, or a place where an arrow passes a layer."""

    kind: str
    rows: list[tuple[str, str]]
    """Style and text of each row."""
    layer: int = 0
    x: float = 0.0
    """The middle."""
    y: float = 0.0

    @property
    def width(self) -> float:
        """Pixels from left to right."""
        return 12.0 if not self.rows else max(len(text) for _, text in self.rows) * EM + 2 * PAD + 12

    @property
    def height(self) -> float:
        """Pixels from top to bottom."""
        return 0.0 if not self.rows else len(self.rows) * ROW + 2 * PAD - 4


def plan_svg(text: str) -> str:
    """Draw what `explain` says."""
    head, stages = parse(text)
    rest = len(stages) - MOST
    if rest > 0:
        stages = stages[:MOST]
        head += f" ({rest:,} more stages are not drawn: see explain)"
    boxes, arrows = _boxes(stages)
    routes = _routes(boxes, arrows)
    layers = _layers(boxes, routes)
    width, height = _place(layers, len(head) * EM + 2 * PAD)
    shapes = [f'<text x="{PAD}" y="22" font-weight="bold">{escape(head)}</text>']
    shapes += _arrows(boxes, routes, layers)
    shapes += [_drawn(box) for box in boxes if box.rows]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" '
        'role="img" aria-label="plan" font-family="ui-monospace, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" '
        'font-size="11" fill="#1f2a35">'
        f'<rect width="100%" height="100%" fill="#ffffff"/>{"".join(shapes)}</svg>\n'
    )


def _boxes(stages: Sequence[Stage]) -> tuple[list[Box], list[tuple[int, int]]]:
    """Give a box for each source, stage and result, and the arrows between them."""
    boxes: list[Box] = []
    arrows: list[tuple[int, int]] = []
    sources: dict[str, int] = {}
    for stage in stages:
        for store, _ in stage.reads:
            if store not in sources:
                sources[store] = len(boxes)
                boxes.append(Box("source", [("name", _tail(store))]))
    places: dict[int, int] = {}
    for stage in stages:
        places[stage.number] = here = len(boxes)
        boxes.append(Box("stage", list(_rows(stage))))
        feeders = [sources[store] for store, _ in stage.reads] + [places[n] for n, _ in stage.takes if n in places]
        arrows += [(feeder, here) for feeder in dict.fromkeys(feeders)]
    for stage in stages:
        for where, words in stage.gives:
            arrows.append((places[stage.number], len(boxes)))
            boxes.append(Box("result", [("name", where), ("text", words)]))
    return boxes, arrows


def _rows(stage: Stage) -> Iterator[tuple[str, str]]:
    yield "name", f"stage {stage.number}"
    yield "text", f"{stage.tiles}, {stage.memory}{' each' if stage.tiles.split()[1] == 'tiles' else ''}"
    for _, words in stage.reads:
        yield "text", f"reads {words}"
    for number, words in stage.takes:
        yield "text", f"takes {words} from stage {number}"
    for kind, names in stage.ops:
        lines = list(_wrapped(names))
        yield "first" + kind, lines[0]
        yield from (("next" + kind, line) for line in lines[1:])
    for words in stage.keeps:
        yield "text", f"holds {words}"


def _wrapped(names: str) -> Iterator[str]:
    """Break "a + b + c" into lines."""
    line = ""
    for name in names.split(" + "):
        longer = f"{line} + {name}" if line else name
        if line and len(longer) > WRAP:
            yield f"{line} +"
            longer = name
        line = longer
    yield line


def _routes(boxes: list[Box], arrows: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Put boxes on layers, each below those it needs, and give the boxes that each arrow passes: one on every layer."""
    arrows = list(arrows)
    for a, b in arrows:  # Boxes come after those they need.
        boxes[b].layer = max(boxes[b].layer, boxes[a].layer + 1)
    for k, box in enumerate(boxes):
        if box.kind == "source":
            box.layer = min(boxes[b].layer for a, b in arrows if a == k) - 1
    routes = []
    for a, b in arrows:
        route = [a]
        for layer in range(boxes[a].layer + 1, boxes[b].layer):
            route.append(len(boxes))
            boxes.append(Box("way", [], layer))
        routes.append([*route, b])
    return routes


def _layers(boxes: Sequence[Box], routes: Sequence[Sequence[int]]) -> list[list[Box]]:
    """Give the boxes of each layer, from left to right, so that arrows seldom cross."""
    layers = [[box for box in boxes if box.layer == k] for k in range(max((box.layer for box in boxes), default=-1) + 1)]
    above: dict[int, list[Box]] = {}
    below: dict[int, list[Box]] = {}
    for route in routes:
        for a, b in itertools.pairwise(route):
            above.setdefault(id(boxes[b]), []).append(boxes[a])
            below.setdefault(id(boxes[a]), []).append(boxes[b])
    for sweep in range(4):
        for layer in layers:
            for k, box in enumerate(layer):
                box.x = k - len(layer) / 2
        near, order = (above, layers) if sweep % 2 == 0 else (below, layers[::-1])
        for layer in order:
            layer.sort(key=lambda box: _mean([other.x for other in near.get(id(box), ())], box.x))
            for k, box in enumerate(layer):
                box.x = k - len(layer) / 2
    return layers


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _place(layers: Sequence[Sequence[Box]], least: float) -> tuple[float, float]:
    """Set the place of each box; give the size of the picture."""
    gap, way = 24, 44
    widths = [sum(box.width for box in layer) + gap * (len(layer) - 1) for layer in layers]
    width = max([least, *(w + 2 * PAD for w in widths)])
    y = 42.0
    for layer, wide in zip(layers, widths):
        x = (width - wide) / 2
        for box in layer:
            box.x, box.y = x + box.width / 2, y
            x += box.width + gap
        y += max((box.height for box in layer), default=0) + way
    return width, y - (way if layers else 0) + PAD


def _arrows(boxes: Sequence[Box], routes: Sequence[Sequence[int]], layers: Sequence[Sequence[Box]]) -> list[str]:
    """Draw arrows: straight down beside the boxes of a layer, bent between layers, so that none crosses a box."""
    bottoms = [max(box.y + box.height for box in layer) for layer in layers]
    arriving: dict[int, list[int]] = {}
    for k, route in enumerate(routes):
        arriving.setdefault(route[-1], []).append(k)
    heads = {}
    for target, numbers in arriving.items():
        numbers.sort(key=lambda k: boxes[routes[k][-2]].x)
        apart = min(16.0, boxes[target].width / (len(numbers) + 1))
        for place, k in enumerate(numbers):
            heads[k] = boxes[target].x + (place - (len(numbers) - 1) / 2) * apart
    shapes = []
    for k, route in enumerate(routes):
        first = boxes[route[0]]
        path = f"M{_at(first.x, first.y + first.height)}V{_short(bottoms[first.layer])}"
        x, y = first.x, bottoms[first.layer]
        for number in route[1:]:
            box = boxes[number]
            last = number == route[-1]
            to, down = (heads[k] if last else box.x), box.y - (6 if last else 0)
            bend = (y + down) / 2
            path += f"C{_at(x, bend)} {_at(to, bend)} {_at(to, down)}"
            x, y = to, down
            if not last:
                y = bottoms[box.layer]
                path += f"V{_short(y)}"
        tip = boxes[route[-1]].y
        shapes.append(f'<path d="{path}" fill="none" stroke="#6b7885" stroke-width="1.3"/>')
        shapes.append(f'<path d="M{_at(x - 4, tip - 8)}L{_at(x, tip)}L{_at(x + 4, tip - 8)}z" fill="#6b7885"/>')
    return shapes


def _drawn(box: Box) -> str:
    fill, stroke = COLORS[box.kind]
    left, width = box.x - box.width / 2, box.width
    shapes = [
        f'<rect x="{_short(left)}" y="{_short(box.y)}" width="{_short(width)}" height="{_short(box.height)}" rx="6" '
        f'fill="{fill}" stroke="{stroke}"/>'
    ]
    words = []
    y = box.y + PAD - 2
    for style, text in box.rows:
        indent = 0 if style in ("name", "text") else 6
        weight = ' font-weight="bold"' if style == "name" else ""
        words.append(f'<text x="{_short(left + PAD + indent)}" y="{_short(y + 12.5)}"{weight}>{escape(text)}</text>')
        if indent:
            shapes.append(_strip(style, left + PAD, y, width - 2 * PAD))
        y += ROW
    return "".join(shapes + words)


def _strip(style: str, x: float, y: float, width: float) -> str:
    """Draw what lies behind the ops of one pass. Rows that go on with the ops of the row above touch it; views, which move no bytes, are
    grey."""
    color = "#e4e7eb" if style.endswith("view") else "#cfe1f3"
    top, height = (y + 1.5, ROW - 3) if style.startswith("first") else (y - 4, ROW + 2.5)
    return f'<rect x="{_short(x)}" y="{_short(top)}" width="{_short(width)}" height="{_short(height)}" rx="3" fill="{color}"/>'
