"""Polynomials of pieces: fits for the least relative error, with coefficients that are float32, and what they err.

Weighted least squares whose weights grow where the error is large (C. L. Lawson, "Contributions to the theory of linear
least maximum approximation", 1961). Coefficients are rounded one after the other, the lowest power first, each
followed by a new fit of the rest. Bits of an argument find its piece (runtime/kernels/scalar/piecewise_polynomial.py).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from specgrad.runtime.compiler.passes.primitives import evaluated
from specgrad.runtime.kernels.scalar.piecewise_polynomial import EXP2_SMALL, POWERS, SHIFT


class Piece(NamedTuple):
    position: int
    low: float
    high: float


def linear(step: float, count: int = 16, first: int = 0) -> list[Piece]:
    """Pieces around `count` multiples of a step, a power of two, from the first on; if that is 0, it begins there."""
    pieces = [Piece((first + k) % count, (first + k - 0.5) * step, (first + k + 0.5) * step) for k in range(count)]
    return [pieces[0]._replace(low=0.0), *pieces[1:]] if first == 0 else pieces


def logarithmic(low: float, per_octave: int, count: int = 16, from_zero: bool = False) -> list[Piece]:
    """`per_octave` pieces (a power of two) of one width for each doubling from `low`; `from_zero`: the first from 0."""
    # How many of a number's last bits do not tell its piece
    below = 23 - (per_octave.bit_length() - 1)
    first = int(np.float32(low).view(np.int32)) >> below
    edges = np.arange(first, first + count + 1, dtype=np.int32) << below
    ends = [float(edge) for edge in edges.view(np.float32)]
    pieces = [Piece((first + k) % count, ends[k], ends[k + 1]) for k in range(count)]
    return [pieces[0]._replace(low=0.0), *pieces[1:]] if from_zero else pieces


def shifted(low: float, per_octave: int, count: int = 16) -> list[Piece]:
    return [Piece(position, start - low, end - low) for position, start, end in logarithmic(low, per_octave, count)]


def mixed(low: float, edge: float, count: int = 32) -> list[Piece]:
    """Logarithmic pieces, two for each doubling, up to an edge, and from there on pieces of width 1."""
    nearby = [piece for piece in logarithmic(low, 2, count) if piece.low < edge]
    position, ends = nearby[-1].position + 1, [edge + k for k in range(count - len(nearby))]
    unit_pieces = [Piece((position + k) % count, end, end + 1.0) for k, end in enumerate(ends)]
    return [*nearby[:-1], nearby[-1]._replace(high=edge), *unit_pieces]


def mirrored(edge: float, pieces: list[Piece]) -> list[Piece]:
    """The pieces of x where those of `edge` - x are given."""
    return [Piece(piece.position, edge - piece.high, edge - piece.low) for piece in pieces]


NODES = 64  # of a fit
ROUNDS = 30  # of new weights
CANDIDATES = 400  # for a center, to each side
SAMPLES = 4000  # of a piece, to measure its error

Reference = Callable[[np.ndarray], np.ndarray]


def fitted(
    function: Reference, piece: Piece, center: float, count: int, derivative: float | None = None
) -> list[float]:
    """The column of a piece: its center, a slope where there are any, and `count` coefficients, highest power first."""
    t = nodes(piece.low - center, piece.high - center)
    value = function(center + t)
    known, scale = [single(function(np.array([center]))[0])], np.abs(t).max()
    while len(known) < count:
        rest = value - (derivative or 0.0) * t - np.polynomial.polynomial.polyval(t, known)
        powers = np.stack([(t / scale) ** k for k in range(len(known), count)], axis=1)
        known.append(single(minimax(powers, rest, 1.0 / np.abs(value))[0] / scale ** len(known)))
    return [center, *([] if derivative is None else [derivative]), *known[::-1]]


def nodes(low: float, high: float) -> np.ndarray:
    """Where a fit looks: Chebyshev's points, which are dense at both ends."""
    return low + (high - low) * (0.5 - 0.5 * np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES))


