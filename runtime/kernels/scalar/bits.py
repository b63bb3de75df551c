"""Signs, neighbours and divisors. A sign is that of the bits: -0.0 has one, and so has a nan."""

import builtins
import math
from typing import Any

import numpy as np

from ...compiler.passes.primitives import bits, choose, from_bits

PI = 3.141592653589793


def signbit(x: Any) -> Any:
    return math.copysign(1.0, np.float64(x)) < 0


def copysign(x: Any, y: Any) -> Any:
    return type(x)(math.copysign(x, y))


def isposinf(x: Any) -> Any:
    return x == math.inf


def isneginf(x: Any) -> Any:
    return x == -math.inf


def angle(x: Any) -> Any:
    return x if x != x else type(x)(PI) if x < 0 else type(x)(0)


def nextafter(x: Any, y: Any) -> Any:
    """The next number in the direction of `y`: the one whose bits, read as an integer, are one more or one less."""
    if x != x or y != y or x == y:
        return type(x)(x + y) if x != x or y != y else y
    if x == 0:
        return copysign(from_bits(x, choose(x, 1, 1)), y)
    return from_bits(x, bits(x) + choose(x, 1, 1) if (y > x) == (x > 0) else bits(x) - choose(x, 1, 1))


def octave(x: Any) -> Any:
    """The power of two at |x| or below it, of 0 and subnormal numbers the smallest normal one; 1 of inf, nan of nan."""
    exponent = bits(x) & choose(x, 0x7F800000, 0x7FF0000000000000)
    unit = from_bits(x, exponent if exponent != choose(x, 0, 0) else choose(x, 0x00800000, 0x0010000000000000))
    return unit if unit < math.inf else (type(x)(1) if x == x else x)


def left_shift(x: Any, y: Any) -> Any:
    """x 2^y, its last 64 bits."""
    return np.int64(x) << np.int64(y) if 0 <= y < 64 else np.int64(0)


def right_shift(x: Any, y: Any) -> Any:
    return np.int64(x) >> np.int64(y if 0 <= y < 64 else 63)


def gcd(x: Any, y: Any) -> Any:
    a, b = np.int64(builtins.abs(x)), np.int64(builtins.abs(y))
    while b != 0:
        a, b = b, a % b
    return a


def lcm(x: Any, y: Any) -> Any:
    divisor = gcd(x, y)
    return builtins.abs(np.int64(x) // divisor * np.int64(y)) if divisor != 0 else np.int64(0)
