"""The ratios as bars on a logarithmic scale, as SVG: right of the line specgrad is faster."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import log2
from pathlib import Path

from .report import Row

WIDTH, LABEL, ROW = 760, 190, 17
FASTER, SLOWER = "#3f9142", "#d64545"
LIMITS = 1 / 16, 16.0


def x_of(ratio: float) -> float:
    """Where a ratio lies; LIMITS fill the width."""
    low, high = map(log2, LIMITS)
    inside = min(max(log2(ratio), low), high)
    return LABEL + (WIDTH - LABEL - 60) * (inside - low) / (high - low)


def bar(row: Row, top: float) -> str:
    """One workload's bar, its name before and its ratio behind it."""
    ratio = row.ratio(1)
    name = f'<text x="{LABEL - 8}" y="{top + 12}" text-anchor="end">{escape(row.name)}</text>'
    if ratio is None:
        return name
    start, end = sorted((x_of(1), x_of(ratio)))
    colour = FASTER if ratio >= 1 else SLOWER
    shape = (
        f'<rect x="{start:.1f}" y="{top + 2}" width="{max(end - start, 1):.1f}" height="{ROW - 4}" fill="{colour}"/>'
    )
    return name + shape + f'<text x="{end + 5:.1f}" y="{top + 12}">{ratio:.2f}</text>'


def axis(height: float) -> str:
    """Lines at powers of two, and their numbers."""
    parts = []
    for power in range(-4, 5, 2):
        x = x_of(2.0**power)
        shown = f"{2**power}" if power >= 0 else f"1/{2**-power}"
        parts.append(f'<path d="M{x:.1f} 40 V{height}" stroke="{"#1f2933" if power == 0 else "#e4e7eb"}"/>')
        parts.append(f'<text x="{x:.1f}" y="34" text-anchor="middle" fill="#52606d">{shown}</text>')
    return "".join(parts)


def draw(groups: dict[str, Sequence[Row]], title: str, path: Path) -> None:
    """Write the picture of all groups."""
    parts, top = [], 48.0
    for group, rows in groups.items():
        parts.append(f'<text x="8" y="{top + 12}" font-weight="bold">{escape(group)}</text>')
        top += ROW
        for row in rows:
            parts.append(bar(row, top))
            top += ROW
        top += 6
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top + 10:.0f}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="11" fill="#1f2933">'
        f'<rect width="{WIDTH}" height="{top + 10:.0f}" fill="#ffffff"/>'
        f'<text x="8" y="18" font-size="13" font-weight="bold">{escape(title)}</text>'
    )
    path.write_text(head + axis(top) + "".join(parts) + "</svg>\n", encoding="utf-8")