def single(value: float) -> float:
    return float(np.float32(value))


def minimax(powers: np.ndarray, values: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The coefficients for the least of the largest weighted errors."""
    importance = np.ones(len(values))
    best, lowest_error = np.zeros(powers.shape[1]), np.inf
    for _ in range(ROUNDS):
        factor = weight * np.sqrt(importance)
        entry = np.linalg.lstsq(powers * factor[:, None], values * factor, rcond=None)[0]
        error = np.abs(weight * (powers @ entry - values))
        if error.max() < lowest_error:
            best, lowest_error = entry, error.max()
        importance = importance * error / max(float((importance * error).mean()), 1e-300)
    return best


def best_center(function: Reference, piece: Piece, part: float) -> float:
    """Of the float32 about some part of a piece the one where the function is nearest to a float32."""
    about = np.float32(piece.low + part * (piece.high - piece.low))
    candidates = (about + np.arange(-CANDIDATES, CANDIDATES) * float(np.spacing(about))).astype(np.float32)
    candidates = candidates[(candidates >= piece.low) & (candidates < piece.high)]
    value = function(candidates.astype(np.float64))
    rounded = value.astype(np.float32)
    lost = np.abs(value - rounded) / np.spacing(np.abs(rounded))
    return float(candidates[np.argmin(lost)])


def error(function: Reference, piece: Piece, column: list[float], has_derivative: bool = False) -> float:
    x = samples(piece, column[0])
    center, *coefficients = (np.float32(value) for value in column)
    derivative = coefficients.pop(0) if has_derivative else np.float32(0)
    result = fused(derivative, x - center, evaluated(x - center, coefficients, fused, fused, lambda t: t * t))
    return units(result, function(x.astype(np.float64)))


def error_of_product(function: Reference, piece: Piece, column: list[float], factor: Reference) -> float:
    x = samples(piece, column[0])
    center, *coefficients, value = (np.float32(number) for number in column)
    by, t = factor(x), x - center
    result = fused(value, by, by * t * evaluated(t, coefficients, fused, fused, lambda t: t * t))
    return units(result, function(x.astype(np.float64)) * by)


def units(result: np.ndarray, requested: np.ndarray) -> float:
    unit = np.spacing(np.maximum(np.abs(requested), 2.0**-126).astype(np.float32)).astype(np.float64)
    return float(np.max(np.abs(result.astype(np.float64) - requested) / unit))


def samples(piece: Piece, center: float, count: int = SAMPLES) -> np.ndarray:
    sample_points = np.random.default_rng(piece.position).uniform(piece.low, piece.high, count)
    candidates = (np.float32(center).view(np.int32) + np.arange(-NODES, NODES, dtype=np.int32)).view(np.float32)
    small = np.geomspace(1e-30, 1.0, count) * piece.high
    x = np.concatenate([sample_points, np.linspace(piece.low, piece.high, count), small, candidates if center else []])
    x = x.astype(np.float32)
    return x[(x >= piece.low) & (x < piece.high) & (x != 0)]


def fused(a: Any, x: Any, b: Any) -> Any:
    """a x + b of float32, rounded once but for 2^-29 of a unit."""
    return (np.float64(a) * x.astype(np.float64) + np.float64(b)).astype(np.float32)


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
        made = [self.fitted(piece, float(center)) for center in self.centers(piece)]
        return min(made, key=lambda column: self.error(piece, column))

    def centers(self, piece: Piece) -> np.ndarray:
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
        x = samples(piece, column[0], POWER_SAMPLES)
        return units(computed(x, column), self.function(x.astype(np.float64)))


def lost(values: np.ndarray) -> np.ndarray:
    return np.abs(values - values.astype(np.float32))


def computed(x: np.ndarray, column: list[float]) -> np.ndarray:
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
    result = np.full_like(x, coefficients[0])
    for each in coefficients[1:]:
        result = fused(result, x, each)
    return result
