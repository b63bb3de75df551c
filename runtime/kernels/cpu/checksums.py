"""CRC-32 of much memory: bits are read as the coefficients of a polynomial over the field of two elements, the first
bit of a byte first, and its remainder by the polynomial of CRC-32 is wanted.

Squared k times, that polynomial P has the same number of terms, at 2^k times the distances: P(x)^(2^k) = P(x^(2^k)).
It is a multiple of P, so what stands at the front of the memory may be removed if it is added, by xor, where the
other terms stand behind it. With terms that are multiples of a line apart that is done for whole vectors, line after
line, and what is left at the end is short. It has the same remainder.
"""

from __future__ import annotations

import zlib

import numpy as np

from ..compile.loading import is_loaded
from ..compile.machine import carryless_bytes
from ..jit import jit
from ..llvm.addresses import address, empty_row, part_of, xor_lines
from ..llvm.carryless import AT_ONCE, fold_blocks

Array = np.ndarray
TERMS = (26, 23, 22, 16, 12, 11, 10, 8, 7, 5, 4, 2, 1, 0)  # of the polynomial of degree 32, below that
UNIT = 512  # bytes between terms: 2^12 bits
BACK = tuple([(32 - term) * UNIT for term in TERMS])
LINE, REACH = 64, 32 * UNIT
LEAST = 4 * REACH  # bytes from which this is faster than what goes from byte to byte
EVERY = 0xFFFFFFFF


def crc32(memory: Array, before: int = 0) -> int:
    """zlib.crc32 of a contiguous array of bytes, behind what has the checksum `before`."""
    if memory.size < LEAST or not is_loaded():
        return zlib.crc32(memory.data, before)
    if carryless_bytes():
        return by_products(memory, before)
    rest = np.empty(REACH + (memory.size - REACH) % LINE, np.uint8)
    fold(memory, before ^ EVERY, rest)
    return zlib.crc32(rest.data, EVERY)


def by_products(memory: Array, before: int) -> int:
    """The same on a processor that multiplies such polynomials."""
    block = AT_ONCE * carryless_bytes()
    rest = np.empty(block + memory.size % block, np.uint8)
    fold_by_products(memory, before ^ EVERY, rest, block)
    return zlib.crc32(rest.data, EVERY)


@jit
def fold_by_products(memory: Array, register: int, rest: Array, block: int) -> None:
    """A block with the remainder that all of them have, and the bytes behind them."""
    fold_blocks(address(memory), memory.size // block, register, address(rest))
    for i in range(block, rest.size):
        rest[i] = memory[memory.size - rest.size + i]


@jit
def fold(memory: Array, register: int, rest: Array) -> None:
    """Bytes with the remainder that the memory has, behind what has left `register`; as many as `rest` has places."""
    count = memory.size - rest.size
    # What was removed, and is still to be added somewhere: the last of it in the lower half, new lines above.
    removed, first = empty_row(np.uint8(0), 2 * REACH), empty_row(np.uint8(0), LINE)
    for i in range(REACH):
        removed[i] = 0
    for i in range(LINE):
        first[i] = memory[i] ^ np.uint8((register >> (8 * i)) & 0xFF if i < 4 else 0)
    done = 0
    while done < count:
        size = min(REACH, count - done)
        for i in range(0, size, LINE):
            source = address(first) if done + i == 0 else address(memory) + done + i
            xor_lines(source, address(removed) + REACH + i, BACK)
        for i in range(0, REACH, LINE):
            xor_lines(address(removed) + size + i, address(removed) + i, ())
        done += size
    for i in range(rest.size):
        rest[i] = memory[count + i]
    for k in range(len(BACK)):
        there = part_of(removed, REACH - BACK[k], BACK[k])
        for i in range(there.size):
            rest[i] ^= there[i]
