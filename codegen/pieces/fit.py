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

COEFFICIENTS = 8
NODES = 64  # of a fit
ROUNDS = 30  # of new weights
CANDIDATES = 400  # for a center, to each side
SAMPLES = 4000  # of a piece, to measure its error

Reference = Callable[[np.ndarray], np.ndarray]


def fitted(function: Reference, piece: Piece, center: float | None) -> list[float]:
    """The column of a piece: its center, and the coefficients, the highest power first."""
    middle = best_center(function, piece) if center is None else np.float32(center)
    ends = piece.low - float(middle), piece.high - float(middle)
    t = ends[0] + (ends[1] - ends[0]) * (0.5 - 0.5 * np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES))
    value = function(float(middle) + t)
    known = [float(np.float32(function(np.array([float(middle)]))[0]))]
    scale = max(abs(ends[0]), abs(ends[1]))
    while len(known) < COEFFICIENTS:
        rest = value - np.polynomial.polynomial.polyval(t, known)
        powers = np.stack([(t / scale) ** k for k in range(len(known), COEFFICIENTS)], axis=1)
        found = minimax(powers, rest, 1.0 / np.abs(value))
        known.append(float(np.float32(found[0] / scale ** len(known))))
    return [float(middle), *known[::-1]]


def minimax(powers: np.ndarray, values: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The coefficients for the least of the largest weighted errors."""
    importance = np.ones(len(values))
    best, least = np.zeros(powers.shape[1]), np.inf
    for _ in range(ROUNDS):
        factor = weight * np.sqrt(importance)
        found = np.linalg.lstsq(powers * factor[:, None], values * factor, rcond=None)[0]
        error = np.abs(weight * (powers @ found - values))
        if error.max() < least:
            best, least = found, error.max()
        importance = importance * error / max(float((importance * error).mean()), 1e-300)
    return best


def best_center(function: Reference, piece: Piece) -> np.float32:
    """Of the float32 about a piece's middle the one where the function is nearest to a float32."""
    middle = np.float32((piece.low + piece.high) / 2).view(np.int32)
    near = (middle + np.arange(-CANDIDATES, CANDIDATES, dtype=np.int32)).view(np.float32)
    value = function(near.astype(np.float64))
    single = value.astype(np.float32)
    lost = np.abs(value - single) / np.spacing(np.abs(single))
    return np.float32(near[np.argmin(lost)])


def error(function: Reference, piece: Piece, column: list[float]) -> float:
    """The largest error in units in the last place, of many arguments of a piece as float32 arithmetic has them."""
    draws = np.random.default_rng(piece.place).uniform(piece.low, piece.high, SAMPLES).astype(np.float32)
    x = np.concatenate([draws, np.linspace(piece.low, piece.high, SAMPLES).astype(np.float32)])
    x = x[(x >= piece.low) & (x < piece.high) & (x != 0)]
    center, *coefficients = (np.float32(value) for value in column)
    found = evaluated(x - center, coefficients, fused, fused, lambda t: t * t).astype(np.float64)
    wanted = function(x.astype(np.float64))
    unit = np.spacing(np.maximum(np.abs(wanted), 2.0**-126).astype(np.float32)).astype(np.float64)
    return float(np.max(np.abs(found - wanted) / unit))


def fused(a: Any, x: Any, b: Any) -> Any:
    """a x + b of float32, rounded once but for 2^-29 of a unit."""
    return (np.float64(a) * x.astype(np.float64) + np.float64(b)).astype(np.float32)
