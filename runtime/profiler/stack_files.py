"""Stacks with the time spent under them, one per line, as programs that draw flame graphs read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

METRICS = ("self_cpu_time_total",)


def write_stacks(path: Any, events: Iterable[Any], metric: str) -> None:
    """Write `outer;inner;op microseconds` for every place that ops were called from."""
    if metric not in METRICS:
        raise ValueError(f"metric should be one of: {', '.join(METRICS)}, but got {metric!r}")
    sums: Counter[str] = Counter()
    for event in events:
        if event.stack:
            lines = [line.replace(" ", "_").replace(";", ",") for line in (event.name, *event.stack)]
            sums[";".join(reversed(lines))] += int(getattr(event, metric))
    Path(path).write_text("".join(f"{stack} {time}\n" for stack, time in sums.items() if time > 0), encoding="utf-8")
