"""Products of matrices in tiles: a block of 16 by 16 threads computes 64 by 64 elements, by slices of both operands in
shared memory; of small matrices a thread computes each element. Operands lie in any layout: steps are in elements."""

from functools import cache
from typing import Any

import numpy as np

from .kernel import Kernel, Signature, Target
from .language import T, cuda, index, int64
from .storage import getter, putter

TILE, SIDE, DEPTH = 64, 16, 16
EACH = TILE // SIDE  # rows and columns of a thread

# The text names these; a kernel has its own in their place.
get_a: Any = None
get_b: Any = None
get_c: Any = None
put_c: Any = None


def tiles(a: Any, b: Any, c: Any, sizes: Any, steps_a: Any, steps_b: Any, steps_c: Any, alpha: Any, beta: Any) -> None:
    m, n, k = sizes
    left = cuda.shared.array((DEPTH, TILE), T)
    right = cuda.shared.array((DEPTH, TILE), T)
    sums = cuda.local.array(16, T)
    own_a = cuda.local.array(4, T)
    x, y = int64(cuda.threadIdx.x), int64(cuda.threadIdx.y)
    number = int64(y * int64(16) + x)
    row, column = int64(int64(cuda.blockIdx.y) * int64(64)), int64(int64(cuda.blockIdx.x) * int64(64))
    begin_a, begin_b = int64(int64(cuda.blockIdx.z) * steps_a[0]), int64(int64(cuda.blockIdx.z) * steps_b[0])
    for i in range(16):
        sums[i] = T(0)
    start = int64(0)
    while start < k:
        for part in range(4):
            at = int64(number + int64(256 * part))  # neighbours read neighbours along rows of both
            i, p = int64(at // int64(16)), int64(at % int64(16))
            inside = row + i < m and start + p < k
            left[p, i] = get_a(a, begin_a + (row + i) * steps_a[1] + (start + p) * steps_a[2]) if inside else T(0)
            q, j = int64(at // int64(64)), int64(at % int64(64))
            inside = column + j < n and start + q < k
            right[q, j] = get_b(b, begin_b + (start + q) * steps_b[1] + (column + j) * steps_b[2]) if inside else T(0)
        cuda.syncthreads()
        for p in range(16):
            for i in range(4):
                own_a[i] = left[p, y + int64(16 * i)]
            for j in range(4):
                value = right[p, x + int64(16 * j)]
                for i in range(4):
                    sums[4 * i + j] = T(sums[4 * i + j] + own_a[i] * value)
        cuda.syncthreads()
        start = int64(start + int64(16))
    begin_c = int64(int64(cuda.blockIdx.z) * steps_c[0])
    for i in range(4):
        for j in range(4):
            down, across = row + y + int64(16 * i), column + x + int64(16 * j)
            if down < m and across < n:
                offset = begin_c + down * steps_c[1] + across * steps_c[2]
                total = alpha * sums[4 * i + j]
                if beta != T(0):
                    total = total + beta * get_c(c, offset)
                put_c(c, offset, T(total))


def dots(
    a: Any, b: Any, c: Any, sizes: Any, steps_a: Any, steps_b: Any, steps_c: Any, alpha: Any, beta: Any, total: Any
) -> None:
    number = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if number < total:
        m, n, k = sizes
        line = index(number // n)
        j, z = index(number - index(line * n)), index(line // m)
        i = index(line - index(z * m))
        from_a = index(index(z * steps_a[0]) + index(i * steps_a[1]))
        from_b = index(index(z * steps_b[0]) + index(j * steps_b[2]))
        offset = index(index(index(z * steps_c[0]) + index(i * steps_c[1])) + index(j * steps_c[2]))
        result = T(0)
        for p in range(k):
            one = get_a(a, index(from_a + index(p * steps_a[2])))
            result = T(result + T(one) * T(get_b(b, index(from_b + index(p * steps_b[1])))))
        result = T(alpha * result)
        if beta != T(0):
            result = T(result + beta * T(get_c(c, offset)))
        put_c(c, offset, result)


@cache
def gemm_kernel(computed: np.dtype) -> Kernel:
    def make(target: Target, signature: Signature) -> Any:
        a, b, c = (signature[i].dtype for i in range(3))
        names = {"get_a": getter(target, a, computed), "get_b": getter(target, b, computed)}
        names |= {"get_c": getter(target, c, computed), "put_c": putter(target, c)}
        return target.kernel(tiles, T=computed.type, DEPTH=DEPTH, TILE=TILE, **names)

    return Kernel(f"gemm by {computed.name}", make)
