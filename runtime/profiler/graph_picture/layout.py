"""Where boxes lie: in layers with the outputs lowest, ordered to cross few arrows, as near to neighbours as fits.

An arrow that spans several layers gets a joint in each layer between, so that it has a place among the boxes there.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .picture import Picture

_ORDER_SWEEPS = 8


@dataclass
class Layers:
    """Items are boxes and, from `boxes` on, joints. `above` and `below` are the neighbours of an item, `chains` the
    items along each arrow, from its source to its target."""

    boxes: int
    rows: list[list[int]] = field(default_factory=list)
    row_of: list[int] = field(default_factory=list)
    above: list[list[int]] = field(default_factory=list)
    below: list[list[int]] = field(default_factory=list)
    chains: list[list[int]] = field(default_factory=list)


def layered(picture: Picture) -> Layers:
    """Arrange the boxes of a picture, whose arrows go from later boxes to earlier ones."""
    layers = Layers(len(picture.boxes), row_of=_rows_of(picture))
    _join(layers, picture)
    _first_order(layers)
    for sweep in range(_ORDER_SWEEPS):
        _order_by_neighbours(layers, downward=sweep % 2 == 0)
    return layers


def passed_rows(picture: Picture) -> int:
    """Through how many rows all arrows together pass: what makes a layout take long."""
    row_of = _rows_of(picture)
    return sum(row_of[arrow.source] - row_of[arrow.target] - 1 for arrow in picture.arrows)


def _rows_of(picture: Picture) -> list[int]:
    """The row of each box, counted from the outputs."""
    row_of = [0] * len(picture.boxes)
    for arrow in picture.arrows:  # those of one target after those of the targets below it
        row_of[arrow.source] = max(row_of[arrow.source], row_of[arrow.target] + 1)
    return row_of


def _join(layers: Layers, picture: Picture) -> None:
    """Make the joints of arrows; where that were too many, the longest arrows go straight."""
    row_of = layers.row_of
    spans = sorted(row_of[arrow.source] - row_of[arrow.target] - 1 for arrow in picture.arrows)
    budget, longest = 4 * layers.boxes + 1000, 0
    for span in spans:
        budget -= span
        longest = span if budget >= 0 else longest
    layers.above = [[] for _ in row_of]
    layers.below = [[] for _ in row_of]
    for arrow in picture.arrows:
        top, bottom = row_of[arrow.source], row_of[arrow.target]
        chain = [arrow.source]
        if top - bottom - 1 <= longest:
            for row in range(top - 1, bottom, -1):
                chain.append(len(row_of))
                row_of.append(row)
                layers.above.append([])
                layers.below.append([])
        chain.append(arrow.target)
        layers.chains.append(chain)
        for upper, lower in zip(chain, chain[1:], strict=False):
            layers.below[upper].append(lower)
            layers.above[lower].append(upper)


def _first_order(layers: Layers) -> None:
    """The order in which a walk up from the outputs meets the items: what belongs together starts side by side."""
    layers.rows = [[] for _ in range(max(layers.row_of, default=0) + 1)]
    seen = [False] * len(layers.row_of)
    stack = [item for item in range(layers.boxes - 1, -1, -1) if not layers.below[item]]
    while stack:
        item = stack.pop()
        if not seen[item]:
            seen[item] = True
            layers.rows[layers.row_of[item]].append(item)
            stack.extend(reversed(layers.above[item]))


def _order_by_neighbours(layers: Layers, downward: bool) -> None:
    """Sort each row by the mean position of the neighbours in the row before it, which has just been sorted."""
    position = [0.0] * len(layers.row_of)
    for row in layers.rows:
        for place, item in enumerate(row):
            position[item] = float(place)
    neighbours = layers.above if downward else layers.below
    for row in reversed(layers.rows) if downward else layers.rows:
        wanted = {item: _mean([position[n] for n in neighbours[item]], position[item]) for item in row}
        row.sort(key=wanted.__getitem__)
        for place, item in enumerate(row):
            position[item] = float(place)


def _mean(values: list[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


_GAP = 22.0  # between boxes side by side
_RISE = 38.0  # between rows
_PULLS = (1.0, 2.0, 8.0)  # between two boxes, a box and a joint, two joints
_PULL_SWEEPS = 24


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
    for sweep in range(_PULL_SWEEPS):
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
