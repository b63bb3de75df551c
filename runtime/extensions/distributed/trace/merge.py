"""Traces of ranks as one trace: a process for each rank, all times on the first rank's clock.

`python -m specgrad.distributed.timeline`, and `export`, which does it for all ranks of a running program.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...profiler.export import trace
from ...serialization.atomic_file import replacing
from ..groups.observers import observed
from ..objects import gather_object
from ..world import get_default_group
from .clocks import Call, Overlap, corrected, offsets, overlap, table

Trace = dict[str, Any]
_NUMBERED = "(call "  # in the lines of calls that all ranks of a group make in one order


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
