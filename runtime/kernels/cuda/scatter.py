"""Kernels that write by index: each place looks for what is written to it, and takes that in the order of the indices,
so equal indices give the same bits at every launch. A place reads all indices of its line (`looking`), or, where these
are many, those that a sort has brought together (`found`)."""

from functools import cache
from typing import Any

import numpy as np

from .kernel import Array, Kernel, Signature, Target
from .language import T, cuda, get, join, put, uint32
from .storage import getter, putter
from .thread_groups import maximum, minimum

# Texts name these; a kernel has its own in their place.
get_value: Any = None
finish: Any = None


def looking(
    start: Any, rows: Any, values: Any, out: Any, sizes: Any, steps: Any, alpha: Any, included: Any, size: Any
) -> None:
    """out = start with values joined at rows. `sizes`: (rows along, elements after, indices of a line); `steps` of rows
    and values, each along (before, indices, after). `included`: `start` counts where something is joined."""
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        along, after, count = sizes
        q = uint32(i // after)
        a = uint32(i - uint32(q * after))
        b = uint32(q // along)
        r = uint32(q - uint32(b * along))
        at = uint32(uint32(b * steps[0][0]) + uint32(a * steps[0][2]))
        value = uint32(uint32(b * steps[1][0]) + uint32(a * steps[1][2]))
        total = get(start, i)
        reduced_count = included
        k = uint32(0)
        while k < count:
            row = rows[at]
            if row >= 0 and uint32(row) == r:
                x = get_value(values, value)
                total = join(total, x, alpha) if reduced_count > uint32(0) else T(x)
                reduced_count = uint32(reduced_count + uint32(1))
            at = uint32(at + steps[0][1])
            value = uint32(value + steps[1][1])
            k = uint32(k + uint32(1))
        put(out, i, finish(total, reduced_count))


def found(
    start: Any, keys: Any, order: Any, values: Any, out: Any, sizes: Any, steps: Any, alpha: Any, included: Any,
    size: Any,
) -> None:  # fmt: skip
    """With `keys`, the rows in order, and `order`, their numbers before; all lines have the same rows."""
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        along, after, count = sizes
        q = uint32(i // after)
        a = uint32(i - uint32(q * after))
        b = uint32(q // along)
        row = uint32(q - uint32(b * along))
        value = uint32(uint32(b * steps[0]) + uint32(a * steps[2]))
        low = uint32(0)
        high = count
        while low < high:
            midpoint = uint32(uint32(low + high) >> uint32(1))
            if uint32(keys[midpoint]) < row:
                low = uint32(midpoint + uint32(1))
            else:
                high = midpoint
        total = get(start, i)
        reduced_count = included
        while low < count and uint32(keys[low]) == row:
            x = get_value(values, uint32(value + uint32(uint32(order[low]) * steps[1])))
            total = join(total, x, alpha) if reduced_count > uint32(0) else T(x)
            reduced_count = uint32(reduced_count + uint32(1))
            low = uint32(low + uint32(1))
        put(out, i, finish(total, reduced_count))


def join_last(total: Any, x: Any, alpha: Any) -> Any:
    return x


def join_none(total: Any, x: Any, alpha: Any) -> Any:
    return total


def join_sum(total: Any, x: Any, alpha: Any) -> Any:
    return T(total + x)


def join_scaled(total: Any, x: Any, alpha: Any) -> Any:
    return T(total + T(x * alpha))


def join_prod(total: Any, x: Any, alpha: Any) -> Any:
    return T(total * x)


def join_max(total: Any, x: Any, alpha: Any) -> Any:
    return maximum(total, x)


def join_min(total: Any, x: Any, alpha: Any) -> Any:
    return minimum(total, x)


def join_any(total: Any, x: Any, alpha: Any) -> Any:
    return total or x


def join_any_scaled(total: Any, x: Any, alpha: Any) -> Any:
    return total or (x and alpha)


def join_all(total: Any, x: Any, alpha: Any) -> Any:
    return total and x


def as_reduced(total: Any, reduced_count: Any) -> Any:
    return total


def mean_of(total: Any, reduced_count: Any) -> Any:
    return T(total / T(reduced_count)) if reduced_count > uint32(1) else total


def divided(total: Any, reduced_count: Any) -> Any:
    """By how often a row was named: `total` itself counts as one that was joined."""
    return T(total / T(uint32(reduced_count - uint32(1)))) if reduced_count > uint32(2) else total


def integer_mean_of(total: Any, reduced_count: Any) -> Any:
    return T(total // T(reduced_count)) if reduced_count > uint32(1) else total


JOINS = {
    "last": join_last,
    "sum": join_sum,
    "mean": join_sum,
    "divided": join_none,
    "scaled": join_scaled,
    "prod": join_prod,
    "amax": join_max,
    "amin": join_min,
}
OF_COMPLEX = ("last", "sum", "mean")
OF_BOOLS = {
    "sum": join_any,
    "mean": join_any,
    "scaled": join_any_scaled,
    "amax": join_any,
    "prod": join_all,
    "amin": join_all,
}


@cache
def collecting(function: Any, name: str, computed: np.dtype) -> Kernel:
    def make(target: Target, signature: Signature) -> Any:
        arrays = [part for part in signature if isinstance(part, Array)]
        start, values, out = arrays[0], arrays[-2], arrays[-1]
        names = {"T": computed.type, "maximum": target.device(maximum), "minimum": target.device(minimum)}
        chosen = (OF_BOOLS if computed.kind == "b" else JOINS).get(name, JOINS[name])
        return target.kernel(
            function,
            T=computed.type,
            get=getter(target, start.dtype, computed),
            get_value=getter(target, values.dtype, computed),
            put=putter(target, out.dtype),
            join=target.device(chosen, **names),
            finish=target.device(ending(name, computed.kind), T=computed.type),
        )

    return Kernel(f"{function.__name__} {name} by {computed.name}", make)


def ending(name: str, kind: str) -> Any:
    if name == "mean" and kind != "b":
        return integer_mean_of if kind == "i" else mean_of
    return divided if name == "divided" else as_reduced
