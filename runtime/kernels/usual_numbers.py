"""Kernels of a power of each element, and of its derivative: an exponent that is usual has a loop of its own.

`pow_number` asks for the exponent of each element. A compiler that takes the question out of the loop makes a loop for
each answer; where elements are converted as they are read and written, as those of 16-bit floats are, it finds that
too long, and computes all answers for every element.
"""

from __future__ import annotations

from typing import Any

from .compile.scalar_library import names_in, rebuilt
from .scalar import conj, pow_number, rsqrt, sqrt
from .usual_blocks import pattern_with_number


def any_power(x: Any, y: Any) -> Any:
    """The power for any exponent; `with_fast_numbers` puts it here."""


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
            result[i] = any_power(self[i], other)


def pattern_of_derivative(grad: Any, self: Any, exponent: Any, result: Any) -> None:
    """What the text of the derivative's kernel is."""
    T = result.dtype.type
    exponent = T(exponent)
    for i in range(result.size):
        result[i] = T(0) if exponent == T(0) else grad[i] * conj(exponent * any_power(self[i], exponent - T(1)))


def derivatives(grad: Any, self: Any, exponent: Any, result: Any) -> None:
    """The same with a loop for each usual exponent, of real numbers."""
    T = result.dtype.type
    exponent = T(exponent)
    if exponent == 2:
        for i in range(result.size):
            result[i] = grad[i] * (exponent * self[i])
    elif exponent == 3:
        for i in range(result.size):
            result[i] = grad[i] * (exponent * (self[i] * self[i]))
    elif exponent == 0.5:
        for i in range(result.size):
            result[i] = grad[i] * (exponent * T(rsqrt(self[i])))
    else:
        for i in range(result.size):
            result[i] = T(0) if exponent == T(0) else grad[i] * (exponent * any_power(self[i], exponent - T(1)))


POWER_FORMS = ((pattern_with_number, powers), (pattern_of_derivative, derivatives))


def with_fast_numbers(kernel: Any) -> Any:
    """The kernel with loops of its own for usual exponents where it is of a power, else the kernel itself."""
    code = kernel.__code__
    called = {kernel.__globals__.get(name) for name in names_in(code) - {"range"}}
    if called - {conj} == {pow_number}:
        for pattern, written in POWER_FORMS:
            if code.co_code == pattern.__code__.co_code:
                return rebuilt(written, {"any_power": pow_number})
    return kernel
