"""Functions of elements, and of their neighbours along a dimension, that reductions on a device are put together of."""

from typing import Any

from ...kernels.cuda.language import T, cuda

# Texts name these; a kernel has its own in their place.
index: Any = None
get_before = get_after = put_result = index


def product(x: Any, y: Any) -> Any:
    return x * y


def size(z: Any) -> Any:
    return abs(z)


def is_not_zero(z: Any) -> Any:
    return z != T(0)


def products_of_others(before: Any, after: Any, result: Any, along: Any, step: Any, total: Any) -> None:
    """What comes before each element times what comes after it; both are running products that include it."""
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        row = index(i // step)
        position = index(row - index(index(row // along) * along))
        value = T(1)
        if position > 0:
            value = T(get_before(before, index(i - step)))
        if position < along - 1:
            value = T(value * get_after(after, index(i + step)))
        put_result(result, i, value)
