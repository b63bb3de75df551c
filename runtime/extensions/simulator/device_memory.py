"""Memory of simulated devices: blocks in an address space of their own, which notice what a GPU would not.

Blocks lie apart, so that an index that is out of bounds finds nothing. Memory that is given out is full of NaNs, and
notes byte by byte whether it has been written since; memory that was given back is refused.
"""

from bisect import bisect_right
from collections import deque
from typing import Any, NamedTuple

import numpy as np

from ...errors import AcceleratorError

FIRST = 1 << 60  # no address of a process
PER_DEVICE = 1 << 48
ALIGNMENT = 512
GAP = 1 << 16
UNINITIALIZED, FREED = 0xFF, 0xFB  # 0xFF: a NaN in each floating-point format, -1 as an int


class Region(NamedTuple):
    """A part of a block: its bytes, and for each whether it has been written since the block was given out."""

    bytes: np.ndarray
    written: np.ndarray


class Block:
    """One allocation: `size` bytes from `address` on, of which the first `usable` may be touched.

    `owner` counts how often it was given out; `is_of_graph` says that a capture got it.
    """

    __slots__ = ("accesses", "address", "bytes", "epoch", "is_of_graph", "live", "owner", "size", "usable", "written")

    def __init__(self, address: int, size: int) -> None:
        self.address, self.size, self.usable, self.live = address, size, size, True
        self.bytes = np.full(size, UNINITIALIZED, np.uint8)
        self.written = np.zeros(size, np.bool_)
        self.accesses: list[Any] = []  # of the `epoch`: see races.py
        self.epoch = self.owner = 0
        self.is_of_graph = False

    def refresh(self) -> None:
        self.bytes.fill(UNINITIALIZED)
        self.written.fill(False)


class Memory:
    """The memory of all simulated devices.

    Args:
        totals: the bytes that each device has; entries may be changed at any time.
    """

    def __init__(self, totals: list[int]) -> None:
        self.totals = totals
        self.used = [0] * len(totals)
        self.is_replaying = False  # a graph, whose blocks are its own though no tensor holds them
        self._next = [FIRST + PER_DEVICE * device + GAP for device in range(len(totals))]
        self._starts: list[int] = []
        self._blocks: list[Block] = []
        self._gone: deque[tuple[int, int]] = deque(maxlen=4096)  # what was freed of late: address, size

    def allocate(self, device: int, size: int) -> int:
        """The address of a new block; 0 where the device has too little memory left."""
        if self.used[device] + size > self.totals[device]:
            return 0
        address = self._next[device]
        self._next[device] += -(-size // ALIGNMENT) * ALIGNMENT + GAP
        self.used[device] += size
        index = bisect_right(self._starts, address)
        self._starts.insert(index, address)
        self._blocks.insert(index, Block(address, size))
        return address

    def free(self, address: int) -> Block:
        """Give a block back: nobody may touch it, but what waits in queues still does."""
        block = self.start(address, "free")
        index = bisect_right(self._starts, address) - 1
        block.live = block.is_of_graph = False
        self.used[device_of(address)] -= block.size
        self._gone.append((address, block.size))
        del self._starts[index], self._blocks[index]
        return block

    def start(self, address: int, what: str) -> Block:
        block = self._around(address, what)
        if block.address != address:
            raise fault(what, f"{address:#x} is {address - block.address} bytes inside a block of {block.size}")
        return block

    def _around(self, address: int, what: str) -> Block:
        index = bisect_right(self._starts, address) - 1
        block = self._blocks[index] if index >= 0 else None
        if block is None or address >= block.address + max(block.size, 1):
            raise fault(what, self._error_message(address))
        return block

    def block(self, address: int, size: int, what: str) -> Block:
        block = self._around(address, what)
        end = address - block.address + size
        if self.is_replaying and block.is_of_graph and end <= block.size:
            return block
        if not block.live:
            raise fault(what, f"use after free of {size} bytes at {address:#x}, in a block of {block.size} bytes")
        if end > block.usable:
            raise fault(
                what, f"{size} bytes at {address:#x} end {end - block.usable} bytes behind a block of {block.usable}"
            )
        return block

    def _error_message(self, address: int) -> str:
        if not FIRST <= address < FIRST + PER_DEVICE * len(self.totals):
            return f"{address:#x} is no address of a device"
        for start, size in self._gone:
            if start <= address < start + max(size, 1):
                return f"use after free of {address:#x}, in a block of {size} bytes that was given back"
        return f"{address:#x} lies between the blocks of cuda:{device_of(address)}"

    def region(self, address: int, size: int, what: str = "access") -> Region:
        """The bytes at an address, which may be read and written. RuntimeError: they do not all lie in one block that
        is in use.
        """
        if size == 0:
            return Region(np.empty(0, np.uint8), np.empty(0, np.bool_))
        block = self.block(address, size, what)
        start = address - block.address
        return Region(block.bytes[start : start + size], block.written[start : start + size])


def device_of(address: int) -> int:
    return (address - FIRST) // PER_DEVICE


def is_of_device(address: int) -> bool:
    return address >= FIRST


def fault(what: str, message: str) -> AcceleratorError:
    return AcceleratorError(f"CUDA error: an illegal memory access was encountered: {what}: {message}")
