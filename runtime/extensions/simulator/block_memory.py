"""The arrays that kernels see, whose reads and writes are checked and noted, and those of a block or of a thread."""

import dis
import math
import sys
import types
from collections.abc import Callable
from functools import cache
from operator import index as as_index
from typing import Any

import numpy as np

from ...kernels.cuda.numbers import dtype_of
from .limits import KernelFault
from .thread_races import ATOMIC, Memory, RunningKernel, Timeline

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

    def part(self, chosen: slice) -> "Elements":
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


STATIC = 48 * 1024  # bytes that a block may have by `shared.array` with a shape
MAX_SHARED_BYTES = 227 * 1024  # bytes that it may have in all, those of the launch included


def named(frame: types.FrameType) -> str:
    return name_after(frame.f_code, frame.f_lasti, frame.f_lineno)


@cache
def name_after(code: types.CodeType, position: int, line: int) -> str:
    """The variable that an instruction's result goes to, or the line; every thread asks for the same ones."""
    following = (i for i in dis.get_instructions(code) if i.offset > position)
    after = next(following)
    if not after.opname.startswith("STORE_"):
        return f"(array of line {line})"
    return str(after.argval[0] if isinstance(after.argval, tuple) else after.argval)  # two steps may be one instruction


def new_array(name: str, shape: Any, dtype: Any, timeline: Timeline, cuda: RunningKernel) -> Elements:
    dims = shape if isinstance(shape, tuple) else (shape,)
    values = np.zeros(math.prod(dims), dtype_of(dtype))
    memory = Memory(timeline, values.size, values.itemsize)
    if len(dims) > 1:
        return Grid(dims, name, values, memory, 0, cuda.where)
    return Elements(name, values, memory, 0, cuda.where)


class Local:
    """`cuda.local`: arrays of one thread."""

    def __init__(self, cuda: RunningKernel) -> None:
        self.cuda = cuda

    def array(self, shape: Any, dtype: Any) -> Elements:
        return new_array(named(sys._getframe(1)), shape, dtype, self.cuda.timeline, self.cuda)


class Shared:
    """`cuda.shared`: arrays of a block; each place in a kernel or device function that makes one makes one."""

    def __init__(self, cuda: RunningKernel) -> None:
        self.cuda = cuda
        self.begin_block(0)

    def begin_block(self, size: int) -> None:
        self.arrays: dict[Any, tuple[Any, Elements]] = {}
        self.static, self.dynamic = 0, np.zeros(size, np.uint8)
        self.memory: Memory | None = None
        self.check()

    def array(self, shape: Any, dtype: Any) -> Elements:
        """The array that this line makes; with shape 0 all of the memory that the launch gave the block."""
        frame = sys._getframe(1)
        key = (id(frame.f_globals), frame.f_code, frame.f_lasti)
        cached = self.arrays.get(key)
        if cached is None:
            made = self.made(named(frame), shape, dtype)
            cached = self.arrays[key] = ((shape, dtype), made)
        if cached[0] != (shape, dtype):
            name, before = cached[1].name, cached[0][0]
            raise KernelFault(f"{self.cuda.where()} makes {name} with shape {shape}, others with {before}: no constant")
        return cached[1]

    def made(self, name: str, shape: Any, dtype: Any) -> Elements:
        if shape in (0, (0,)):
            return self.over_dynamic(name, dtype_of(dtype))
        array = new_array(name, shape, dtype, self.cuda.timeline, self.cuda)
        self.static += array.values.nbytes
        self.check()
        return array

    def over_dynamic(self, name: str, dtype: np.dtype[Any]) -> Elements:
        """An array over the dynamic memory; all begin at its first byte."""
        count = self.dynamic.size // dtype.itemsize
        if self.memory is None:
            self.memory = Memory(self.cuda.timeline, -(-self.dynamic.size // dtype.itemsize), dtype.itemsize)
        self.memory.refine(math.gcd(self.memory.unit, dtype.itemsize))
        values = self.dynamic[: count * dtype.itemsize].view(dtype)
        array = Elements(name, values, self.memory, 0, self.cuda.where)
        self.memory.arrays.append(array)
        return array

    def check(self) -> None:
        if self.static > STATIC:
            text = f"a block takes {self.static} bytes of static shared memory; CUDA has {STATIC}, more is dynamic"
            raise KernelFault(f"{self.cuda.kernel}: {text}")
        if self.static + self.dynamic.size > MAX_SHARED_BYTES:
            text = (
                f"a block takes {self.static + self.dynamic.size} bytes of shared memory; a device has "
                f"{MAX_SHARED_BYTES}"
            )
            raise KernelFault(f"{self.cuda.kernel}: {text}")
