"""The last step of norms. Where a total has left the range of its dtype on the way, although the result
need not, the row is reduced once more: in double precision, with elements over the largest.

Operands and results are counted as in cpu_reduce_loops.py.
"""

import math

import numpy as np

from ...compiler.jit import jit
from ...compiler.passes.primitives import choose
from ...kernels.cpu.plan import Array
from ...kernels.cpu.sums import max_size
from ...kernels.llvm.addresses import offset_of
from ...kernels.scalar import pow_number


@jit
def lower_bound(x: Array, along: int) -> float:
    """A total of `along` terms below this has lost digits, for what single terms lose is as large."""
    return along * choose(x.dtype.type(0), 2.0**-126, 2.0**-1022)


@jit
def are_in_range(totals: Array, low: float) -> bool:
    """As `are_finite`, in vectors."""
    outside, bound, top = np.int32(0), totals.dtype.type(low), totals.dtype.type(math.inf)
    for i in range(totals.size):
        outside |= np.int32(not ((totals[i] >= bound) & (totals[i] < top)))
    return outside == 0


@jit
def min_size(x: Array, start: int, along: int, stride: int) -> float:
    result = math.inf
    for i in range(along):
        size = abs(float(x[start + i * stride]))
        if size != size:
            return size
        result = min(result, size)
    return result


@jit
def scaled_norm(x: Array, start: int, along: int, stride: int, p: float) -> float:
    """(sum_i |x_i|^p)^(1/p) as top (sum_i (|x_i| / top)^p)^(1/p), whose largest term is 1."""
    top, total = max_size(x, start, along, stride), 0.0
    if p < 0:
        top = min_size(x, start, along, stride)
    if not 0 < top < math.inf:
        return top
    for i in range(along):
        ratio = abs(float(x[start + i * stride])) / top
        total += ratio * ratio if p == 2 else pow_number(ratio, p)
    return top * (math.sqrt(total) if p == 2 else root_of_power(total, p))


@jit
def root_of_power(total: float, p: float) -> float:
    """total^(1/p), with a step of Newton's, for 1 / p is rounded."""
    result = pow_number(total, 1 / p)
    return result - result * (pow_number(result, p) / total - 1) / p if 0 < result < math.inf else result


@jit
def finish_norms(
    x: Array, out: Array, p: float, along: int, after: int, stride: int, between: int, times: int, outer: int
) -> None:
    low = lower_bound(x, along)
    if not are_in_range(out, low):
        for k in range(out.size):
            total = float(out[k])
            if not low <= total < math.inf:
                at = offset_of(k // after, between, times, outer) + k % after
                out[k] = scaled_norm(x, at, along, stride, p)
            else:
                out[k] = math.sqrt(total) if p == 2 else root_of_power(total, p)
    elif p == 2:
        for k in range(out.size):
            out[k] = math.sqrt(out[k])
    elif choose(x.dtype.type(0), 1, 0):  # of float32, in vectors: 1 / p is exact enough
        for k in range(out.size):
            out[k] = pow_number(float(out[k]), 1 / p)
    else:
        for k in range(out.size):
            out[k] = root_of_power(out[k], p)
