"""Histograms of points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from . import checks
from .errors import ShapeError, UnsupportedDtypeError
from .tensor import TensorBase, adopt


class HistogramOfPoints(NamedTuple):
    """The counts, and the edges of the bins of each coordinate."""

    hist: Any
    bin_edges: tuple[Any, ...]


def histogramdd(
    input: Any, bins: Any, *, range: Sequence[float] | None = None, weight: Any = None, density: bool = False
) -> HistogramOfPoints:
    """How many points, or their weights, lie in each cell of a grid.

    Args:
        input: points of n coordinates, of shape (..., n).
        bins: a number of equal parts for all coordinates or for each; or a vector of edges for each.
        range: the lowest and the highest number of each coordinate, 2 n numbers; by default those of the points.
        weight: a weight for each point, of shape (...).
        density: divide by the total weight and by the sizes of the cells.

    Returns:
        `hist` of n dimensions, and `bin_edges`, a tuple of n vectors.

    Raises:
        RuntimeError: points without coordinates, integers, or arguments of other lengths.

    Example:
        >>> import specgrad as sg
        >>> sg.histogramdd(sg.tensor([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), bins=[2, 2]).hist
        tensor([[1., 0.],
                [0., 2.]])
    """
    points = checks.tensor("histogramdd", "input", input)
    if points._dtype.kind != "f":
        raise UnsupportedDtypeError(f"histogramdd(): not implemented for {points._dtype}: expected floats")
    if points.ndim < 2:
        raise ShapeError(f"histogramdd(): input tensor should have at least 2 dimensions, got {list(points._shape)}")
    count = points._shape[-1]
    parts = _parts(bins, count)
    weights = None if weight is None else _weights(checks.tensor("histogramdd", "weight", weight), points)
    bounds = None if range is None else _bounds(range, count)
    rows = points.detach().array.reshape(-1, count).astype(np.float64)
    dense = checks.boolean("histogramdd", "density", density)
    try:
        hist, edges = np.histogramdd(rows, parts, bounds, dense, weights)
    except (MemoryError, ValueError) as error:
        raise RuntimeError(f"histogramdd(): {error}") from None
    return HistogramOfPoints(adopt(hist, points._dtype), tuple(adopt(edge, points._dtype) for edge in edges))


def _parts(bins: Any, count: int) -> Any:
    """What NumPy takes: numbers, or vectors of edges."""
    given = bins if isinstance(bins, (list, tuple)) else [bins] * count
    if len(given) != count:
        raise ShapeError(
            f"histogramdd(): the size of bins must be equal to the innermost dimension of the input, {count}, "
            f"but got {len(given)}"
        )
    if all(isinstance(one, TensorBase) for one in given):
        if any(edges.ndim != 1 or len(edges) < 2 for edges in given):
            shapes = [list(edges.shape) for edges in given]
            raise ShapeError(f"histogramdd(): expected vectors of at least two edges as bins, but got shapes {shapes}")
        return [edges.detach().array for edges in given]
    numbers = [checks.integer("histogramdd", "bins", one) for one in given]
    if min(numbers, default=1) < 1:
        raise RuntimeError(f"histogramdd(): expected bins > 0, but got {numbers}")
    return numbers


def _weights(weight: Any, points: Any) -> Any:
    if weight._shape != points._shape[:-1] or weight._dtype is not points._dtype:
        raise ShapeError(
            f"histogramdd(): expected weight of shape {list(points._shape[:-1])} and {points._dtype}, but got "
            f"{list(weight._shape)} and {weight._dtype}"
        )
    return weight.detach().array.reshape(-1)


def _bounds(given: Sequence[float], count: int) -> list[tuple[float, float]]:
    """Pairs of bounds, the lower one first."""
    numbers = [checks.floating("histogramdd", "range", number) for number in given]
    if len(numbers) != 2 * count:
        raise ShapeError(
            f"histogramdd(): for a {count}-dimensional histogram range should have {2 * count} elements, "
            f"but got {len(numbers)}"
        )
    pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
    for low, high in pairs:
        if not low <= high:
            raise RuntimeError(f"histogramdd(): min should not exceed max, but got min {low} max {high}")
    return pairs
