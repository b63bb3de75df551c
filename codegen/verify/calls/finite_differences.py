"""Derivatives of a function by differences, element by element, careful at kinks and jumps.

Where the derivatives from both sides agree the fourth-order central difference counts. Where they do not, the step is
made smaller; where that does not help there is a kink, and the spec's policy combines the sides. A side on which
differences do not settle (a jump, a pole) does not count; without any side the derivative is nan.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...proof.boundaries import POLICIES
from .point import real

STEP = 2.0**-11  # of numbers up to 1, relative to larger ones; near the best for fourth order in float64
SHRINK = 16.0
LEVELS = 3
EPSILON = 2.0**-52

Evaluate = Callable[[], np.ndarray]  # the function's values at what the arrays hold now


@dataclass(frozen=True)
class Derivatives:
    """d output[column] / d input[row]: what a formula should give, the one-sided derivatives, and rounding errors."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    noise: np.ndarray


def derivatives(evaluate: Evaluate, arrays: Sequence[np.ndarray], kinks: Sequence[str] = ()) -> Derivatives:
    """The derivatives of `evaluate` by every real component of `arrays`, which are changed and restored.

    `kinks` has the policy at kinks for each array; by default it is the average.
    """
    centre = evaluate()
    policies = kinks or ["average"] * len(arrays)
    rows = [
        _row(evaluate, part, i, centre, kink)
        for part, kink in zip(map(real, arrays), policies, strict=True)
        for i in range(part.size)
    ]
    table = np.array(rows).reshape(len(rows), 4, centre.size)
    return Derivatives(*(table[:, i] for i in range(4)))


def directional(evaluate: Evaluate, arrays: Sequence[np.ndarray], along: Sequence[np.ndarray]) -> np.ndarray:
    parts, starts = [real(a) for a in arrays], [real(a).copy() for a in arrays]
    matches = []
    for step in (-2, -1, 1, 2):
        for part, start, direction in zip(parts, starts, along, strict=True):
            part[:] = start + step * STEP * direction
        matches.append(evaluate())
    for part, start in zip(parts, starts, strict=True):
        part[:] = start
    return central(matches, STEP)


def central(values: Sequence[np.ndarray], h: Any) -> np.ndarray:
    """The central difference of fourth order of the values at -2 h, -h, h and 2 h."""
    before2, before, after, after2 = values
    return (8 * (after - before) - (after2 - before2)) / (12 * h)


def _row(evaluate: Evaluate, part: np.ndarray, i: int, centre: np.ndarray, kink: str) -> np.ndarray:
    h = STEP * max(1.0, abs(part[i]))
    row = np.full((4, centre.size), np.nan)
    sides: list[tuple[np.ndarray, np.ndarray]] = []
    for _ in range(LEVELS):
        start, values = part[i], []
        for step in (-2, -1, 1, 2):
            part[i] = start + step * h
            values.append(evaluate())
        part[i] = start
        noise = 64 * EPSILON * np.abs(centre) / h
        left = (3 * centre - 4 * values[1] + values[0]) / (2 * h)
        right = (4 * values[2] - 3 * centre - values[3]) / (2 * h)
        sides.append((left, right))
        central_difference = central(values, h)
        # A jump to both sides may give two equal estimates, but never the central one as well.
        allowed = 1e-4 * (np.abs(right) + np.abs(left)) + 1e-7 + noise
        is_smooth = (np.abs(right - left) <= allowed) & (np.abs(central_difference - right) <= allowed)
        new = is_smooth & np.isnan(row[0])
        row[:3, new], row[3, new] = central_difference[new], noise[new]
        if not np.isnan(row[0]).any():
            return row
        h /= SHRINK
    # Fill in the derivatives that are not smooth from those sides that have settled at the last two steps
    open_ = np.isnan(row[0])
    settled = [np.abs(b - a) <= 1e-3 * (1 + np.abs(b)) + noise for a, b in zip(*sides[-2:], strict=True)]
    left, right = (np.where(ok, side, np.nan) for ok, side in zip(settled, sides[-1], strict=True))
    value = np.where(settled[0] & settled[1], POLICIES[kink](left, right), np.fmax(left, right))
    row[0, open_] = value[open_]
    row[1, open_] = np.fmin(left, right)[open_]
    row[2, open_] = np.fmax(left, right)[open_]
    row[3, open_] = noise[open_] + 1e-6 * np.abs(value[open_])
    return row
