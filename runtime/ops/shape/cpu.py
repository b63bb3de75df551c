"""Copies that rearrange: joining, rolling, and the transposes of views, which write into zeros."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...kernels.cpu.copies import copied
from ...tensor import views

Array = np.ndarray
Ints = tuple[int, ...]


def strided(flat: Array, shape: Ints, strides: Ints, offset: int) -> Array:
    """The array of a layout (counted in elements) over 1-D memory; an empty one needs no memory."""
    if 0 in shape:
        return np.empty(shape, flat.dtype)
    steps = tuple(s * flat.itemsize for s in strides)
    return np.ndarray(shape, flat.dtype, flat, offset * flat.itemsize, steps)


def clone(a: Array) -> Array:
    """A copy."""
    return copied(a)


to_copy = clone  # the caller has cast already


def select_backward(grad: Array, sizes: Ints, dim: int, index: int) -> Array:
    """Zeros with `grad` at place `index` of `dim`."""
    result = np.zeros(sizes, grad.dtype)
    result[(slice(None),) * dim + (index,)] = grad
    return result


def slice_backward(grad: Array, sizes: Ints, dim: int, start: int, end: int, step: int) -> Array:
    """Zeros with `grad` at places start:end:step of `dim`."""
    result = np.zeros(sizes, grad.dtype)
    result[(slice(None),) * dim + (slice(start, end, step),)] = grad
    return result


def diagonal_backward(grad: Array, sizes: Ints, offset: int, dim1: int, dim2: int) -> Array:
    """Zeros with `grad` on a diagonal."""
    result = np.zeros(sizes, grad.dtype)
    steps = tuple(s // result.itemsize for s in result.strides)
    strided(result.reshape(-1), *views.diagonal(sizes, steps, 0, offset, dim1, dim2))[...] = grad
    return result


def restride(a: Array, stride: Ints, offset: int, to_size: Ints, to_stride: Ints, to_offset: int) -> Array:
    """Adds a into zero storage through one layout and reads it through another."""
    low = min(offset, to_offset)
    reach = max(offset + views.span(a.shape, stride), to_offset + views.span(to_size, to_stride)) - low
    places = strided(np.arange(reach), a.shape, stride, offset - low)
    storage = np.zeros(reach, a.dtype)
    np.add.at(storage, places.ravel(), a.ravel())
    return strided(storage, to_size, to_stride, to_offset - low).copy()


def cat(arrays: list[Array], dim: int) -> Array:
    """One after the other along `dim`; arrays of shape (0,) count for nothing."""
    if dim == 0 and arrays[0].ndim == 1 and arrays[0].size:
        return np.concatenate(arrays)
    counted = [a for a in arrays if a.shape != (0,)]
    return np.concatenate(counted or arrays[:1], axis=dim)


def stack(arrays: list[Array], dim: int) -> Array:
    """Side by side along a new `dim`."""
    if dim:
        return np.stack(arrays, axis=dim)
    return np.concatenate(arrays, axis=None).reshape(len(arrays), *arrays[0].shape)


def cut_apart(wanted: Sequence[bool], grad: Array, shapes: Sequence[Ints], dim: int) -> list[Array | None]:
    """The piece along `dim` that came from each array; those of shape (0,) had none."""
    pieces: list[Array | None] = []
    start, before = 0, (slice(None),) * dim
    for yes, shape in zip(wanted, shapes, strict=True):
        length = 0 if shape == (0,) else shape[dim]
        if shape == (0,):
            pieces.append(np.empty(shape, grad.dtype) if yes else None)
        else:
            pieces.append(grad[*before, start : start + length].copy() if yes else None)
        start += length
    return pieces


def unstacked(wanted: Sequence[bool], grad: Array, dim: int) -> list[Array | None]:
    """The slice along `dim` that came from each array."""
    if not dim and grad.flags.c_contiguous:
        return [part.copy() if yes else None for yes, part in zip(wanted, grad, strict=True)]
    pieces = np.moveaxis(grad, dim, 0)
    return [copied(pieces[i, ...]) if yes else None for i, yes in enumerate(wanted)]


def roll(a: Array, shifts: Ints, dims: Ints) -> Array:
    """Elements moved on, cyclically, along `dims` or in the flattened array."""
    return np.roll(a, shifts, dims) if dims else np.roll(a, shifts[0])
