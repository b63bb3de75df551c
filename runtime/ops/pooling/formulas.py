"""Helpers of the formulas of pooling, written in ops and Tensor methods so that they differentiate again."""

from collections.abc import Sequence
from math import inf, prod
from typing import Any

from ...namespace import Tensor, op
from ...shapes import pool_size
from ...tensor.dtypes import iinfo
from .checks import EmptyWindowError

Ints = int | Sequence[int]


def gather_in_plane(input: Tensor, indices: Tensor, spatial: int) -> Tensor:
    return input.flatten(-spatial).gather(-1, indices.flatten(-spatial)).reshape(indices._shape)


def plane_size(shape: tuple[int, ...], spatial: int) -> tuple[int, ...]:
    return tuple(shape[-spatial:])


def window_size(kernel_size: Sequence[int]) -> int:
    return prod(kernel_size)


def windows_max(
    input: Tensor, kernel_size: Ints, stride: Ints | None, padding: Ints, dilation: Ints, ceil_mode: bool, spatial: int
) -> tuple[Tensor, Tensor]:
    """Largest values and their indices; a window in the padding alone has maximum -inf and no gradient."""
    try:
        return op.max_pool_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode, spatial)
    except EmptyWindowError:
        return _padded_windows_max(input, kernel_size, stride, padding, dilation, ceil_mode, spatial)


def _padded_windows_max(
    input: Tensor, kernel_size: Ints, stride: Ints | None, padding: Ints, dilation: Ints, ceil_mode: bool, spatial: int
) -> tuple[Tensor, Tensor]:
    kernel, pads, dilations = (_for_each(value, spatial) for value in (kernel_size, padding, dilation))
    steps = _for_each(stride, spatial) if stride else kernel
    sizes = input.shape[-spatial:]
    lowest = iinfo(input.dtype).min if input.dtype.kind == "i" else -inf
    both_sides = [pad for pad in reversed(pads) for _ in range(2)]
    padded = op.constant_pad_nd(input, both_sides, lowest)
    values, indices = op.max_pool_with_indices(padded, kernel, steps, 0, dilations, ceil_mode, spatial)
    for dim, window in enumerate(zip(sizes, kernel, steps, pads, dilations, strict=True), -spatial):
        count = pool_size(*window, ceil_mode)  # in ceil mode one more window fits beside so much padding
        values, indices = values.narrow(dim, 0, count), indices.narrow(dim, 0, count)
    return values, _in_plane(indices, sizes, pads)


def _in_plane(indices: Tensor, sizes: Sequence[int], pads: Sequence[int]) -> Tensor:
    """Indices into a plane, of those into the padded one; what lies in the padding becomes the next element."""
    result, factor = indices * 0, 1
    for size, pad in zip(reversed(sizes), reversed(pads), strict=True):
        result = result + (indices % (size + 2 * pad) - pad).clamp(0, size - 1) * factor
        indices, factor = indices // (size + 2 * pad), factor * size
    return result


def _for_each(value: Any, spatial: int) -> tuple[int, ...]:
    values = tuple(value) if isinstance(value, Sequence) else (value,)
    return values * spatial if len(values) == 1 else values


def fractional_maxima(
    x: Tensor, kernel_size: Sequence[int], output_size: Sequence[int], samples: Tensor
) -> tuple[Tensor, Tensor]:
    spatial = len(kernel_size)
    planes = x._shape[-spatial:]
    columns = range(spatial - 1, -1, -1) if spatial == 2 else range(spatial)  # images have their width's number first
    positions: Any = 0
    for dim, column in enumerate(columns):
        within = _window_indices(samples.select(2, column), planes[dim], kernel_size[dim], output_size[dim])
        windows, elements = within._shape[2:]
        unfolded = [*[1] * dim, windows, *[1] * (spatial - 1), elements, *[1] * (spatial - 1 - dim)]
        positions = positions * planes[dim] + within.reshape([*within._shape[:2], *unfolded])
    windows = positions.flatten(2 + spatial)
    rows = x.flatten(-spatial)
    rows = rows if x.ndim == spatial + 2 else rows.unsqueeze(0)
    values = rows.gather(2, windows.flatten(2)).reshape(windows._shape)
    largest = values.max(-1)
    indices = windows.gather(-1, largest.indices.unsqueeze(-1)).squeeze(-1)
    if x.ndim == spatial + 2:
        return largest.values, indices
    return largest.values.squeeze(0), indices.squeeze(0)


def _window_indices(samples: Tensor, size: int, kernel: int, windows: int) -> Tensor:
    """Window i begins at floor(a (i + u)) - floor(a u), a = (size - kernel) / (windows - 1); the last is at the end."""
    last = size - kernel
    begins = op.arange(windows, device=samples.device)
    if windows > 1:
        step = last / (windows - 1)
        u = samples.detach().unsqueeze(-1)
        begins = ((begins + u) * step).floor() - (u * step).floor()
        begins = op.where(op.arange(windows, device=samples.device) == windows - 1, last, begins).long()
    else:
        begins = (begins + last).expand((*samples._shape, 1))
    return begins.unsqueeze(-1) + op.arange(kernel, device=samples.device)
