"""Polynomials of pieces: fits for the least relative error, with coefficients that are float32, and what they err.

A fit minimises the largest relative error by weighted least squares whose weights grow where the error is large
(C. L. Lawson, "Contributions to the theory of linear least maximum approximation", 1961). Coefficients are rounded one
after the other, the lowest power first, each followed by a new fit of the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from specgrad.runtime.kernels.scalar.primitives import evaluated

from .places import Piece

NODES = 64  # of a fit
ROUNDS = 30  # of new weights
CANDIDATES = 400  # for a center, to each side
SAMPLES = 4000  # of a piece, to measure its error

Reference = Callable[[np.ndarray], np.ndarray]


def fitted(
    function: Reference, piece: Piece, center: float, coefficients: int, derivative: float | None = None
) -> list[float]:
    """The column of a piece: its center, a slope where there are any, and the coefficients, the highest power first."""
    t = nodes(piece.low - center, piece.high - center)
    value = function(center + t)
    known, scale = [single(function(np.array([center]))[0])], np.abs(t).max()
    while len(known) < coefficients:
        rest = value - (derivative or 0.0) * t - np.polynomial.polynomial.polyval(t, known)
        powers = np.stack([(t / scale) ** k for k in range(len(known), coefficients)], axis=1)
        known.append(single(minimax(powers, rest, 1.0 / np.abs(value))[0] / scale ** len(known)))
    return [center, *([] if derivative is None else [derivative]), *known[::-1]]


def nodes(low: float, high: float) -> np.ndarray:
    """Where a fit looks: Chebyshev's points, which are dense at both ends."""
    return low + (high - low) * (0.5 - 0.5 * np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES))


def single(value: float) -> float:
    """A number as float32."""
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
    """The largest error in units in the last place, of many arguments of a piece as float32 arithmetic has them."""
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
    """Arguments all over a piece, and those next to its center, which may be a zero."""
    sample_points = np.random.default_rng(piece.position).uniform(piece.low, piece.high, count)
    candidates = (np.float32(center).view(np.int32) + np.arange(-NODES, NODES, dtype=np.int32)).view(np.float32)
    small = np.geomspace(1e-30, 1.0, count) * piece.high
    x = np.concatenate([sample_points, np.linspace(piece.low, piece.high, count), small, candidates if center else []])
    x = x.astype(np.float32)
    return x[(x >= piece.low) & (x < piece.high) & (x != 0)]


def fused(a: Any, x: Any, b: Any) -> Any:
    """a x + b of float32, rounded once but for 2^-29 of a unit."""
    return (np.float64(a) * x.astype(np.float64) + np.float64(b)).astype(np.float32)
