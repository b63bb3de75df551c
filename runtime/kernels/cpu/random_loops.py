"""The loops of `random.py`. Words are written, some at a time, to where the numbers will stand: making words is work
for integers, one at a time, and what follows is vector code."""

import numpy as np

from ...compiler.jit import jit
from ...compiler.passes.primitives import bits, fma
from ..llvm.addresses import address, empty_row, part_of, row_at
from ..llvm.prefix_scan import LANES, running_eights
from ..scalar.random.counts import binomial, log_gamma_number, poisson
from ..scalar.random.philox import (
    below,
    block,
    exponential_double,
    exponential_single,
    normal_double,
    normal_single,
    uniform_double,
    uniform_single,
    word,
)

Array = np.ndarray
UNIT = 2048  # elements that are made at a time: what stays in the nearest cache
SHUFFLE_BITS_THRESHOLD = (
    16  # bits of the places that `shuffled` brings into order: of more its tables leave the nearer caches
)
INSERTED = 24  # places that are brought into order by insertion alone


@jit
def random_bits(out: Array, seed: int, offset: int, first: int, last: int) -> None:
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
    patterns = row_at(np.uint64(0), address(out), out.size)
    for start in range(first, last, UNIT):
        stop = min(start + UNIT, last)
        random_bits(patterns, seed, offset, start, stop)
        part = part_of(out, start, stop - start)
        for i in range(part.size):
            part[i] = min(fma(uniform_double(bits(part[i])), width, low), top)


@jit
def normal_floats(out: Array, seed: int, offset: int, mean: float, std: float, first: int, last: int) -> None:
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
    patterns = row_at(np.uint64(0), address(out), out.size)
    for start in range(first, last, UNIT):
        stop = min(start + UNIT, last)
        random_bits(patterns, seed, offset, start, stop)
        part = part_of(out, start, stop - start)
        for i in range(part.size):
            part[i] = fma(normal_double(bits(part[i])), std, mean)


@jit
def exponential_floats(out: Array, seed: int, offset: int, scale: float, first: int, last: int) -> None:
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
    patterns = row_at(np.uint64(0), address(out), out.size)
    for start in range(first, last, UNIT):
        stop = min(start + UNIT, last)
        random_bits(patterns, seed, offset, start, stop)
        part = part_of(out, start, stop - start)
        for i in range(part.size):
            part[i] = exponential_double(bits(part[i])) * scale


@jit
def random_integers(out: Array, seed: int, offset: int, low: int, count: int, first: int, last: int) -> None:
    patterns = row_at(np.uint64(0), address(out), out.size)
    for start in range(first, last, UNIT):
        stop = min(start + UNIT, last)
        random_bits(patterns, seed, offset, start, stop)
        part = part_of(patterns, start, stop - start)
        for i in range(part.size):
            part[i] = below(part[i], np.uint64(count)) + np.uint64(low)


@jit
def successes(out: Array, seed: int, offset: int, chance: float, first: int, last: int) -> None:
    patterns = empty_row(np.uint64(0), min(UNIT, last - first))
    for start in range(first, last, UNIT):
        count = min(UNIT, last - start)
        random_bits(patterns, seed, offset + start, 0, count)
        part = part_of(out, start, count)
        for i in range(part.size):
            part[i] = uniform_double(patterns[i]) < chance


@jit
def survivors(out: Array, seed: int, offset: int, threshold: int, first: int, last: int) -> None:
    patterns, low_bound = empty_row(np.uint32(0), min(UNIT, last - first)), np.uint32(threshold)
    for start in range(first, last, UNIT):
        count = min(UNIT, last - start)
        halves(patterns, seed, offset + start // 2, 0, count)
        part = part_of(out, start, count)
        for i in range(part.size):
            part[i] = patterns[i] >= low_bound


@jit
def poisson_counts(out: Array, rates: Array, seed: int, offset: int, first: int, last: int) -> None:
    for i in range(first, last):
        out[i] = poisson(seed, offset + i, rates[i])


@jit
def binomial_counts(out: Array, counts: Array, chances: Array, seed: int, offset: int, first: int, last: int) -> None:
    for i in range(first, last):
        out[i] = binomial(seed, offset + i, counts[i], chances[i])


@jit
def log_gamma_numbers(out: Array, shapes: Array, seed: int, offset: int, first: int, last: int) -> None:
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
    """All places in the order of their words, whose uppermost bits say about where each belongs."""
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


@jit
def are_between(numbers: Array, low: float, high: float) -> bool:
    outside = 0
    for i in range(numbers.size):
        outside += 0 if numbers[i] >= low and numbers[i] <= high else 1
    return outside == 0


@jit
def are_weights(weights: Array, columns: int, min_positive: int) -> bool:
    for row in range(weights.size // columns):
        part, wrong, positive = part_of(weights, row * columns, columns), 0, 0
        for i in range(part.size):
            wrong += 0 if part[i] >= 0 and part[i] < np.inf else 1
            positive += 1 if part[i] > 0 else 0
        if wrong or positive < min_positive:
            return False
    return True


@jit
def successes_of(out: Array, chances: Array, seed: int, offset: int, first: int, last: int) -> None:
    patterns = empty_row(np.uint64(0), min(UNIT, last - first))
    for start in range(first, last, UNIT):
        count = min(UNIT, last - start)
        random_bits(patterns, seed, offset + start, 0, count)
        for i in range(count):
            out[start + i] = 1 if uniform_double(patterns[i]) < chances[start + i] else 0


@jit
def weighted_indices(
    out: Array, weights: Array, seed: int, offset: int, columns: int, count: int, first: int, last: int
) -> None:
    """`count` places of each of a range of rows: where a uniform share of the total falls among the running sums."""
    sums, patterns = empty_row(0.0, columns), empty_row(np.uint64(0), count)
    for row in range(first, last):
        full, part = columns // LANES * LANES, part_of(weights, row * columns, columns)
        total = running_eights(part, sums, 0, full, 0.0)
        for i in range(full, columns):
            total += np.float64(part[i])
            sums[i] = total
        random_bits(patterns, seed, offset + row * count, 0, count)
        for k in range(count):
            share = uniform_double(patterns[k]) * total
            low, high = 0, columns
            while low < high:
                midpoint = (low + high) >> 1
                if sums[midpoint] <= share:
                    low = midpoint + 1
                else:
                    high = midpoint
            out[row * count + k] = low


@jit
def first_arrivals(
    out: Array, weights: Array, seed: int, offset: int, columns: int, count: int, first: int, last: int
) -> None:
    """The first `count` of each row to arrive at the rates that weights say; those of rate 0 never."""
    arrivals, waiting = empty_row(0.0, columns), empty_row(False, columns)
    for row in range(first, last):
        exponential_doubles(arrivals, seed, offset + row * columns, 1.0, 0, columns)
        for i in range(columns):
            arrivals[i] /= np.float64(weights[row * columns + i])
            waiting[i] = weights[row * columns + i] > 0
        for k in range(count):
            nearest = -1
            for i in range(columns):
                if waiting[i] and (nearest < 0 or arrivals[i] < arrivals[nearest]):
                    nearest = i
            waiting[nearest] = False
            out[row * count + k] = nearest
