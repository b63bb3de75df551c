"""`python -m specgrad.distributed.timeline`, and `export`, which does it for all ranks of a running program."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...profiler.export import trace
from ..groups.observed import observed
from ..objects import gather_object
from ..world import get_default_group
from . import merging
from .clocks import offsets
from .overlap import Overlap, overlap, table


def export(prof: Any, path: Any) -> list[Overlap] | None:
    """Write what all ranks have recorded into one trace, on the clock of rank 0. All ranks call it.

    chrome://tracing and https://ui.perfetto.dev open it: a process for each rank, and in it below the threads a row of
    the calls between ranks that were under way.

    Args:
        prof: the profiler of this rank, stopped.
        path: the file, which rank 0 writes; compressed when the name ends in `.gz`.

    Returns:
        On rank 0, for each rank how long calls were under way, and how much of that was hidden behind computation.

    Raises:
        AssertionError: nothing has been recorded to the end.
        ValueError: there is no process group.
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
    merging.write(Path(path), merging.merged(traces, ahead))
    return _overlaps(traces)


def _overlaps(traces: Sequence[merging.Trace]) -> list[Overlap]:
    return [overlap(merging.rank_of(one), one["traceEvents"]) for one in traces]


def main(args: Sequence[str] | None = None) -> int:
    """Write the traces of ranks as one, and print how much of communication was hidden.

    Args:
        given: the words of the command line.

    Returns:
        The exit status: 0, or 1 where a file cannot be read.
    """
    parser = argparse.ArgumentParser(
        prog="python -m specgrad.distributed.timeline",
        description="Write the traces of ranks (export_chrome_trace on each) as one, on one clock, and print how much "
        "of communication was hidden behind computation.",
    )
    parser.add_argument("out", type=Path, help="the trace to write")
    parser.add_argument("traces", type=Path, nargs="+", help="those of the ranks")
    options = parser.parse_args(args)
    try:
        traces = sorted(map(merging.read, options.traces), key=merging.rank_of)
        merging.write(options.out, merging.merged(traces))
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(table(_overlaps(traces)))
    return 0
