"""Plans of copies, of pieces put together and cut apart, and of turning, mirroring or padding each dimension."""

from math import prod

import numpy as np

from ...device.threads.job import SLICE
from ...kernels.cpu.contiguous_copy import along_path, by_squares, merged
from ...kernels.cpu.index_map_plans import SHORT, assembled, bordered, full_run, length, lines, mirrored, rolled_run
from ...kernels.cpu.move_plans import moved
from ...kernels.cpu.plan import Ints, Layout, Plan, Step, of_any_dtype, of_any_layout, of_exact_number, single
from ...shapes import contiguous_strides
from . import cpu_loops as loops

MAX_COPIED_ELEMENTS = 1 << 16  # larger copies whose rows lie in columns are for kernels that go square by square
MAX_CONCATENATED = 1 << 18  # elements that are joined piece by piece, by one thread; 16-bit floats always are
COPIED = 5  # dimensions of what `strided_copy` copies
LOOPS = 3  # of what `path_copy` copies
MADE = {2: loops.pairs_made, 3: loops.triples_made, 4: loops.quadruples_made}  # of operands of one element a row
PARTED = {2: loops.pairs_parted, 3: loops.triples_parted, 4: loops.quadruples_parted}


@of_any_dtype
def clone(x: Layout) -> Plan | None:
    """Several rows at once where they are short or dimensions many; by squares where rows are columns in memory."""
    size = prod(x.shape)
    if x.strides is None and size > MAX_COPIED_ELEMENTS:
        return single(loops.flat_copy, 1, x.shape, (), (), (size, SLICE), row=1)
    dims = [(size, 1)] if x.strides is None else merged(x.shape, x.strides)
    if len(dims) > 1 and not size:
        return None
    if not x.halves and (transposed_plan := by_squares(x.shape, dims)) is not None:
        return (transposed_plan,)
    is_long = len(dims) > (LOOPS if size > MAX_COPIED_ELEMENTS else COPIED)
    if is_long or (len(dims) > 1 and dims[-1][0] < SHORT):
        result = assembled(x.shape, [full_run(*dim) for dim in dims])
        if result is not None or is_long:
            return moved(x, lambda indices: indices) if result is None else result
    if size > MAX_COPIED_ELEMENTS:
        along = along_path(x)
        return None if along is None else (along,)
    dims = [(1, 0)] * (COPIED - len(dims)) + dims
    return single(loops.strided_copy, 1, x.shape, (), (*[n for n, _ in dims], *[step for _, step in dims]))


@of_any_layout
def slice_backward(grad: Layout, sizes: Ints, dim: int, start: int, end: int, step: int) -> Plan | None:
    if step != 1 and grad.strides is None and prod(sizes) <= MAX_COPIED_ELEMENTS and start >= 0 and dim >= 0:
        before, after, count = prod(sizes[:dim]), prod(sizes[dim + 1 :]), grad.shape[dim] if sizes else 1
        return single(loops.slice_in_zeros, 1, tuple(sizes), (), (before, sizes[dim], after, start, step, count))
    return _embedded(grad, lines(grad), sizes, dim, start) if step == 1 else None


@of_any_layout
def select_backward(grad: Layout, sizes: Ints, dim: int, index: int) -> Plan | None:
    own = lines(grad)
    return _embedded(grad, [*own[:dim], (1, 0), *own[dim:]], sizes, dim, index)


def _embedded(grad: Layout, own: list[tuple[int, int]], sizes: Ints, dim: int, start: int) -> Plan | None:
    if start < 0 or dim < 0 or not sizes:
        return None
    inside = bordered(*own[dim], start, sizes[dim] - start - own[dim][0])
    return assembled(tuple(sizes), [inside if d == dim else full_run(*line) for d, line in enumerate(own)])


@of_any_dtype
def cat(tensors: tuple[Layout, ...], dim: int) -> Plan | None:
    if any(len(t.shape) != len(tensors[0].shape) for t in tensors):
        return None  # one of shape (0,), which counts for nothing
    shape = list(tensors[0].shape)
    shape[dim] = sum(t.shape[dim] for t in tensors)
    return _concatenated(tensors, dim, tuple(shape))


@of_any_dtype
def stack(tensors: tuple[Layout, ...], dim: int) -> Plan | None:
    own = tensors[0].shape
    return _concatenated(tensors, dim, (*own[:dim], len(tensors), *own[dim:]))


def _concatenated(tensors: tuple[Layout, ...], dim: int, shape: Ints) -> Plan | None:
    rows, steps, offset = prod(shape[:dim]), [], 0
    if any(t.strides is not None for t in tensors):
        return _concatenated_in_layout(tensors, dim, shape)
    if len(tensors) in MADE and all(prod(t.shape[dim:]) == 1 for t in tensors):
        return single(MADE[len(tensors)], len(tensors), shape, (), (), (rows, SLICE), row=len(tensors))
    if len(tensors) == 2:
        first, second = (prod(t.shape[dim:]) for t in tensors)
        return single(loops.cat_pair, 2, shape, (), (first, second), (rows, 1), row=first + second)
    if prod(shape) > MAX_CONCATENATED and not tensors[0].halves:
        return _concatenated_in_layout(tensors, dim, shape)
    for i, t in enumerate(tensors):
        piece = prod(t.shape[dim:])
        steps.append(Step(loops.cat_piece, (i,), ((0, shape),), (), (rows, piece, prod(shape[dim:]), offset)))
        offset += piece
    return tuple(steps)


