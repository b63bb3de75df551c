"""Points of several dimensions counted in the cells of a grid."""

from collections.abc import Sequence
from math import isfinite, prod
from typing import Any

from ...dispatch import argument_checks
from ...dispatch.kernel_ops.general import ReturnType
from ...errors import UnsupportedDtypeError, type_name
from ...namespace import op
from ...tensor import dtypes
from ...tensor.tensor import TensorBase

NAME = "histogramdd"


def histogramdd(input: Any, bins: Any, range: Any = None, weight: Any = None, density: bool = False) -> Any:
    """The number of points, or the sum of their weights, in each cell of a grid; without gradients.

    Args:
        input: points, their coordinates in the last dimension.
        bins: the number of bins in each dimension, or one number for all, or vectors of edges in increasing order.
        range: the least and the greatest edge of each dimension, one after the other; of the points when left out.
        weight: a weight for each point.
        density: whether to divide by the sum over all cells and by the volume of each.

    Shape:
        Input (*, N) with weight (*). Output: hist of N dimensions, one place for each bin, and N vectors bin_edges; the
        last edge of a dimension belongs to the last bin.

    Returns:
        A named tuple (hist, bin_edges).

    Raises:
        RuntimeError: shapes, dtypes or numbers of bins that do not go together, or a range that is not finite.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]])
        >>> sg.histogramdd(x, bins=[2, 1], range=[0.0, 2.0, 0.0, 2.0]).hist
        tensor([[1.],
                [2.]])
    """
    points = argument_checks.tensor(NAME, "input", input).detach()
    weights = _checked_weights(points, argument_checks.optional_tensor(NAME, "weight", weight))
    edges = _edges(points, bins, argument_checks.optional_floating_list(NAME, "range", range))
    hist = _counted(points.reshape((weights.numel(), len(edges))), edges, weights.reshape(-1))
    if argument_checks.boolean(NAME, "density", density):
        hist = hist / hist.sum()
        for dim, edge in enumerate(edges):
            hist = hist / op.diff(edge).reshape((-1, *(1,) * (len(edges) - dim - 1)))
    return ReturnType(NAME, ("hist", "bin_edges"))(hist, edges)


def _checked_weights(points: Any, weight: Any) -> Any:
    if points.ndim < 2:
        raise RuntimeError(f"{NAME}(): input tensor should have at least 2 dimensions, but got {points.ndim}")
    if points._dtype not in (dtypes.float32, dtypes.float64):
        raise UnsupportedDtypeError(f"{NAME}(): expected float32 or float64, but got {points._dtype}")
    if weight is None:
        return op.ones(points._shape[:-1], dtype=points._dtype, device=points._device)
    if weight._shape != points._shape[:-1] or weight._dtype is not points._dtype:
        raise RuntimeError(
            f"{NAME}(): expected a weight of shape {list(points._shape[:-1])} and {points._dtype}, but got "
            f"{list(weight._shape)} and {weight._dtype}"
        )
    return weight.detach()


def _edges(points: Any, bins: Any, bounds: Sequence[float] | None) -> tuple[Any, ...]:
    count = points._shape[-1]
    if isinstance(bins, (list, tuple)) and bins and isinstance(bins[0], TensorBase) and bins[0].ndim:
        result = argument_checks.tensor_list(NAME, "bins", bins)
        _require_all(result, count)
        for dim, edge in enumerate(result):
            if edge.ndim != 1 or edge._dtype is not points._dtype or edge.numel() < 2:
                raise RuntimeError(
                    f"{NAME}(): expected at least two edges in a vector of {points._dtype} for dimension {dim}, but "
                    f"got shape {list(edge._shape)} and {edge._dtype}"
                )
        return tuple([edge.detach() for edge in result])
    if isinstance(bins, (list, tuple)):
        numbers = argument_checks.integer_list(NAME, "bins", bins)
        _require_all(numbers, count)
    elif isinstance(bins, int) or (isinstance(bins, TensorBase) and not bins._shape):
        numbers = (argument_checks.integer(NAME, "bins", bins),) * count
    else:
        raise TypeError(f"{NAME}(): argument 'bins' must be int, ints or Tensors, not {type_name(bins)}")
    low_and_high = [None] * count if bounds is None else [bounds[i : i + 2] for i in range(0, len(bounds), 2)]
    if bounds is not None and len(bounds) != 2 * count:
        what = f"for a {count}-dimensional histogram range should have {2 * count} elements, but got {len(bounds)}"
        raise RuntimeError(f"{NAME}(): {what}")
    return tuple([_equal_parts(points[..., dim], dim, numbers[dim], low_and_high[dim]) for dim in range(count)])


def _require_all(bins: Sequence[Any], count: int) -> None:
    if len(bins) != count:
        raise RuntimeError(f"{NAME}(): expected {count} bins, the size of the last dimension, but got {len(bins)}")


def _equal_parts(values: Any, dim: int, bins: int, bounds: Sequence[float] | None) -> Any:
    if bins <= 0:
        raise RuntimeError(f"{NAME}(): bins must be > 0, but got {bins} for dimension {dim}")
    low, high = bounds or ((float(values.min()), float(values.max())) if values.numel() else (0.0, 1.0))
    if not (isfinite(low) and isfinite(high)):
        raise RuntimeError(f"{NAME}(): dimension {dim}'s range [{low}, {high}] is not finite")
    if low > high:
        raise RuntimeError(f"{NAME}(): min should not exceed max, but got min {low} max {high} for dimension {dim}")
    widened = (low - 0.5, high + 0.5) if low == high else (low, high)
    return op.linspace(*widened, bins + 1, dtype=values._dtype, device=values._device)


def _counted(points: Any, edges: Sequence[Any], weights: Any) -> Any:
    sizes = [edge.numel() - 1 for edge in edges]
    cells = op.zeros_like(weights, dtype=dtypes.int64)
    for dim, (edge, size) in enumerate(zip(edges, sizes, strict=True)):
        values = points[:, dim].contiguous()
        result = op.searchsorted(edge, values, right=True) - 1
        result = op.where(values == edge[-1], size - 1, result)
        inside = (result >= 0) & (result < size)
        weights = op.where(inside, weights, 0)
        cells = cells * size + op.where(inside, result, 0)
    empty_cells = op.zeros(prod(sizes), dtype=weights._dtype, device=weights._device)
    return empty_cells.index_add(0, cells, weights).reshape(sizes)
