"""A picture as SVG, laid out here: boxes in layers, arrows as curves between them, a legend above."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from .layout import Layers, Places, layered, placed
from .picture import STYLES, Box, Picture

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


def svg_text(picture: Picture) -> str:
    """The whole file."""
    layers = layered(picture)
    widths = [_width(box) for box in picture.boxes]
    heights = [_height(box) for box in picture.boxes]
    places = placed(layers, widths, heights)
    legend = list(_legend(picture))
    width = max(places.width, _legend_width(picture)) + 2 * _MARGIN
    height = places.height + _LEGEND + 2 * _MARGIN
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    shift = f"translate({(width - places.width) / 2:.1f} {_MARGIN + _LEGEND:.1f})"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
        f"<style>{_CSS}</style><defs>{_ARROW}</defs>",
        '<rect width="100%" height="100%" style="fill:#ffffff;stroke:none"/>',
        *legend,
        f'<g transform="{shift}">',
        *_arrows(picture, layers, places, widths, heights),
        *_boxes(picture, layers, places, widths, heights),
        "</g></svg>",
        "",
    ]
    return "\n".join(parts)


def _width(box: Box) -> float:
    """An estimate from the number of letters, on the safe side."""
    return max(7.4 * len(box.title), *(5.9 * len(line) for line in box.lines), 40.0) + 2 * _PADDING


def _height(box: Box) -> float:
    return _TITLE + _LINE * len(box.lines) + _PADDING


def _boxes(
    picture: Picture, layers: Layers, places: Places, widths: list[float], heights: list[float]
) -> Iterator[str]:
    for number, box in enumerate(picture.boxes):
        x, width, height = places.x[number], widths[number], heights[number]
        y = _middle(places, layers.row_of[number]) - height / 2
        style = STYLES[box.kind]
        yield f'<g class="{box.kind}"><title>{escape(box.note or box.title)}</title>'
        yield (
            f'<rect x="{x - width / 2:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="6" '
            f'style="fill:{style.fill};stroke:{style.line}"/>'
        )
        yield f'<text class="t" x="{x:.1f}" y="{y + _TITLE:.1f}">{escape(box.title)}</text>'
        for place, line in enumerate(box.lines, start=1):
            yield f'<text class="l" x="{x:.1f}" y="{y + _TITLE + place * _LINE:.1f}">{escape(line)}</text>'
        yield "</g>"


def _middle(places: Places, row: int) -> float:
    return (places.top[row] + places.bottom[row]) / 2


def _arrows(
    picture: Picture, layers: Layers, places: Places, widths: list[float], heights: list[float]
) -> Iterator[str]:
    starts, ends = _ports(picture, layers, places, widths)
    for number, (arrow, chain) in enumerate(zip(picture.arrows, layers.chains, strict=True)):
        first, last = chain[0], chain[-1]
        begin = (starts[number], _middle(places, layers.row_of[first]) + heights[first] / 2)
        finish = (ends[number], _middle(places, layers.row_of[last]) - heights[last] / 2)
        points = [begin]
        for joint in chain[1:-1]:  # straight through the row, between its boxes
            row = layers.row_of[joint]
            points += [(places.x[joint], places.top[row]), (places.x[joint], places.bottom[row])]
        yield f'<path d="{_curve([*points, finish])}" marker-end="url(#arrow)"/>'
        if arrow.label:
            yield f'<text class="e" x="{begin[0] + 7:.1f}" y="{begin[1] + 10:.1f}">{escape(arrow.label)}</text>'


def _ports(
    picture: Picture, layers: Layers, places: Places, widths: list[float]
) -> tuple[dict[int, float], dict[int, float]]:
    """Where on a box's lower edge its arrows leave, and on its upper edge arrive: side by side, so that none cross."""
    leaving: dict[int, list[tuple[float, int]]] = {}
    arriving: dict[int, list[tuple[float, int]]] = {}
    for number, chain in enumerate(layers.chains):
        leaving.setdefault(chain[0], []).append((places.x[chain[1]], number))
        arriving.setdefault(chain[-1], []).append((places.x[chain[-2]], number))
    return _spread(leaving, places, widths), _spread(arriving, places, widths)


def _spread(ends: dict[int, list[tuple[float, int]]], places: Places, widths: list[float]) -> dict[int, float]:
    found = {}
    for box, others in ends.items():
        step = min(18.0, 0.7 * widths[box] / max(len(others) - 1, 1))
        for place, (_, number) in enumerate(sorted(others)):
            found[number] = places.x[box] + (place - (len(others) - 1) / 2) * step
    return found


def _curve(points: list[tuple[float, float]]) -> str:
    """From point to point, leaving and arriving vertically."""
    x, y = points[0]
    text = [f"M{x:.1f} {y:.1f}"]
    for x2, y2 in points[1:]:
        middle = (y + y2) / 2
        text.append(f"V{y2:.1f}" if x == x2 else f"C{x:.1f} {middle:.1f} {x2:.1f} {middle:.1f} {x2:.1f} {y2:.1f}")
        x, y = x2, y2
    return "".join(text)


def _legend(picture: Picture) -> Iterator[str]:
    x, y = _MARGIN, _MARGIN
    for kind in picture.kinds():
        style = STYLES[kind]
        yield f'<rect x="{x}" y="{y}" width="14" height="14" rx="3" style="fill:{style.fill};stroke:{style.line}"/>'
        yield f'<text class="s" x="{x + 19}" y="{y + 11}">{style.label}</text>'
        x += 34 + 6.2 * len(style.label)
    yield f'<text class="s l" x="{x + 6:.1f}" y="{y + 11}">{escape(picture.caption)}</text>'


def _legend_width(picture: Picture) -> float:
    return sum(34 + 6.2 * len(STYLES[kind].label) for kind in picture.kinds()) + 6.2 * len(picture.caption) + 6
