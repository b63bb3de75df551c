"""Distances between the rows of two matrices, and their gradients, without memory for all differences."""

import math

import numpy as np

from ...compiler.jit import jit
from ...compiler.passes.primitives import choose
from ...device.threads.parallel_for import shared
from ...kernels.cpu.contiguous_copy import contiguous
from ...kernels.cpu.matmul import LINE, fill_panels, full_cache_line
from ...kernels.llvm.addresses import address, empty_row, item_size, part_of, row_at
from ...kernels.llvm.matmul_tiles import panel_bytes, panel_width, square_differences, weighted_differences
from ..reduction.cpu_scaled_loops import are_in_range, scaled_norm

Array = np.ndarray
Gradients = tuple[Array | None, ...]

_BLOCK = 128  # differences that are added up in the dtype of the rows; blocks of them in double precision
ROWS = 24  # that are computed together, a multiple of those of a tile
WORK = 4  # differences take as long as an element of other work
_COUNT, _SUM, EUCLIDEAN, _CHEBYSHEV, POWER = range(5)


def row_distances(x1: Array, x2: Array, p: float) -> Array:
    """The p-norm of the difference of each row of x1 and each row of x2, for every pair of matrices."""
    out = np.empty((*x1.shape[:-1], x2.shape[-2]), x1.dtype)
    if not x1.shape[-1]:
        out[:] = 0
    elif out.size:
        rows, work = math.prod(x1.shape[:-1]), out.size * x1.shape[-1] // WORK
        sizes, first, flat = (*out.shape[-2:], x1.shape[-1]), contiguous(x1).reshape(-1), out.reshape(-1)
        second = contiguous(x2).reshape(-1)
        if kind_of_norm(p) == EUCLIDEAN:
            shared(euclidean_norms, (first, second, flat, *sizes), rows, work, min(ROWS, x1.shape[-2]))
        else:
            columns = contiguous(np.swapaxes(x2, -1, -2)).reshape(-1)
            shared(difference_norms, (first, columns, flat, float(p), *sizes, kind_of_norm(p)), rows, work)
        if kind_of_norm(p) in (EUCLIDEAN, POWER):
            finish_distances(first, second, flat, float(p), *sizes)
    return out


def pdist(x: Array, p: float) -> Array:
    return row_distances(x, x, p).reshape(-1)[upper_triangle_indices(len(x))]


def pdist_backward(grad: Array, x: Array, result: Array, p: float) -> Array:
    """The gradient of the matrix: that of its rows as the first, and as the second of a pair."""
    value = row_distances_backward((True, True), above_zeros(grad, len(x)), x, x, above_zeros(result, len(x)), p)
    return np.add(*[part for part in value if part is not None])


def above_zeros(pairs: Array, rows: int) -> Array:
    square = np.zeros((rows, rows), pairs.dtype)
    square.reshape(-1)[upper_triangle_indices(rows)] = pairs
    return square


def upper_triangle_indices(rows: int) -> Array:
    return np.flatnonzero(np.tri(rows, k=0, dtype=bool).T & ~np.eye(rows, dtype=bool))


def row_distances_backward(
    output_mask: tuple[bool, ...], grad: Array, x1: Array, x2: Array, result: Array, p: float
) -> Gradients:
    """The gradients of both matrices: sums of +-grad_ij sgn(d) (|d| / D_ij)^(p - 1) over the differences d."""
    value = np.zeros(x1.shape, x1.dtype), np.zeros(x2.shape, x2.dtype)
    if grad.size and x1.shape[-1]:
        arrays = [_matrices(contiguous(a)) for a in (grad, x1, x2, result)]
        if kind_of_norm(p) == EUCLIDEAN:  # rows of either matrix by themselves, so that threads may share them
            grads, first, second, distance = arrays
            weights, work = np.empty_like(grads), grads.size * x1.shape[-1] // WORK
            for one, other, into, across in ((first, second, value[0], False), (second, first, value[1], True)):
                arguments = grads, distance, weights, one, other, _matrices(into), across
                shared(euclidean_gradients, arguments, len(one) * one.shape[1], work, min(ROWS, one.shape[1]))
        else:
            difference_norms_backward(*arrays, kind_of_norm(p), p, *map(_matrices, value))
    return tuple(a if yes else None for a, yes in zip(value, output_mask, strict=True))


