"""Arithmetic of sliding windows, shared by the rules and by the kernels of both devices."""

from __future__ import annotations

from collections.abc import Sequence


def conv_size(size: int, kernel: int, stride: int, pads: int, dilation: int) -> int:
    """The number of windows that fit into `size` values with `pads` zeros around them (before and after together)."""
    return (size + pads - dilation * (kernel - 1) - 1) // stride + 1


def pool_size(size: int, kernel: int, stride: int, pad: int, dilation: int, ceil_mode: bool) -> int:
    """Windows of a pooling; with `ceil_mode` the last may hang over the end, but not start beyond it."""
    available = size + 2 * pad - dilation * (kernel - 1) - 1
    if not ceil_mode:
        return available // stride + 1
    windows = -(-available // stride) + 1
    return windows - 1 if (windows - 1) * stride >= size + pad else windows


def side_pads(padding: Sequence[int], dims: int) -> tuple[tuple[int, int], ...]:
    """(before, after) of each dimension, from one number for both sides or from two."""
    if len(padding) == dims:
        return tuple((pad, pad) for pad in padding)
    return tuple(zip(padding[::2], padding[1::2], strict=True))
