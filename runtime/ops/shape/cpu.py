"""Copies that rearrange; the transposes of views write the gradient into zeros."""

from collections.abc import Callable, Sequence
from itertools import accumulate
from math import prod
from typing import Any

import numpy as np

from ...kernels.cpu.contiguous_copy import AS_FLOATS, contiguous, copied
from ...kernels.cpu.plan import Array, Ints, Plan, run_if_planned
from ...tensor import view_shapes
from ...tensor.meta import MetaArray
from . import plans


def strided(flat: Array, shape: Ints, strides: Ints, offset: int) -> Array:
    """The array of a layout (counted in elements) over 1-D memory; an empty one needs no memory."""
    if 0 in shape:
        return np.empty(shape, flat.dtype)
    steps = tuple(s * flat.itemsize for s in strides)
    return np.ndarray(shape, flat.dtype, flat, offset * flat.itemsize, steps)


def clone(a: Array) -> Array:
    return copied(a)


to_copy = clone  # the caller has cast already


def run_moving(find: Callable[..., Plan | None], a: Array, *arguments: Any) -> Array | None:
    """A plan's result, None without one; any bits pass as floats of their size, for elements only move."""
    moved = AS_FLOATS.get(a.itemsize)
    if moved is None or min(a.strides, default=0) < 0:
        return None
    results = run_if_planned(find, a.view(moved), *arguments)
    return None if results is None else results[0].view(a.dtype)


def select_backward(grad: Array, sizes: Ints, dim: int, index: int) -> Array:
    result = np.zeros(sizes, grad.dtype)
    result[(slice(None),) * dim + (index,)] = grad
    return result


def slice_backward(grad: Array, sizes: Ints, dim: int, start: int, end: int, step: int) -> Array:
    result = np.zeros(sizes, grad.dtype)
    result[(slice(None),) * dim + (slice(start, end, step),)] = grad
    return result


