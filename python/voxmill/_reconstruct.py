"""Reconstruction: values that spread below a mask, over all blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from voxmill import config
from voxmill._core import call
from voxmill._rounds import hold, until_stable

MOST = 1 << 21
"""Elements of a block at most."""

BYTES = 80
"""Bytes per element of a block that a reconstruction takes, about."""


def block_lengths(shape: Sequence[int], needed: int) -> list[int]:
    """Give lengths of blocks with sides that are about equal, the last one longest. Several of them, with so many bytes needed per
    element, fit the memory limit; results do not depend on them."""
    most = min(MOST, max(config.limits().memory_limit // (4 * needed), 4096))
    block = [max(n, 1) for n in shape]
    while int(np.prod(block)) > most:
        axis = max(range(len(block)), key=lambda k: (block[k], -k))
        block[axis] = -(-block[axis] // 2)
    return block


def reconstructed(
    seed: Any, mask: Any, footprint: np.ndarray, offset: Sequence[int], *, erosion: bool, block: Sequence[int] | None = None
) -> Any:
    """Give the reconstruction of floats: lazily where the array is one block, else in rounds until nothing changes any more."""
    lengths = block_lengths(seed.shape, BYTES) if block is None else list(block)
    params = {
        "footprint": np.asarray(footprint) != 0,
        "offset": [int(k) for k in offset],
        "erosion": erosion,
        "block": lengths,
        "shape": list(seed.shape),
    }

    def spread(x: Any) -> Any:
        return call("reconstruct_block", (x, mask), params)

    if all(n <= m for n, m in zip(seed.shape, lengths)):
        return spread(seed)
    mask = hold(mask)
    return until_stable(spread, seed)