def _concatenated_in_layout(tensors: tuple[Layout, ...], dim: int, shape: Ints) -> Plan | None:
    """A walk through each piece, of which threads share the rows; None where rows of one are columns of the result."""
    every, steps, offset = contiguous_strides(shape), list[Step](), 0
    for i, t in enumerate(tensors):
        concatenated = len(t.shape) == len(shape)  # else they are stacked
        result = along_path(t, shape, every if concatenated else (*every[:dim], *every[dim + 1 :]), offset)
        if result is None:
            return None
        if prod(t.shape):  # paths leave out dimensions of no elements as well
            steps.append(result._replace(operands=(i,)))
        offset += every[dim] * (t.shape[dim] if concatenated else 1)
    return tuple(steps) or None


@of_any_layout
def split_grad(output_mask: tuple[bool, ...], grad: Layout, shapes: tuple[Ints, ...], dim: int) -> Plan | None:
    return _pieces(output_mask, grad, shapes, dim)


@of_any_layout
def unstacked(output_mask: tuple[bool, ...], grad: Layout, dim: int) -> Plan | None:
    own = (*grad.shape[:dim], *grad.shape[dim + 1 :])
    return _pieces(output_mask, grad, (own,) * len(output_mask), dim)


def _pieces(output_mask: tuple[bool, ...], grad: Layout, shapes: tuple[Ints, ...], dim: int) -> Plan | None:
    """Pieces of the shapes, or without the dimension that they are one of."""
    own, start, steps = lines(grad), 0, list[Step]()
    if dim < 0 or any(0 in shape for shape in shapes):
        return None
    count, are_numbers = len(output_mask), all(prod(shape[dim:]) == 1 for shape in shapes)
    if count in PARTED and all(output_mask) and are_numbers and not grad.strides:
        return (Step(PARTED[count], (1,), (*enumerate(shapes),), rows=(prod(shapes[0]), SLICE), row=count),)
    for i, (yes, shape) in enumerate(zip(output_mask, shapes, strict=True)):
        size = shape[dim] if len(shape) == len(own) else 1
        piece = bordered(*own[dim], -start, start + size - own[dim][0])
        result = assembled(shape, [piece if d == dim else full_run(*line) for d, line in enumerate(own)]) if yes else ()
        if result is None:
            return None
        steps += [step._replace(operands=(1,), results=((i, shape),)) for step in result]
        start += size
    return tuple(steps) or None


@of_any_layout
@of_any_dtype
def roll(x: Layout, shifts: Ints, dims: Ints) -> Plan | None:
    if not dims:
        return assembled(x.shape, [rolled_run(prod(x.shape), 1, shifts[0])]) if x.strides is None else None
    shift = [0] * len(x.shape)
    for s, dim in zip(shifts, dims, strict=True):
        shift[dim] += s
    return assembled(x.shape, [rolled_run(*line, s) for line, s in zip(lines(x), shift, strict=True)])


@of_any_layout
@of_any_dtype
def flip(x: Layout, dims: Ints) -> Plan | None:
    back = {dim % len(x.shape) for dim in dims} if x.shape else set()
    return assembled(x.shape, [(mirrored if d in back else full_run)(*line) for d, line in enumerate(lines(x))])


@of_exact_number
@of_any_layout
def constant_pad_nd(x: Layout, pad: Ints, value: float) -> Plan | None:
    pairs = [(0, 0)] * (len(x.shape) - len(pad) // 2) + list(zip(pad[-2::-2], pad[::-2], strict=True))
    dims = [bordered(*line, *pair) for line, pair in zip(lines(x), pairs, strict=True)]
    return assembled(tuple(map(length, dims)), dims, value)


@of_any_dtype
def triu(x: Layout, diagonal: int) -> Plan | None:
    return moved(x, lambda a: np.triu(a, diagonal)) or _triangle(x, diagonal, True)


@of_any_dtype
def tril(x: Layout, diagonal: int) -> Plan | None:
    return moved(x, lambda a: np.tril(a, diagonal)) or _triangle(x, diagonal + 1, False)


def _triangle(x: Layout, diagonal: int, upper: bool) -> Plan | None:
    if x.strides is not None or not prod(x.shape):
        return None
    height, width = x.shape[-2:]
    ints = height, width, max(-height, min(diagonal, width)), int(upper)
    return single(loops.triangle, 1, x.shape, (), ints, (prod(x.shape[:-1]), 1), row=width)
