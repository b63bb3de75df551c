"""Arrays as kernels see them: indices have to be inside, and every access is noted in the memory that it goes to."""

from __future__ import annotations

from collections.abc import Callable
from operator import index as as_index
from typing import Any

import numpy as np

from .limits import KernelFault
from .thread_races import ATOMIC, Memory

LONG = 0xFFFFFFFFFFFFFFFF


class Elements:
    """A 1-D array while a kernel runs: some units of a memory.

    Args:
        name: what the kernel calls it.
        values: its elements.
        memory: where accesses are noted.
        offset: its first unit there.
        where: says which thread runs, for messages.
    """

    __slots__ = (
        *("dtype", "memory", "name", "offset", "parts", "reads"),
        *("shape", "size", "timeline", "values", "where", "writes"),
    )

    def __init__(self, name: str, values: np.ndarray, memory: Memory, offset: int, where: Callable[[], str]) -> None:
        self.name, self.values, self.memory, self.offset, self.where = name, values, memory, offset, where
        self.size, self.dtype, self.shape = values.size, values.dtype, values.shape
        self.parts = values.itemsize // memory.unit  # units of an element
        self.timeline, self.reads, self.writes = memory.timeline, memory.reads, memory.writes

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> Any:
        if type(index) is not int:
            if isinstance(index, slice):
                return self.part(index)
            index = as_index(index)
        if self.parts == 1 and 0 <= index < self.size:  # most reads: nobody else had access
            at, now = self.offset + index, self.timeline.now
            wrote, read = self.writes[at], self.reads[at]
            if (wrote == 0 or wrote == now) and (read == 0 or read == now):
                self.reads[at] = now
                return self.values[index]
        return self.read(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        if type(index) is not int:
            index = as_index(index)
        if self.parts == 1 and 0 <= index < self.size:
            at, now = self.offset + index, self.timeline.now
            wrote, read = self.writes[at], self.reads[at]
            if (ATOMIC < wrote <= 0 or wrote == now) and (read == 0 or (read == now and self.memory.is_one_reader)):
                self.writes[at] = now
                self.store(index, value)
                return
        self.write(index, value)

    def read(self, index: int) -> Any:
        memory, now = self.memory, self.timeline.now
        for at in self.units("reads", index):
            wrote = self.writes[at]
            if wrote and wrote != now and (wrong := memory.check_read(at)):
                raise self.fault("reads", index, wrong)
            if self.reads[at] != now:
                memory.readers.add(at)
        return self.values[index]

    def write(self, index: int, value: Any) -> None:
        for at in self.units("writes", index):
            if wrong := self.memory.check_write(at):
                raise self.fault("writes", index, wrong)
            self.writes[at] = self.timeline.now
        self.store(index, value)

    def change(self, index: Any, changed: Callable[[Any], Any]) -> Any:
        offset_of = self.offset_of(index)
        for at in self.units("changes", offset_of):
            if wrong := self.memory.check_atomic(at):
                raise self.fault("changes", offset_of, wrong)
        old = self.values[offset_of]
        self.store(offset_of, changed(old))
        return old

    def offset_of(self, index: Any) -> int:
        return as_index(index)

    def units(self, does: str, index: int) -> range:
        if not 0 <= index < self.size:
            raise self.fault(does, index, f"outside of its {self.size} elements")
        first = self.offset + index * self.parts
        return range(first, first + self.parts)

    def store(self, offset_of: int, value: Any) -> None:
        try:
            self.values[offset_of] = value
        except (OverflowError, ValueError):  # a number of Python's that the dtype does not have
            self.values[offset_of] = self.converted(value)

    def converted(self, value: Any) -> Any:
        if isinstance(value, self.dtype.type):
            return value
        if isinstance(value, int):
            return np.array(value & LONG, np.uint64).astype(self.dtype)[()]
        return np.asarray(value).astype(self.dtype)[()]

    def part(self, chosen: slice) -> Elements:
        first, end, step = chosen.indices(self.size)
        if step != 1 or min(chosen.start or 0, chosen.stop or 0) < 0 or (chosen.stop or 0) > self.size:
            raise self.fault("slices", f"{chosen.start}:{chosen.stop}:{chosen.step}", f"of its {self.size} elements")
        offset = self.offset + first * self.parts
        part = Elements(f"{self.name}[{first}:]", self.values[first:end], self.memory, offset, self.where)
        self.memory.arrays.append(part)
        return part

    def fault(self, does: str, index: Any, wrong: str) -> KernelFault:
        return KernelFault(f"{self.where()} {does} {self.name}[{index}], {wrong}")


class Grid(Elements):
    """An array in shared or local memory whose elements have several indices."""

    __slots__ = ()

    def __init__(self, shape: tuple[int, ...], name: str, values: np.ndarray, *rest: Any) -> None:
        super().__init__(name, values, *rest)
        self.shape = shape

    def __getitem__(self, index: Any) -> Any:
        return super().__getitem__(self.offset_of(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(self.offset_of(index), value)

    def offset_of(self, index: Any) -> int:
        if not isinstance(index, tuple) or len(index) != len(self.shape):
            raise self.fault("has access to", index, f"and its elements have {len(self.shape)} indices")
        offset_of = 0
        for each, size in zip(index, self.shape, strict=True):
            if not 0 <= each < size:
                raise self.fault("has access to", index, f"outside of its shape {self.shape}")
            offset_of = offset_of * size + as_index(each)
        return offset_of

    def fault(self, does: str, index: Any, wrong: str) -> KernelFault:
        if does != "has access to":
            index = np.unravel_index(index, self.shape)
        shown = ", ".join(str(int(i)) for i in index) if isinstance(index, tuple) else index
        return super().fault(does, shown, wrong)
