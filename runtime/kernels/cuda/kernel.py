"""A CUDA kernel: one Python text for the compiler, the simulator, and the digest by which compiled code is found again.

A kernel is written as plain functions over the names of `vocabulary.py`. Its `make` puts them together for a target,
which says what the names mean, and for a signature, which says what is stored in the arrays.
"""

from __future__ import annotations

import types

from ...extension_points import extension
from .cubins import cubin
from .signature import Array, Make, Signature, Target
from .text import digest

__all__ = ["Array", "Kernel", "Signature", "Target"]


class Kernel:
    """One CUDA kernel.

    Args:
        name: what messages and profiles call it.
        make: (target, signature) -> the kernel's function. It calls `target.kernel` for that and `target.device`
            for the functions among its globals, and nothing else depends on the target: so the simulator runs, and
            the digest covers, what is compiled.

    Equal kernels are one object: the driver finds what it has loaded by the kernel and the signature.
    """

    __slots__ = ("functions", "make", "name")

    def __init__(self, name: str, make: Make) -> None:
        self.name = name
        self.make = make
        self.functions: dict[Signature, types.FunctionType] = {}  # simulated ones

    def __repr__(self) -> str:
        return f"Kernel({self.name!r})"

    def simulated(self, signature: Signature) -> types.FunctionType:
        """The kernel as a Python function over simulated arrays, with `cuda` among its globals."""
        if signature not in self.functions:
            self.functions[signature] = self.make(extension("kernel_interpreter"), signature)
        return self.functions[signature]

    def cubin(self, signature: Signature, cc: tuple[int, int]) -> bytes:
        """Machine code for GPUs of a compute capability, whose entry is called `kernel`."""
        return cubin(self.make, signature, cc)

    def digest(self, signature: Signature) -> str:
        """Hash of all that the machine code is made of, but for the compiler."""
        return digest(self.make, signature)
