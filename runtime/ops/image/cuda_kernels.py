"""The kernels of resampling on a device: a sparse matrix, by rows, times the vectors along one dim."""

from typing import Any

from ...kernels.cuda.language import T, cuda, int64

# Texts name these; a kernel has its own in their place.
index: Any = None
W = get_x = get_starts = get_columns = get_weights = put_result = index


def weighted_sums(
    x: Any, starts: Any, columns: Any, weights: Any, result: Any, size: Any, length: Any, after: Any, total: Any
) -> None:
    """result[o, i, j] = sum_k weights[k] x[o, columns[k], j] over the k of row i."""
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        q = index(i // after)
        j = index(i - index(q * after))
        o = index(q // length)
        line = index(q - index(o * length))
        sum = W(0)
        for k in range(get_starts(starts, line), get_starts(starts, index(line + 1))):
            at = index(index(index(o * size) + index(get_columns(columns, k))) * after + j)
            sum = W(sum + W(get_weights(weights, k)) * W(get_x(x, at)))
        put_result(result, i, T(sum))


def gathered(x: Any, columns: Any, result: Any, size: Any, length: Any, after: Any, total: Any) -> None:
    """result[o, i, j] = x[o, columns[i], j]."""
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        q = index(i // after)
        j = index(i - index(q * after))
        o = index(q // length)
        column = index(get_columns(columns, index(q - index(o * length))))
        put_result(result, i, get_x(x, index(index(index(o * size) + column) * after + j)))


def weighted_bytes(
    x: Any,
    starts: Any,
    columns: Any,
    weights: Any,
    result: Any,
    bits: Any,
    size: Any,
    length: Any,
    after: Any,
    total: Any,
) -> None:
    """result[o, i, j] = sum_k weights[k] x[o, columns[k], j] / 2^bits, rounded, and cut to a byte."""
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        q = index(i // after)
        j = index(i - index(q * after))
        o = index(q // length)
        line = index(q - index(o * length))
        sum = int64(int64(1) << int64(bits - 1))
        for k in range(get_starts(starts, line), get_starts(starts, index(line + 1))):
            at = index(index(index(o * size) + index(get_columns(columns, k))) * after + j)
            sum = int64(sum + int64(get_weights(weights, k)) * int64(get_x(x, at)))
        value = int64(sum >> int64(bits))
        value = value if value > 0 else int64(0)
        put_result(result, i, T(value if value < 255 else int64(255)))
