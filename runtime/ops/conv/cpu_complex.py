"""Complex convolution as a real one of twice as many channels: in each group the real parts, then the imaginary ones.

A product (a + ib)(c + id) is the matrix ((c, -d), (d, c)) times (a, b), so a weight becomes four blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Ints = tuple[int, ...]


def complex_convolution(
    real: Callable[..., np.ndarray],
    input: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray | None,
    stride: Ints,
    *rest: Any,
) -> np.ndarray:
    """The complex convolution, by the real one."""
    groups, dims = rest[-1], len(stride)
    output = real(_parts(input, groups, dims), _blocks(weight, groups), None, stride, *rest)
    result = _joined(output, groups, dims)
    return result if bias is None else result + bias.reshape(-1, *(1,) * dims)


def complex_input_grad(
    real: Callable[..., np.ndarray], grad: np.ndarray, weight: np.ndarray, shape: Ints, stride: Ints, *rest: Any
) -> np.ndarray:
    """The gradient of the input: bilinear, so the transposed matrix is that of the conjugate weight."""
    groups, dims = rest[-1], len(stride)
    channel = len(shape) - dims - 1
    doubled = tuple(2 * n if dim == channel else n for dim, n in enumerate(shape))
    blocks = _blocks(weight.conj(), groups)
    return _joined(real(_parts(grad, groups, dims), blocks, doubled, stride, *rest), groups, dims)


def complex_weight_grad(
    real: Callable[..., np.ndarray], grad: np.ndarray, input: np.ndarray, shape: Ints, stride: Ints, *rest: Any
) -> np.ndarray:
    """The gradient of the weight, from the four blocks of the real one's."""
    groups, dims = rest[-1], len(stride)
    outputs, channels, *kernel = shape
    slopes, values = _parts(grad, groups, dims), _parts(input, groups, dims)
    found = real(slopes, values, (2 * outputs, 2 * channels, *kernel), stride, *rest)
    blocks = found.reshape(groups, 2, outputs // groups, 2, channels, *kernel)
    result = np.empty((groups, outputs // groups, channels, *kernel), grad.dtype)
    result.real = blocks[:, 0, :, 0] - blocks[:, 1, :, 1]
    result.imag = blocks[:, 0, :, 1] + blocks[:, 1, :, 0]
    return result.reshape(shape)


def _parts(x: np.ndarray, groups: int, dims: int) -> np.ndarray:
    """Real and imaginary parts as channels."""
    channel = x.ndim - dims - 1
    lead, channels, sizes = x.shape[:channel], x.shape[channel], x.shape[channel + 1 :]
    grouped = x.reshape(*lead, groups, channels // groups, *sizes)
    parts = np.stack([grouped.real, grouped.imag], channel + 1)
    return parts.reshape(*lead, 2 * channels, *sizes)


def _joined(x: np.ndarray, groups: int, dims: int) -> np.ndarray:
    """The inverse of `_parts`."""
    channel = x.ndim - dims - 1
    lead, channels, sizes = x.shape[:channel], x.shape[channel] // 2, x.shape[channel + 1 :]
    parts = x.reshape(*lead, groups, 2, channels // groups, *sizes)
    result = np.take(parts, 0, channel + 1) + 1j * np.take(parts, 1, channel + 1)
    return result.reshape(*lead, channels, *sizes)


def _blocks(weight: np.ndarray, groups: int) -> np.ndarray:
    """The real weight of twice as many channels."""
    outputs, channels, *kernel = weight.shape
    w = weight.reshape(groups, outputs // groups, channels, *kernel)
    rows = [np.stack([w.real, -w.imag], 2), np.stack([w.imag, w.real], 2)]
    return np.stack(rows, 1).reshape(2 * outputs, 2 * channels, *kernel)
