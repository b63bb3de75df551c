"""Traces of ranks as one trace: a process for each rank, all times on the first rank's clock."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...saving.whole_file import replacing
from .clocks import Call, corrected

Trace = dict[str, Any]
_NUMBERED = "(call "  # in the lines of calls that all ranks of a group make in one order


def read(path: Path) -> Trace:
    """The trace of one rank; a ValueError where it is no trace, or not of a program with calls between ranks."""
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
    """One trace of those of several ranks.

    Args:
        traces: the ranks' traces.
        ahead: how far each rank's clock is ahead of the first one's, in nanoseconds; when left out, the machines'
            clocks are believed as far as the order of common calls does not speak against them.

    Raises:
        ValueError: two are of one rank.
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
        if entry.get("cat") == "communication" and _NUMBERED in about["Call"] and _waits_for_all(about):
            begin = base + entry["ts"] * 1e3
            result[about["Process Group Name"], about["Call"]] = Call(begin, begin + entry["dur"] * 1e3)
    return result


def _waits_for_all(about: dict[str, Any]) -> bool:
    name = about["Collective name"]
    return name == "barrier" or name.startswith(("all_", "reduce_scatter"))
