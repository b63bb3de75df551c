"""The ratios as bars on a logarithmic scale, as SVG: right of the line specgrad is faster.

`python -m benchmarks.picture` draws the small picture of docs/speed.md, a bar for each group of its first table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from math import log2
from pathlib import Path

from .report import Row, geometric_mean, ratios

COLUMNS, WIDTH, LABEL, ROW, TOP = 2, 430, 178, 14, 44
LIMITS = 1 / 8, 32.0
PAGE = Path(__file__).parents[1] / "docs" / "speed.md"
GROUPS_PICTURE = PAGE.parent / "pictures" / "speed-groups.svg"
GROUP = re.compile(r"^(\w+) +(\d+\.\d\d) +\d+\.\d\d \(", re.MULTILINE)
STYLE = """
text { fill: #1f2933; } .ground { fill: #ffffff; } .faster { fill: #3f9142; } .slower { fill: #d64545; }
.number { fill: #52606d; } .one { stroke: #1f2933; } .grid { stroke: #e4e7eb; }
@media (prefers-color-scheme: dark) {
text { fill: #e4e7eb; } .ground { fill: #0d1117; } .faster { fill: #57ab5a; } .slower { fill: #e5534b; }
.number { fill: #9aa5b1; } .one { stroke: #e4e7eb; } .grid { stroke: #30363d; } }
"""


def x_of(ratio: float) -> float:
    """Where a ratio lies in its column; LIMITS fill the width."""
    low, high = map(log2, LIMITS)
    inside = min(max(log2(ratio), low), high)
    return LABEL + (WIDTH - LABEL - 48) * (inside - low) / (high - low)


def bar(row: Row, left: float, top: float) -> str:
    """One workload's bar, its name before and its ratio behind it."""
    ratio = row.ratio(1)
    name = f'<text x="{left + LABEL - 6}" y="{top + 10}" text-anchor="end">{escape(row.name)}</text>'
    if ratio is None:
        return name
    start, end = sorted((x_of(1), x_of(ratio)))
    shape = (
        f'<rect x="{left + start:.1f}" y="{top + 1}" width="{max(end - start, 1):.1f}" height="{ROW - 3}" '
        f'class="{"faster" if ratio >= 1 else "slower"}"/>'
    )
    return name + shape + f'<text x="{left + end + 4:.1f}" y="{top + 10}" class="number">{ratio:.2f}</text>'


def title_of(group: str, rows: Sequence[Row], left: float, top: float) -> str:
    """A group's name and geometric mean."""
    mean = geometric_mean([ratio for ratio, _ in ratios(rows, 1)])
    return f'<text x="{left + 4}" y="{top + 10}" font-weight="bold">{escape(group)} {mean:.2f}</text>'


def axis(left: float, height: float) -> str:
    """Lines at powers of two, and their numbers."""
    parts = []
    for power in range(-2, 6, 2):
        x = left + x_of(2.0**power)
        shown = f"{2**power}" if power >= 0 else f"1/{2**-power}"
        parts.append(f'<path d="M{x:.1f} {TOP - 6} V{height}" class="{"grid" if power else "one"}"/>')
        parts.append(f'<text x="{x:.1f}" y="{TOP - 10}" text-anchor="middle" class="number">{shown}</text>')
    return "".join(parts)


def columns(groups: dict[str, list[Row]]) -> list[list[tuple[str, list[Row]]]]:
    """The groups in columns that are about equally long; a group stays in one."""
    requested = sum(len(rows) + 2 for rows in groups.values()) / COLUMNS
    matches: list[list[tuple[str, list[Row]]]] = [[] for _ in range(COLUMNS)]
    before = 0.0
    for group, rows in groups.items():
        center = before + (len(rows) + 2) / 2
        matches[min(int(center / requested), COLUMNS - 1)].append((group, rows))
        before += len(rows) + 2
    return matches


def draw(groups: dict[str, list[Row]], title: str, path: Path) -> None:
    """Write the picture of all groups."""
    shown = {group: rows for group, rows in groups.items() if ratios(rows, 1)}
    placed = [column for column in columns(shown) if column]
    height = TOP + ROW * max(sum(len(rows) + 2 for _, rows in column) for column in placed)
    parts = []
    for number, column in enumerate(placed):
        left, top = float(number * WIDTH), float(TOP)
        parts.append(axis(left, height))
        for group, rows in column:
            parts.append(title_of(group, rows, left, top))
            parts += [bar(row, left, top + ROW * position) for position, row in enumerate(rows, start=1)]
            top += ROW * (len(rows) + 2)
    size = f"{len(placed) * WIDTH} {height + 4}"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" font-family="Helvetica, Arial, sans-serif" '
        f'font-size="10"><style>{STYLE}</style><rect width="100%" height="100%" class="ground"/>'
        f'<text x="4" y="16" font-size="13" font-weight="bold">{escape(title)}</text>'
    )
    path.write_text(head + "\n".join(parts) + "</svg>\n", encoding="utf-8")


def groups_picture(page: str) -> str:
    """A bar for each group of the page's first table: how many times as fast as PyTorch it is in the mean."""
    rows = GROUP.findall(page.split("```")[1])
    pixels, step, left = 62.0, 19, 84
    height = 46 + step * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 520 {height}" width="520" height="{height}" '
        f'font-family="Helvetica, Arial, sans-serif" font-size="12"><style>{STYLE}</style>',
        "<title>PyTorch's time over specgrad's, by group of workloads</title>",
        f'<rect width="520" height="{height}" rx="6" class="ground"/>',
        f'<text x="{left}" y="20" font-weight="bold">times as fast as PyTorch, one CPU thread</text>',
    ]
    for number, (name, mean) in enumerate(rows):
        top, width = 32 + step * number, pixels * float(mean)
        weight = ' font-weight="bold"' if name == "all" else ""
        parts.append(f'<text x="{left - 8}" y="{top + 11}" text-anchor="end"{weight}>{name}</text>')
        parts.append(f'<rect x="{left}" y="{top}" width="{width:.0f}" height="14" rx="2" class="faster"/>')
        parts.append(f'<text x="{left + width + 6:.0f}" y="{top + 11}" class="number"{weight}>{mean}</text>')
    line = left + pixels
    parts.append(f'<path d="M{line:.0f} 26V{height - 12}" class="one" stroke-dasharray="3 3"/>')
    parts.append(f'<text x="{line + 4:.0f}" y="{height - 4}" class="number" font-size="10">PyTorch</text></svg>')
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    GROUPS_PICTURE.write_text(groups_picture(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
