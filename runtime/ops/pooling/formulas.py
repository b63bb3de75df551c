"""Helpers of the formulas of pooling, written in ops and Tensor methods so that they differentiate again."""

from collections.abc import Sequence
from math import prod
from typing import Any

from ...namespace import Tensor, op


def gather_in_plane(input: Tensor, indices: Tensor, spatial: int) -> Tensor:
    return input.flatten(-spatial).gather(-1, indices.flatten(-spatial)).reshape(indices._shape)


def plane_size(shape: tuple[int, ...], spatial: int) -> tuple[int, ...]:
    return tuple(shape[-spatial:])


def window_size(kernel_size: Sequence[int]) -> int:
    return prod(kernel_size)


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
