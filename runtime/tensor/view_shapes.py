"""Views as arithmetic on metadata: (shape, strides, offset, *args) -> (shape, strides, offset), in elements.

Arguments are checked: dimensions are not negative, slices are clamped, sizes complete. Views that read the bytes as
another dtype are also given the bytes of an element `before` and `after`."""

from collections.abc import Sequence
from math import prod

from ..shapes import is_contiguous

Ints = Sequence[int]
Layout = tuple[tuple[int, ...], tuple[int, ...], int]
Rows = tuple[tuple[int, ...], None, int]  # without strides: the elements lie in row order


def view(shape: Ints, strides: Ints, offset: int, size: Ints) -> Layout | Rows | None:
    """The layout under which the same elements have shape `size`; None when only a copy can have it."""
    if is_contiguous(shape, strides):
        return tuple(size), None, offset
    result = _view_strides(shape, strides, size)
    return None if result is None else (tuple(size), result, offset)


def _view_strides(shape: Ints, strides: Ints, size: Ints) -> tuple[int, ...] | None:
    """Fills each run of dimensions that lie evenly in memory with new ones that multiply to its size."""
    result: list[int] = []
    remaining = list(size)
    for count, step in reversed(_even_runs(shape, strides)):
        filled = 1
        while remaining and (filled < count or remaining[-1] == 1):
            result.append(step * filled)
            filled *= remaining.pop()
        if filled != count:
            return None
    return tuple(reversed(result))


def _even_runs(shape: Ints, strides: Ints) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for count, step in zip(shape, strides, strict=True):
        if count == 1:
            continue
        if runs and runs[-1][1] == count * step:
            runs[-1] = (runs[-1][0] * count, step)
        else:
            runs.append((count, step))
    return runs or [(1, 1)]


def view_as_real(shape: Ints, strides: Ints, offset: int, before: int, after: int) -> Layout:
    parts = before // after
    return (*shape, parts), (*(step * parts for step in strides), 1), offset * parts


