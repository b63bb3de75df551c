"""Sorts of long lines: a stable radix sort, eight bits at a time. A block counts the digits of a part of a line
(`counted`), a scan over all parts says where those of each digit begin, and keys and places go there (`placed`), 32 of
a warp at a time. No thread waits for another block."""

from typing import Any

from .kernel import Target
from .language import cuda, int32, position_at, read_key, uint32
from .per_element import Name, generated_kernel
from .sort_keys import reader

THREADS, WARP = 256, 32  # of a block: as many as there are digits
BITS = 8  # of a digit
DIGITS = 1 << BITS
ALL = 0xFFFFFFFF

# Texts name these; a kernel has its own in their place.
put_key: Any = None


def keyed(x: Any, order: Any, keys: Any, along: Any, after: Any, flip: Any, size: Any) -> None:
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        line = uint32(i // along)
        position = uint32(position_at(order, i, uint32(i - uint32(line * along))))
        b = uint32(line // after)
        at = uint32(uint32(uint32(uint32(b * along) + position) * after) + uint32(line - uint32(b * after)))
        keys[i] = read_key(x, at) ^ flip


def digit_of(key: Any, shift: Any) -> Any:
    return uint32(uint32(key >> shift) & uint32(255))


def counted(keys: Any, counts: Any, shift: Any, along: Any, parts: Any, items: Any) -> None:
    own = cuda.shared.array(256, int32)
    t = uint32(cuda.threadIdx.x)
    line = uint32(uint32(cuda.blockIdx.x) // parts)
    part = uint32(uint32(cuda.blockIdx.x) - uint32(line * parts))
    own[t] = int32(0)
    cuda.syncthreads()
    i = uint32(uint32(uint32(part * items) << uint32(8)) + t)
    end = uint32(uint32(uint32(part + uint32(1)) * items) << uint32(8))
    while i < end and i < along:
        cuda.atomic.add(own, digit_of(keys[uint32(uint32(line * along) + i)], shift), int32(1))
        i = uint32(i + uint32(256))
    cuda.syncthreads()
    counts[uint32(uint32(uint32(uint32(line << uint32(8)) + t) * parts) + part)] = own[t]


def counted_by_warps(own: Any, keys: Any, shift: Any, first: Any, line: Any, along: Any, items: Any) -> None:
    t = uint32(cuda.threadIdx.x)
    row = uint32(uint32(t >> uint32(5)) << uint32(8))
    k = t
    while k < uint32(2048):
        own[k] = int32(0)
        k = uint32(k + uint32(256))
    cuda.syncthreads()
    i = uint32(first + uint32(t & uint32(31)))
    end = uint32(first + uint32(items << uint32(5)))
    while i < end and i < along:
        cuda.atomic.add(own, uint32(row + digit_of(keys[uint32(uint32(line * along) + i)], shift)), int32(1))
        i = uint32(i + uint32(32))
    cuda.syncthreads()


def begun(own: Any, ends: Any, line: Any, part: Any, parts: Any) -> None:
    t = uint32(cuda.threadIdx.x)
    at = uint32(uint32(uint32(uint32(line << uint32(8)) + t) * parts) + part)
    total = int32(0)
    if uint32(t + part) > uint32(0):
        total = int32(ends[uint32(at - uint32(1))])
    k = t
    while k < uint32(2048):
        count = own[k]
        own[k] = total
        total = int32(total + count)
        k = uint32(k + uint32(256))
    cuda.syncthreads()


def placed(
    keys: Any, order: Any, ends: Any, new_keys: Any, new_order: Any, shift: Any, along: Any, parts: Any, items: Any
) -> None:
    """Keys and places behind those of the same digit or a smaller one before them; `ends`: running sums of counts."""
    own = cuda.shared.array(2048, int32)
    t = uint32(cuda.threadIdx.x)
    line = uint32(uint32(cuda.blockIdx.x) // parts)
    part = uint32(uint32(cuda.blockIdx.x) - uint32(line * parts))
    first = uint32(uint32(uint32(part << uint32(8)) + uint32(uint32(t >> uint32(5)) << uint32(5))) * items)
    counted_by_warps(own, keys, shift, first, line, along, items)
    begun(own, ends, line, part, parts)
    row = uint32(uint32(t >> uint32(5)) << uint32(8))
    lane = uint32(t & uint32(31))
    below = uint32(uint32(uint32(1) << lane) - uint32(1))
    i = uint32(first + lane)
    end = uint32(uint32(first + lane) + uint32(items << uint32(5)))
    while i < end:
        digit = uint32(256)
        at = uint32(uint32(line * along) + i)
        if i < along:
            digit = digit_of(keys[at], shift)
        peers = uint32(cuda.match_any_sync(ALL, int32(digit)))
        before = uint32(cuda.popc(uint32(peers & below)))
        to = uint32(0)
        if i < along:
            to = uint32(uint32(own[uint32(row + digit)]) + before)
        cuda.syncwarp()
        if i < along:
            if before == uint32(0):
                own[uint32(row + digit)] = int32(to + uint32(cuda.popc(peers)))
            to = uint32(uint32(line * along) + to)
            put_key(new_keys, to, keys[at])
            new_order[to] = position_at(order, at, i)
        cuda.syncwarp()
        i = uint32(i + uint32(32))


def position_in_line(order: Any, at: Any, i: Any) -> Any:
    return int32(i)


def position_in_order(order: Any, at: Any, i: Any) -> Any:
    return int32(order[at])


def put_nothing(keys: Any, at: Any, key: Any) -> None:
    return


def put_one(keys: Any, at: Any, key: Any) -> None:
    keys[at] = key


def position_functions(target: Target, order: Any) -> Any:
    return target.device(position_in_order if order else position_in_line)


def positions(part: int) -> Name:
    return lambda target, signature: position_functions(target, signature[part])


KEYED = generated_kernel(
    "keys of lines", keyed, read_key=lambda target, parts: reader(target, parts[0]), position_at=positions(1)
)
COUNTED = generated_kernel("digits counted", counted)
PLACED = generated_kernel(
    "keys placed by a digit",
    placed,
    position_at=positions(1),
    put_key=lambda target, parts: target.device(put_one if parts[3] else put_nothing),
)
