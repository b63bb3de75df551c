"""Kernels of a power of each element: an exponent that is usual has a loop of its own.

`pow_number` asks for the exponent of each element. A compiler that takes the question out of the loop makes a loop for
each answer; where elements are converted as they are read and written, as those of 16-bit floats are, it finds that
too long, and computes all answers for every element.
"""

from __future__ import annotations

from typing import Any

from .compile.scalar_library import names_in, rebuilt
from .scalar import pow_number, sqrt
from .usual_blocks import pattern_with_number


def whole(x: Any, y: Any) -> Any:
    """The power for any exponent; `with_usual_numbers` puts it here."""


def powers(self: Any, other: Any, result: Any) -> None:
    """The kernel with a loop for each usual exponent."""
    T = self.dtype.type
    other = T(other)
    if other == 2:
        for i in range(result.size):
            result[i] = self[i] * self[i]
    elif other == 3:
        for i in range(result.size):
            result[i] = self[i] * self[i] * self[i]
    elif other == 0.5:
        for i in range(result.size):
            result[i] = sqrt(self[i])
    else:
        for i in range(result.size):
            result[i] = whole(self[i], other)


def with_usual_numbers(kernel: Any) -> Any:
    """The kernel with loops of its own for usual exponents where it is a power, else the kernel itself."""
    code = kernel.__code__
    called = [kernel.__globals__.get(name) for name in names_in(code) - {"range"}]
    is_power = called == [pow_number] and code.co_code == pattern_with_number.__code__.co_code
    return rebuilt(powers, {"whole": pow_number}) if is_power else kernel
