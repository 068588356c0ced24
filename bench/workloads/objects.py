"""Objects in volumes in memory: labels, measurements, ridges and thresholds, against cc3d and scikit-image."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, Callable

import numpy as np

import harness
import peers
from harness import Contender, Context

TITLE = "objects of volumes in memory"
TABLE, SATO, OTSU = "regionprops_table", "sato 3-D, float32", "threshold_otsu, uint16"
FACES = {6: 1, 18: 2, 26: 3}
COLUMNS = ("label", "area", "bbox", "centroid")


@dataclasses.dataclass
class Case:
    name: str
    image: str
    faces: int = 26


CASES = [Case(f"label {image} objects, {faces}", image, faces) for image in ("few", "many") for faces in FACES]
CASES += [Case(TABLE, "labels"), Case(SATO, "light"), Case(OTSU, "counts")]


def case_of(name: str) -> Case:
    return next(case for case in CASES if case.name == name)


def shape(ctx: Context, image: str) -> tuple[int, int, int]:
    side = 200 if image == "light" else 400
    return (ctx.scaled(side, least=40), side, side)


def source(ctx: Context, image: str) -> Path:
    return ctx.data / f"objects-{image}-{peers.shape_name(shape(ctx, image))}.npy"


def data(ctx: Context) -> None:
    for image in {case.image for case in CASES}:

        def write(path: Path) -> None:
            with open(path, "wb") as file:
                np.save(file, volume(image, shape(ctx, image)))

        peers.make(ctx, source(ctx, image), write)


def volume(image: str, size: tuple[int, ...]) -> np.ndarray:
    from scipy import ndimage

    rng = np.random.default_rng(31)
    if image == "few":
        return ndimage.gaussian_filter(rng.standard_normal(size, dtype=np.float32), 6) > 0.01
    if image == "many":
        return rng.random(size, dtype=np.float32) < 0.3
    if image == "labels":
        spots = ndimage.gaussian_filter(rng.standard_normal(size, dtype=np.float32), 2)
        return ndimage.label(spots > np.percentile(spots[:40], 90))[0]
    if image == "light":
        return ndimage.gaussian_filter(rng.standard_normal(size, dtype=np.float32), 2)
    return (rng.gamma(2, 4000, size)).clip(0, 65535).astype(np.uint16)


# ---------------------------------------------------------------- contenders


def timed(case: Case, prepare: Callable[[Context, Case], Callable[[np.ndarray], Any]]):
    """A contender that does the work some times, of which the quickest counts."""

    def run(ctx: Context, clock, out: Path) -> dict:
        work = prepare(ctx, case)
        values = np.load(source(ctx, case.image))
        work(values[:8])
        times: list[float] = []
        while len(times) < 5 and sum(times) < 2:
            with clock:
                answer = work(values)
            times.append(clock.seconds)
        np.save(out, np.asarray(answer))
        return {"seconds": min(times)}

    return run


def as_matrix(table: dict[str, np.ndarray]) -> np.ndarray:
    return np.stack([np.asarray(table[name], dtype=float) for name in ("label", "area", "centroid-0", "centroid-1", "centroid-2")], axis=1)


def voxmill_way(ctx: Context, case: Case):
    vm = peers.use_voxmill(ctx)
    if case.name == TABLE:
        return lambda values: as_matrix(vm.measure.regionprops_table(vm.asarray(values), properties=COLUMNS))
    if case.name == SATO:
        return lambda values: vm.filters.sato(vm.asarray(values), [1, 3]).compute()
    if case.name == OTSU:
        return lambda values: vm.filters.threshold_otsu(vm.asarray(values)).compute()
    near = vm.ndimage.generate_binary_structure(3, FACES[case.faces])
    return lambda values: vm.ndimage.label(vm.asarray(values), near)[0].compute()


def skimage_way(ctx: Context, case: Case):
    from skimage import filters, measure

    if case.name == TABLE:
        return lambda values: as_matrix(measure.regionprops_table(values, properties=COLUMNS))
    if case.name == SATO:
        return lambda values: filters.sato(values, [1, 3])
    if case.name == OTSU:
        return filters.threshold_otsu
    return lambda values: measure.label(values, connectivity=FACES[case.faces])


def cc3d_way(ctx: Context, case: Case):
    import cc3d

    if case.name != TABLE:
        return lambda values: cc3d.connected_components(values, connectivity=case.faces)

    def measured(values: np.ndarray) -> np.ndarray:
        found = cc3d.statistics(values.astype(np.uint32))
        there = np.flatnonzero(found["voxel_counts"][1:]) + 1
        return np.column_stack([there, found["voxel_counts"][there], found["centroids"][there]])

    return measured


def contenders(ctx: Context) -> list[Contender]:
    rows = []
    for case in CASES:
        rows.append(Contender(case.name, "scikit-image", run=timed(case, skimage_way)))
        if case.name not in (SATO, OTSU):
            rows.append(Contender(case.name, "cc3d", run=timed(case, cc3d_way)))
        rows.append(Contender(case.name, "voxmill python", python=timed(case, voxmill_way)))
    return rows


# ---------------------------------------------------------------- answers and bars


def check(ctx: Context, case_name: str, answer: Path, report: dict) -> tuple[bool, str]:
    """Labels: as many objects, of the same sizes, as scipy's. The threshold: as computed in double precision. Others: as scikit-image's."""
    case, found = case_of(case_name), np.load(answer)
    key = f"{case.name.replace(', ', '-').replace(' ', '-')}-{peers.shape_name(shape(ctx, case.image))}"

    def compute() -> np.ndarray:
        from scipy import ndimage

        values = np.load(source(ctx, case.image))
        if case.name.startswith("label"):
            near = ndimage.generate_binary_structure(3, FACES[case.faces])
            return np.sort(np.bincount(ndimage.label(values, near)[0].ravel())[1:])
        if case.name == OTSU:
            return np.asarray(exact_otsu(values))
        return np.asarray(skimage_way(ctx, case)(values))

    expected = peers.reference(ctx, key, compute)
    if case.name.startswith("label"):
        sizes = np.sort(np.bincount(found.ravel())[1:])
        same = np.array_equal(sizes, expected)
        return same, f"{len(sizes)} objects{'' if same else f', expected {len(expected)}'}"
    # scikit-image counts in float32, and may find a threshold some values away.
    return peers.agree(found, expected, {SATO: 2e-4, OTSU: 1e-3}.get(case.name, 1e-6))


def exact_otsu(values: np.ndarray) -> int:
    counts = np.bincount(values.ravel()).astype(float)
    below, sums = np.cumsum(counts), np.cumsum(counts * np.arange(len(counts)))
    with np.errstate(invalid="ignore", divide="ignore"):
        difference = sums / below - (sums[-1] - sums) / (below[-1] - below)
    return int(np.nanargmax((below * (below[-1] - below) * difference**2)[:-1]))


def bars(ctx: Context) -> list[harness.Bar]:
    rows = []
    for case in CASES:
        if case.name.startswith("label"):
            rows.append(harness.at_most(case.name, "voxmill python", ["scikit-image", "cc3d"], 1.0, "not slower than scikit-image and cc3d"))
    rows.append(harness.at_most(TABLE, "voxmill python", ["cc3d"], 1.0, "not slower than cc3d.statistics"))
    rows.append(harness.times_faster(TABLE, "voxmill python", ["scikit-image"], 50, ">= 50x faster than scikit-image"))
    rows.append(harness.times_faster(SATO, "voxmill python", ["scikit-image"], 5, ">= 5x faster than scikit-image"))
    rows.append(harness.times_faster(OTSU, "voxmill python", ["scikit-image"], 1, "not slower than scikit-image"))
    return rows
