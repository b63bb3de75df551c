"""What a kernel is called with, and what it is made for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

ARRAY_SLOTS = 7


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


# (target, signature) -> the kernel's function.
Make = Callable[[Target, Signature], Any]


def parts(signature: Signature) -> Iterator[Any]:
    """The arrays and numbers of a signature, in order, those in tuples among them."""
    for part in signature:
        if isinstance(part, tuple) and not isinstance(part, Array):
            yield from parts(part)
        else:
            yield part


def slot_count(part: Any) -> int:
    """The words of 8 bytes that an array or a number takes: a complex number is two numbers."""
    if isinstance(part, Array):
        return ARRAY_SLOTS
    return 2 if part.kind == "c" else 1
