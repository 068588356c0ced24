"""The user guide runs: the code blocks of each page, from top to bottom, in a folder of its own.

Blocks marked `python` share the names of their page. Those with `>>>` are compared as doctests, the others run and may `assert`. Of blocks
marked `console`, lines that begin with `$ voxmill` run; lines below them, if any, are what they print.
"""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(page):
    """Give language, first line number and text of each code block."""
    lines = page.read_text(encoding="utf-8").splitlines()
    found, begin, language = [], None, ""
    for number, line in enumerate(lines):
        if begin is None and (fence := re.fullmatch(r"```(\w*).*", line)):
            begin, language = number + 1, fence[1]
        elif begin is not None and line == "```":
            found.append((language, begin, "\n".join(lines[begin:number]) + "\n"))
            begin = None
    assert begin is None, f"{page.name}: the code block at line {begin} does not end"
    return found


@pytest.fixture
def installed(tmp_path_factory, monkeypatch):
    """Make the package look installed: xarray finds it by its entry points."""
    from importlib.metadata import entry_points

    from xarray.namedarray.parallelcompat import list_chunkmanagers

    if not entry_points(group="xarray.chunkmanagers", name="voxmill"):
        folder = tmp_path_factory.mktemp("installed")
        about = folder / "voxmill-0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: voxmill\nVersion: 0\n")
        section = re.search(r'\[project.entry-points."xarray.chunkmanagers"\]\n(.*)\n', (ROOT / "pyproject.toml").read_text())
        (about / "entry_points.txt").write_text("[xarray.chunkmanagers]\n" + section[1].replace('"', "") + "\n")
        monkeypatch.syspath_prepend(folder)
    list_chunkmanagers.cache_clear()
    yield
    list_chunkmanagers.cache_clear()


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_page_runs(page, tmp_path, monkeypatch, installed):
    monkeypatch.chdir(tmp_path)
    # As in a script: functions of "__main__" are pickled with their code.
    names = {"__name__": "__main__", "__file__": str(page)}
    for language, begin, text in blocks(page):
        if language == "python":
            run_python(page, begin, text, names)
        elif language == "console":
            run_console(page, begin, text, tmp_path)
        else:
            assert language in ("text", "toml"), f"{page.name}: line {begin}: a block of {language or 'no language'} is not run"


def run_python(page, begin, text, names):
    """Run a block; line numbers in tracebacks are those of the page."""
    if not text.lstrip().startswith(">>>"):
        exec(compile("\n" * begin + text, str(page), "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), begin)
    runner = doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
    said = []
    runner.run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    assert runner.failures == 0, "".join(said)


def run_console(page, begin, text, folder):
    """Run the commands of a block, and compare what they print where the page says it."""
    for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
        if not command.startswith("voxmill "):
            continue
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment(folder), capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"{page.name}: line {begin}: {command}\n{done.stdout}{done.stderr}"
        if expected.strip():
            same = doctest.OutputChecker().check_output(expected, done.stdout, FLAGS)
            assert same, f"{page.name}: line {begin}: {command}\nexpected:\n{expected}\nprinted:\n{done.stdout}"


def environment(folder):
    """Give the environment of a shell in which `voxmill` is the package under test."""
    import voxmill

    tools = folder / ".tools"
    tools.mkdir(exist_ok=True)
    command = tools / "voxmill"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m voxmill "$@"\n')
    command.chmod(0o755)
    package = str(Path(voxmill.__file__).parents[1])
    return {
        **os.environ,
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join([package, os.environ.get("PYTHONPATH", "")]),
    }


def test_every_page_has_code_and_is_listed():
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    for page in PAGES:
        assert page.stem == "index" or f"({page.name})" in index, page.name
        assert page.stem == "index" or any(language == "python" for language, _, _ in blocks(page)), page.name


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: str(page.relative_to(DOCS)))
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{page.name}: {target}"
        if anchor:
            assert anchor in anchors(there), f"{page.name}: {target}"


def anchors(page):
    """Give the names by which headings are linked."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_names_exist(page):
    """Names in tables and sentences, which are not run."""
    import voxmill

    for name in re.findall(r"\b(?:vm|voxmill)\.([A-Za-z_][\w.]*\w)", page.read_text(encoding="utf-8")):
        place = voxmill
        for part in name.split("."):
            assert hasattr(place, part), f"{page.name}: {name}"
            place = getattr(place, part)


def test_reference_is_up_to_date():
    done = subprocess.run(
        [sys.executable, str(ROOT / "python" / "reference.py"), "--check"], capture_output=True, text=True, env=environment_of_tests()
    )
    assert done.returncode == 0, done.stdout + done.stderr


def environment_of_tests():
    import voxmill

    package = str(Path(voxmill.__file__).parents[1])
    return {**os.environ, "PYTHONPATH": os.pathsep.join([package, os.environ.get("PYTHONPATH", "")])}
