"""Arrays that a kernel finds by addresses which it has read from memory: checked and noted as its arguments are."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...kernels.cuda.numbers import dtype_of
from .arrays import Elements
from .faults import KernelFault
from .memory import Block
from .memory import Memory as DeviceMemory
from .order import Work
from .races import Races
from .thread_races import ATOMIC, UNWRITTEN, Memory
from .timeline import Timeline


class Reached:
    """The arrays of one launch, by address, and what its threads did to the blocks in which they lie."""

    def __init__(self, memory: DeviceMemory, timeline: Timeline, where: Callable[[], str]) -> None:
        self.memory, self.timeline, self.where = memory, timeline, where
        self.blocks: dict[int, tuple[Block, Memory]] = {}
        self.arrays: dict[Any, Elements] = {}

    def array(self, address: Any, size: Any, kind: Any) -> Elements:
        """The array of so many elements at an address; the same one for all threads."""
        dtype, key = dtype_of(kind), (int(address), int(size), kind)
        if key not in self.arrays:
            self.arrays[key] = self.found(int(address), int(size), dtype)
        return self.arrays[key]

    def found(self, address: int, size: int, dtype: np.dtype) -> Elements:
        name = f"(array at {address:#x})"
        if not size:
            return Elements(name, np.empty(0, dtype), Memory(self.timeline, 0, dtype.itemsize), 0, self.where)
        if address % dtype.itemsize:
            raise KernelFault(f"{self.where()} has access to {address:#x}, a misaligned address of {dtype}")
        block = self.memory.block(address, size * dtype.itemsize, self.where())
        start = address - block.address
        notes = self.notes_on(block, math.gcd(dtype.itemsize, start))
        values = block.bytes[start : start + size * dtype.itemsize].view(dtype)
        array = Elements(name, values, notes, start // notes.unit, self.where)
        notes.arrays.append(array)
        return array

    def notes_on(self, block: Block, unit: int) -> Memory:
        if block.address not in self.blocks:
            full = block.size // unit
            notes = Memory(self.timeline, full, unit, 0)
            written = block.written[: full * unit].reshape(full, unit).all(1)
            notes.writes[:] = np.where(written, 0, UNWRITTEN).tolist()
            self.blocks[block.address] = block, notes
        notes = self.blocks[block.address][1]
        notes.refine(math.gcd(notes.unit, unit))
        return notes

    def done(self, races: Races, work: Work) -> None:
        """The launch is over: note which bytes it read or wrote."""
        for block, notes in self.blocks.values():
            wrote = np.array(notes.writes)
            changed = (wrote > 0) | (wrote == ATOMIC)
            block.written[: changed.size * notes.unit] |= np.repeat(changed, notes.unit)
            for array in notes.arrays:
                start, end = array.offset, array.offset + array.size * array.parts
                races.note(block, start * notes.unit, end * notes.unit, bool(changed[start:end].any()), work)
