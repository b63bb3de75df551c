"""Functions without what only unusual arguments need: the same bits for the others, with fewer instructions.

Kernels look at blocks of their operands (`runtime/kernels/usual_blocks.py`). What tells usual arguments apart is an
integer of each, its key, and the bounds that the keys of a block must lie in: `log` is usual for normal numbers > 0,
sine and cosine are for those that a product with 1 / pi reduces without loss.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from .circular import cos, cos_double, cos_near, sin, sin_double, sin_near
from .logarithm import log, log_of_normal
from .primitives import bits, choose, narrow


class Usual(NamedTuple):
    """A function for usual arguments, the key of an argument, and whether the least and the greatest key are usual."""

    function: Callable[..., Any]
    key: Callable[..., Any]
    inside: Callable[..., Any]


def all_bits(x: Any) -> Any:
    """A key that grows with positive numbers; negative ones have negative keys."""
    return bits(x)


def size_bits(x: Any) -> Any:
    """A key that grows with |x|."""
    return narrow(x, bits(x) & choose(x, 2**31 - 1, 2**63 - 1))


def is_normal(like: Any, low: Any, high: Any) -> Any:
    """Whether numbers between two keys are positive, normal and finite."""
    return low >= bits(choose(like, 2.0**-126, 2.0**-1022)) and high < bits(choose(like, math.inf, math.inf))


def is_near(like: Any, low: Any, high: Any) -> Any:
    """Whether float32 numbers up to a key are reduced by one constant; float64 ones, whatever they are, in one way."""
    return high <= choose(like, (127 + 50 << 23) - 1, 2**63 - 1)


def sin_usual(x: Any) -> Any:
    """The sine where `is_near` holds."""
    return choose(x, sin_near, sin_double)(x)


def cos_usual(x: Any) -> Any:
    """The cosine where `is_near` holds."""
    return choose(x, cos_near, cos_double)(x)


USUAL = {
    log: Usual(log_of_normal, all_bits, is_normal),
    sin: Usual(sin_usual, size_bits, is_near),
    cos: Usual(cos_usual, size_bits, is_near),
}
