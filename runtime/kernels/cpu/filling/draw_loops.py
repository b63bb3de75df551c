"""Loops of `draws.py`: words of a stream, and the numbers that they become, for a range of elements.

Words are written to where the numbers will stand, some at a time, and then become numbers there: making words is work
for integers, one at a time, and what follows is vector code. A seed is given as a signed integer.
"""

from __future__ import annotations

import numpy as np

from ...jit import jit
from ...llvm.addresses import address, empty_row, part_of, row_at
from ...scalar.primitives import bits, fma
from ...scalar.random.counts import binomial, log_gamma_number, poisson
from ...scalar.random.draws import (
    below,
    exponential_double,
    exponential_single,
    normal_double,
    normal_single,
    uniform_double,
    uniform_single,
)
from ...scalar.random.philox import block, word

Array = np.ndarray
UNIT = 2048  # elements that are made at a time: what stays in the nearest cache
SHUFFLE_BITS_THRESHOLD = (
    16  # bits of the places that `shuffled` brings into order: of more its tables leave the nearer caches
)
INSERTED = 24  # places that are brought into order by insertion alone


@jit
def random_bits(out: Array, seed: int, offset: int, first: int, last: int) -> None:
    """out_i = word number `offset` + i, a uint64, for a range of i."""
    for number in range((offset + first) >> 2, (offset + last + 3) >> 2):
        four, start = block(seed, number), (number << 2) - offset
        if start >= first and start + 4 <= last:
            out[start], out[start + 1], out[start + 2], out[start + 3] = four
            continue
        for k in range(max(first - start, 0), min(last - start, 4)):
            out[start + k] = four[k]


@jit
def halves(out: Array, seed: int, offset: int, first: int, last: int) -> None:
    """out_2i and out_2i+1 = the halves of word number `offset` + i, as uint32, for a range from an even number on."""
    position = 2 * offset
    for number in range((position + first) >> 3, (position + last + 7) >> 3):
        four, start = block(seed, number), (number << 3) - position
        if start >= first and start + 8 <= last:
            a, b, c, d = four
            out[start], out[start + 1] = a, a >> np.uint64(32)
            out[start + 2], out[start + 3] = b, b >> np.uint64(32)
            out[start + 4], out[start + 5] = c, c >> np.uint64(32)
            out[start + 6], out[start + 7] = d, d >> np.uint64(32)
            continue
        for k in range(max(first - start, 0), min(last - start, 8)):
            out[start + k] = four[k >> 1] >> np.uint64(32 * (k & 1))


@jit
def uniform_floats(
    out: Array, seed: int, offset: int, mask: int, low: float, width: float, top: float, first: int, last: int
) -> None:
    """low + width u in float32, at most `top`, with u in [0, 1) from those of its 24 bits that `mask` holds."""
    patterns = row_at(np.uint32(0), address(out), out.size)
    low_bound, span, high_bound = np.float32(low), np.float32(width), np.float32(top)
    for start in range(first, last, UNIT):
        stop = min(start + UNIT, last)
        halves(patterns, seed, offset, start, stop)
        part = part_of(out, start, stop - start)
        for i in range(part.size):
            part[i] = min(fma(uniform_single(bits(part[i]), mask), span, low_bound), high_bound)


@jit
def uniform_doubles(
    out: Array, seed: int, offset: int, low: float, width: float, top: float, first: int, last: int
) -> None:
    """low + width u in float64, at most `top`, with u in [0, 1)."""
    patterns = row_at(np.uint64(0), address(out), out.size)
    for start in range(first, last, UNIT):
        stop = min(start + UNIT, last)
        random_bits(patterns, seed, offset, start, stop)
        part = part_of(out, start, stop - start)
        for i in range(part.size):
            part[i] = min(fma(uniform_double(bits(part[i])), width, low), top)


@jit
def normal_floats(out: Array, seed: int, offset: int, mean: float, std: float, first: int, last: int) -> None:
    """mean + std x in float32, with x of the standard normal distribution."""
    patterns = row_at(np.uint32(0), address(out), out.size)
    midpoint, width = np.float32(mean), np.float32(std)
    for start in range(first, last, UNIT):
        stop = min(start + UNIT, last)
        halves(patterns, seed, offset, start, stop)
        part = part_of(out, start, stop - start)
        for i in range(part.size):
            part[i] = fma(normal_single(bits(part[i])), width, midpoint)


@jit
def normal_doubles(out: Array, seed: int, offset: int, mean: float, std: float, first: int, last: int) -> None:
    """mean + std x in float64, with x of the standard normal distribution."""
    patterns = row_at(np.uint64(0), address(out), out.size)
    for start in range(first, last, UNIT):
        stop = min(start + UNIT, last)
        random_bits(patterns, seed, offset, start, stop)
        part = part_of(out, start, stop - start)
        for i in range(part.size):
            part[i] = fma(normal_double(bits(part[i])), std, mean)


@jit
def exponential_floats(out: Array, seed: int, offset: int, scale: float, first: int, last: int) -> None:
    """scale x in float32, with x of the density e^-x."""
    patterns = row_at(np.uint32(0), address(out), out.size)
    factor = np.float32(scale)
    for start in range(first, last, UNIT):
        stop = min(start + UNIT, last)
        halves(patterns, seed, offset, start, stop)
        part = part_of(out, start, stop - start)
        for i in range(part.size):
            part[i] = exponential_single(bits(part[i])) * factor


