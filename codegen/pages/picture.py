"""Writes the picture of a function and its derivative as SVG: small text with one decimal per coordinate."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from .curves import Piece, Window, thinned

WIDTH, HEIGHT = 360, 240
LEFT, RIGHT, TOP, BOTTOM = 36, 8, 26, 20  # margins for numbers and the title
TOLERANCE = 0.12  # of a pixel, by which a line of fewer points may be off
STEPS = (1, 2, 5)
BLUE, ORANGE = "#2563ab", "#c2570c"

HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" \
font-family="Helvetica, Arial, sans-serif" font-size="10" fill="#52606d">
  <title>{title} and its slope</title>
  <clipPath id="w"><rect x="{left}" y="{top}" width="{inner_width}" height="{inner_height}"/></clipPath>
  <rect width="{width}" height="{height}" fill="#ffffff"/>
  <text x="{left}" y="16" font-size="12" font-weight="bold" fill="#1f2933">{title}</text>
  <text x="{end}" y="16" text-anchor="end">\
<tspan fill="{blue}">function</tspan> <tspan fill="{orange}">slope</tspan></text>
"""


def picture(title: str, seen: Window, function: Sequence[Piece], derivative: Sequence[Piece]) -> str:
    view = View(seen)
    sizes = {"width": WIDTH, "height": HEIGHT, "left": LEFT, "top": TOP, "end": WIDTH - RIGHT}
    inner = {"inner_width": WIDTH - LEFT - RIGHT, "inner_height": HEIGHT - TOP - BOTTOM}
    parts = [HEAD.format(title=title, blue=BLUE, orange=ORANGE, **sizes, **inner), *view.axes()]
    parts += ['  <g clip-path="url(#w)" fill="none" stroke-width="2">\n']
    parts += [f'    <path d="{view.path(function)}" stroke="{BLUE}"/>\n']
    parts += [f'    <path d="{view.path(derivative)}" stroke="{ORANGE}" stroke-dasharray="5 3"/>\n']
    return "".join([*parts, "  </g>\n</svg>\n"])


class View:
    """Places numbers of a window on the page."""

    def __init__(self, seen: Window) -> None:
        self.seen = seen
        self.x_scale = (WIDTH - LEFT - RIGHT) / (seen.right - seen.left)
        self.y_scale = (HEIGHT - TOP - BOTTOM) / (seen.top - seen.bottom)

    def x(self, value: float) -> float:
        return LEFT + (value - self.seen.left) * self.x_scale

    def y(self, value: float) -> float:
        return TOP + (self.seen.top - value) * self.y_scale

    def path(self, curve: Sequence[Piece]) -> str:
        seen = self.seen
        corner, scale = np.array([seen.left, seen.top]), np.array([self.x_scale, -self.y_scale])
        lines = [thinned((piece - corner) * scale + (LEFT, TOP), TOLERANCE) for piece in curve]
        return "".join("M" + "L".join(f"{short(x)} {short(y)}" for x, y in line) for line in lines)

    def axes(self) -> Iterator[str]:
        """The grid with its numbers; the lines x = 0 and y = 0 are darker."""
        seen = self.seen
        right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
        xs, ys = ticks(seen.left, seen.right), ticks(seen.bottom, seen.top)
        yield line("#e4e7eb", [f"M{short(self.x(v))} {TOP}V{bottom}" for v in xs])
        yield line("#e4e7eb", [f"M{LEFT} {short(self.y(v))}H{right}" for v in ys])
        zeros = [f"M{short(self.x(0))} {TOP}V{bottom}"] * (seen.left < 0 < seen.right)
        yield line("#9aa5b1", [*zeros, f"M{LEFT} {short(self.y(0))}H{right}"])
        yield from (f'  <text x="{short(self.x(v))}" y="{HEIGHT - 7}" text-anchor="middle">{v:g}</text>\n' for v in xs)
        yield from (f'  <text x="{LEFT - 4}" y="{short(self.y(v) + 3.5)}" text-anchor="end">{v:g}</text>\n' for v in ys)


def line(color: str, commands: Sequence[str]) -> str:
    return f'  <path d="{"".join(commands)}" stroke="{color}"/>\n'


def ticks(low: float, high: float) -> list[float]:
    """Between three and eight round numbers."""
    rough = (high - low) / 7
    power = 10.0 ** math.floor(math.log10(rough))
    step = next((s * power for s in STEPS if s * power >= rough), 10 * power)
    return [round(k * step, 10) + 0.0 for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def short(value: float) -> str:
    return f"{round(float(value), 1) + 0.0:g}"
