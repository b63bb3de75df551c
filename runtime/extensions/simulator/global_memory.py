"""Arrays in a device's memory: arguments of a launch, of which two may overlap, and those that a kernel finds by
addresses which it has read.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...kernels.cuda.numbers import dtype_of
from .block_memory import Elements
from .device_memory import Block
from .device_memory import Memory as DeviceMemory
from .limits import KernelFault
from .stream_order import Races, Work
from .thread_races import ATOMIC, KNOWN, UNWRITTEN, Memory, Timeline


class GlobalArray(NamedTuple):
    """A 1-D array in a device's memory, as it is given to a launch.

    A kernel reads NumPy's numbers of its dtype from it; what it writes is converted, and integers wrap.

    Args:
        values: its elements, contiguous.
        written: which bytes of them somebody wrote; the launch marks further ones. None: all of them.
    """

    values: np.ndarray
    written: np.ndarray | None = None

    @property
    def is_known(self) -> bool:
        return self.written is None or bool(self.written.all())

    def elements_written(self) -> np.ndarray:
        assert self.written is not None
        return self.written.reshape(self.values.size, self.values.itemsize)


class Placed(NamedTuple):
    """An argument, and where it lies."""

    start: int
    end: int
    name: str
    array: GlobalArray

    @classmethod
    def of(cls, name: str, array: GlobalArray) -> "Placed":
        start = int(array.values.__array_interface__["data"][0])
        return cls(start, start + array.values.nbytes, name, array)


class Arguments:
    def __init__(self, arguments: Mapping[str, Any], timeline: Timeline, where: Callable[[], str]) -> None:
        named = [result for name, value in arguments.items() for result in arrays_in(name, value)]
        arrays = [Placed.of(name, array) for name, array in named]
        self.elements: dict[str, Elements] = {}
        for group in overlapping(arrays):
            memory = memory_of(group, timeline)
            for position in group:
                offset = (position.start - group[0].start) // memory.unit
                self.elements[position.name] = Elements(position.name, position.array.values, memory, offset, where)
        self.values = [self.seen(name, value) for name, value in arguments.items()]
        self.placed = arrays
        self.unknown = {position.name: position.array for position in arrays if not position.array.is_known}

    def seen(self, name: str, value: Any) -> Any:
        if type(value) is tuple:
            return tuple(self.seen(f"{name}[{position}]", part) for position, part in enumerate(value))
        return self.elements.get(name, value)

    def written(self) -> list[GlobalArray]:
        return [position.array for position in self.placed if self._is_written(self.elements[position.name])]

    @staticmethod
    def _is_written(elements: Elements) -> bool:
        notes = elements.writes[elements.offset : elements.offset + elements.size * elements.parts]
        return not {KNOWN, UNWRITTEN}.issuperset(notes)

    def mark_written(self) -> None:
        for name, array in self.unknown.items():
            elements = self.elements[name]
            notes = elements.writes[elements.offset : elements.offset + elements.size * elements.parts]
            full = (np.array(notes) != UNWRITTEN).reshape(elements.size, elements.parts).all(1)
            array.elements_written()[full] = True


def arrays_in(name: str, value: Any) -> Iterator[tuple[str, GlobalArray]]:
    if isinstance(value, GlobalArray):
        yield name, value
    elif type(value) is tuple:
        for position, part in enumerate(value):
            yield from arrays_in(f"{name}[{position}]", part)


def wrapped(value: Any) -> Any:
    if type(value) is tuple:
        return tuple(map(wrapped, value))
    return GlobalArray(value) if isinstance(value, np.ndarray) else value


def overlapping(arrays: Iterable[Placed]) -> list[list[Placed]]:
    groups: list[list[Placed]] = []
    end = -1
    for position in sorted(arrays):
        if position.start >= end:
            groups.append([])
        groups[-1].append(position)
        end = max(end, position.end)
    return groups


def memory_of(group: Sequence[Placed], timeline: Timeline) -> Memory:
    start, end = group[0].start, max(position.end for position in group)
    unit = math.gcd(*(p.array.values.itemsize for p in group), *(p.start - start for p in group))
    memory = Memory(timeline, (end - start) // unit, unit, KNOWN)
    unknown = [position for position in group if not position.array.is_known]
    if unknown:
        notes = np.zeros(len(memory.writes), int)
        for position in unknown:
            first, values = (position.start - start) // unit, position.array.values
            parts = values.itemsize // unit
            rows = notes[first : first + values.size * parts].reshape(values.size, parts)
            rows[~position.array.elements_written().all(1)] = UNWRITTEN
        memory.writes[:] = notes.tolist()
    return memory


class Reached:
    """The arrays of one launch, by address, and what its threads did to the blocks in which they lie."""

    def __init__(self, memory: DeviceMemory, timeline: Timeline, where: Callable[[], str]) -> None:
        self.memory, self.timeline, self.where = memory, timeline, where
        self.blocks: dict[int, tuple[Block, Memory]] = {}
        self.arrays: dict[Any, Elements] = {}

    def array(self, address: Any, size: Any, kind: Any) -> Elements:
        dtype, key = dtype_of(kind), (int(address), int(size), kind)
        if key not in self.arrays:
            self.arrays[key] = self.array_at(int(address), int(size), dtype)
        return self.arrays[key]

    def array_at(self, address: int, size: int, dtype: np.dtype) -> Elements:
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
        for block, notes in self.blocks.values():
            wrote = np.array(notes.writes)
            changed = (wrote > 0) | (wrote == ATOMIC)
            block.written[: changed.size * notes.unit] |= np.repeat(changed, notes.unit)
            for array in notes.arrays:
                start, end = array.offset, array.offset + array.size * array.parts
                races.note(block, start * notes.unit, end * notes.unit, bool(changed[start:end].any()), work)
