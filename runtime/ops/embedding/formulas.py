"""Helpers of the composite of bags of embedded rows."""

import contextlib

from ...device.device import CPU
from ...extension_points import extension
from ...namespace import Tensor, op
from ...tensor import dtypes
from ...tensor.grad_mode import no_grad
from .checks import ends_of_bags


def limited_rows(weight: Tensor, indices: Tensor, max_norm: float | None, norm_type: float) -> Tensor:
    if max_norm is None:
        return weight
    with no_grad():
        used = indices.reshape([-1])
        rows = op.embedding(weight, used)
        norms = rows.norm(norm_type, 1, True)
        weight[used] = rows * op.where(norms > max_norm, max_norm / (norms + 1e-7), 1.0)
    return weight


def rows_with_sparse_gradient(weight: Tensor, indices: Tensor, padding: int) -> Tensor:
    return extension("sparse_rows")(weight, indices, padding)


def bags(
    indices: Tensor,
    weight: Tensor,
    offsets: Tensor | None,
    by_freq: bool,
    mode: str,
    sparse: bool,
    factors: Tensor | None,
    last: bool,
    padding: int,
) -> Tensor:
    """The sum, mean or maximum of the rows of each bag but padding; the `last` offset may be the end of all."""
    if offsets is not None:
        if mode != "max" and factors is None and not (sparse or by_freq) and are_here(indices, weight, offsets):
            # wrong indices or offsets are looked at below, where it is said what is wrong
            with contextlib.suppress(IndexError, RuntimeError):
                return op.bag_totals(weight, indices, offsets, mode == "mean", last, padding)
        indices, offsets = ends_of_bags("embedding_bag", indices, offsets, last)
    if mode != "max" and padding < 0 and not (sparse or by_freq) and weight.dtype.itemsize >= 4:
        return _products(indices, weight, offsets, mode, factors)
    if sparse:
        rows = rows_with_sparse_gradient(weight, indices, padding)
    else:
        rows = op.embedding(weight, indices, padding, by_freq)
    if factors is not None:
        rows = rows * factors.unsqueeze(-1)
    if offsets is None and padding < 0 and mode != "max":  # in one op: of 16-bit floats a mean is rounded once
        return rows.sum(1) if mode == "sum" or not rows._shape[1] else rows.mean(1)
    counted = indices != padding
    if offsets is None:
        return _reduced(rows, counted, mode)
    if mode == "max":
        return _reduced(*_padded_bags(rows, counted, offsets), mode)
    bag = _bag_numbers(offsets, indices._shape[0])
    none = rows.new_zeros((offsets._shape[0] - 1, weight._shape[1]))
    total = none.index_add(0, bag, op.where(counted.unsqueeze(1), rows, 0))
    if mode == "sum":
        return total
    count = rows.new_zeros((offsets._shape[0] - 1,)).index_add(0, bag, counted.to(rows.dtype))
    return total / count.clamp(1).unsqueeze(1)


def are_here(indices: Tensor, weight: Tensor, offsets: Tensor) -> bool:
    """Whether there are elements on the host, in a dtype that is computed with, for one loop through all bags."""
    seen = all(t._vmap_level is None for t in (indices, weight, offsets))
    return seen and weight._device is indices._device is offsets._device is CPU and weight.dtype.native


def _products(indices: Tensor, weight: Tensor, offsets: Tensor | None, mode: str, factors: Tensor | None) -> Tensor:
    """Sums or means as a product with a sparse matrix, for which no row is copied."""
    column = indices.reshape((-1,)).to(dtypes.int64)
    if offsets is None:
        bags, size = indices._shape
        bag = op.arange(bags, device=indices.device).unsqueeze(1).expand((bags, size)).reshape((-1,))
        counts = max(size, 1)
    else:
        bags, bag = offsets._shape[0] - 1, _bag_numbers(offsets, column._shape[0])
        counts = offsets.diff().clamp(1).unsqueeze(1).to(weight.dtype)  # type: ignore[assignment]
    numbers = weight.new_ones(column._shape) if factors is None else factors.reshape((-1,))
    try:
        total = op.coordinate_mm(numbers, bag, column, bags, weight)
    except IndexError:
        result = f"got {int(column.min())} to {int(column.max())}"
        raise IndexError(
            f"embedding_bag(): index out of range: expected indices in [0, {weight._shape[0] - 1}], {result}"
        ) from None
    return total if mode == "sum" else total / counts


def _reduced(rows: Tensor, counted: Tensor, mode: str) -> Tensor:
    not_padding = counted.unsqueeze(-1)
    if mode != "max":
        total = op.where(not_padding, rows, 0).sum(1)
        return total if mode == "sum" else total / counted.sum(1).clamp(1).unsqueeze(1).to(rows.dtype)
    if not rows._shape[1]:
        return rows.sum(1)
    largest = op.where(not_padding, rows, float("-inf")).max(1).values
    return op.where(counted.any(1).unsqueeze(1), largest, 0)


def _padded_bags(rows: Tensor, counted: Tensor, offsets: Tensor) -> tuple[Tensor, Tensor]:
    begin, end = offsets[:-1].unsqueeze(1), offsets[1:].unsqueeze(1)
    longest = int((end - begin).max()) if begin._shape[0] else 0
    index = begin + op.arange(longest, device=rows.device)
    inside = index < end
    index = index * inside
    return op.index(rows, [index]), inside & op.index(counted, [index])


def _bag_numbers(offsets: Tensor, count: int) -> Tensor:
    """For each row the number of its bag; the offsets are the first rows of bags, and the last one the end."""
    begin = offsets[1:-1]
    starts = begin.new_zeros((count + 1,)).index_add(0, begin, op.ones_like(begin))
    return starts[:count].cumsum(0)
