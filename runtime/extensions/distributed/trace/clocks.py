"""How far the clocks of ranks are apart: by letters there and back, or from what traces say of common calls.

Of a letter there and back (Cristian, "Probabilistic clock synchronization", 1989) the answer was written at the middle
of the way, give or take half of it: the shortest way says it best. In traces, a call of all ranks ends nowhere before
it has begun everywhere (Duda et al., "Estimating global time in distributed systems", 1987).

And how much of the time in which calls between ranks were under way was hidden behind computation.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ....ops.creation import tensor
from ....tensor.dtypes import int64
from .. import messages
from ..groups.process_group import ProcessGroup

_CLOCK_ROUNDS = 12


class Call(NamedTuple):
    """When a call of all ranks of a group began and ended on one of them, in nanoseconds of its clock."""

    begin: float
    end: float


def offsets(group: ProcessGroup) -> list[float]:
    """How far each rank's clock is ahead of that of the first, in nanoseconds: for the first rank, which asks them.

    All ranks call it. What cannot be told from no difference is none: ranks of one machine have one clock.
    """
    if group.rank():
        for _ in range(_CLOCK_ROUNDS):
            messages.recv(tensor([0], dtype=int64), group=group, group_src=0)
            messages.send(_now(), group=group, group_dst=0)
        return []
    rounds = ([_clock_round(group, rank) for _ in range(_CLOCK_ROUNDS)] for rank in range(1, group.size()))
    return [0.0, *map(_ahead, rounds)]


def _now() -> Any:
    return tensor([time.time_ns()], dtype=int64)


def _clock_round(group: ProcessGroup, rank: int) -> tuple[float, float]:
    """By how much a rank's clock was ahead at the middle of the way, and half of how long that was."""
    answer = tensor([0], dtype=int64)
    sent = time.time_ns()
    messages.send(_now(), group=group, group_dst=rank)
    messages.recv(answer, group=group, group_src=rank)
    back = time.time_ns()
    return int(answer[0]) - (sent + back) / 2, (back - sent) / 2


def _ahead(clock_samples: Iterable[tuple[float, float]]) -> float:
    result, doubt = min(clock_samples, key=lambda round_trip: round_trip[1])
    return result if abs(result) > doubt else 0.0


def corrected(own: Sequence[Call], first: Sequence[Call]) -> float:
    """The least nanoseconds by which a rank's clock is ahead of the first's, from the same calls on both, in order."""
    if not own:
        return 0.0
    lower_bound = max(one.begin - other.end for one, other in zip(own, first, strict=True))
    upper_bound = min(one.end - other.begin for one, other in zip(own, first, strict=True))
    if lower_bound > upper_bound:  # clocks that do not run alike
        return (lower_bound + upper_bound) / 2
    return min(max(0.0, lower_bound), upper_bound)


Span = tuple[float, float]  # begin and end


class Overlap(NamedTuple):
    """One rank's times, in microseconds. Of `communication`, in which a call between ranks was under way:

    `hidden`, in which the rank ran ops or backward nodes, and did neither of what follows; `driven`, in which its core
    moved and joined numbers for the transport; `waited`.
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
    matches, one, other = [], 0, 0
    while one < len(some) and other < len(others):
        begin, end = max(some[one][0], others[other][0]), min(some[one][1], others[other][1])
        if begin < end:
            matches.append((begin, end))
        if some[one][1] < others[other][1]:
            one += 1
        else:
            other += 1
    return matches


def length(spans: Iterable[Span]) -> float:
    return sum(end - begin for begin, end in spans)


def table(result: Iterable[Overlap]) -> str:
    lines = [f"{'rank':>6}{'communication':>16}{'hidden':>12}{'driven':>12}{'waited':>12}{'share hidden':>14}"]
    for one in result:
        others = "".join(f"{time / 1e3:9.3f} ms" for time in (one.hidden, one.driven, one.waited))
        lines.append(f"{one.rank:6}{one.communication / 1e3:13.3f} ms{others}{one.share:14.1%}")
    return "\n".join(lines)
