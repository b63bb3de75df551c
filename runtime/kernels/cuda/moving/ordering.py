"""Kernels that bring equal keys together, in the order in which they come: a radix sort, four bits at a time.

A block counts the digits of its elements (`counted`), a scan over all blocks says where those of each digit begin, and
the elements go there (`placed`). No thread waits for another block, and no atomic operation decides on an order.
"""

from __future__ import annotations

from typing import Any

from ..kernel import Kernel, Signature, Target
from ..vocabulary import cuda, int32, uint32

THREADS = 64  # of a block
PER_THREAD = 16
PER_BLOCK = THREADS * PER_THREAD
BITS = 4  # of a digit
DIGITS = 1 << BITS

# Texts name these; a kernel has its own in their place.
digits_of_thread: Any = None


def counted_by_thread(own: Any, keys: Any, t: Any, shift: Any, size: Any) -> None:
    """own[digit, thread] for the elements of this thread."""
    digit = uint32(0)
    while digit < uint32(16):
        own[uint32(uint32(digit * uint32(64)) + t)] = int32(0)
        digit = uint32(digit + uint32(1))
    i = uint32(uint32(uint32(uint32(cuda.blockIdx.x) * uint32(64)) + t) * uint32(16))
    end = uint32(i + uint32(16))
    while i < end and i < size:
        at = uint32(uint32(uint32(uint32(uint32(keys[i]) >> shift) & uint32(15)) * uint32(64)) + t)
        own[at] = int32(own[at] + 1)
        i = uint32(i + uint32(1))


def counted(keys: Any, counts: Any, shift: Any, blocks: Any, size: Any) -> None:
    """counts[digit, block]."""
    own = cuda.shared.array(1024, int32)
    t = uint32(cuda.threadIdx.x)
    digits_of_thread(own, keys, t, shift, size)
    cuda.syncthreads()
    if t < uint32(16):
        total = int32(0)
        k = uint32(0)
        while k < uint32(64):
            total = int32(total + own[uint32(uint32(t * uint32(64)) + k)])
            k = uint32(k + uint32(1))
        counts[uint32(uint32(t * blocks) + uint32(cuda.blockIdx.x))] = total


def placed(keys: Any, order: Any, ends: Any, new_keys: Any, new_order: Any, shift: Any, blocks: Any, size: Any) -> None:
    """Elements at their places; `ends` are the running sums of the counts."""
    own = cuda.shared.array(1024, int32)
    t = uint32(cuda.threadIdx.x)
    digits_of_thread(own, keys, t, shift, size)
    cuda.syncthreads()
    if t < uint32(16):
        at = uint32(uint32(t * blocks) + uint32(cuda.blockIdx.x))
        total = int32(ends[uint32(at - uint32(1))]) if at > uint32(0) else int32(0)
        k = uint32(0)
        while k < uint32(64):
            before = uint32(uint32(t * uint32(64)) + k)
            count = own[before]
            own[before] = total
            total = int32(total + count)
            k = uint32(k + uint32(1))
    cuda.syncthreads()
    i = uint32(uint32(uint32(uint32(cuda.blockIdx.x) * uint32(64)) + t) * uint32(16))
    end = uint32(i + uint32(16))
    while i < end and i < size:
        key = keys[i]
        digit = uint32(uint32(uint32(uint32(uint32(key) >> shift) & uint32(15)) * uint32(64)) + t)
        to = own[digit]
        own[digit] = int32(to + 1)
        new_keys[uint32(to)] = key
        new_order[uint32(to)] = order[i]
        i = uint32(i + uint32(1))


def _counted(target: Target, signature: Signature) -> Any:
    return target.kernel(counted, digits_of_thread=target.device(counted_by_thread))


def _placed(target: Target, signature: Signature) -> Any:
    return target.kernel(placed, digits_of_thread=target.device(counted_by_thread))


COUNTED = Kernel("digits counted", _counted)
PLACED = Kernel("keys placed by a digit", _placed)


def flattened(rows: Any, out: Any, along: Any, after: Any, count: Any, size: Any) -> None:
    """The places in (before, along, after) of rows of (before, count, after); -1 stays."""
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        q = uint32(i // after)
        b = uint32(q // count)
        row = int32(rows[i])
        if row >= 0:
            line = uint32(uint32(uint32(b * along) + uint32(row)) * after)
            row = int32(uint32(line + uint32(i - uint32(q * after))))
        out[i] = row


def _flattened(target: Target, signature: Signature) -> Any:
    return target.kernel(flattened)


FLATTENED = Kernel("places of rows", _flattened)
