"""Pictures for notebooks: well-formed, small, with what a person wants to know, and with text that does not overlap."""

import itertools
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import voxmill as vm
from voxmill import _picture

SVG = "{http://www.w3.org/2000/svg}"

SHAPES = [
    ((), ()),
    ((7,), 3),
    ((0,), 3),
    ((400, 300), (50, 100)),
    ((0, 5), (1, 2)),
    ((1, 1_000_000), (1, 10)),
    ((400, 300, 200), (50, 100, 100)),
    ((2, 3, 40, 50), (1, 1, 20, 20)),
    ((2,) * 11, 1),
]


def svg_in(html):
    """The one picture in a page."""
    (text,) = re.findall(r"<svg.*?</svg>", html, re.DOTALL)
    return ElementTree.fromstring(text)


def texts(element):
    return ["".join(text.itertext()) for text in element.iter(f"{SVG}text")]


@pytest.mark.parametrize(("shape", "chunks"), SHAPES)
def test_array_html_is_a_page_with_a_picture(shape, chunks):
    x = vm.ones(shape, chunks=chunks) if shape else vm.ones(())
    html = x._repr_html_()
    page = ElementTree.fromstring(html)
    words = list(page.itertext())
    assert str(shape) in words
    assert "float64" in words
    assert f"{x.npartitions:,}" in words
    labels = texts(svg_in(html))
    assert [n for n in labels if n.isdigit()].count("1000000") == shape.count(1_000_000)
    assert all(str(n) in labels for n in shape[-9:])


def test_array_html_says_how_large():
    x = vm.ones((1024, 1024), chunks=(512, 1024), dtype="f4") + 1
    words = list(ElementTree.fromstring(x._repr_html_()).itertext())
    for name, value in [("Size", "4.00 MiB"), ("Chunk shape", "(512, 1024)"), ("Chunk size", "2.00 MiB"), ("Chunks", "2"), ("Ops", "2")]:
        assert words[words.index(name) + 1] == value


@pytest.mark.parametrize("shape", [(3_000_000,), (1000, 1000, 1000), (100, 100, 100, 100)])
def test_millions_of_chunks_stay_small(shape):
    html = vm.ones(shape, chunks=1)._repr_html_()
    assert len(html) < 8_000
    svg = svg_in(html)
    lines = [path.get("d").count("M") for path in svg.iter(f"{SVG}path") if path.get("stroke-dasharray")]
    assert lines and max(lines) <= 2 * _picture.LINES
    notes = [text for text in texts(svg) if "a line for every" in text]
    assert len(notes) == len(shape)


def test_few_chunks_are_drawn_one_by_one():
    svg = svg_in(vm.ones((10, 10), chunks=((1, 2, 7), (5, 5)))._repr_html_())
    (lines,) = [path.get("d") for path in svg.iter(f"{SVG}path") if path.get("fill") is None]
    assert lines.count("M") == 3
    # The cuts lie where the chunks end: after 1 and after 3 of 10.
    assert "M0,15l" in lines and "M0,45l" in lines


@pytest.mark.parametrize(("shape", "chunks"), SHAPES)
def test_everything_lies_inside_the_picture(shape, chunks):
    svg = ElementTree.fromstring(_picture.chunks_svg(vm.ones(shape, chunks=chunks or -1).chunks))
    width, height = float(svg.get("width")), float(svg.get("height"))
    for left, top, right, bottom in boxes_of_text(svg, _picture.GLYPH):
        assert 0 <= left and right <= width + 1
        assert 0 <= top and bottom <= height
    for one, other in itertools.combinations(boxes_of_text(svg, _picture.GLYPH), 2):
        assert not overlap(one, other)


def boxes_of_text(element, glyph, offset=(0.0, 0.0)):
    """Where text lies: left, top, right, bottom."""
    found = []
    move = re.match(r"translate\((.*),(.*)\)", element.get("transform", ""))
    if move:
        offset = (offset[0] + float(move[1]), offset[1] + float(move[2]))
    for child in element:
        if child.tag == f"{SVG}text":
            wide = len("".join(child.itertext())) * glyph
            x, y = float(child.get("x")) + offset[0], float(child.get("y")) + offset[1]
            left = x - {"middle": wide / 2, "end": wide}.get(child.get("text-anchor"), 0)
            found.append((left, y - 9, left + wide, y + 2))
        found += boxes_of_text(child, glyph, offset)
    return found


