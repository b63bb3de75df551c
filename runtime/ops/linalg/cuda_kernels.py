"""The kernels of linear algebra on a device that no library has: triangles, determinants, orders of rows."""

from typing import Any

from ...kernels.cuda.language import T, cuda, float64, int64
from ...kernels.scalar import log

# Texts name these; a kernel has its own in their place.
index: Any = None
W = get_result = get_x = get_s = get_info = get_pivots = get_order = get_min_value = get_share = index
put_sign = put_logarithm = put_order = put_result = put_x = index


def triangle(x: Any, result: Any, rows: Any, columns: Any, step: Any, upper: Any, total: Any) -> None:
    """result, (batch, rows, columns), is a triangle of x, whose columns lie `step` apart, and 0 elsewhere."""
    k = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if k < total:
        q = index(k // columns)
        j = index(k - index(q * columns))
        b = index(q // rows)
        i = index(q - index(b * rows))
        at = index(index(index(b * columns) + j) * step + i)
        put_result(result, k, get_x(x, at) if (j >= i if upper else j <= i) else T(0))


def identities(result: Any, n: Any, total: Any) -> None:
    k = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if k < total:
        at = index(k % index(n * n))
        put_result(result, k, T(1) if index(at // n) == index(at % n) else T(0))


def blanked(x: Any, info: Any, each: Any, blank: Any, total: Any) -> None:
    k = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if k < total and get_info(info, index(k // each)) != 0:
        put_x(x, k, blank)


def determinants(x: Any, pivots: Any, result: Any, n: Any, total: Any) -> None:
    """The product of the diagonal of L U, negative for an odd number of exchanges."""
    b = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if b < total:
        value = T(1)
        for i in range(n):
            value = T(value * get_x(x, index(index(index(b * n) + i) * n + i)))
            if get_pivots(pivots, index(index(b * n) + i)) != i + 1:
                value = T(-value)
        put_result(result, b, value)


def rows_in_order(pivots: Any, order: Any, rows: Any, count: Any, total: Any) -> None:
    """Which row of A stands in each row of L U."""
    b = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if b < total:
        for i in range(rows):
            put_order(order, index(index(b * rows) + i), int64(i))
        for i in range(count):
            one = index(index(b * rows) + i)
            other = index(index(b * rows) + index(get_pivots(pivots, index(index(b * count) + i)) - 1))
            saved_value = get_order(order, one)
            put_order(order, one, get_order(order, other))
            put_order(order, other, saved_value)


def products_of_others(s: Any, result: Any, n: Any, total: Any) -> None:
    k = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if k < total:
        b = index(k // n)
        i = index(k - index(b * n))
        value = T(1)
        for j in range(n):
            if j != i:
                value = T(value * get_s(s, index(index(b * n) + j)))
        put_result(result, k, value)


def inverted(s: Any, min_value: Any, share: Any, result: Any, n: Any, total: Any) -> None:
    """1 / s where s is above max(least, share * the first of its row), else 0."""
    k = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if k < total:
        b = index(k // n)
        limit = T(get_share(share, b) * get_s(s, index(b * n)))
        limit = limit if limit >= get_min_value(min_value, b) else get_min_value(min_value, b)
        value = get_s(s, k)
        put_result(result, k, T(T(1) / value) if value > limit else T(0))


def scaled_columns(x: Any, s: Any, result: Any, rows: Any, columns: Any, total: Any) -> None:
    k = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if k < total:
        q = index(k // columns)
        j = index(k - index(q * columns))
        put_result(result, k, T(get_x(x, k) * get_s(s, index(index(index(q // rows) * columns) + j))))


def scaled_matrices(x: Any, s: Any, result: Any, each: Any, total: Any) -> None:
    k = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if k < total:
        put_result(result, k, T(get_x(x, k) * get_s(s, index(k // each))))


def added(x: Any, result: Any, factor: Any, total: Any) -> None:
    k = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if k < total:
        put_result(result, k, T(get_result(result, k) + factor * get_x(x, k)))


def conjugated(x: Any, total: Any) -> None:
    k = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if k < total:
        put_x(x, k, get_x(x, k).conjugate())


def log_determinants(x: Any, pivots: Any, sign: Any, logarithm: Any, n: Any, total: Any) -> None:
    """The sign of the determinant of L U, and the logarithm of its absolute value."""
    b = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if b < total:
        result, sum = T(1), W(0)
        for i in range(n):
            value = get_x(x, index(index(index(b * n) + i) * n + i))
            sum = W(sum + log(W(abs(value))))
            result = T(result if value > 0 else (-result if value < 0 else value))
            if get_pivots(pivots, index(index(b * n) + i)) != i + 1:
                result = T(-result)
        put_sign(sign, b, result)
        put_logarithm(logarithm, b, T(sum))


def complex_log_determinants(x: Any, pivots: Any, sign: Any, logarithm: Any, n: Any, total: Any) -> None:
    """The same of complex numbers, where a sign is a number of length 1."""
    b = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if b < total:
        result, sum = W(1), float64(0)
        for i in range(n):
            value = W(get_x(x, index(index(index(b * n) + i) * n + i)))
            size = float64(abs(value))
            sum = float64(sum + log(value).real)
            result = W(result * value / size) if size > 0 else W(0)
            if get_pivots(pivots, index(index(b * n) + i)) != i + 1:
                result = W(-result)
        put_sign(sign, b, T(result))
        put_logarithm(logarithm, b, sum)
