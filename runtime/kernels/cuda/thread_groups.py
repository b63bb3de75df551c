"""Who works on a row: a thread, lanes of a warp, a block, or the threads of a block that have a column. A kernel of a
row program names `team`, `lane`, `lanes` and `across_FOLD`; here they are made for each kind of team. What lanes found
is put together in an order that depends on the numbers of lanes alone."""

from typing import Any

import numpy as np

from .kernel import Target
from .language import T, cuda, int32, join, uint32

KINDS = ("thread", "warp", "block", "columns")
WARP = 32  # lanes of a warp, and columns of a block
ALL = 0xFFFFFFFF

# Texts name these; a kernel has its own in their place.
width: Any = None  # lanes that are put together
within: Any = None
between: Any = None
A: Any = None  # the type of what is put together
P: Any = None  # that of places


def single_thread_group() -> Any:
    return uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))


def thread_lane() -> Any:
    return uint32(0)


def thread_lanes() -> Any:
    return uint32(1)


def warp_group() -> Any:
    """Teams of 1, 2, 4, ..., 32 lanes lie in a block as its threads in y."""
    return uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.y) + uint32(cuda.threadIdx.y))


def warp_lane() -> Any:
    return uint32(cuda.threadIdx.x)


def warp_lanes() -> Any:
    return uint32(cuda.blockDim.x)


def block_group() -> Any:
    return uint32(cuda.blockIdx.x)


def block_lane() -> Any:
    return uint32(cuda.threadIdx.x)


def block_lanes() -> Any:
    return uint32(cuda.blockDim.x)


def columns_group() -> Any:
    return uint32(uint32(cuda.blockIdx.x) * uint32(32) + uint32(cuda.threadIdx.x))


def columns_lane() -> Any:
    return uint32(cuda.threadIdx.y)


def columns_lanes() -> Any:
    return uint32(cuda.blockDim.y)


def split_range(part: Any, size: Any, n: Any) -> Any:
    first = uint32(part * size)
    last = uint32(first + size)
    return (first if first < n else n), (last if last < n else n)


