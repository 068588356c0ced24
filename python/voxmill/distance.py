"""Distances between samples, as in `scipy.spatial.distance`: rows are samples, columns are features, both may be chunked."""

from __future__ import annotations

from typing import Any

import numpy as np

from voxmill._core import call
from voxmill._create import asarray

__all__ = ["cdist", "pairwise_distance", "pdist", "squareform"]

METRICS = (
    "euclidean", "sqeuclidean", "cityblock", "minkowski", "chebyshev", "cosine", "correlation", "hamming", "jaccard", "canberra",
    "braycurtis",
)  # fmt: skip
_OTHER_NAMES = {
    "euclid": "euclidean", "eu": "euclidean", "e": "euclidean", "sqeuclid": "sqeuclidean", "sqe": "sqeuclidean", "sqe.": "sqeuclidean",
    "manhattan": "cityblock", "cblock": "cityblock", "cb": "cityblock", "c": "cityblock", "l1": "cityblock", "l2": "euclidean",
    "mi": "minkowski", "m": "minkowski", "pnorm": "minkowski", "chebychev": "chebyshev", "cheby": "chebyshev", "cheb": "chebyshev",
    "ch": "chebyshev", "cos": "cosine", "co": "correlation", "matching": "hamming", "hamm": "hamming", "ha": "hamming", "h": "hamming",
    "jacc": "jaccard", "ja": "jaccard", "j": "jaccard",
}  # fmt: skip


def cdist(XA: Any, XB: Any, metric: str = "euclidean", *, p: float = 2.0) -> Any:  # noqa: N803
    """Compute distances between all rows of two matrices, as `scipy.spatial.distance.cdist` does.

    Sums over features are taken in blocks, so that neither the rows nor the features need to fit in memory.

    Parameters
    ----------
    XA, XB : array_like
        Matrices with the same number of columns. Elements stay what they are: whole numbers of 8 bits are multiplied exactly, without a
        copy in floats.
    metric : str
        ``euclidean``, ``sqeuclidean``, ``cityblock``, ``minkowski``, ``chebyshev``, ``cosine``, ``correlation``, ``hamming``,
        ``jaccard``, ``canberra`` or ``braycurtis``.
    p : float
        The exponent of ``minkowski``; positive, may be infinite.

    Returns
    -------
    Array of float64
        With a row for each row of `XA` and a column for each row of `XB`. float32 elements are compared in single precision and added
        up in double, which is equal to scipy to 5e-6. NaN gives NaN; ``chebyshev`` passes over it, for ``hamming`` and ``jaccard`` it is
        a value like others.

    Examples
    --------
    >>> vm.distance.cdist([[0, 0], [3, 4]], [[0, 0], [0, 4]]).compute()
    array([[0., 4.],
           [5., 3.]])
    """
    return call("cdist", (_matrix(XA), _matrix(XB)), _metric("cdist", metric, p))


def pdist(X: Any, metric: str = "euclidean", *, p: float = 2.0) -> Any:  # noqa: N803
    """Compute distances between the rows of a matrix in condensed form, as `scipy.spatial.distance.pdist` does.

    Parameters
    ----------
    X : array_like
        A matrix.
    metric, p
        As in `cdist`.

    Returns
    -------
    Array of float64
        With one axis: row 0 with 1, 2, ..., then row 1 with 2, 3, ... `squareform` makes a matrix of it.

    Examples
    --------
    >>> vm.distance.pdist([[0, 0], [3, 4], [0, 4]], "cityblock").compute()
    array([7., 4., 3.])
    """
    return call("pdist", (_matrix(X),), _metric("pdist", metric, p))


def pairwise_distance(
    x: Any, metric: str = "euclidean", *, p: float = 2.0, missing: str | None = "negative", split_every: Any = None, device: str = "cpu"
) -> Any:
    """Compute the matrix of distances between the rows of a matrix, as `sgkit.pairwise_distance` does for genotypes.

    Each pair is computed once.

    Parameters
    ----------
    x : array_like
        A matrix: samples by features.
    metric, p
        As in `cdist`.
    missing : {"negative", None}
        By default, negative values and NaN are missing: a feature that is missing in one of both rows is left out of their sums. Sums are
        not scaled up for it; ``hamming``, ``cosine`` and ``correlation`` are those of the features that both have. With None, all
        values count.
    split_every, device
        Have no meaning here.

    Returns
    -------
    Array of float64

    Examples
    --------
    >>> x = vm.asarray([[0, 1, 2], [2, 1, -1], [0, 0, 0]], dtype="int8")
    >>> vm.distance.pairwise_distance(x, "cityblock").compute()
    array([[0., 2., 3.],
           [2., 0., 3.],
           [3., 3., 0.]])
    """
    if missing not in ("negative", None):
        raise ValueError(f"pairwise_distance: missing is 'negative' or None, not {missing!r}")
    if device != "cpu":
        raise ValueError(f"pairwise_distance: distances are computed on the cpu, not on {device!r}")
    params = {**_metric("pairwise_distance", metric, p), "missing": missing is not None}
    return call("pairwise_distance", (_matrix(x),), params)


def squareform(X: Any, force: str = "no", checks: bool = True) -> Any:  # noqa: N803
    """Turn the condensed form of distances into a matrix, or a matrix into the condensed form.

    Parameters
    ----------
    X : array_like
        With one axis of n (n - 1) / 2 elements, or a square matrix of which only what stands above the diagonal is looked at.
    force : {"no", "tomatrix", "tovector"}
        Which of both is wanted; the other one is an error.
    checks
        Has no meaning here: values are not looked at before they are computed.

    Returns
    -------
    Array of float64

    Examples
    --------
    >>> vm.distance.squareform([7.0, 4.0, 3.0]).compute()
    array([[0., 7., 4.],
           [7., 0., 3.],
           [4., 3., 0.]])
    """
    x = asarray(X).astype(np.float64)
    if force.lower() == "tomatrix" and x.ndim != 1:
        raise ValueError("squareform: forcing 'tomatrix' but the input is not a vector of distances")
    if force.lower() == "tovector" and x.ndim != 2:
        raise ValueError("squareform: forcing 'tovector' but the input is not a matrix of distances")
    if x.ndim not in (1, 2):
        raise ValueError(f"squareform: the input has {x.ndim} axes; a vector or a square matrix is needed")
    return call("squareform", (x, x)) if x.ndim == 1 else call("condense", (x,))


def _matrix(x: Any) -> Any:
    return asarray(x)


def _metric(name: str, metric: Any, p: float) -> dict[str, Any]:
    if callable(metric):
        raise TypeError(f"{name}: a function as metric is not supported; use one of {', '.join(METRICS)}")
    known = _OTHER_NAMES.get(str(metric).lower(), str(metric).lower())
    if known not in METRICS:
        raise ValueError(f"{name}: unknown distance metric {metric!r}; there are {', '.join(METRICS)}")
    return {"metric": known, "p": None if p == np.inf else float(p)}
