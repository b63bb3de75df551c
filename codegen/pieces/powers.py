"""Tables for logarithms of functions that grow or decay fast (`runtime/kernels/scalar/power_pieces.py`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from specgrad.runtime.kernels.scalar.power_pieces import EXP2_SMALL, POWERS, SHIFT

from .fit import Reference, fused, minimax, nodes, samples, single, units
from .places import Piece

CENTER_START, CENTER_STOP = 0.15, 0.85  # the parts of a piece between which its center is sought
POWER_CANDIDATES = 400_000
FITS = 12
POWER_SAMPLES = 50_000
STEP = 1e-5  # for a derivative


class ByPowers(NamedTuple):
    """A function, what its table's docstring calls it, its logarithm to base 2, the slope of that, and its pieces."""

    name: str
    doc: str
    function: Reference
    logarithm: Reference
    derivative: Reference
    pieces: list[Piece]
    coefficients: int = 4

    def column(self, piece: Piece) -> list[float]:
        """The center, the logarithm there, its slope, and the coefficients of a piece: of several fits the one that
        errs least."""
        made = [self.fitted(piece, float(center)) for center in self.centers(piece)]
        return min(made, key=lambda column: self.error(piece, column))

    def centers(self, piece: Piece) -> np.ndarray:
        """Where the logarithm, its slope and its curvature are nearly float32, so that little is lost in the piece."""
        x = np.linspace(CENTER_START, CENTER_STOP, POWER_CANDIDATES) * (piece.high - piece.low) + piece.low
        x = np.unique(x.astype(np.float32)).astype(np.float64)
        radius = np.maximum(x - piece.low, piece.high - x)
        curvature = (self.derivative(x + STEP) - self.derivative(x - STEP)) / (4.0 * STEP)
        loss = lost(self.logarithm(x)) + (lost(self.derivative(x)) + lost(curvature) * radius) * radius
        return x[np.argsort(loss)[:FITS]]

    def fitted(self, piece: Piece, center: float) -> list[float]:
        at = np.array([center])
        value, derivative = single(self.logarithm(at)[0]), single(self.derivative(at)[0])
        t = nodes(piece.low - center, piece.high - center)
        requested, scale, known = self.logarithm(center + t) - value - derivative * t, np.abs(t).max(), list[float]()
        while len(known) < self.coefficients:
            rest = requested - t * t * np.polynomial.polynomial.polyval(t, [*known, 0.0])
            powers = np.stack([(t / scale) ** k for k in range(len(known) + 2, self.coefficients + 2)], axis=1)
            known.append(single(minimax(powers, rest, np.ones_like(t))[0] / scale ** (len(known) + 2)))
        return [center, value, derivative, *known[::-1]]

    def error(self, piece: Piece, column: list[float]) -> float:
        """The largest error in a piece."""
        x = samples(piece, column[0], POWER_SAMPLES)
        return units(computed(x, column), self.function(x.astype(np.float64)))


def lost(values: np.ndarray) -> np.ndarray:
    """What rounding to float32 loses."""
    return np.abs(values - values.astype(np.float32))


def computed(x: np.ndarray, column: list[float]) -> np.ndarray:
    """What float32 arithmetic makes of a column: `by_power_pieces`."""
    center, value, derivative, *coefficients = (np.float32(number) for number in column)
    t, shift = x - center, np.float32(SHIFT)
    bend = t * horner(t, coefficients)
    n = fused(derivative + bend, t, value + shift) - shift
    r = fused(bend, t, fused(derivative, t, value - n))
    integral, k = np.divmod((n * np.float32(32)).astype(np.int32), 32)
    bits = np.array(POWERS[0]).view(np.int32)[k] + (k << 18) + (integral << 23)
    power = bits.astype(np.int32).view(np.float32)
    return fused(power, fused(r, horner(r, [np.float32(c) for c in EXP2_SMALL]), np.array(POWERS[1])[k]), power)


def horner(x: np.ndarray, coefficients: list[np.float32]) -> np.ndarray:
    """A polynomial in float32."""
    result = np.full_like(x, coefficients[0])
    for each in coefficients[1:]:
        result = fused(result, x, each)
    return result