def view_as_complex(shape: Ints, strides: Ints, offset: int, before: int, after: int) -> Layout:
    parts = after // before
    return tuple(shape[:-1]), tuple(step // parts for step in strides[:-1]), offset // parts


def view_dtype(shape: Ints, strides: Ints, offset: int, before: int, after: int) -> Layout:
    """The last dimension longer or shorter by as much as elements are smaller or larger."""
    if before == after:
        return tuple(shape), tuple(strides), offset
    sizes = (*shape[:-1], shape[-1] * before // after)
    return sizes, (*(step * before // after for step in strides[:-1]), 1), offset * before // after


def as_strided(shape: Ints, strides: Ints, offset: int, size: Ints, stride: Ints, storage_offset: int) -> Layout:
    return tuple(size), tuple(stride), storage_offset


def transpose(shape: Ints, strides: Ints, offset: int, dim0: int, dim1: int) -> Layout:
    order = list(range(len(shape)))
    if order:
        order[dim0], order[dim1] = order[dim1], order[dim0]
    return permute(shape, strides, offset, order)


def t(shape: Ints, strides: Ints, offset: int) -> Layout:
    return tuple(shape[::-1]), tuple(strides[::-1]), offset


def permute(shape: Ints, strides: Ints, offset: int, dims: Ints) -> Layout:
    return tuple(shape[d] for d in dims), tuple(strides[d] for d in dims), offset


def squeeze(shape: Ints, strides: Ints, offset: int, dim: Ints | None = None) -> Layout:
    keep = [d for d, n in enumerate(shape) if n != 1 or (dim is not None and d not in dim)]
    return permute(shape, strides, offset, keep)


def unsqueeze(shape: Ints, strides: Ints, offset: int, dim: int) -> Layout:
    step = shape[dim] * strides[dim] if dim < len(shape) else 1
    return (*shape[:dim], 1, *shape[dim:]), (*strides[:dim], step, *strides[dim:]), offset


def alias(shape: Ints, strides: Ints, offset: int) -> Layout:
    return tuple(shape), tuple(strides), offset


def expand(shape: Ints, strides: Ints, offset: int, size: Ints) -> Layout:
    """Stride 0 where a dimension grows from size 1; a new one of size 1 goes on as if it had been there."""
    new = len(size) - len(shape)
    steps = [s if n == m else 0 for s, n, m in zip(strides, shape, size[new:], strict=True)]
    for d in reversed(range(new)):
        steps.insert(0, size[d + 1] * steps[0] if steps and size[d] == 1 else 0)
    return tuple(size), tuple(steps), offset


def select(shape: Ints, strides: Ints, offset: int, dim: int, index: int) -> Layout:
    rest = (*shape[:dim], *shape[dim + 1 :]), (*strides[:dim], *strides[dim + 1 :])
    return *rest, offset + index * strides[dim]


def slice(shape: Ints, strides: Ints, offset: int, dim: int, start: int, end: int, step: int) -> Layout:
    length = max(0, (end - start + step - 1) // step)
    sizes = (*shape[:dim], length, *shape[dim + 1 :])
    return sizes, (*strides[:dim], strides[dim] * step, *strides[dim + 1 :]), offset + start * strides[dim]


def narrow(shape: Ints, strides: Ints, offset: int, dim: int, start: int, length: int) -> Layout:
    return slice(shape, strides, offset, dim, start, start + length, 1)


def unbind(shape: Ints, strides: Ints, offset: int, dim: int) -> tuple[Layout, ...]:
    return tuple(select(shape, strides, offset, dim, index) for index in range(shape[dim]))


def split(shape: Ints, strides: Ints, offset: int, size: int, dim: int) -> tuple[Layout, ...]:
    """Pieces of `size` along `dim`, one even of nothing; the last may be smaller."""
    total = shape[dim]
    starts = range(0, max(total, 1), max(size, 1))
    return tuple(narrow(shape, strides, offset, dim, start, min(size, total - start)) for start in starts)


def split_with_sizes(shape: Ints, strides: Ints, offset: int, sizes: Ints, dim: int) -> tuple[Layout, ...]:
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    return tuple(narrow(shape, strides, offset, dim, s, n) for s, n in zip(starts, sizes, strict=True))


def diagonal(shape: Ints, strides: Ints, offset: int, diagonal_offset: int, dim1: int, dim2: int) -> Layout:
    """Dimensions dim1 and dim2 replaced by one last dimension that steps along both."""
    down, right = max(0, -diagonal_offset), max(0, diagonal_offset)
    length = max(0, min(shape[dim1] - down, shape[dim2] - right))
    rest = [d for d in range(len(shape)) if d not in (dim1, dim2)]
    start = down * strides[dim1] + right * strides[dim2] if length else 0
    sizes, steps, _ = permute(shape, strides, offset, rest)
    return (*sizes, length), (*steps, strides[dim1] + strides[dim2]), offset + start


def unfold(shape: Ints, strides: Ints, offset: int, dim: int, size: int, step: int) -> Layout:
    """Windows of `size` places, `step` apart, along `dim`; the places of a window are the last dimension."""
    if not shape:
        return (size,), (1,), offset
    count = (shape[dim] - size) // step + 1
    steps = (*strides[:dim], step * strides[dim], *strides[dim + 1 :], strides[dim])
    return (*shape[:dim], count, *shape[dim + 1 :], size), steps, offset


def span(size: Ints, stride: Ints) -> int:
    """The number of storage elements that a layout spans, from its offset on; 0 when it is empty."""
    return 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True)) if prod(size) else 0


def may_overlap(size: Ints, stride: Ints) -> bool:
    """Whether elements of a layout may share places: whether some stride does not step over all smaller ones."""
    read_extent = 0
    for step, count in sorted((s, n) for s, n in zip(stride, size, strict=True) if n > 1):
        if step <= read_extent:
            return True
        read_extent += step * (count - 1)
    return False