def block_split(parts: Any) -> Any:
    r = uint32(uint32(cuda.blockIdx.x) // parts)
    return r, uint32(uint32(cuda.blockIdx.x) - uint32(r * parts))


def columns_split(parts: Any) -> Any:
    group = uint32(uint32(cuda.blockIdx.x) // parts)
    part = uint32(uint32(cuda.blockIdx.x) - uint32(group * parts))
    return uint32(uint32(group * uint32(32)) + uint32(cuda.threadIdx.x)), part


def join_sum(a: Any, b: Any) -> Any:
    return a + b


def join_prod(a: Any, b: Any) -> Any:
    return a * b


def maximum(a: Any, b: Any) -> Any:
    return a if a >= b or a != a else b


def minimum(a: Any, b: Any) -> Any:
    return a if a <= b or a != a else b


def comes_first(value: Any, position: Any, best: Any, at: Any) -> Any:
    """Whether the greatest number is this one, at the first of all its places; nan is above all others."""
    if value != value:
        return best == best or position < at
    return value > best or (value == best and position < at)


def comes_last(value: Any, position: Any, best: Any, at: Any) -> Any:
    if value != value:
        return best == best or position < at
    return value < best or (value == best and position < at)


def group_width() -> Any:
    return cuda.blockDim.x


def full_width() -> Any:
    return 32


def warps_of_block() -> Any:
    return cuda.blockDim.x >> 5


def across_thread(a: Any) -> Any:
    return a


def across_warp(a: Any) -> Any:
    """Lanes put theirs together with those of the lane 16, 8, 4, 2 and 1 away, as far as the team goes: all get the
    same."""
    distance = width() >> 1
    while distance:
        a = join(a, cuda.shfl_xor_sync(0xFFFFFFFF, a, distance))
        distance >>= 1
    return a


def across_block(a: Any) -> Any:
    result = cuda.shared.array(32, A)
    a = within(a)
    if cuda.threadIdx.x & 31 == 0:
        result[cuda.threadIdx.x >> 5] = a
    cuda.syncthreads()
    a = between(result[cuda.threadIdx.x & (warps_of_block() - 1)])
    cuda.syncthreads()  # before the next fold writes there
    return a


def across_columns(a: Any) -> Any:
    result = cuda.shared.array(1024, A)
    result[cuda.threadIdx.y * 32 + cuda.threadIdx.x] = a
    cuda.syncthreads()
    a = result[cuda.threadIdx.x]
    k = 1
    while k < cuda.blockDim.y:
        a = join(a, result[k * 32 + cuda.threadIdx.x])
        k += 1
    cuda.syncthreads()
    return a


def pair_across_thread(value: Any, position: Any) -> Any:
    return value, position


def pair_across_warp(value: Any, position: Any) -> Any:
    distance = width() >> 1
    while distance:
        other = cuda.shfl_xor_sync(0xFFFFFFFF, value, distance)
        where = uint32(cuda.shfl_xor_sync(0xFFFFFFFF, int32(position), distance))  # shuffles have no unsigned ones
        if join(other, where, value, position):
            value, position = other, where
        distance >>= 1
    return value, position


def pair_across_block(value: Any, position: Any) -> Any:
    values, positions = cuda.shared.array(32, T), cuda.shared.array(32, P)
    value, position = within(value, position)
    if cuda.threadIdx.x & 31 == 0:
        values[cuda.threadIdx.x >> 5] = value
        positions[cuda.threadIdx.x >> 5] = position
    cuda.syncthreads()
    warp = cuda.threadIdx.x & (warps_of_block() - 1)
    value, position = between(values[warp], positions[warp])
    cuda.syncthreads()
    return value, position


def pair_across_columns(value: Any, position: Any) -> Any:
    values, positions = cuda.shared.array(1024, T), cuda.shared.array(1024, P)
    values[cuda.threadIdx.y * 32 + cuda.threadIdx.x] = value
    positions[cuda.threadIdx.y * 32 + cuda.threadIdx.x] = position
    cuda.syncthreads()
    value, position = values[cuda.threadIdx.x], positions[cuda.threadIdx.x]
    k = 1
    while k < cuda.blockDim.y:
        other, where = values[k * 32 + cuda.threadIdx.x], positions[k * 32 + cuda.threadIdx.x]
        if join(other, where, value, position):
            value, position = other, where
        k += 1
    cuda.syncthreads()
    return value, position


THREAD_POSITIONS = {
    "thread": (single_thread_group, thread_lane, thread_lanes),
    "warp": (warp_group, warp_lane, warp_lanes),
    "block": (block_group, block_lane, block_lanes),
    "columns": (columns_group, columns_lane, columns_lanes),
}
SPLITS = {"block": block_split, "columns": columns_split}
SINGLE = {"thread": across_thread, "warp": across_warp, "block": across_block, "columns": across_columns}
PAIRS = {
    "thread": pair_across_thread,
    "warp": pair_across_warp,
    "block": pair_across_block,
    "columns": pair_across_columns,
}
JOINS = {"sum": join_sum, "prod": join_prod, "count": join_sum, "max": maximum, "min": minimum}
PAIR_JOINS = {"argmax": comes_first, "argmin": comes_last}


def names_of_group(target: Target, kind: str, value: Any, wide: Any) -> dict[str, Any]:
    """What a kernel calls of its thread group, by name; `wide` is the type of sums and products."""
    thread_group, lane, lanes = (target.device(function) for function in THREAD_POSITIONS[kind])
    results = {"thread_group": thread_group, "lane": lane, "lanes": lanes, "split_range": target.device(split_range)}
    if kind in SPLITS:
        results["split_group"] = target.device(SPLITS[kind])
    kinds = {"sum": wide, "prod": wide, "count": np.int32, "max": value, "min": value}
    for name, function in JOINS.items():
        combine = target.device(function)
        results[f"across_{name}"] = _across(target, SINGLE, kind, combine, kinds[name])
    for name, pair in PAIR_JOINS.items():
        combine = target.device(pair)
        results[f"across_{name}"] = _across(target, PAIRS, kind, combine, value)
    return results | {function.__name__: target.device(function) for function in PAIR_JOINS.values()}


def _across(target: Target, table: dict[str, Any], kind: str, combine: Any, dtype: Any) -> Any:
    names = {"join": combine, "A": dtype, "T": dtype, "P": np.uint32}
    if kind == "warp":
        names["width"] = target.device(group_width)
    if kind == "block":
        names["warps_of_block"] = target.device(warps_of_block)
        names["within"] = target.device(table["warp"], join=combine, width=target.device(full_width))
        names["between"] = target.device(table["warp"], join=combine, width=names["warps_of_block"])
    return target.device(table[kind], **names)