def diagonal_backward(grad: Array, sizes: Ints, offset: int, dim1: int, dim2: int) -> Array:
    result = np.zeros(sizes, grad.dtype)
    steps = tuple(s // result.itemsize for s in result.strides)
    strided(result.reshape(-1), *view_shapes.diagonal(sizes, steps, 0, offset, dim1, dim2))[...] = grad
    return result


def restride(a: Array, stride: Ints, offset: int, to_size: Ints, to_stride: Ints, to_offset: int) -> Array:
    """Adds a into zero storage through one layout and reads it through another."""
    low = min(offset, to_offset)
    ends = offset + view_shapes.span(a.shape, stride), to_offset + view_shapes.span(to_size, to_stride)
    read_extent = max(ends) - low
    indices = strided(np.arange(read_extent), a.shape, stride, offset - low)
    storage = np.zeros(read_extent, a.dtype)
    np.add.at(storage, indices.ravel(), a.ravel())
    return strided(storage, to_size, to_stride, to_offset - low).copy()


def cat(arrays: list[Array], dim: int) -> Array:
    if dim == 0 and arrays[0].ndim == 1 and arrays[0].size:
        return np.concatenate(arrays)
    counted = [contiguous(a) for a in arrays if a.shape != (0,)]  # NumPy's result lies as its operands do
    return np.concatenate(counted or arrays[:1], axis=dim)


def stack(arrays: list[Array], dim: int) -> Array:
    if dim:
        return np.stack(arrays, axis=dim)
    shape = arrays[0].shape
    return np.concatenate(arrays, axis=0 if shape else None).reshape(len(arrays), *shape)


def split_grad(output_mask: Sequence[bool], grad: Array, shapes: Sequence[Ints], dim: int) -> list[Array | None]:
    lengths = [0 if shape == (0,) else shape[dim] for shape in shapes]
    before, starts = (slice(None),) * dim, accumulate(lengths, initial=0)
    slices = (grad[*before, i : i + n] for i, n in zip(starts, lengths, strict=False))
    return [x.reshape(s).copy() if yes else None for yes, x, s in zip(output_mask, slices, shapes, strict=True)]


def unstacked(output_mask: Sequence[bool], grad: Array, dim: int) -> list[Array | None]:
    if not dim and grad.flags.c_contiguous:
        return [part.copy() if yes else None for yes, part in zip(output_mask, grad, strict=True)]
    pieces = np.moveaxis(grad, dim, 0)
    return [copied(pieces[i, ...]) if yes else None for i, yes in enumerate(output_mask)]


def roll(a: Array, shifts: Ints, dims: Ints) -> Array:
    if (result := run_moving(plans.roll, a, shifts, dims)) is not None:
        return result
    return np.roll(a, shifts, dims) if dims else np.roll(a, shifts[0])


def triu(a: Array, diagonal: int) -> Array:
    result = run_moving(plans.triu, a, diagonal)
    return np.triu(a, diagonal) if result is None else result


def tril(a: Array, diagonal: int) -> Array:
    result = run_moving(plans.tril, a, diagonal)
    return np.tril(a, diagonal) if result is None else result


def constant_pad_nd(a: Array, pad: Ints, value: int | float | complex) -> Array:
    number = 0.0 if not value else float(value) if a.dtype.kind == "f" and not isinstance(value, complex) else None
    match = None if number is None else run_moving(plans.constant_pad_nd, a, pad, number)
    if match is not None:
        return match
    pairs = [(0, 0)] * (a.ndim - len(pad) // 2) + list(zip(pad[-2::-2], pad[::-2], strict=True))
    sizes = [n + left + right for n, (left, right) in zip(a.shape, pairs, strict=True)]
    result = np.empty(sizes, a.dtype)
    inside = result
    for dim, (left, right) in enumerate(pairs):  # the borders of one dimension after the other, and what is inside
        before = (slice(None),) * dim
        for border in (slice(0, max(left, 0)), slice(inside.shape[dim] - max(right, 0), None)):
            inside[*before, border] = value
        inside = inside[*before, max(left, 0) : inside.shape[dim] - max(right, 0)]
    inner_part = (slice(max(-left, 0), n - max(-right, 0)) for n, (left, right) in zip(a.shape, pairs, strict=True))
    inside[...] = a[tuple(inner_part)]
    return result


def flip(a: Array, dims: Ints) -> Array:
    if (result := run_moving(plans.flip, a, dims)) is not None:
        return result
    return np.flip(a, dims if a.ndim else ()).copy()


def im2col(a: Array, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Array:
    """(N, C, H, W) to (N, C kh kw, windows), the windows row by row."""
    down, across = padding
    edges = [(0, 0)] * (a.ndim - 2) + [(down, down), (across, across)]
    wide = np.pad(a, edges) if down or across else a
    windows = _windows(wide, kernel_size, dilation, stride)
    rows, columns = windows.shape[-2:]
    return windows.copy().reshape(*a.shape[:-3], a.shape[-3] * prod(kernel_size), rows * columns)


def col2im(columns: Array, output_size: Ints, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Array:
    (height, width), (down, across) = output_size, padding
    channels = columns.shape[-2] // prod(kernel_size)
    wide = np.zeros((*columns.shape[:-2], channels, height + 2 * down, width + 2 * across), columns.dtype)
    windows = _windows(wide, kernel_size, dilation, stride)
    parts = columns.reshape(windows.shape)
    for i, j in np.ndindex(kernel_size):
        windows[..., i, j, :, :] += parts[..., i, j, :, :]
    return np.ascontiguousarray(wide[..., down : down + height, across : across + width])


def _windows(a: Array, kernel_size: Ints, dilation: Ints, stride: Ints) -> Array:
    """A view (..., C, kh, kw, rows, columns) of (..., C, H, W)."""
    read_extent = [(k - 1) * d + 1 for k, d in zip(kernel_size, dilation, strict=True)]
    counts = [(n - r) // s + 1 for n, r, s in zip(a.shape[-2:], read_extent, stride, strict=True)]
    inner = [step * d for step, d in zip(a.strides[-2:], dilation, strict=True)]
    outer = [step * s for step, s in zip(a.strides[-2:], stride, strict=True)]
    shape, strides = (*a.shape[:-2], *kernel_size, *counts), (*a.strides[:-2], *inner, *outer)
    return np.lib.stride_tricks.as_strided(a, shape, strides)


def unfold_backward(grad: Array, sizes: Ints, dim: int, length: int, step: int) -> Array:
    """Zeros to which the windows are added: one by one, or one offset of all windows at a time if less work."""
    result = np.zeros(sizes or (1,), grad.dtype)
    along = np.moveaxis(result, dim, -1)
    windows = np.moveaxis(grad if sizes else grad.reshape(1, length), dim, -1)  # (..., length, count)
    count: int = windows.shape[-1]
    if count < length:
        for i in range(count):
            along[..., i * step : i * step + length] += windows[..., i]
    else:
        for offset in range(length):
            along[..., offset : offset + step * count : step] += windows[..., offset, :]
    return result.reshape(sizes)


def repeated_indices(repeats: Array, output_size: int | None) -> Array:
    if repeats.size and repeats.min() < 0:
        raise RuntimeError(f"repeat_interleave(): repeats can not be negative, got {repeats.min()}")
    total = int(repeats.sum())
    if output_size not in (None, total):
        raise RuntimeError(f"repeat_interleave(): allocated size {output_size} does not match required size {total}")
    return np.repeat(np.arange(repeats.size), repeats)


def to_device(array: np.ndarray, device: Any, non_blocking: bool) -> Any:
    """A copy on a device; from pinned memory, `non_blocking` does not wait for it."""
    if device.type == "cpu":
        return copied(array)
    if device.type == "meta":
        return MetaArray(array.shape, array.dtype)
    from ...kernels.cuda_launch.arrays import from_host  # loaded with the first device

    return from_host(array, device, non_blocking)
