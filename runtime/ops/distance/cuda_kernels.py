"""The kernels of distances on a device: a thread for each pair of rows, or for each element of a gradient.

`kind` is 0 for the number of differences, 1 for the sum of their sizes, 2 for the root of their squares, 3 for the
greatest, 4 for the root of their powers of `p`.
"""

from __future__ import annotations

from typing import Any

from ...kernels.cuda.vocabulary import T, cuda
from ...kernels.scalar import pow, sqrt

# Texts name these; a kernel has its own in their place.
W: Any = None
index: Any = None
get_x: Any = None
get_y: Any = None
get_grad: Any = None
get_length: Any = None
get_ties: Any = None
put_result: Any = None


def distances(x: Any, y: Any, result: Any, sizes: Any, kind: Any, p: Any, total: Any) -> None:
    """result[b, i, j] = |x[b, i] - y[b, j]|."""
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        rows, others, width = sizes
        q = index(i // others)
        b = index(q // rows)
        one, other = index(q * width), index(index(index(b * others) + index(i - index(q * others))) * width)
        value = W(0)
        for k in range(width):
            difference = W(get_x(x, index(one + k))) - W(get_y(y, index(other + k)))
            difference = W(difference if difference >= 0 else -difference)
            if kind == 1:
                value = W(value + difference)
            elif kind == 2:
                value = W(value + difference * difference)
            elif kind == 3:
                value = value if value >= difference or value != value else difference
            elif difference != difference:
                value = difference
            elif difference != 0:
                value = W(value + (pow(difference, W(p)) if kind == 4 else W(1)))
        if kind == 2:
            value = W(sqrt(value))
        elif kind == 4:
            value = W(pow(value, W(1) / W(p)))
        put_result(result, i, T(value))


def ties(x: Any, y: Any, length: Any, result: Any, sizes: Any, total: Any) -> None:
    """How many differences of a pair of rows are as great as the greatest."""
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        rows, others, width = sizes
        q = index(i // others)
        b = index(q // rows)
        one, other = index(q * width), index(index(index(b * others) + index(i - index(q * others))) * width)
        count = T(0)
        for k in range(width):
            difference = T(get_x(x, index(one + k)) - get_y(y, index(other + k)))
            if (difference if difference >= 0 else T(-difference)) == get_length(length, i):
                count = T(count + T(1))
        put_result(result, i, count)


def distances_back(
    grad: Any, x: Any, y: Any, length: Any, ties: Any, result: Any, sizes: Any, steps: Any, kind: Any, p: Any,
    total: Any,
) -> None:  # fmt: skip
    """result[b, i, k]: the sum over all j of the gradient of |x[b, i] - y[b, j]|; `steps` are those of i and j."""
    n = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if n < total:
        rows, others, width = sizes
        q = index(n // width)
        k, b = index(n - index(q * width)), index(q // rows)
        first = index(index(index(b * rows) * others) + index(index(q - index(b * rows)) * steps[0]))
        value = W(0)
        for j in range(others):
            at = index(first + index(j * steps[1]))
            size, weight = get_length(length, at), get_grad(grad, at)
            if size != T(0) and weight != T(0) and kind != 0:
                difference = T(get_x(x, n) - get_y(y, index(index(index(index(b * others) + j) * width) + k)))
                sign = T(1) if difference > T(0) else (T(-1) if difference < T(0) else difference)
                if kind == 2:
                    value = W(value + T(T(weight / size) * difference))
                elif kind == 1:
                    value = W(value + T(weight * sign))
                elif kind == 3:
                    share = T(T(weight / get_ties(ties, at)) * sign)
                    value = W(
                        value
                        + (share if (difference if difference >= 0 else T(-difference)) == size else T(T(0) * share))
                    )
                elif difference != T(0):
                    ratio = T((difference if difference >= 0 else T(-difference)) / size)
                    value = W(value + T(T(weight * sign) * T(pow(ratio, T(p - T(1))))))
        put_result(result, n, T(value))
