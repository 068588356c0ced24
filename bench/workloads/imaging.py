"""Image filters on arrays in memory, against OpenCV, the edt package and scipy."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable

import numpy as np

import harness
import peers
from harness import Contender, Context

TITLE = "filters of images in memory"
GAUSSIAN, MEDIAN, UNIFORM = "gaussian_filter", "median_filter", "uniform_filter"
MINIMUM, MAXIMUM = "minimum_filter", "maximum_filter"
EROSION, DISTANCE = "binary_erosion", "distance_transform_edt"
TOLERANCE = 1e-5
DTYPES = ["uint8", "uint16", "float32"]
# Sides that are no powers of two, which caches like less than other sides.
SHAPES = {2: (4000, 4000), 3: (160, 320, 320)}
EROSION_SHAPES = {2: (4000, 4000), 3: (100, 400, 400)}
# scipy's median takes up to 0.1 ms for one voxel.
MEDIAN_SHAPES = {2: dict.fromkeys((3, 5, 9, 15), (2000, 2000)), 3: {3: (120,) * 3, 5: (120,) * 3, 9: (60, 120, 120), 15: (60,) * 3}}


@dataclasses.dataclass
class Case:
    """`size` is a sigma, the side of a window, or the radius of a ball."""

    op: str
    size: int
    dtype: str
    shape: tuple[int, ...]

    @property
    def name(self) -> str:
        return f"{self.op}{f' {self.size}' if self.size else ''}, {len(self.shape)}-D {self.dtype}"


def cases(ctx: Context) -> dict[str, Case]:
    found = []
    for ndim in (2, 3):
        found += [Case(GAUSSIAN, sigma, dtype, SHAPES[ndim]) for sigma in (1, 2, 4, 8) for dtype in DTYPES]
        found += [Case(MEDIAN, size, dtype, shape) for size, shape in MEDIAN_SHAPES[ndim].items() for dtype in DTYPES[:2]]
        found += [Case(op, size, dtype, SHAPES[ndim]) for op in (MINIMUM, MAXIMUM, UNIFORM) for size in (3, 15) for dtype in DTYPES]
        found += [Case(EROSION, 12, "bool", EROSION_SHAPES[ndim]), Case(DISTANCE, 0, "bool", EROSION_SHAPES[ndim])]
    for case in found:
        case.shape = (ctx.scaled(case.shape[0], least=min(case.shape[0], 40)), *case.shape[1:])
    return {case.name: case for case in found}


# ---------------------------------------------------------------- data


def source(ctx: Context, case: Case) -> Path:
    return ctx.data / f"image-{case.dtype}-{peers.shape_name(case.shape)}.npy"


def data(ctx: Context) -> None:
    for case in cases(ctx).values():

        def write(path: Path) -> None:
            with open(path, "wb") as file:
                np.save(file, holes(case.shape) if case.dtype == "bool" else image(case))

        peers.make(ctx, source(ctx, case), write)


def image(case: Case) -> np.ndarray:
    """Smooth structure with noise; one plane of a stack where two axes are wanted."""
    bits = {"uint8": ("uint8", 5)}.get(case.dtype, ("uint16", 12))
    shape = (1,) * (3 - len(case.shape)) + case.shape
    values = np.concatenate([block for _, block in peers.planes(shape, *bits, seed=21, step=16)]).reshape(case.shape)
    return values if case.dtype != "float32" else values / np.float32(7)


def holes(shape: tuple[int, ...]) -> np.ndarray:
    """A body with holes, some of them far apart."""
    from scipy.ndimage import gaussian_filter

    smooth = gaussian_filter(np.random.default_rng(22).standard_normal(shape, dtype=np.float32), 8)
    return smooth > np.percentile(smooth, 4)


def structure(case: Case) -> np.ndarray:
    from skimage.morphology import ball, disk

    return (disk if len(case.shape) == 2 else ball)(case.size).astype(bool)


# ---------------------------------------------------------------- contenders


def filtering(case: Case, prepare: Callable[[Context, Case], Callable[[np.ndarray], np.ndarray]], **told: Any):
    """A contender that filters the image some times, of which the quickest counts. `told` is for the check."""

    def run(ctx: Context, clock, out: Path) -> dict:
        filtered = prepare(ctx, case)
        values = np.load(source(ctx, case))
        filtered(values[:4])
        times: list[float] = []
        while len(times) < 5 and sum(times) < 1:
            with clock:
                answer = filtered(values)
            times.append(clock.seconds)
        np.save(out, answer)
        return {"seconds": min(times), **told}

    return run


def argument(case: Case) -> Any:
    return structure(case) if case.op == EROSION else case.size


def scipy_filter(ctx: Context, case: Case):
    from scipy import ndimage

    op, how = getattr(ndimage, case.op), argument(case)
    return op if case.op == DISTANCE else lambda values: op(values, how)


def voxmill_filter(ctx: Context, case: Case):
    vm = peers.use_voxmill(ctx)
    op, how = getattr(vm.ndimage, case.op), argument(case)
    if case.op == DISTANCE:
        return lambda values: op(vm.asarray(values)).compute()
    return lambda values: op(vm.asarray(values), how).compute()


def edt_route(parallel: int):
    """What is farther than the radius from the background, and from the border, is left."""

    def prepare(ctx: Context, case: Case):
        import edt

        if case.op == DISTANCE:
            return lambda values: edt.edt(values, black_border=False, parallel=parallel)
        return lambda values: edt.edtsq(values, black_border=True, parallel=parallel) > case.size**2

    return prepare


def opencv_filter(ctx: Context, case: Case):
    """OpenCV has two axes. A third one: planes by turns, then all of them as one wide image, in stripes."""
    import cv2

    ndim = len(case.shape)
    # It works on one image with several threads; many images are quicker with a thread for each.
    cv2.setNumThreads(ctx.threads if ndim == 2 else 1)
    plane, column = opencv_passes(cv2, case)
    if ndim == 2:
        return plane
    pool = ThreadPoolExecutor(ctx.threads)
    dtype = np.dtype("float32" if case.op == GAUSSIAN else case.dtype)

    def whole(values: np.ndarray) -> np.ndarray:
        planes, answer = np.empty(values.shape, dtype), np.empty(values.shape, dtype)
        list(pool.map(lambda z: plane(values[z], dst=planes[z]), range(len(values))))
        wide, out = (x.reshape(len(values), -1) for x in (planes, answer))
        edges = np.linspace(0, wide.shape[1], 4 * ctx.threads + 1).astype(int)
        list(pool.map(lambda a, b: column(wide[:, a:b], dst=out[:, a:b]), edges[:-1], edges[1:]))
        return answer

    return whole


def opencv_passes(cv2: Any, case: Case) -> tuple[Callable, Callable | None]:
    """The filter of a plane, and of columns only."""
    n, border = case.size, {"borderType": cv2.BORDER_REFLECT}
    if case.op == GAUSSIAN:
        # Real numbers, as precise as scipy's; kept real for images of integers, which spares it the rounding.
        weights, one = cv2.getGaussianKernel(2 * int(4 * n + 0.5) + 1, n, cv2.CV_32F), np.ones((1, 1), np.float32)
        separable = lambda row: lambda x, dst=None: cv2.sepFilter2D(x, cv2.CV_32F, row, weights, dst=dst, **border)
        return separable(weights), separable(one)
    if case.op in (MINIMUM, MAXIMUM):
        way = cv2.dilate if case.op == MAXIMUM else cv2.erode
        dilate = lambda window: lambda x, dst=None: way(x, window, dst=dst, **border)
        return dilate(np.ones((n, n), np.uint8)), dilate(np.ones((n, 1), np.uint8))
    if case.op == UNIFORM:
        blur = lambda window: lambda x, dst=None: cv2.blur(x, window, dst=dst, **border)
        return blur((n, n)), blur((1, n))
    return lambda x: cv2.medianBlur(x, n), None


def opencv_rows(case: Case) -> dict[str, Any]:
    """OpenCV's way and in what it may differ, where it has one."""
    whole = case.dtype != "float32"
    if case.op == MEDIAN:
        has_it = len(case.shape) == 2 and (case.dtype == "uint8" or case.size <= 5)
        # It repeats the last pixel at the border.
        return {"opencv": filtering(case, opencv_filter, margin=case.size // 2)} if has_it else {}
    if case.op == GAUSSIAN and whole:
        return {"opencv": filtering(case, opencv_filter, real=True)}
    if case.op == UNIFORM and whole:
        return {"opencv": filtering(case, opencv_filter, real=True, off_by=0.5 * (len(case.shape) - 1))}
    return {"opencv": filtering(case, opencv_filter)}


def contenders(ctx: Context) -> list[Contender]:
    rows = []
    for name, case in cases(ctx).items():
        if case.dtype == "bool":
            ways = {f"edt, {n} threads": filtering(case, edt_route(n)) for n in sorted({1, ctx.threads})}
        else:
            ways = opencv_rows(case)
        ways["scipy"] = filtering(case, scipy_filter)
        rows += [Contender(name, way, run=run) for way, run in ways.items()]
        rows.append(Contender(name, "voxmill python", python=filtering(case, voxmill_filter)))
    return rows


# ---------------------------------------------------------------- answers and bars


def check(ctx: Context, case_name: str, answer: Path, report: dict) -> tuple[bool, str]:
    """Equal to scipy; where a peer rounds otherwise (`real`), near scipy's answer for real numbers."""
    case, real = cases(ctx)[case_name], report.get("real", False)

    def compute() -> np.ndarray:
        values = np.load(source(ctx, case))
        found = scipy_filter(ctx, case)(values.astype("f8") if real else values)
        return found.astype("f4") if real else found

    key = f"{case_name.replace(', ', '-').replace(' ', '-')}-{peers.shape_name(case.shape)}{'-real' if real else ''}"
    inner = (slice(report["margin"], -report["margin"]),) * len(case.shape) if report.get("margin") else ...
    found, expected = (np.asarray(x[inner]) for x in (np.load(answer), peers.reference(ctx, key, compute)))
    if "off_by" in report:
        # Half a count for each rounding, and what a float32 takes from the expected value.
        ok, difference = found.shape == expected.shape, np.max(np.abs(found - expected))
        return ok and difference <= report["off_by"] + 0.01, f"differs {difference:.2g} counts, roundings"
    if case.op in (GAUSSIAN, UNIFORM, DISTANCE) and expected.dtype.kind == "f":
        return peers.agree(found, expected, TOLERANCE)
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return False, f"found {found.dtype} {found.shape}, expected {expected.dtype} {expected.shape}"
    differ = np.count_nonzero(found != expected)
    return differ == 0, f"{differ} of {expected.size} values differ" if differ else "all values equal"


def bars(ctx: Context) -> list[harness.Bar]:
    rows = []
    for name, case in cases(ctx).items():
        if case.op == DISTANCE:
            edt = [f"edt, {n} threads" for n in (1, ctx.threads)]
            rows.append(harness.at_most(name, "voxmill python", edt, 1.0, "not slower than the edt package"))
        elif case.op == EROSION:
            edt = [f"edt, {n} threads" for n in (1, ctx.threads)]
            rows.append(harness.times_faster(name, "voxmill python", edt, 5, ">= 5x faster than the way of the edt package"))
        elif opencv_rows(case):
            rows.append(harness.at_most(name, "voxmill python", ["opencv"], 1.0, "not slower than OpenCV"))
        factor = {GAUSSIAN: 4, EROSION: 50, DISTANCE: 4}.get(case.op, 10)
        rows.append(harness.times_faster(name, "voxmill python", ["scipy"], factor, f">= {factor}x faster than scipy"))
    return rows
