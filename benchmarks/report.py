"""What the benchmark prints: a line a workload, and for each group the geometric mean of the ratios."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import exp, log
from statistics import median


@dataclass
class Row:
    """One workload: seconds for each library, round by round."""

    name: str
    times: list[list[float | None]] = field(default_factory=list)

    def seconds(self, index: int) -> float | None:
        """The median time of a library; None where it cannot run the workload."""
        column = [times[index] for times in self.times]
        return None if None in column or not column else median(column)

    def ratio(self, index: int) -> float | None:
        """How many times longer another library takes than the first: the median over rounds."""
        if self.seconds(0) is None or self.seconds(index) is None:
            return None
        return median(times[index] / times[0] for times in self.times)


def microseconds(value: float | None) -> str:
    return f"{'-':>12}" if value is None else f"{1e6 * value:12.1f}"


def ratio_text(value: float | None) -> str:
    return f"{'-':>12}" if value is None else f"{value:12.2f}"


def line(row: Row, count: int) -> str:
    """A workload's line: microseconds for each library, then the ratios to the first."""
    times = "".join(microseconds(row.seconds(i)) for i in range(count))
    return f"{row.name:22}{times}" + "".join(ratio_text(row.ratio(i)) for i in range(1, count))


def heading(group: str, libraries: Sequence[str]) -> str:
    """The line above a group."""
    ratios = [f"/ {name}" for name in libraries[1:]]
    names = "".join(f"{name:>12}" for name in libraries)
    return f"\n{group:22}{names}" + "".join(f"{name.removeprefix('/ ') + ' x':>12}" for name in ratios)


def geometric_mean(values: Sequence[float]) -> float:
    return exp(sum(map(log, values)) / len(values))


def summary(rows: Sequence[Row], libraries: Sequence[str]) -> Iterator[str]:
    """For each other library: the geometric mean of the ratios, the worst, and how many workloads it has."""
    for index, library in enumerate(libraries[1:], start=1):
        found = [(ratio, row.name) for row in rows if (ratio := row.ratio(index)) is not None]
        if found:
            worst = min(found)
            mean = geometric_mean([ratio for ratio, _ in found])
            yield f"  {library}/specgrad: geometric mean {mean:.2f}, worst {worst[0]:.2f} ({worst[1]}), of {len(found)}"