def _matrices(a: Array) -> Array:
    return contiguous(a).reshape(math.prod(a.shape[:-2]), *a.shape[-2:])


def kind_of_norm(p: float) -> int:
    known = {0: _COUNT, 1: _SUM, 2: EUCLIDEAN, math.inf: _CHEBYSHEV}
    return known.get(p, POWER)


@jit
def difference_norms(
    x1: Array, columns: Array, out: Array, p: float, rows: int, count: int, width: int, kind: int, first: int, last: int
) -> None:
    """A row of distances at a time, for a range of them, one column of the matrices after the other; many in blocks."""
    total, part = np.empty(count if width > _BLOCK else 0), np.empty(count, out.dtype)
    for row in range(first, last):
        x, matrix, to = part_of(x1, row * width, width), row // rows * width, part_of(out, row * count, count)
        total[:] = 0
        for start in range(0, width, _BLOCK):
            part = part if total.size else to
            part[:] = 0
            for k in range(start, min(start + _BLOCK, width)):
                add_column(x[k], part_of(columns, (matrix + k) * count, count), kind, p, part)
            for j in range(total.size):
                total[j] = max(total[j], part[j]) if kind == 3 and part[j] == part[j] else total[j] + part[j]
        for j in range(total.size):
            to[j] = total[j] ** (1 / p) if kind == 4 else total[j]
        for j in range(count if kind == 4 and not total.size else 0):
            to[j] = np.float64(to[j]) ** (1 / p)


