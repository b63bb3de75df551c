"""A CUDA kernel: one Python text for the compiler, the simulator, and the digest by which compiled code is found again.

A kernel is written as plain functions over the names of `vocabulary.py`. Its `make` puts them together for a target,
which says what the names mean, and for a signature, which says what is stored in the arrays.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

ARRAY_WORDS = 7


class Array(NamedTuple):
    """In a signature: a one-dimensional array without gaps, of elements that are stored in this dtype."""

    dtype: np.dtype


# What a kernel is called with: arrays, numbers of a dtype that are passed by value, and tuples of parts.
Part = Any  # Array | np.dtype | tuple[Part, ...]
Signature = tuple[Part, ...]


class Target(Protocol):
    """Where the functions of a kernel run, or what else is made of them."""

    def kernel(self, function: Any, **names: Any) -> Any:
        """The function that a launch runs: `function`, with these names among its globals besides the vocabulary."""

    def device(self, function: Any, **names: Any) -> Any:
        """A function that kernels call, likewise; the same one for the same arguments."""

    def scalars(self, function: Any, is_complex: bool) -> dict[str, Any]:
        """What the scalar functions that a function calls are on this target, by the names they have there."""


class Kernel:
    """One CUDA kernel.

    Args:
        name: what messages and profiles call it.
        make: (target, signature) -> the kernel's function. It calls `target.kernel` for that and `target.device`
            for the functions among its globals, and nothing else depends on the target: so the simulator runs, and
            the digest covers, what is compiled.

    Equal kernels are one object: the driver finds what it has loaded by the kernel and the signature.
    """

    __slots__ = ("make", "name")

    def __init__(self, name: str, make: Callable[[Target, Signature], Any]) -> None:
        self.name = name
        self.make = make

    def __repr__(self) -> str:
        return f"Kernel({self.name!r})"

    def simulated(self, signature: Signature) -> types.FunctionType:
        """The kernel as a Python function over simulated arrays, with `cuda` among its globals."""
        from .interpreted import INTERPRETED

        function: types.FunctionType = self.make(INTERPRETED, signature)
        return function

    def cubin(self, signature: Signature, cc: tuple[int, int]) -> bytes:
        """Machine code for GPUs of a compute capability, whose entry is called `kernel`."""
        from .cubins import cubin

        return cubin(self, signature, cc)

    def digest(self, signature: Signature) -> str:
        """Hash of all that the machine code is made of, but for the compiler."""
        from .text import digest

        return digest(self, signature)


def parts(signature: Signature) -> Iterator[Any]:
    """The arrays and numbers of a signature, in order, those in tuples among them."""
    for part in signature:
        if isinstance(part, tuple) and not isinstance(part, Array):
            yield from parts(part)
        else:
            yield part


def words(part: Any) -> int:
    """The words of 8 bytes that an array or a number takes: a complex number is two numbers."""
    if isinstance(part, Array):
        return ARRAY_WORDS
    return 2 if part.kind == "c" else 1
