"""What the benchmark prints: a line a workload, for each group the geometric mean of the ratios, and who is behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import exp, log
from typing import Any

from .machine import Machine
from .workloads.registering import Cost

NAME = 28  # characters of a workload's name


@dataclass
class Row:
    """One workload: seconds for each library, round by round."""

    name: str
    times: list[list[float | None]] = field(default_factory=list)
    wrong: str = ""  # in what the libraries' results differ
    cost: Cost | None = None

    def seconds(self, index: int) -> float | None:
        """The best time of a library; None where it cannot run the workload."""
        column = [times[index] for times in self.times]
        matches = [value for value in column if value is not None]
        return min(matches) if matches and len(matches) == len(column) else None

    def ratio(self, index: int) -> float | None:
        """How many times longer another library takes than the first."""
        own, other = self.seconds(0), self.seconds(index)
        return None if own is None or other is None else other / own

    def share(self, index: int, machine: Machine) -> float | None:
        """The share of what the machine can do that a library does; None where that is not what bounds it."""
        seconds = self.seconds(index)
        if self.cost is None or seconds is None:
            return None
        if self.cost.flops:
            return self.cost.flops / machine.products / seconds
        return self.cost.moved / machine.bandwidth(self.cost.moved) / seconds


def microseconds(value: float | None) -> str:
    return f"{'-':>12}" if value is None else f"{1e6 * value:12.1f}"


def format_ratio(value: float | None) -> str:
    return f"{'-':>12}" if value is None else f"{value:12.2f}"


def line(row: Row, count: int, machine: Machine) -> str:
    """A workload's line: microseconds for each library, the ratios to the first, and shares of the machine."""
    times = "".join(microseconds(row.seconds(i)) for i in range(count))
    ratios = "".join(format_ratio(row.ratio(i)) for i in range(1, count))
    shares = [share for i in range(count) if (share := row.share(i, machine)) is not None]
    of = "BLAS" if row.cost and row.cost.flops else "stream"
    message = f"   {' / '.join(f'{share:.2f}' for share in shares)} of {of}" if shares else ""
    return f"{row.name:{NAME}}{times}{ratios}{message}" + (f"   DIFFERS: {row.wrong}" if row.wrong else "")


def heading(group: str, libraries: Sequence[str]) -> str:
    """The line above a group."""
    names = "".join(f"{name:>12}" for name in libraries)
    return f"\n{group:{NAME}}{names}" + "".join(f"{name + ' x':>12}" for name in libraries[1:])


def geometric_mean(values: Sequence[float]) -> float:
    return exp(sum(map(log, values)) / len(values))


def ratios(rows: Sequence[Row], index: int) -> list[tuple[float, str]]:
    """The ratios to a library, the worst first, with the names of workloads."""
    return sorted((ratio, row.name) for row in rows if (ratio := row.ratio(index)) is not None)


def summary(rows: Sequence[Row], libraries: Sequence[str]) -> Iterator[str]:
    """For each other library: the geometric mean of the ratios, the worst, and how many workloads it has."""
    for index, library in enumerate(libraries[1:], start=1):
        if result := ratios(rows, index):
            mean = geometric_mean([ratio for ratio, _ in result])
            worst = f"worst {result[0][0]:.2f} ({result[0][1]})"
            yield f"  {library}/specgrad: geometric mean {mean:.2f}, {worst}, of {len(result)}"


def overview(groups: dict[str, list[Row]], library: str, again: Callable[[str], list[float]]) -> Iterator[str]:
    """A line a group beside one library, the second, and all that is slower than there, with ratios of more runs."""
    yield f"\n{'group':{NAME}}{'geometric mean':>16}    worst"
    everything = [row for rows in groups.values() for row in rows]
    for group, rows in {**groups, "all": everything}.items():
        if result := ratios(rows, 1):
            mean = geometric_mean([ratio for ratio, _ in result])
            yield f"{group:{NAME}}{mean:16.2f}    {result[0][0]:.2f} ({result[0][1]}), of {len(result)}"
    behind = [(ratio, name) for ratio, name in ratios(everything, 1) if ratio < 1]
    title = f"behind {library}: {len(behind)} of {len(everything)} workloads"
    yield f"\n{title:{NAME + 12}}    again, in new processes" if behind else f"\n{title}"
    for ratio, name in behind:
        yield f"{name:{NAME}}{ratio:12.2f}    " + "".join(f"{each:<8.2f}" for each in again(name)).rstrip()


def record(groups: dict[str, list[Row]], libraries: Sequence[str], machine: Machine) -> dict[str, dict[str, Any]]:
    """All figures by workload, for other programs."""
    return {
        row.name: {
            "group": group,
            "rounds": len(row.times),
            "seconds": {library: row.seconds(i) for i, library in enumerate(libraries)},
            "ratio": {library: row.ratio(i) for i, library in enumerate(libraries) if i},
            "share": {library: row.share(i, machine) for i, library in enumerate(libraries) if row.cost},
            "wrong": row.wrong,
        }
        for group, rows in groups.items()
        for row in rows
    }
