"""A picture as SVG without Graphviz: boxes in rows, arrows as curves between them, a legend above.

Rows have the outputs lowest, and stand each in the middle of the picture.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from .collect import STYLES, Box, Picture

_GAP, _RISE = 22.0, 38.0  # between boxes side by side, and between rows
_MARGIN, _LEGEND = 16.0, 34.0
_TITLE, _LINE = 17.0, 13.0  # heights of lines of text
_PADDING = 8.0
_CSS = """text{font-family:Helvetica,Arial,sans-serif;text-anchor:middle;fill:#0f172a}
.t{font-size:12px;font-weight:bold}.l{font-size:10.5px;fill:#334155}.e{font-size:9px;fill:#475569}
.s{text-anchor:start;font-size:11px}path{fill:none;stroke:#94a3b8;stroke-width:1.2}rect{stroke-width:1.2}"""
_ARROW = (
    '<marker id="arrow" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0L8 4L0 8z" style="fill:#94a3b8;stroke:none"/></marker>'
)


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


def svg_source(picture: Picture) -> str:
    widths = [_width(box) for box in picture.boxes]
    heights = [_TITLE + _LINE * len(box.lines) + _PADDING for box in picture.boxes]
    positions = placed(picture, widths, heights)
    legend_width = sum(34 + 6.2 * len(STYLES[kind].label) for kind in picture.kinds()) + 6.2 * len(picture.caption) + 6
    width = max(positions.width, legend_width) + 2 * _MARGIN
    height = positions.height + _LEGEND + 2 * _MARGIN
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    shift = f"translate({(width - positions.width) / 2:.1f} {_MARGIN + _LEGEND:.1f})"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
        f"<style>{_CSS}</style><defs>{_ARROW}</defs>",
        '<rect width="100%" height="100%" style="fill:#ffffff;stroke:none"/>',
        *_legend(picture),
        f'<g transform="{shift}">',
        *_arrows(picture, positions, heights),
        *_boxes(picture, positions, widths, heights),
        "</g></svg>",
        "",
    ]
    return "\n".join(lines)


def _width(box: Box) -> float:
    """An estimate from the number of letters, on the safe side."""
    return max(7.4 * len(box.title), *(5.9 * len(line) for line in box.lines), 40.0) + 2 * _PADDING


def _boxes(picture: Picture, positions: NodePositions, widths: list[float], heights: list[float]) -> Iterator[str]:
    for number, box in enumerate(picture.boxes):
        x, width, height = positions.x[number], widths[number], heights[number]
        y = positions.y[number] - height / 2
        style = STYLES[box.kind]
        yield f'<g class="{box.kind}"><title>{escape(box.note or box.title)}</title>'
        yield (
            f'<rect x="{x - width / 2:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="6" '
            f'style="fill:{style.fill};stroke:{style.line}"/>'
        )
        yield f'<text class="t" x="{x:.1f}" y="{y + _TITLE:.1f}">{escape(box.title)}</text>'
        for position, line in enumerate(box.lines, start=1):
            yield f'<text class="l" x="{x:.1f}" y="{y + _TITLE + position * _LINE:.1f}">{escape(line)}</text>'
        yield "</g>"


def _arrows(picture: Picture, positions: NodePositions, heights: list[float]) -> Iterator[str]:
    """Curves that leave and arrive vertically, under the boxes of the rows between."""
    for arrow in picture.arrows:
        x, x2 = positions.x[arrow.source], positions.x[arrow.target]
        y = positions.y[arrow.source] + heights[arrow.source] / 2
        y2 = positions.y[arrow.target] - heights[arrow.target] / 2
        center = (y + y2) / 2
        curve = f"M{x:.1f} {y:.1f}C{x:.1f} {center:.1f} {x2:.1f} {center:.1f} {x2:.1f} {y2:.1f}"
        yield f'<path d="{curve}" marker-end="url(#arrow)"/>'
        if arrow.label:
            yield f'<text class="e" x="{x + 7:.1f}" y="{y + 10:.1f}">{escape(arrow.label)}</text>'


def _legend(picture: Picture) -> Iterator[str]:
    x, y = _MARGIN, _MARGIN
    for kind in picture.kinds():
        style = STYLES[kind]
        yield f'<rect x="{x}" y="{y}" width="14" height="14" rx="3" style="fill:{style.fill};stroke:{style.line}"/>'
        yield f'<text class="s" x="{x + 19}" y="{y + 11}">{style.label}</text>'
        x += 34 + 6.2 * len(style.label)
    yield f'<text class="s l" x="{x + 6:.1f}" y="{y + 11}">{escape(picture.caption)}</text>'
