"""A function and its derivative on a grid, as pieces of curves in a window: a picture in plain numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

POINTS = 481  # on the horizontal axis; few of them are left by `thinned`
STRETCH = 2.0  # how much wider than the domain of the checks a picture is
DEFAULT = (-2.0, 2.0)
CENTRE = (0.05, 0.95)  # the quantiles between which most values lie
TALL = 1.6  # how many times larger the whole range is where a curve is cut off
CUT = (0.15, 0.85)  # the quantiles at which it then is
Piece = np.ndarray  # points of one unbroken curve, (n, 2)


@dataclass(frozen=True)
class Window:
    left: float
    right: float
    bottom: float
    top: float


def grid(domain: tuple[float, float] | None) -> np.ndarray:
    """The points at which the function is computed, centred on the domain of its checks."""
    low, high = domain or DEFAULT
    midpoint, half = (low + high) / 2, (high - low) / 2 * STRETCH
    return np.linspace(midpoint - half, midpoint + half, POINTS)


def window(x: np.ndarray, *curves: np.ndarray) -> Window:
    """The part of the plane that holds all of the curves, and the line y = 0."""
    ends = [end for curve in curves for end in extent(curve[np.isfinite(curve)])]
    low, high = min(0.0, *ends), max(0.0, *ends)
    margin = 0.08 * max(high - low, 1.0)
    return Window(float(x[0]), float(x[-1]), low - margin, high + margin)


def extent(values: np.ndarray) -> tuple[float, float]:
    """The smallest and the largest value; where a curve has poles or grows fast, quantiles in their place."""
    if not values.size:
        return 0.0, 0.0
    low, high = np.quantile(values, CENTRE)
    tall = values.max() - values.min() > TALL * (high - low)
    ends = np.quantile(values, CUT) if tall and high > low else (values.min(), values.max())
    return float(ends[0]), float(ends[1])


def pieces(x: np.ndarray, y: np.ndarray, seen: Window) -> list[Piece]:
    """The curve, broken where it has no value, is far outside the window, or jumps."""
    height = seen.top - seen.bottom
    shown = np.isfinite(y) & (y >= seen.bottom - height) & (y <= seen.top + height)
    breaks = np.flatnonzero(jumps(y, height) | ~shown[1:] | ~shown[:-1]) + 1
    parts = np.split(np.arange(len(x)), breaks)
    return [np.stack([x[part], y[part]], axis=1) for part in parts if len(part) > 1 and shown[part].all()]


def jumps(y: np.ndarray, height: float) -> np.ndarray:
    """Between which neighbours the curve moves by far more than it does on both sides of them.

    The step next to this one does not count: at a jump on a point of the grid the value may be the mean.
    """
    steps = np.abs(np.diff(np.nan_to_num(y, posinf=0, neginf=0)))
    around = np.pad(steps, 2)
    return steps > 3 * np.maximum(around[:-4], around[4:]) + 0.04 * height


def thinned(piece: Piece, tolerance: float) -> Piece:
    """The points between which straight lines stay within `tolerance` of the curve."""
    retained, todo = {0, len(piece) - 1}, [(0, len(piece) - 1)]
    while todo:
        first, last = todo.pop()
        start, step = piece[first], piece[last] - piece[first]
        inner = piece[first + 1 : last] - start
        away = np.abs(inner[:, 0] * step[1] - inner[:, 1] * step[0]) / max(float(np.hypot(*step)), 1e-12)
        if away.size and away.max() > tolerance:
            midpoint = first + 1 + int(away.argmax())
            retained.add(midpoint)
            todo += [(first, midpoint), (midpoint, last)]
    return piece[sorted(retained)]
