"""Traces of ranks as one trace: a process for each rank, all times on the first rank's clock.

`python -m specgrad.distributed.timeline`, and `export`, which does it for all ranks of a running program. Both say how
much of the time in which calls between ranks were under way was hidden behind computation.

Clocks are compared by letters there and back, or by what traces say of common calls. Of a letter (Cristian,
"Probabilistic clock synchronization", 1989) the answer was written at the middle of the way, give or take half of it:
the shortest way says it best. In traces, a call of all ranks ends nowhere before it has begun everywhere (Duda et al.,
"Estimating global time in distributed systems", 1987).
"""

import argparse
import gzip
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ....ops.creation import tensor
from ....tensor.dtypes import int64
from ...profiler.export import trace
from ...serialization.atomic_file import replacing
from .. import messages
from ..groups.observers import observed
from ..groups.process_group import ProcessGroup
from ..objects import gather_object
from ..world import get_default_group

Trace = dict[str, Any]
_NUMBERED = "(call "  # in the lines of calls that all ranks of a group make in one order
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


def read(path: Path) -> Trace:
    data = path.read_bytes()
    try:
        result = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
        result["traceEvents"], result["baseTimeNanoseconds"]
    except (ValueError, TypeError, KeyError, OSError) as error:
        raise ValueError(f"timeline: {path} is no trace of specgrad's profiler: {error!r}") from None
    if "distributedInfo" not in result:
        raise ValueError(f"timeline: in {path} no calls between ranks say of which rank it is")
    return result


def write(path: Path, trace: Trace) -> None:
    """Write a trace whole or not at all; compressed when the name ends in `.gz`."""
    data = json.dumps(trace).encode()
    with replacing(str(path)) as file:
        file.write(gzip.compress(data) if path.suffix == ".gz" else data)


def rank_of(trace: Trace) -> int:
    return int(trace["distributedInfo"]["rank"])


def merged(traces: Sequence[Trace], ahead: Sequence[float] | None = None) -> Trace:
    """One trace of those of several ranks; a ValueError where two are of one rank.

    `ahead` says how far each rank's clock is ahead of the first one's, in nanoseconds; when left out, the machines'
    clocks are believed as far as the order of common calls does not speak against them.
    """
    ranks = [rank_of(trace) for trace in traces]
    if len(set(ranks)) < len(ranks):
        raise ValueError(f"timeline: several traces are of one rank: the files are of ranks {ranks}")
    if ahead is None:
        ahead = [_ahead_of(trace, traces[0]) for trace in traces]
    bases = [trace["baseTimeNanoseconds"] - offset for trace, offset in zip(traces, ahead, strict=True)]
    first = min(bases)
    events = [
        entry
        for trace, base in zip(traces, bases, strict=True)
        for entry in _moved(trace, (base - first) / 1e3, max(ranks) + 1)
    ]
    return {
        "schemaVersion": 1,
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": first,
        "distributedInfo": {"ranks": ranks, "clock_offsets_ns": list(ahead)},
        "traceEvents": events,
    }


def _moved(trace: Trace, later: float, ranks: int) -> Iterator[Trace]:
    """The events of one rank in the common trace; arrows of different ranks have different numbers."""
    rank = rank_of(trace)
    own = next(entry["pid"] for entry in trace["traceEvents"] if entry["ph"] == "M")
    yield {"ph": "M", "name": "process_sort_index", "pid": rank, "tid": 0, "ts": 0, "args": {"sort_index": rank}}
    for entry in trace["traceEvents"]:
        device = entry["pid"] != own
        moved = {**entry, "pid": (1 + entry["pid"]) * ranks + rank if device else rank}
        if entry["ph"] != "M":
            moved["ts"] = entry["ts"] + later
        elif entry["name"] == "process_name":
            moved["args"] = {"name": f"rank {rank}" + (f", {entry['args']['name']}" if device else "")}
        if "id" in entry:
            moved["id"] = f"{rank}:{entry['id']}"
        yield moved


def _ahead_of(trace: Trace, first: Trace) -> float:
    own, others = _calls(trace), _calls(first)
    both = [name for name in own if name in others]
    return corrected([own[name] for name in both], [others[name] for name in both])


def _calls(trace: Trace) -> dict[tuple[str, str], Call]:
    """The calls in which nobody goes on before all have come, by group and line."""
    base, result = trace["baseTimeNanoseconds"], {}
    for entry in trace["traceEvents"]:
        about = entry.get("args", {})
        if entry.get("cat") != "communication" or _NUMBERED not in about["Call"]:
            continue
        if about["Collective name"].startswith(("barrier", "all_", "reduce_scatter")):
            begin = base + entry["ts"] * 1e3
            result[about["Process Group Name"], about["Call"]] = Call(begin, begin + entry["dur"] * 1e3)
    return result


def export(prof: Any, path: Any) -> list[Overlap] | None:
    """Write what all ranks have recorded into one trace, on the clock of rank 0. All ranks call it.

    chrome://tracing and https://ui.perfetto.dev open it: a process for each rank, and in it below the threads a row of
    the calls between ranks that were under way.

    Args:
        prof: the profiler of this rank, stopped.
        path: the file, which rank 0 writes; compressed when the name ends in `.gz`.

    Returns:
        On rank 0, for each rank how long calls were under way, and how much of that was hidden behind computation.
    """
    group = get_default_group()
    recorded = prof._recorded("exporting a timeline") and prof._recorder
    own = {**trace(recorded.finished, recorded.metadata), "distributedInfo": {"rank": observed.rank}}
    ahead = offsets(group)
    every: list[Any] | None = [None] * group.size() if group.rank() == 0 else None
    gather_object(json.dumps(own), every, group=group, group_dst=0)
    if every is None:
        return None
    traces = [json.loads(one) for one in every]
    write(Path(path), merged(traces, ahead))
    return _overlaps(traces)


def _overlaps(traces: Sequence[Trace]) -> list[Overlap]:
    return [overlap(rank_of(one), one["traceEvents"]) for one in traces]


def main(args: Sequence[str] | None = None) -> int:
    """Write the traces of ranks as one, and print how much of communication was hidden."""
    parser = argparse.ArgumentParser(
        prog="python -m specgrad.distributed.timeline",
        description="Write the traces of ranks (export_chrome_trace on each) as one, on one clock, and print how much "
        "of communication was hidden behind computation.",
    )
    parser.add_argument("out", type=Path, help="the trace to write")
    parser.add_argument("traces", type=Path, nargs="+", help="those of the ranks")
    options = parser.parse_args(args)
    try:
        traces = sorted(map(read, options.traces), key=rank_of)
        write(options.out, merged(traces))
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(table(_overlaps(traces)))
    return 0
