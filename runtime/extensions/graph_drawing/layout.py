"""Where boxes lie without Graphviz: in rows with the outputs lowest, each row in the middle of the picture."""

from __future__ import annotations

from dataclasses import dataclass

from .collect import Picture

_GAP, _RISE = 22.0, 38.0  # between boxes side by side, and between rows


@dataclass
class NodePositions:
    """The centre of every box, and the size of all together."""

    x: list[float]
    y: list[float]
    width: float
    height: float


def passed_rows(picture: Picture) -> int:
    """What makes a layout take long."""
    row_of = _rows_of(picture)
    return sum(row_of[arrow.source] - row_of[arrow.target] - 1 for arrow in picture.arrows)


def _rows_of(picture: Picture) -> list[int]:
    row_of = [0] * len(picture.boxes)
    for arrow in picture.arrows:  # those of one target after those of the targets below it
        row_of[arrow.source] = max(row_of[arrow.source], row_of[arrow.target] + 1)
    return row_of


def placed(picture: Picture, widths: list[float], heights: list[float]) -> NodePositions:
    row_of = _rows_of(picture)
    rows: list[list[int]] = [[] for _ in range(max(row_of, default=0) + 1)]
    for box, row in enumerate(row_of):
        rows[row].append(box)
    lengths = [sum(widths[box] + _GAP for box in row) - _GAP for row in rows]
    width, top = max(lengths), 0.0
    x, y = [0.0] * len(row_of), [0.0] * len(row_of)
    for boxes, length in zip(reversed(rows), reversed(lengths), strict=True):
        left, height = (width - length) / 2, max((heights[box] for box in boxes), default=0.0)
        for box in boxes:
            x[box], y[box] = left + widths[box] / 2, top + height / 2
            left += widths[box] + _GAP
        top += height + _RISE
    return NodePositions(x, y, width, top - _RISE)
