"""Objects in volumes in memory: labels, measurements, ridges and thresholds, against cc3d, scikit-image, dask-image and ITK."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, Callable

import numpy as np

import harness
import peers
from harness import Contender, Context

TITLE = "objects of volumes in memory"
TABLE, SATO, FRANGI, OTSU = "regionprops_table", "sato 3-D, float32", "frangi 3-D, float32", "threshold_otsu, uint16"
SIGMAS = (1, 3)
# What sigma 3 reaches, in scipy's way and with the derivatives.
REACH = 16
FACES = {6: 1, 18: 2, 26: 3}
COLUMNS = ("label", "area", "bbox", "centroid")


@dataclasses.dataclass
class Case:
    name: str
    image: str
    faces: int = 26


CASES = [Case(f"label {image} objects, {faces}", image, faces) for image in ("few", "many") for faces in FACES]
CASES += [Case(TABLE, "labels"), Case(SATO, "light"), Case(FRANGI, "light"), Case(OTSU, "counts")]


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


def timed(case: Case, prepare: Callable[[Context, Case], Callable[[np.ndarray], Any]], **told: Any):
    """A contender that does the work some times, of which the quickest counts. `told` is for the check."""

    def run(ctx: Context, clock, out: Path) -> dict:
        work = prepare(ctx, case)
        values = np.load(source(ctx, case.image))
        # Enough planes for what the ridges reach.
        work(values[:40] if case.image == "light" else values[:8])
        times: list[float] = []
        while len(times) < 5 and sum(times) < 2:
            with clock:
                answer = work(values)
            times.append(clock.seconds)
        np.save(out, np.asarray(answer))
        return {"seconds": min(times), **told}

    return run


def as_matrix(table: dict[str, np.ndarray]) -> np.ndarray:
    return np.stack([np.asarray(table[name], dtype=float) for name in ("label", "area", "centroid-0", "centroid-1", "centroid-2")], axis=1)


def voxmill_way(ctx: Context, case: Case):
    vm = peers.use_voxmill(ctx)
    if case.name == TABLE:
        return lambda values: as_matrix(vm.measure.regionprops_table(vm.asarray(values), properties=COLUMNS))
    if case.name in (SATO, FRANGI):
        ridges = vm.filters.sato if case.name == SATO else vm.filters.frangi
        return lambda values: ridges(vm.asarray(values), SIGMAS).compute()
    if case.name == OTSU:
        return lambda values: vm.filters.threshold_otsu(vm.asarray(values)).compute()
    near = vm.ndimage.generate_binary_structure(3, FACES[case.faces])
    return lambda values: vm.ndimage.label(vm.asarray(values), near)[0].compute()


def voxmill_blocks(ctx: Context, case: Case):
    vm = peers.use_voxmill(ctx)
    near = vm.ndimage.generate_binary_structure(3, FACES[case.faces])
    return lambda values: vm.ndimage.label(vm.from_array(values, chunks=100), near)[0].compute()


def skimage_way(ctx: Context, case: Case):
    from skimage import filters, measure

    if case.name == TABLE:
        return lambda values: as_matrix(measure.regionprops_table(values, properties=COLUMNS))
    if case.name in (SATO, FRANGI):
        ridges = filters.sato if case.name == SATO else filters.frangi
        return lambda values: ridges(values, SIGMAS)
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


def dask_way(ctx: Context, case: Case):
    """Blocks of 100^3: scikit-image on each with its surroundings, or dask-image, which joins labels of blocks."""
    da = peers.use_dask(ctx)
    blocks = lambda values: da.from_array(values, chunks=100)
    if case.name.startswith("label"):
        from dask_image import ndmeasure
        from scipy.ndimage import generate_binary_structure

        near = generate_binary_structure(3, FACES[case.faces])
        return lambda values: ndmeasure.label(blocks(values), near)[0].compute()
    from skimage import filters

    ridges = filters.sato if case.name == SATO else filters.frangi
    kwargs = {"sigmas": SIGMAS, "dtype": "float32", "meta": np.empty((0, 0, 0), "f4")}
    return lambda values: blocks(values).map_overlap(ridges, depth=REACH, boundary="none", **kwargs).compute()


def itk_way(ctx: Context, case: Case):
    """ITK's filters of that name: recursive Gaussians and other weights, so that the numbers are others."""
    import itk

    itk.MultiThreaderBase.SetGlobalDefaultNumberOfThreads(ctx.threads)

    def one(image: Any, sigma: float) -> np.ndarray:
        hessian = itk.hessian_recursive_gaussian_image_filter(image, sigma=sigma)
        if case.name == SATO:
            sieve = itk.Hessian3DToVesselnessMeasureImageFilter[itk.F].New(hessian, Alpha1=0.5, Alpha2=2.0)
        else:
            tensors, scalars = type(hessian), type(image)
            sieve = itk.HessianToObjectnessMeasureImageFilter[tensors, scalars].New(hessian, ObjectDimension=1, BrightObject=False)
        sieve.Update()
        return itk.array_view_from_image(sieve.GetOutput()).copy()

    def work(values: np.ndarray) -> np.ndarray:
        image = itk.image_view_from_array(np.ascontiguousarray(values, dtype=np.float32))
        return np.maximum.reduce([one(image, sigma) for sigma in SIGMAS])

    return work