@jit
def finish_distances(x1: Array, x2: Array, out: Array, p: float, rows: int, count: int, width: int) -> None:
    """Distances whose total may have left the range on the way are computed again, of differences over the largest."""
    low = (width * choose(out.dtype.type(0), 2.0**-126, 2.0**-1022)) ** (1 / p)
    if are_in_range(out, low):
        return
    differences = empty_row(0.0, width)
    for start in range(0, out.size, LINE):
        some = min(LINE, out.size - start)
        for i in range(start, start + (0 if are_in_range(part_of(out, start, some), low) else some)):
            if not ((low <= out[i]) & (out[i] < math.inf)):
                row = i // count
                first, second = row * width, (row // rows * count + i % count) * width
                for k in range(width):
                    differences[k] = float(x1[first + k]) - float(x2[second + k])
                out[i] = scaled_norm(differences, 0, width, 1, p)


@jit
def divide(x: Array, y: Array, out: Array) -> None:
    for i in range(out.size):
        divisor = y[i]
        ratio = x[i] / (divisor if divisor != 0 else y.dtype.type(1))
        out[i] = ratio if divisor != 0 else y.dtype.type(0)


@jit
def euclidean_norms(x1: Array, x2: Array, out: Array, rows: int, count: int, width: int, first: int, last: int) -> None:
    """`difference_norms` of p = 2, of rows of both, flat; sums that lie between blocks are in double precision."""
    like, size = out.dtype.type(0), item_size(out.dtype.type(0))
    panels = (count + panel_width(like) - 1) // panel_width(like)
    space = empty_row(like, panels * panel_width(like) * width + LINE)
    columns, panel, row, matrix = full_cache_line(address(space)), width * panel_bytes(), first, -1
    while row < last:
        if row // rows != matrix:
            matrix = row // rows
            other = address(x2) + matrix * count * width * size
            fill_panels(like, other, width * size, True, width, count, columns, panel)
        tile_rows = min(min(last, (matrix + 1) * rows) - row, ROWS)
        x, to = address(x1) + row * width * size, address(out) + row * count * size
        distances_of(like, x, columns, panel, width, to, tile_rows, count)
        row += tile_rows


@jit
def distances_of(like: float, x: int, columns: int, panel: int, width: int, out: int, rows: int, count: int) -> None:
    size, result, row = item_size(like), row_at(like, out, rows * count), panel_bytes()
    total = empty_row(0.0, result.size if width > _BLOCK else 0)
    for start in range(0, width, _BLOCK):
        depth, a, a_row, c_row = min(_BLOCK, width - start), x + start * size, width * size, count * size
        for j in range(0, count, panel_width(like)):
            b, to = columns + j // panel_width(like) * panel + start * row, out + j * size
            here = min(panel_width(like), count - j)
            square_differences(like, a, a_row, size, b, row, to, c_row, rows, depth, here, False)
        for i in range(total.size):
            total[i] = total[i] + result[i] if start else result[i]
    for i in range(total.size):
        result[i] = math.sqrt(total[i])
    for i in range(result.size - total.size):
        result[i] = math.sqrt(result[i])


@jit
def euclidean_gradients(
    grad: Array, distance: Array, weights: Array, x: Array, others: Array, out: Array, across: bool, first: int,
    last: int,
) -> None:  # fmt: skip
    """out_i = sum_j w_ij (x_i - y_j), w = grad / distance or 0; rows of x1, which write w, or `across` those of x2."""
    like, size = x.dtype.type(0), item_size(x.dtype.type(0))
    rows, width, count, row = x.shape[1], x.shape[2], others.shape[1], first
    while row < last:
        matrix, i = row // rows, row % rows
        tile_rows = min(min(last, (matrix + 1) * rows) - row, ROWS)
        if not across:
            begin, elements = row * count, tile_rows * count
            numerators, divisors = part_of(grad, begin, elements), part_of(distance, begin, elements)
            divide(numerators, divisors, part_of(weights, begin, elements))
        w = address(weights) + (matrix * rows * count + (i if across else i * count)) * size
        w_row, w_col = (size, rows * size) if across else (count * size, size)
        line, y = width * size, address(others) + matrix * count * width * size
        to, own = address(out) + row * line, address(x) + row * line
        for k in range(0, width, panel_width(like)):
            here, b, c, a = min(panel_width(like), width - k), y + k * size, to + k * size, own + k * size
            weighted_differences(like, w, w_row, w_col, b, line, c, line, tile_rows, count, here, False, a, line)
        for r in range(tile_rows):
            result, value = row_at(like, to + r * line, width), row_at(like, own + r * line, width)
            finish_gradient(result, value, w + r * w_row, w_col, y, count)
        row += tile_rows


@jit
def finish_gradient(out: Array, x: Array, w: int, w_col: int, others: int, count: int) -> None:
    """The other sign; where numbers are not finite, a sum over those rows alone whose weight is not 0."""
    like, size, exact = x.dtype.type(0), item_size(x.dtype.type(0)), True
    for k in range(out.size):
        out[k] = -out[k]
        exact &= out[k] == out[k]
    if exact:
        return
    for k in range(out.size):
        out[k] = 0
    for j in range(count):
        weight, y = row_at(like, w + j * w_col, 1)[0], row_at(like, others + j * out.size * size, out.size)
        for k in range(out.size if weight != 0 else 0):
            out[k] += weight * (x[k] - y[k])


@jit
def add_column(x: float, others: Array, kind: int, p: float, row: Array) -> None:
    if kind == 1:
        for j in range(row.size):
            row[j] += abs(x - others[j])
    elif kind == 3:
        for j in range(row.size):
            difference = abs(x - others[j])
            row[j] = row[j] if row[j] >= difference or row[j] != row[j] else difference
    else:
        for j in range(row.size):
            difference = abs(x - others[j])
            if difference != difference:
                row[j] = difference
            elif difference != 0:
                row[j] += difference**p if kind == 4 else 1


@jit
def difference_norms_backward(
    grad: Array, x1: Array, x2: Array, distance: Array, kind: int, p: float, first: Array, second: Array
) -> None:
    for b in range(x1.shape[0]):
        for i in range(x1.shape[1]):
            for j in range(x2.shape[1]):
                length, weight = distance[b, i, j], grad[b, i, j]
                if length == 0 or weight == 0 or kind == 0:
                    continue
                if kind == 3:
                    weight /= np.sum(np.abs(x1[b, i] - x2[b, j]) == length)
                difference_norm_backward(weight, x1[b, i], x2[b, j], length, kind, p, first[b, i], second[b, j])


@jit
def difference_norm_backward(
    weight: float, x: Array, y: Array, length: float, kind: int, p: float, first: Array, second: Array
) -> None:
    if kind == 1:
        for k in range(x.size):
            term = weight * np.sign(x[k] - y[k])
            first[k] += term
            second[k] -= term
        return
    for k in range(x.size):
        difference = x[k] - y[k]
        term = weight * np.sign(difference)
        if kind == 3:
            term = term if abs(difference) == length else 0 * term
        elif difference != 0:
            term *= (abs(difference) / length) ** (p - 1)
        first[k] += term
        second[k] -= term
