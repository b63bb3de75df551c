"""Loops of draws whose probabilities are given element by element, and what is checked of these beforehand.

Rows are those of a matrix of weights, which lie one after the other. Words are taken as by the loops of
`draw_loops.py`: element i is decided by word `offset` + i of the stream of a seed.
"""

from __future__ import annotations

import numpy as np

from ...jit import jit
from ...llvm.addresses import empty_row, part_of
from ...llvm.prefixes import LANES, running_eights
from ...scalar.random.draws import uniform_double
from .draw_loops import UNIT, exponential_doubles, random_bits

Array = np.ndarray


@jit
def are_between(numbers: Array, low: float, high: float) -> bool:
    """Whether all numbers lie between two others, these included."""
    outside = 0
    for i in range(numbers.size):
        outside += 0 if numbers[i] >= low and numbers[i] <= high else 1
    return outside == 0


@jit
def are_weights(weights: Array, columns: int) -> bool:
    """Whether all numbers are finite and none is negative, and each row has a positive one."""
    for row in range(weights.size // columns):
        part, wrong, positive = part_of(weights, row * columns, columns), 0, 0
        for i in range(part.size):
            wrong += 0 if part[i] >= 0 and part[i] < np.inf else 1
            positive += 1 if part[i] > 0 else 0
        if wrong or not positive:
            return False
    return True


@jit
def successes_of(out: Array, chances: Array, seed: int, offset: int, first: int, last: int) -> None:
    """1 where a uniform number of 53 bits is less than a probability of its own, else 0."""
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
    """The first `count` of each of a range of rows to arrive where each arrives at its own rate, as the weights say;
    those of rate 0 come last, in their order."""
    arrivals, waiting = empty_row(0.0, columns), empty_row(False, columns)
    for row in range(first, last):
        exponential_doubles(arrivals, seed, offset + row * columns, 1.0, 0, columns)
        for i in range(columns):
            arrivals[i] /= np.float64(weights[row * columns + i])
            waiting[i] = True
        for k in range(count):
            nearest = -1
            for i in range(columns):
                if waiting[i] and (nearest < 0 or arrivals[i] < arrivals[nearest]):
                    nearest = i
            waiting[nearest] = False
            out[row * count + k] = nearest
