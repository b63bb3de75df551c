"""Kernels that change the elements of several groups of arrays (a parameter, its gradient, estimates) by one launch. A
row of the `table` has the number of elements, the addresses of the arrays, and those of what is counted. A block has a
chunk of a group; `chunk_positions`: the row in the upper half of a word, the chunk in the lower."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .kernel import Array, Kernel, Signature, Target
from .language import array_at, compute, cuda, float64, get, int32, int64, join, put, read, rest, uint32, write
from .storage import getter, in_registers, putter
from .thread_groups import join_sum, maximum

FLOAT64 = np.dtype(np.float64)

# Texts name these; a kernel has its own in their place.
T: Any = None  # the type of elements in registers
S: Any = None  # that in memory
TABLE_ROW_SLOTS: Any = None  # of a row of the table
ITEM: Any = None  # bytes of an element in memory
COUNT: Any = None  # of numbers
COUNTS: Any = None  # the place of the address of what is counted in a row
opened: Any = None
numbers_of: Any = None
counts_of: Any = None
rate_of: Any = None
keep: Any = None
known: Any = None
note: Any = None
update: Any = None
prepare: Any = None


class Change(NamedTuple):
    """An element-wise function of groups. `compute`: target -> the function (an element of each array, numbers) ->
    those that are written; `numbers_of`: (counts, step size, settings) -> the numbers; `counts_of`: -> further
    counts."""

    compute: Callable[[Target], Any]
    written: tuple[bool, ...]
    numbers_of: Callable[..., Any] | None = None
    counts_of: Callable[..., Any] | None = None


def open_first(table: Any, at: Any, first: Any, count: Any) -> Any:
    array = array_at(int64(table[at] + int64(first * int64(ITEM))), count, S)
    return (array, *rest(table, uint32(at + uint32(1)), first, count))


def open_none(table: Any, at: Any, first: Any, count: Any) -> Any:
    return ()


def read_first(arrays: Any, i: Any) -> Any:
    return (get(arrays[0], i), *rest(arrays[1:], i))


def read_absent(arrays: Any, i: Any) -> Any:
    return (T(0), *rest(arrays, i))


def read_none(arrays: Any, i: Any) -> Any:
    return ()


def write_first(arrays: Any, i: Any, values: Any) -> None:
    put(arrays[0], i, T(values[0]))
    rest(arrays[1:], i, values[1:])


def write_unchanged(arrays: Any, i: Any, values: Any) -> None:
    rest(arrays[1:], i, values)


def write_absent(arrays: Any, i: Any, values: Any) -> None:
    rest(arrays, i, values[1:])


def write_none(arrays: Any, i: Any, values: Any) -> None:
    pass


def keep_first(own: Any, i: Any, values: Any) -> None:
    own[i] = T(values[0])
    rest(own, uint32(i + uint32(1)), values[1:])


def known_none(own: Any, i: Any) -> Any:
    return ()


def known_first(own: Any, i: Any) -> Any:
    return (own[i], *rest(own, uint32(i + uint32(1))))


def update_chunk(table: Any, row: Any, part: Any, numbers: Any, chunk: Any) -> None:
    at = uint32(row * uint32(TABLE_ROW_SLOTS))
    first = int64(int64(part) * int64(chunk))
    left = int64(table[at] - first)
    count = chunk if left > int64(chunk) else uint32(left)
    arrays = opened(table, uint32(at + uint32(1)), first, count)
    threads = uint32(cuda.blockDim.x)
    i = uint32(cuda.threadIdx.x)
    while uint32(i + uint32(threads * uint32(3))) < count:
        j = uint32(i + threads)
        k = uint32(j + threads)
        m = uint32(k + threads)
        x0 = read(arrays, i)
        x1 = read(arrays, j)
        x2 = read(arrays, k)
        x3 = read(arrays, m)
        write(arrays, i, compute(x0, numbers))
        write(arrays, j, compute(x1, numbers))
        write(arrays, k, compute(x2, numbers))
        write(arrays, m, compute(x3, numbers))
        i = uint32(m + threads)
    while i < count:
        write(arrays, i, compute(read(arrays, i), numbers))
        i = uint32(i + threads)


def read_scalars(table: Any, chunk_positions: Any, numbers: Any, chunk: Any) -> None:
    chunk_position = chunk_positions[uint32(cuda.blockIdx.x)]
    update(table, uint32(chunk_position >> int64(32)), uint32(chunk_position), numbers, chunk)


def own_numbers(table: Any, chunk_positions: Any, arrived: Any, rate: Any, settings: Any, chunk: Any) -> None:
    """A launch that makes its numbers of counts on the device. `arrived`: blocks of each row; the last writes
    counts."""
    own = cuda.shared.array(COUNT, T)
    chunk_position = chunk_positions[uint32(cuda.blockIdx.x)]
    row = uint32(chunk_position >> int64(32))
    if uint32(cuda.threadIdx.x) == uint32(0):
        prepare(own, table, row, arrived, rate, settings, chunk)
    cuda.syncthreads()
    update(table, row, uint32(chunk_position), known(own, uint32(0)), chunk)


def prepare_numbers(own: Any, table: Any, row: Any, arrived: Any, rate: Any, settings: Any, chunk: Any) -> None:
    """What is counted begins with the steps, of which this is one more."""
    at = uint32(row * uint32(TABLE_ROW_SLOTS))
    counts = opened(table, uint32(at + uint32(COUNTS)), int64(0), uint32(1))
    before = read(counts, uint32(0))
    lr = rate_of(rate)
    keep(own, uint32(0), numbers_of(before, lr, settings))
    blocks = int64(int64(table[at] + int64(chunk) - int64(1)) // int64(chunk))
    note(counts, before, lr, settings, arrived, row, int32(blocks if blocks > int64(1) else int64(1)))


def note_counts(counts: Any, before: Any, lr: Any, settings: Any, arrived: Any, row: Any, blocks: Any) -> None:
    """The last block to come writes what was counted, once all others have read what was there."""
    cuda.threadfence()
    if cuda.atomic.add(arrived, row, int32(1)) == int32(blocks - int32(1)):
        cuda.threadfence()
        cuda.atomic.exch(arrived, row, int32(0))
        write(counts, uint32(0), counts_of(before, lr, settings))


def note_nothing(counts: Any, before: Any, lr: Any, settings: Any, arrived: Any, row: Any, blocks: Any) -> None:
    pass


def rate_value(rate: Any) -> Any:
    return rate


def rate_in_memory(rate: Any) -> Any:
    return get(rate, uint32(0))


def read_steps(arrays: Any, i: Any) -> Any:
    return (float64(float64(get(arrays[0], i)) + float64(1)), *rest(arrays[1:], i))


def steps_alone(before: Any, lr: Any, settings: Any) -> Any:
    return (before[0],)


def steps_and_more(before: Any, lr: Any, settings: Any) -> Any:
    return (before[0], *counts_of(*before, lr, *settings[2:]))


def signed(before: Any, lr: Any, settings: Any) -> Any:
    return (settings[0], settings[1], *numbers_of(*before, lr, *settings[2:]))


def composed(target: Target, none: Any, parts: Sequence[tuple[Any, dict[str, Any]]]) -> Any:
    made = target.device(none)
    for function, names in reversed(parts):
        made = target.device(function, rest=made, **names)
    return made


def updating(target: Target, change: Change, stored: np.dtype, has_tensors: tuple[bool, ...], slot_values: int) -> Any:
    """The function that changes a chunk; arrays that are not `present` are read as zeros, and not written."""
    computed = in_registers(stored)
    bits = np.dtype(np.uint16) if stored.kind == "V" else stored
    get = {"get": getter(target, stored, computed)}
    put = {"put": putter(target, stored), "T": computed.type}
    zero = {"T": computed.type}
    reads = [(read_first, get) if there else (read_absent, zero) for there in has_tensors]
    writes: list[tuple[Any, dict[str, Any]]] = []
    for there, is_written in zip(has_tensors, change.written, strict=True):
        if there:
            writes.append((write_first, put) if is_written else (write_unchanged, {}))
        elif is_written:
            writes.append((write_absent, {}))
    opens = [(open_first, {"S": bits.type, "ITEM": stored.itemsize})] * sum(has_tensors)
    return target.device(
        update_chunk, TABLE_ROW_SLOTS=slot_values, opened=composed(target, open_none, opens),
        read=composed(target, read_none, reads), write=composed(target, write_none, writes),
        compute=change.compute(target),
    )  # fmt: skip


def preparing(target: Target, change: Change, counts: tuple[np.dtype, ...], rate: Any) -> dict[str, Any]:
    rate_of = target.device(rate_value)
    if isinstance(rate, Array):
        rate_of = target.device(rate_in_memory, get=getter(target, rate.dtype, FLOAT64))
    opens = [(open_first, {"S": kind.type, "ITEM": kind.itemsize}) for kind in counts]
    reads = [(read_first, {"get": getter(target, kind, FLOAT64)}) for kind in counts]
    writes = [(write_first, {"put": putter(target, kind), "T": kind.type}) for kind in counts]
    reads[:1] = [(read_steps, names) for _, names in reads[:1]]
    after = target.device(steps_alone)
    if change.counts_of is not None:
        after = target.device(steps_and_more, counts_of=scalar(target, change.counts_of))
    written = {"write": composed(target, write_none, writes), "counts_of": after}
    return {
        "opened": composed(target, open_none, opens),
        "read": composed(target, read_none, reads),
        "rate_of": rate_of,
        "numbers_of": target.device(signed, numbers_of=scalar(target, change.numbers_of)),
        "note": target.device(note_counts, **written) if counts else target.device(note_nothing),
    }


def scalar(target: Target, function: Any) -> Any:
    return target.device(function, **target.scalars(function, False))


def amount_of(change: Change, counts: int, settings: int) -> int:
    assert change.numbers_of is not None
    return 2 + len(change.numbers_of(*[1.0] * counts, *[0.5] * (settings - 1)))


@cache
def changing(change: Change, stored: np.dtype, has_tensors: tuple[bool, ...]) -> Kernel:
    def make(target: Target, signature: Signature) -> Any:
        return target.kernel(read_scalars, update=updating(target, change, stored, has_tensors, 1 + sum(has_tensors)))

    return Kernel("several arrays", make)


@cache
def counting(change: Change, stored: np.dtype, has_tensors: tuple[bool, ...], counts: tuple[np.dtype, ...]) -> Kernel:
    def make(target: Target, signature: Signature) -> Any:
        computed, slot_values = in_registers(stored).type, 1 + sum(has_tensors) + len(counts)
        amount = amount_of(change, len(counts), len(signature[4]))
        update = updating(target, change, stored, has_tensors, slot_values)
        keep = composed(target, write_none, [(keep_first, {"T": computed})] * amount)
        own = composed(target, known_none, [(known_first, {})] * amount)
        prepared = preparing(target, change, counts, signature[3])
        return target.kernel(
            own_numbers,
            COUNT=amount,
            T=computed,
            update=update,
            known=own,
            prepare=target.device(
                prepare_numbers, keep=keep, COUNTS=1 + sum(has_tensors), TABLE_ROW_SLOTS=slot_values, **prepared
            ),
        )

    return Kernel("several arrays that are counted", make)


def folded_chunks(table: Any, chunk_positions: Any, totals: Any, chunk: Any) -> None:
    own = cuda.shared.array(256, float64)
    chunk_position = chunk_positions[uint32(cuda.blockIdx.x)]
    at = uint32(uint32(chunk_position >> int64(32)) * uint32(2))
    first = int64(int64(uint32(chunk_position)) * int64(chunk))
    left = int64(table[at] - first)
    count = chunk if left > int64(chunk) else uint32(left)
    arrays = opened(table, uint32(at + uint32(1)), first, count)
    t, threads = uint32(cuda.threadIdx.x), uint32(cuda.blockDim.x)
    total = float64(0)
    i = t
    while i < count:
        total = join(total, compute(get(arrays[0], i)))
        i = uint32(i + threads)
    own[t] = total
    distance = uint32(128)
    while distance > uint32(0):
        cuda.syncthreads()
        other = uint32(t + distance)
        if t < distance and other < threads:
            own[t] = join(own[t], own[other])
        distance = uint32(distance >> uint32(1))
    if t == uint32(0):
        totals[uint32(cuda.blockIdx.x)] = own[uint32(0)]


def square(x: Any) -> Any:
    return x * x


def size(x: Any) -> Any:
    return abs(x)


FOLDS = {"squares": (square, join_sum), "norm_inf": (size, maximum)}


@cache
def folding(name: str, stored: np.dtype) -> Kernel:
    """The kernel of a fold over one array of each group, in float64: (table, places, totals, elements of a chunk)."""

    def make(target: Target, signature: Signature) -> Any:
        bits = np.dtype(np.uint16) if stored.kind == "V" else stored
        opens = [(open_first, {"S": bits.type, "ITEM": stored.itemsize})]
        compute, join = FOLDS[name]
        return target.kernel(
            folded_chunks,
            opened=composed(target, open_none, opens),
            get=getter(target, stored, FLOAT64),
            compute=target.device(compute),
            join=target.device(join),
        )

    return Kernel(f"{name} of several arrays", make)