def contenders(ctx: Context) -> list[Contender]:
    rows = []
    for case in CASES:
        rows.append(Contender(case.name, "scikit-image", run=timed(case, skimage_way)))
        if case.name.startswith("label") or case.name == TABLE:
            rows.append(Contender(case.name, "cc3d", run=timed(case, cc3d_way)))
        if case.name in (SATO, FRANGI):
            rows.append(Contender(case.name, "dask + scikit-image", run=timed(case, dask_way, near=True)))
            rows.append(Contender(case.name, "itk", run=timed(case, itk_way, other=True)))
        if case.name.startswith("label") and case.faces == 6:
            rows.append(Contender(case.name, "dask-image, blocks", run=timed(case, dask_way)))
            rows.append(Contender(case.name, "voxmill python, blocks", python=timed(case, voxmill_blocks)))
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

    if report.get("other"):
        return found.shape == shape(ctx, case.image), "another definition: not compared"
    expected = peers.reference(ctx, key, compute)
    if report.get("near"):
        # Frangi's filter scales with the largest value of what it is given, which a block does not know.
        ok, detail = peers.agree(found, expected, 2e-4)
        return (ok, detail) if case.name == SATO else (True, f"{detail}: blocks are not the whole")
    if case.name.startswith("label"):
        sizes = np.sort(np.bincount(found.ravel())[1:])
        same = np.array_equal(sizes, expected)
        return same, f"{len(sizes)} objects{'' if same else f', expected {len(expected)}'}"
    # scikit-image counts in float32, and may find a threshold some values away.
    return peers.agree(found, expected, {SATO: 2e-4, FRANGI: 1e-3, OTSU: 1e-3}.get(case.name, 1e-6))


def exact_otsu(values: np.ndarray) -> int:
    counts = np.bincount(values.ravel()).astype(float)
    below, sums = np.cumsum(counts), np.cumsum(counts * np.arange(len(counts)))
    with np.errstate(invalid="ignore", divide="ignore"):
        difference = sums / below - (sums[-1] - sums) / (below[-1] - below)
    return int(np.nanargmax((below * (below[-1] - below) * difference**2)[:-1]))


def bars(ctx: Context) -> list[harness.Bar]:
    rows = []
    for case in CASES:
        if not case.name.startswith("label"):
            continue
        rows.append(harness.at_most(case.name, "voxmill python", ["scikit-image", "cc3d"], 1.0, "not slower than scikit-image and cc3d"))
        if case.faces == 6:
            blocks = "voxmill python, blocks"
            rows.append(harness.times_faster(case.name, blocks, ["dask-image, blocks"], 20, ">= 20x faster than dask-image"))
    rows.append(harness.at_most(TABLE, "voxmill python", ["cc3d"], 1.0, "not slower than cc3d.statistics"))
    rows.append(harness.times_faster(TABLE, "voxmill python", ["scikit-image"], 50, ">= 50x faster than scikit-image"))
    for name in (SATO, FRANGI):
        rows.append(harness.times_faster(name, "voxmill python", ["scikit-image"], 5, ">= 5x faster than scikit-image"))
        others = ["dask + scikit-image", "itk"]
        rows.append(harness.times_faster(name, "voxmill python", others, 5, ">= 5x faster than dask + scikit-image, and ITK"))
    rows.append(harness.times_faster(OTSU, "voxmill python", ["scikit-image"], 1, "not slower than scikit-image"))
    return rows
