"""How much of the time in which calls between ranks were under way was hidden behind computation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

Span = tuple[float, float]  # begin and end


class Overlap(NamedTuple):
    """One rank's times, in microseconds.

    Args:
        rank: the rank.
        communication: in which a call between ranks was under way.
        hidden: of that, in which the rank ran ops or backward nodes, and did neither of what follows.
        driven: of that, in which the rank's core moved and joined numbers for the transport.
        waited: of that, in which it waited.
    """

    rank: int
    communication: float
    hidden: float
    driven: float
    waited: float

    @property
    def share(self) -> float:
        """The part of communication that was hidden; 1 where there was none."""
        return self.hidden / self.communication if self.communication else 1.0


def overlap(rank: int, entries: Iterable[dict[str, Any]]) -> Overlap:
    spans: dict[str, list[Span]] = {"communication": [], "progress": [], "wait": [], "cpu_op": []}
    for entry in entries:
        if entry["ph"] == "X" and entry["cat"] in spans:
            spans[entry["cat"]].append((entry["ts"], entry["ts"] + entry["dur"]))
    calls, drives, waits = (union(spans[kind]) for kind in ("communication", "progress", "wait"))
    computed, busy = common(calls, union(spans["cpu_op"])), union([*drives, *waits])
    hidden = length(computed) - length(common(computed, busy))
    return Overlap(rank, length(calls), hidden, length(common(calls, drives)), length(common(calls, waits)))


def union(spans: Iterable[Span]) -> list[Span]:
    """Spans that cover the same time and do not touch each other, in order."""
    matches: list[Span] = []
    for begin, end in sorted(spans):
        if matches and begin <= matches[-1][1]:
            matches[-1] = (matches[-1][0], max(end, matches[-1][1]))
        else:
            matches.append((begin, end))
    return matches


def common(some: Sequence[Span], others: Sequence[Span]) -> list[Span]:
    return list(_common(some, others))


def _common(some: Sequence[Span], others: Sequence[Span]) -> Iterator[Span]:
    one = other = 0
    while one < len(some) and other < len(others):
        begin, end = max(some[one][0], others[other][0]), min(some[one][1], others[other][1])
        if begin < end:
            yield begin, end
        if some[one][1] < others[other][1]:
            one += 1
        else:
            other += 1


def length(spans: Iterable[Span]) -> float:
    return sum(end - begin for begin, end in spans)


def table(result: Iterable[Overlap]) -> str:
    """A line a rank."""
    lines = [f"{'rank':>6}{'communication':>16}{'hidden':>12}{'driven':>12}{'waited':>12}{'share hidden':>14}"]
    for one in result:
        others = "".join(f"{time / 1e3:9.3f} ms" for time in (one.hidden, one.driven, one.waited))
        lines.append(f"{one.rank:6}{one.communication / 1e3:13.3f} ms{others}{one.share:14.1%}")
    return "\n".join(lines)
