"""Arrays as kernels see them: an index outside is an error, and so is a read of what nobody wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .faults import KernelFault

if TYPE_CHECKING:
    from .threads import SimulatedCuda


class GlobalArray:
    """A 1-D array in a device's memory.

    Args:
        values: its elements, contiguous.
        written: which bytes of them somebody wrote, marked further by kernels; None: all of them.
    """

    __slots__ = ("cuda", "dtype", "is_written", "name", "shape", "size", "values", "written")

    def __init__(self, values: np.ndarray, written: np.ndarray | None = None) -> None:
        self.values, self.written = values, written
        self.size, self.dtype, self.shape = values.size, values.dtype, values.shape
        self.name = "an array"
        self.cuda: SimulatedCuda
        self.is_written: bytearray

    def bind(self, name: str, cuda: SimulatedCuda) -> None:
        """Be the argument `name` of a kernel that is launched now."""
        self.name, self.cuda = name, cuda
        known = self.written is None or bool(self.written.all())
        self.is_written = bytearray(b"\1" * self.size if known else self.elements_written().all(1).tobytes())

    def elements_written(self) -> np.ndarray:
        """The marks of the bytes, a row for each element."""
        assert self.written is not None
        return self.written.reshape(self.size, -1)

    def release(self) -> None:
        """The launch is over: say which bytes it wrote."""
        if self.written is not None:
            self.elements_written()[np.frombuffer(self.is_written, bool)] = True

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: Any) -> Any:
        if not 0 <= index < self.size:
            raise self.outside("reads", index)
        if not self.is_written[index]:
            raise self.fault(f"reads {self.name}[{index}], which nobody wrote")
        return self.values[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        if not 0 <= index < self.size:
            raise self.outside("writes", index)
        self.is_written[index] = 1
        try:
            self.values[index] = value
        except OverflowError:  # an integer of Python's that is too large for the dtype
            self.values[index] = np.array(int(value) & 0xFFFFFFFFFFFFFFFF, np.uint64).astype(self.dtype)

    def outside(self, does: str, index: Any) -> KernelFault:
        return self.fault(f"{does} {self.name}[{index}], and {self.name} has {self.size} elements")

    def fault(self, text: str) -> KernelFault:
        return KernelFault(f"{self.cuda.where()} {text}")
