"""Memory that kernels make themselves: shared by the threads of a block, or local to a thread."""

from __future__ import annotations

import dis
import math
import sys
import types
from functools import cache
from typing import Any

import numpy as np

from ...kernels.cuda.numbers import dtype_of
from .kernel_arrays import Elements, Grid
from .limits import KernelFault
from .thread_races import Memory, RunningKernel, Timeline

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
