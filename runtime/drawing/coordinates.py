"""Where the items of layers lie: in their order, without overlap, and as near as that allows to their neighbours."""

from __future__ import annotations

from dataclasses import dataclass

from .layers import Layers

_GAP = 22.0  # between boxes side by side
_RISE = 38.0  # between rows
_PULLS = (1.0, 2.0, 8.0)  # between two boxes, a box and a joint, two joints
_SWEEPS = 24


@dataclass
class Places:
    """The centre of every item, the upper and lower edge of every row, and the size of the whole."""

    x: list[float]
    top: list[float]
    bottom: list[float]
    width: float
    height: float


def placed(layers: Layers, widths: list[float], heights: list[float]) -> Places:
    """Find a place for every item; `widths` and `heights` are those of the boxes, joints have almost none."""
    wide = [*widths, *[1.0] * (len(layers.row_of) - layers.boxes)]
    x = [0.0] * len(wide)
    for row in layers.rows:
        _set_row(x, row, wide, [0.0] * len(row), [1.0] * len(row))
    for sweep in range(_SWEEPS):
        _pull(layers, x, wide, upward=sweep % 2 == 0)
    left = min((x[i] - wide[i] / 2 for i in range(len(wide))), default=0.0)
    x = [value - left for value in x]
    top, bottom, y = [0.0] * len(layers.rows), [0.0] * len(layers.rows), 0.0
    for number in range(len(layers.rows) - 1, -1, -1):
        top[number] = y
        y += max((heights[i] for i in layers.rows[number] if i < layers.boxes), default=0.0)
        bottom[number] = y
        y += _RISE
    width = max((x[i] + wide[i] / 2 for i in range(len(wide))), default=0.0)
    return Places(x, top, bottom, width, max(y - _RISE, 0.0))


def _pull(layers: Layers, x: list[float], wide: list[float], upward: bool) -> None:
    """Draw each row to its neighbours in the rows around it; where a long arrow passes, it had better be straight."""
    for row in layers.rows if upward else reversed(layers.rows):
        wanted, weights = [], []
        for item in row:
            joint = item >= layers.boxes
            total = weight = 0.0
            for other in (*layers.above[item], *layers.below[item]):
                pull = _PULLS[joint + (other >= layers.boxes)]
                total += pull * x[other]
                weight += pull
            wanted.append(total / weight if weight else x[item])
            weights.append(weight or 0.1)
        _set_row(x, row, wide, wanted, weights)


def _set_row(x: list[float], row: list[int], wide: list[float], wanted: list[float], weights: list[float]) -> None:
    """The positions nearest to those wanted (in the sum of weighted squares) that keep order and distance.

    Less the distance that each item must have from the first, positions must not decrease: pooling neighbours that
    would is what solves that exactly.
    """
    offsets = [0.0]
    for left, right in zip(row, row[1:], strict=False):
        offsets.append(offsets[-1] + (wide[left] + wide[right]) / 2 + _GAP)
    blocks: list[tuple[float, float, int]] = []  # mean, weight, how many items
    for value, offset, weight in zip(wanted, offsets, weights, strict=False):
        mean, count = value - offset, 1
        while blocks and blocks[-1][0] > mean:
            other, other_weight, other_count = blocks.pop()
            mean = (mean * weight + other * other_weight) / (weight + other_weight)
            weight, count = weight + other_weight, count + other_count
        blocks.append((mean, weight, count))
    means = [mean for mean, _, count in blocks for _ in range(count)]
    for item, mean, offset in zip(row, means, offsets, strict=False):
        x[item] = mean + offset
