"""Philox4x64-10: random words by their place in a stream, so that every element of a draw is computed by itself.

A block of four words is ten rounds over (counter, key): Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as
easy as 1, 2, 3" (2011). Word n of the stream of a seed is number n mod 4 of the block of counter (n // 4 + 1, 0, 0, 0)
and key (seed, 0), as NumPy counts. Blocks whose second counter is not 0 belong to no word: attempt k at what word n was
reserved for takes the four words of counter (n, k + 1, 0, 0).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..primitives import product

FIRST = np.uint64(0xD2E7470EE14C6C93)  # multipliers of a round, and what its keys grow by
SECOND = np.uint64(0xCA5A826395121157)
FIRST_KEY = np.uint64(0x9E3779B97F4A7C15)
SECOND_KEY = np.uint64(0xBB67AE8584CAA73B)
ZERO, ONE, TWO, THREE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)


def mixed(c: Any, k0: Any, k1: Any) -> Any:
    """One round over the four words of a counter."""
    high0, low0 = product(FIRST, c[0])
    high1, low1 = product(SECOND, c[2])
    return high1 ^ c[1] ^ k0, low1, high0 ^ c[3] ^ k1, low0


def philox(seed: Any, c0: Any, c1: Any) -> Any:
    """The four words of the block of counter (c0, c1, 0, 0). Rounds are written out: a loop would not be unrolled."""
    k0, k1 = seed, ZERO
    c = mixed((c0, c1, ZERO, ZERO), k0, k1)
    k0, k1 = k0 + FIRST_KEY, k1 + SECOND_KEY
    c = mixed(c, k0, k1)
    k0, k1 = k0 + FIRST_KEY, k1 + SECOND_KEY
    c = mixed(c, k0, k1)
    k0, k1 = k0 + FIRST_KEY, k1 + SECOND_KEY
    c = mixed(c, k0, k1)
    k0, k1 = k0 + FIRST_KEY, k1 + SECOND_KEY
    c = mixed(c, k0, k1)
    k0, k1 = k0 + FIRST_KEY, k1 + SECOND_KEY
    c = mixed(c, k0, k1)
    k0, k1 = k0 + FIRST_KEY, k1 + SECOND_KEY
    c = mixed(c, k0, k1)
    k0, k1 = k0 + FIRST_KEY, k1 + SECOND_KEY
    c = mixed(c, k0, k1)
    k0, k1 = k0 + FIRST_KEY, k1 + SECOND_KEY
    c = mixed(c, k0, k1)
    return mixed(c, k0 + FIRST_KEY, k1 + SECOND_KEY)


def block(seed: Any, number: Any) -> Any:
    """The words 4 number to 4 number + 3 of a stream; both arguments are integers of 64 bits."""
    return philox(np.uint64(seed), np.uint64(number) + ONE, ZERO)


def word(seed: Any, counter: Any) -> Any:
    """One word of a stream."""
    four, k = block(seed, counter >> TWO), counter & THREE
    return (four[0] if k == ZERO else four[1]) if k < TWO else (four[2] if k == TWO else four[3])


def attempt(seed: Any, counter: Any, k: Any) -> Any:
    """Four words for attempt k at what word `place` was reserved for."""
    return philox(np.uint64(seed), np.uint64(counter), np.uint64(k) + ONE)