def overlap(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


# The plan


def pipeline():
    """Several stages, sources, results, and arrows that pass layers."""
    a = vm.from_array(np.ones((300, 300)), chunks=100)
    b = vm.from_array(np.ones((300, 300)), chunks=150)
    y = a - b.mean()
    for k in range(6):
        y = vm.sqrt(vm.abs(y * 2 + k))
    z = (y / y.std() + b.max() * a.T).map_blocks(np.negative, dtype=float)
    return [z, z.sum(), vm.median(b)]


def test_visualize_shows_stages_ops_tiles_and_bytes():
    x = vm.ones((400, 300), chunks=100)
    picture = ((x - x.mean()) / x.std()).sum(axis=0).visualize()
    words = texts(ElementTree.fromstring(picture.svg))
    stages = vm._native.plan_stages([((x - x.mean()) / x.std()).sum(axis=0)._expr], vm.config.limits())
    assert words.count("result") == 1
    assert [f"stage {k}" in words for k in range(len(stages))] == [True] * len(stages)
    assert "subtract + divide" in words
    assert any("memory limit" in text and "largest task" in text for text in words)
    assert "300 float64, 2.34 KiB" in words


def test_visualize_follows_the_limits_of_the_call():
    x = vm.ones((2000, 2000), chunks=500)
    words = texts(ElementTree.fromstring((x + x.T).visualize(memory_limit="32MiB", rankdir="LR").svg))
    assert "memory limit 32.0 MiB" in words[0]


def test_every_line_of_the_plan_is_understood():
    text = vm.explain(*pipeline())
    _, stages = _picture.parse(text)
    said = sum(len(s.takes) + len(s.reads) + len(s.ops) + len(s.keeps) + len(s.gives) for s in stages)
    assert said + len(stages) + 1 == len(text.strip().splitlines())


def test_locations_with_spaces_and_signs_are_understood(tmp_path):
    where = tmp_path / "a & b <c>.zarr"
    vm.ones((4, 4), chunks=2).to_zarr(where)
    words = texts(ElementTree.fromstring((vm.open(where) + 1).visualize().svg))
    assert any(text.endswith("a & b <c>.zarr") for text in words)


def test_boxes_and_text_do_not_overlap():
    svg = ElementTree.fromstring(_picture.visualize(pipeline()).svg)
    frames = [
        tuple(float(rect.get(name)) for name in ("x", "y", "width", "height")) for rect in svg.iter(f"{SVG}rect") if rect.get("stroke")
    ]
    frames = [(x, y, x + w, y + h) for x, y, w, h in frames]
    for one, other in itertools.combinations(frames, 2):
        assert not overlap(one, other)
    width, height = float(svg.get("width")), float(svg.get("height"))
    title, *lines = boxes_of_text(svg, _picture.EM)
    assert title[2] <= width
    for line in lines:
        assert sum(f[0] < line[0] and line[2] < f[2] and f[1] < line[1] and line[3] < f[3] for f in frames) == 1
    for one, other in itertools.combinations(lines, 2):
        assert not overlap(one, other)
    assert all(0 <= f[0] and f[2] <= width and f[3] <= height for f in frames)


def test_arrows_pass_beside_boxes():
    svg = ElementTree.fromstring(_picture.visualize(pipeline()).svg)
    frames = [
        tuple(float(rect.get(name)) for name in ("x", "y", "width", "height")) for rect in svg.iter(f"{SVG}rect") if rect.get("stroke")
    ]
    for path in svg.iter(f"{SVG}path"):
        if path.get("fill") != "none":
            continue
        for x, y in points(path.get("d")):
            assert not any(left < x < left + w and top + 1 < y < top + h - 1 for left, top, w, h in frames)


def points(path):
    """Points along a path made of M, V and C."""
    x = y = 0.0
    for letter, numbers in re.findall(r"([MVC])([^MVC]*)", path):
        values = [float(n) for n in re.findall(r"-?[\d.]+", numbers)]
        if letter == "M":
            x, y = values
        elif letter == "V":
            yield from ((x, y + t * (values[0] - y)) for t in np.linspace(0, 1, 20))
            y = values[0]
        else:
            x1, y1, x2, y2, x3, y3 = values
            for t in np.linspace(0, 1, 40):
                s = 1 - t
                yield (
                    s**3 * x + 3 * s * s * t * x1 + 3 * s * t * t * x2 + t**3 * x3,
                    s**3 * y + 3 * s * s * t * y1 + 3 * s * t * t * y2 + t**3 * y3,
                )
            x, y = x3, y3


def test_plans_of_many_stages_are_cut():
    text = "plan: 500 stages, 500 tasks, memory limit 1 GiB, largest task 1 B\n"
    for k in range(500):
        take = f"  take   add [0:3] from stage {k - 1} (8 B)\n" if k else ""
        text += f"stage {k}: 1 tile of [3], 8 B each\n{take}  run    add [0:3]\n"
    words = texts(ElementTree.fromstring(_picture.plan_svg(text)))
    assert "420 more stages" in words[0]
    assert f"stage {_picture.MOST - 1}" in words and f"stage {_picture.MOST}" not in words


def test_picture_in_notebooks_and_files(tmp_path):
    x = vm.ones(3) + 1
    picture = x.visualize(tmp_path / "plan.svg")
    assert (tmp_path / "plan.svg").read_text() == picture.svg == picture._repr_svg_()
    assert picture.svg in picture._repr_html_()
    assert "SVG" in repr(picture)
    x.visualize(tmp_path / "short", format="svg")
    assert (tmp_path / "short.svg").exists()
    x.visualize(str(tmp_path / "run.2"))
    assert (tmp_path / "run.2.svg").exists()


@pytest.mark.parametrize("name", ["plan.png", "plan.pdf", "plan.PNG"])
def test_other_formats_are_refused(tmp_path, name):
    with pytest.raises(ValueError, match=r"SVG only.*\.svg"):
        vm.ones(3).visualize(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_other_formats_by_name_are_refused(tmp_path):
    with pytest.raises(ValueError, match="format='png'"):
        vm.ones(3).visualize(format="png")
    with pytest.raises(ValueError, match="format='pdf'"):
        vm.ones(3).visualize(tmp_path / "plan", format="pdf")


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1024, "1.00 KiB"), (15 << 20, "15.0 MiB"), (900 << 30, "900 GiB"), (3 << 60, "3072 PiB")],
)
def test_bytes(count, text):
    assert _picture._bytes(count) == text