@jit
def exponential_doubles(out: Array, seed: int, offset: int, scale: float, first: int, last: int) -> None:
    """scale x in float64, with x of the density e^-x."""
    patterns = row_at(np.uint64(0), address(out), out.size)
    for start in range(first, last, UNIT):
        stop = min(start + UNIT, last)
        random_bits(patterns, seed, offset, start, stop)
        part = part_of(out, start, stop - start)
        for i in range(part.size):
            part[i] = exponential_double(bits(part[i])) * scale


@jit
def random_integers(out: Array, seed: int, offset: int, low: int, count: int, first: int, last: int) -> None:
    """Integers of [low, low + count) in int64; a count of 0 stands for 2^64."""
    patterns = row_at(np.uint64(0), address(out), out.size)
    for start in range(first, last, UNIT):
        stop = min(start + UNIT, last)
        random_bits(patterns, seed, offset, start, stop)
        part = part_of(patterns, start, stop - start)
        for i in range(part.size):
            part[i] = below(part[i], np.uint64(count)) + np.uint64(low)


@jit
def successes(out: Array, seed: int, offset: int, chance: float, first: int, last: int) -> None:
    """Whether a uniform number of 53 bits is less than `chance`, as bools or as numbers."""
    patterns = empty_row(np.uint64(0), min(UNIT, last - first))
    for start in range(first, last, UNIT):
        count = min(UNIT, last - start)
        random_bits(patterns, seed, offset + start, 0, count)
        part = part_of(out, start, count)
        for i in range(part.size):
            part[i] = uniform_double(patterns[i]) < chance


@jit
def survivors(out: Array, seed: int, offset: int, threshold: int, first: int, last: int) -> None:
    """Whether half a word is at least `threshold`; the range begins at an even number."""
    patterns, low_bound = empty_row(np.uint32(0), min(UNIT, last - first)), np.uint32(threshold)
    for start in range(first, last, UNIT):
        count = min(UNIT, last - start)
        halves(patterns, seed, offset + start // 2, 0, count)
        part = part_of(out, start, count)
        for i in range(part.size):
            part[i] = patterns[i] >= low_bound


@jit
def poisson_counts(out: Array, rates: Array, seed: int, offset: int, first: int, last: int) -> None:
    """Poisson counts in float64, of a rate each."""
    for i in range(first, last):
        out[i] = poisson(seed, offset + i, rates[i])


@jit
def binomial_counts(out: Array, counts: Array, chances: Array, seed: int, offset: int, first: int, last: int) -> None:
    """Numbers of successes in float64, of a number of trials and a probability each."""
    for i in range(first, last):
        out[i] = binomial(seed, offset + i, counts[i], chances[i])


@jit
def log_gamma_numbers(out: Array, shapes: Array, seed: int, offset: int, first: int, last: int) -> None:
    """Logarithms of gamma numbers in float64, of a shape each."""
    for i in range(first, last):
        out[i] = log_gamma_number(seed, offset + i, shapes[i])


@jit
def shuffle_keys(keys: Array, seed: int, offset: int, mask: int, first: int, last: int) -> None:
    """The upper bits of words with their places in the lower ones, which `mask` holds."""
    lower = np.uint64(mask)
    for start in range(first, last, UNIT):
        stop = min(start + UNIT, last)
        random_bits(keys, seed, offset, start, stop)
        for i in range(start, stop):
            keys[i] = (keys[i] & ~lower) | np.uint64(i)


@jit
def shuffled(out: Array, seed: int, offset: int, first: int, last: int) -> None:
    """The places `first` to `last`, which are all, in the order of their words: what `fill_permutation` gives.

    Words are as likely to be large as small: their uppermost bits say about where each of them belongs.
    """
    mask, keys = (1 << SHUFFLE_BITS_THRESHOLD) - 1, row_at(np.uint64(0), address(out), out.size)
    shuffle_keys(keys, seed, offset, mask, first, last)
    if out.size > INSERTED:
        distribute(keys)
    for i in range(1, keys.size):
        key, j = keys[i], i
        while j > 0 and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = key
    random_permutation(keys, seed, offset, mask)


@jit
def distribute(keys: Array) -> None:
    """Bring keys into the order of their uppermost bits, which have as many values as there are keys, or more."""
    bits = 1
    while 1 << bits < keys.size:
        bits += 1
    lower, sorted_keys, ends = np.uint64(64 - bits), empty_row(np.uint64(0), keys.size), empty_row(0, (1 << bits) + 1)
    for i in range(ends.size):
        ends[i] = 0
    for i in range(keys.size):
        ends[np.int64(keys[i] >> lower) + 1] += 1
    for i in range(1, ends.size):
        ends[i] += ends[i - 1]
    for i in range(keys.size):
        group = np.int64(keys[i] >> lower)
        sorted_keys[ends[group]] = keys[i]
        ends[group] += 1
    for i in range(keys.size):
        keys[i] = sorted_keys[i]


@jit
def random_permutation(keys: Array, seed: int, offset: int, mask: int) -> None:
    """The places of sorted keys. Where the upper bits of some are equal, whole words decide, and then places."""
    lower = np.uint64(mask)
    for i in range(1, keys.size):
        j = i
        while j > 0 and keys[j] ^ keys[j - 1] <= lower:
            before, after = keys[j - 1] & lower, keys[j] & lower
            if word(seed, np.uint64(offset) + before) <= word(seed, np.uint64(offset) + after):
                break
            keys[j - 1], keys[j] = keys[j], keys[j - 1]
            j -= 1
    for i in range(keys.size):
        keys[i] &= lower
