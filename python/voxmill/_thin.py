"""Lines in the middle of objects."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from voxmill._core import call
from voxmill._create import asarray
from voxmill._rounds import until_stable

__all__ = ["skeletonize", "thin"]

STEPS = 4
"""Steps of a round: each takes one more element around a tile."""


def thin(image: Any, max_num_iter: int | None = None) -> Any:
    """Thin objects of a plane to lines by the rules of Guo and Hall, as `skimage.morphology.thin` does.

    Every step looks at the neighbours only, so the result is exact for any chunks. Without `max_num_iter` it is computed at the call, in
    rounds over all tiles until nothing changes.

    Parameters
    ----------
    image : array_like
        With 2 axes; everything but zero counts as true.
    max_num_iter : int, optional
        How often at most.

    Returns
    -------
    Array of bool

    Examples
    --------
    >>> vm.morphology.thin(np.ones((3, 7))).compute().astype(int)
    array([[0, 0, 0, 0, 0, 0, 0],
           [0, 1, 1, 1, 1, 1, 0],
           [0, 0, 0, 0, 0, 0, 0]])
    """
    x = _plane("thin", image)
    return _thinned(x, _guo_hall(), max_num_iter or None)


def skeletonize(image: Any, *, method: str | None = None) -> Any:
    """Thin objects to lines one element wide, as `skimage.morphology.skeletonize` does.

    In a plane, by the rules of Zhang and Suen: every step looks at the neighbours only, so the result is exact for any chunks. It is
    computed at the call, in rounds over all tiles until nothing changes. A volume is thinned by the method of Lee, Kashyap and Chu,
    which takes away elements one after the other through the whole volume: that is one task that needs it in memory, with about 20
    bytes per element; a volume that does not fit the memory limit is refused when it is computed.

    Parameters
    ----------
    image : array_like
        With 2 or 3 axes; everything but zero counts as true.
    method : {"zhang", "lee"}, optional
        ``"zhang"`` for planes, ``"lee"`` for volumes by default, which may be used for planes, too.

    Returns
    -------
    Array of bool

    Examples
    --------
    >>> vm.morphology.skeletonize(np.ones((3, 7))).compute().astype(int)[1]
    array([1, 1, 1, 1, 1, 0, 0])
    """
    if method not in (None, "zhang", "lee"):
        raise ValueError(f'skeletonize method should be either "lee" or "zhang", got {method}.')
    x = asarray(image)
    if x.ndim == 3 and method == "zhang":
        raise ValueError('skeletonize method "zhang" only works for 2D images.')
    if x.ndim not in (2, 3):
        raise ValueError(f"skeletonize requires a 2D or 3D image as input, got {x.ndim}D.")
    if x.ndim == 3 or method == "lee":
        return call("skeleton_block", (x != 0,), {"shape": list(x.shape)})
    return _thinned(_plane("skeletonize", x), _zhang_suen(), None)


def _plane(name: str, image: Any) -> Any:
    x = asarray(image)
    if x.ndim != 2:
        raise ValueError(f"{name}: an image with 2 axes is needed, not {x.ndim}")
    return x != 0


def _thinned(x: Any, tables: tuple[str, str], times: int | None) -> Any:
    def step(x: Any) -> Any:
        for goes in tables:
            x = call("thin_once", (x,), {"goes": goes})
        return x

    def steps(x: Any) -> Any:
        for _ in range(STEPS):
            x = step(x)
        return x

    if 0 in x.shape:
        return x
    if times is None:
        return until_stable(steps, x)
    # A step that changes nothing is repeated without changing anything.
    for _ in range(min(times, max(x.shape))):
        x = step(x)
    return x


def _table(goes: Callable[[list[int]], bool]) -> str:
    """Give for each neighbourhood whether the element goes. Bits run around it from the right, against the clock."""
    return "".join("1" if goes([code >> bit & 1 for bit in range(8)]) else "0" for code in range(256))


@cache
def _guo_hall() -> tuple[str, str]:
    def both(n: list[int]) -> bool:
        turns = sum(not n[k] and (n[k + 1] or n[(k + 2) % 8]) for k in (0, 2, 4, 6))
        one = sum(n[k] or n[k - 1] for k in (1, 3, 5, 7))
        other = sum(n[k] or n[(k + 1) % 8] for k in (1, 3, 5, 7))
        return turns == 1 and min(one, other) in (2, 3)

    return (
        _table(lambda n: both(n) and not ((n[1] or n[2] or not n[7]) and n[0])),
        _table(lambda n: both(n) and not ((n[5] or n[6] or not n[3]) and n[4])),
    )


AROUND = ("E", "NE", "N", "NW", "W", "SW", "S", "SE")

# Neighbourhoods that scikit-image decides otherwise than the rules of the paper, in the first step and in the second.
GOES_TOO = (
    ("N E", "NW N E", "E S", "N W", "N NE W", "S W", "NW S W", "N SW W", "N NE SW W"),
    ("N E", "N E SE", "E S", "E S SW", "NE E S SW", "N W", "S W", "SE S W"),
)
STAYS = (
    ("E SE", "SE S", "E SE S", "S SW", "NW W", "SW W", "S SW W"),
    ("NW N", "N NE", "NE E", "N NE E", "SE S", "NW W", "NW N W"),
)


@cache
def _zhang_suen() -> tuple[str, str]:
    def goes(n: list[int], step: int) -> bool:
        present = {name for name, there in zip(AROUND, n) if there}
        if any(set(words.split()) == present for words in GOES_TOO[step] + STAYS[step]):
            return any(set(words.split()) == present for words in GOES_TOO[step])
        turns = sum(not n[k] and n[(k + 1) % 8] for k in range(8))
        opposite = ({"N", "E", "S"}, {"E", "S", "W"}) if step == 0 else ({"N", "E", "W"}, {"N", "S", "W"})
        return turns == 1 and 2 <= len(present) <= 6 and not any(three <= present for three in opposite)

    return _table(lambda n: goes(n, 0)), _table(lambda n: goes(n, 1))
