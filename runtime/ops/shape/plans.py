"""Plans of copies: contiguous ones of any layout, pieces put together and cut apart, zeros around a piece."""

from __future__ import annotations

from math import prod

from ...kernels.cpu.moves import PART, path
from ...kernels.cpu.places import moved
from ...kernels.cpu.plan import Ints, Layout, Plan, Step, of_any_dtype, single
from ...pool.layout import SLICE
from ...tensor.shapes import contiguous_strides
from . import cpu_loops as loops

MOST = 1 << 16  # elements: larger copies whose rows lie in columns are for kernels that go square by square
MOST_JOINED = 1 << 18  # elements that are joined piece by piece, by one thread
COPIED = 5  # dimensions of what `strided_copy` copies


@of_any_dtype
def clone(x: Layout) -> Plan | None:
    """Loops over five dimensions; where these are not enough, element by element."""
    size = prod(x.shape)
    if x.strides is None and size > MOST:
        return single(loops.flat_copy, 1, x.shape, (), (), (size, SLICE), row=1)
    if x.strides is not None and size > MOST:
        return _along_path(x)
    dims = [(size, 1)] if x.strides is None else merged(x.shape, x.strides)
    if len(dims) > 1 and not size:
        return None
    if len(dims) > COPIED:
        return moved(x, lambda places: places)
    dims = [(1, 0)] * (COPIED - len(dims)) + dims
    return single(loops.strided_copy, 1, x.shape, (), (*[n for n, _ in dims], *[step for _, step in dims]))


def _along_path(x: Layout) -> Plan | None:
    """Loops over three dimensions, whose rows threads share; None where rows of one are columns of the other."""
    found = path(x.shape, contiguous_strides(x.shape), x.strides or ())
    if found is None:
        return None
    rows, ints = found.outer * found.inner * found.parts, (found.inner, found.size, found.parts)
    every, row = (*found.steps.ravel().tolist(), *ints), min(PART, found.size)
    return single(loops.path_copy, 1, x.shape, (), every, (rows, 1), row)


def merged(shape: Ints, strides: Ints) -> list[tuple[int, int]]:
    """(size, step) of the dimensions, neighbours made one where one step goes through both."""
    dims: list[tuple[int, int]] = []
    for size, step in zip(shape, strides, strict=True):
        if dims and dims[-1][1] == step * size:
            dims[-1] = dims[-1][0] * size, step
        elif size != 1:
            dims.append((size, step))
    return dims


def slice_backward(grad: Layout, sizes: Ints, dim: int, start: int, end: int, step: int) -> Plan | None:
    """Zeros around slices."""
    return _embedded(grad, sizes, dim, start, step, grad.shape[dim] if sizes else 1)


def select_backward(grad: Layout, sizes: Ints, dim: int, index: int) -> Plan | None:
    """Zeros around one place."""
    return _embedded(grad, sizes, dim, index, 1, 1)


def _embedded(grad: Layout, sizes: Ints, dim: int, start: int, step: int, count: int) -> Plan | None:
    if grad.strides is not None or prod(sizes) > MOST or start < 0 or dim < 0:
        return None
    before, after = prod(sizes[:dim]), prod(sizes[dim + 1 :])
    return single(loops.slice_in_zeros, 1, tuple(sizes), (), (before, sizes[dim], after, start, step, count))


@of_any_dtype
def cat(tensors: tuple[Layout, ...], dim: int) -> Plan | None:
    """One call for each piece."""
    if any(len(t.shape) != len(tensors[0].shape) for t in tensors):
        return None  # one of shape (0,), which counts for nothing
    shape = list(tensors[0].shape)
    shape[dim] = sum(t.shape[dim] for t in tensors)
    return _joined(tensors, dim, tuple(shape))


@of_any_dtype
def stack(tensors: tuple[Layout, ...], dim: int) -> Plan | None:
    """One call for each piece."""
    own = tensors[0].shape
    return _joined(tensors, dim, (*own[:dim], len(tensors), *own[dim:]))


def _joined(tensors: tuple[Layout, ...], dim: int, shape: Ints) -> Plan | None:
    rows, steps, offset = prod(shape[:dim]), [], 0
    if any(t.strides is not None for t in tensors):
        return None
    if len(tensors) == 2:
        first, second = (prod(t.shape[dim:]) for t in tensors)
        return single(loops.two_joined, 2, shape, (), (first, second), (rows, 1), row=first + second)
    if prod(shape) > MOST_JOINED:
        return None
    for i, t in enumerate(tensors):
        piece = prod(t.shape[dim:])
        steps.append(Step(loops.piece_joined, (i,), ((0, shape),), (), (rows, piece, prod(shape[dim:]), offset)))
        offset += piece
    return tuple(steps)


def cut_apart(wanted: tuple[bool, ...], grad: Layout, shapes: tuple[Ints, ...], dim: int) -> Plan | None:
    """One call for each piece that is wanted."""
    return _pieces(wanted, grad, shapes, dim)


def unstacked(wanted: tuple[bool, ...], grad: Layout, dim: int) -> Plan | None:
    """One call for each piece that is wanted."""
    own = (*grad.shape[:dim], *grad.shape[dim + 1 :])
    return _pieces(wanted, grad, (own,) * len(wanted), dim)


def _pieces(wanted: tuple[bool, ...], grad: Layout, shapes: tuple[Ints, ...], dim: int) -> Plan | None:
    if grad.strides is not None or prod(grad.shape) > MOST or any(s == (0,) for s in shapes) or dim < 0:
        return None
    rows, whole, steps, offset = prod(grad.shape[:dim]), prod(grad.shape[dim:]), [], 0
    for i, (yes, shape) in enumerate(zip(wanted, shapes, strict=True)):
        piece = prod(shape[dim:])
        if yes:
            steps.append(Step(loops.piece_split, (1,), ((i, shape),), (), (rows, piece, whole, offset)))
        offset += piece
    return tuple(steps) or None
