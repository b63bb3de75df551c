"""Flat arrays filled with random numbers: element i is a function of word `offset` + i of the stream of a seed. Of
float32 and of what `fill_survivors` decides two share a word, the lower half first: that of element i is word `offset`
+ i // 2. So a draw is the same on every device and with any threads. Seeds are signed."""

from typing import Any

import numpy as np

from ...device.threads.parallel_for import shared
from . import random_loops
from .random_loops import UNIT

Array = np.ndarray
SEARCHED = 16  # times the work of a uniform number is that of a count


def random_slots_of(count: int, bits: int) -> int:
    return count if bits > 32 else (count + 1) // 2


def fill_random_bits(flat: Array, seed: int, offset: int) -> None:
    _fill(random_loops.random_bits, flat, seed, offset)


def fill_uniform(flat: Array, seed: int, offset: int, low: float, width: float, top: float, mask: int) -> None:
    """low + width u, at most `top`, u in [0, 1): multiples of 2^-53; for float32 of 2^-24, in `mask`'s bits."""
    if flat.dtype == np.float64:
        _fill(random_loops.uniform_doubles, flat, seed, offset, low, width, top)
    else:
        _fill(random_loops.uniform_floats, flat, seed, offset, mask, low, width, top)


def fill_normal(flat: Array, seed: int, offset: int, mean: float, std: float) -> None:
    _fill(
        random_loops.normal_doubles if flat.dtype == np.float64 else random_loops.normal_floats,
        flat,
        seed,
        offset,
        mean,
        std,
    )


def fill_exponential(flat: Array, seed: int, offset: int, scale: float) -> None:
    loop = random_loops.exponential_doubles if flat.dtype == np.float64 else random_loops.exponential_floats
    _fill(loop, flat, seed, offset, scale)


def fill_integers(flat: Array, seed: int, offset: int, low: int, high: int) -> None:
    """Integers of [low, high), as int64, each with a probability that differs by less than 2^-64 from the others'."""
    _fill(random_loops.random_integers, flat, seed, offset, low, signed(high - low))


def fill_trials(flat: Array, seed: int, offset: int, chance: float) -> None:
    """True, or 1, with the probability `chance`, rounded up to a multiple of 2^-53; else False, or 0."""
    _fill(random_loops.successes, flat, seed, offset, chance)


def fill_trials_of(flat: Array, seed: int, offset: int, chances: Array) -> None:
    shared(random_loops.successes_of, (flat, chances, seed, offset), flat.size, 2 * flat.size, UNIT)


def fill_weighted_indices(flat: Array, seed: int, offset: int, weights: Array, columns: int, count: int) -> None:
    rows, work = weights.size // columns, weights.size + flat.size * columns.bit_length()
    shared(random_loops.weighted_indices, (flat, weights, seed, offset, columns, count), rows, work)


def fill_first_arrivals(flat: Array, seed: int, offset: int, weights: Array, columns: int, count: int) -> None:
    """`count` different places of each row of weights, as likely as these say, as int64; a weight takes a word."""
    rows, work = weights.size // columns, weights.size * (2 + count)
    shared(random_loops.first_arrivals, (flat, weights, seed, offset, columns, count), rows, work)


def fill_survivors(flat: Array, seed: int, offset: int, loss: float) -> None:
    _fill(random_loops.survivors, flat, seed, offset, threshold(loss))


def threshold(loss: float) -> int:
    return min(round(loss * 2**32), 2**32 - 1)


def fill_poisson(flat: Array, seed: int, offset: int, rates: Array) -> None:
    shared(random_loops.poisson_counts, (flat, rates, seed, offset), flat.size, flat.size * SEARCHED)


def fill_binomial(flat: Array, seed: int, offset: int, counts: Array, chances: Array) -> None:
    shared(random_loops.binomial_counts, (flat, counts, chances, seed, offset), flat.size, flat.size * SEARCHED)


def fill_log_gamma(flat: Array, seed: int, offset: int, shapes: Array) -> None:
    shared(random_loops.log_gamma_numbers, (flat, shapes, seed, offset), flat.size, flat.size * SEARCHED)


def fill_permutation(flat: Array, seed: int, offset: int) -> None:
    """The numbers below the size, in the order of their words, by as many upper bits as leave room for a place."""
    keys, mask = flat.view(np.uint64), (1 << max(flat.size - 1, 0).bit_length()) - 1
    _fill(random_loops.shuffle_keys, keys, seed, offset, mask)
    keys.sort()
    random_loops.random_permutation(keys, seed, offset, mask)


def signed(word: int) -> int:
    """An integer of 64 bits, without or with a sign, as one with a sign: compiled code is made for one type."""
    return (word + 2**63) % 2**64 - 2**63


def _fill(loop: Any, flat: Array, seed: int, offset: int, *numbers: float) -> None:
    shared(loop, (flat, seed, offset, *numbers), flat.size, 2 * flat.size, UNIT)
