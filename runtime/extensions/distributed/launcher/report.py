"""What the launcher says of an attempt that has failed: who failed first and with what, and what the others did."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

from .attempt import Outcome, Rank, first_failure

_WIDTH = 100
_LINES = 12  # of stderr


def report(outcome: Outcome, title: str, logs: Path, retained: bool) -> str:
    first = first_failure(outcome.ranks)
    lines = ["=" * _WIDTH, f"{title} FAILED", "-" * _WIDTH]
    if outcome.hung:
        lines.append(f"Hung: {outcome.hung}")
    if first is not None:
        lines += ["First failure:", *_first(first, outcome.when, logs / str(first.number), retained)]
        others = sorted((rank for rank in outcome.ranks if rank is not first), key=lambda rank: rank.when)
        if others:
            lines += ["Other ranks:", *(_other(rank, first, outcome.when) for rank in others)]
    return "\n".join([*lines, "=" * _WIDTH])


def ending(rank: Rank) -> str:
    status = rank.status or 0
    how = f"{_name(-status)} (signal {-status})" if status < 0 else f"exit status {status}"
    if rank.stopped:
        return f"{how}, by the launcher: it was stopped"
    return f"{how}, by the launcher" if rank.by_launcher and status < 0 else how


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


def _first(rank: Rank, now: float, folder: Path, retained: bool) -> list[str]:
    matches = [
        f"  rank      : {rank.number} (process {rank.process})",
        f"  time      : {time.strftime('%Y-%m-%d_%H:%M:%S', time.localtime(rank.when))}",
        f"  ended with: {ending(rank)}",
        f"  last call : {_call(rank, now)}",
    ]
    if retained and (folder / "stderr.log").exists():
        matches.append(f"  log       : {folder / 'stderr.log'}")
    recorded = _recorded(folder / "error.json")
    if recorded:
        matches.append(f"  error     : {recorded}")
    message = rank.message.rstrip().splitlines()[-_LINES:]
    return [*matches, *(["  stderr ends with:"] if message else []), *(f"    {line}" for line in message)]


def _recorded(path: Path) -> str:
    """What `elastic.multiprocessing.errors.record` has written; a program may leave anything there."""
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["message"]["message"])
    except (OSError, ValueError, LookupError, TypeError):
        return ""


def _call(rank: Rank, now: float) -> str:
    if rank.call is None:
        return "none"
    return f"{rank.call.text}, begun {now - rank.call.when:.1f} s before all had ended"


def _other(rank: Rank, first: Rank, now: float) -> str:
    return f"  rank {rank.number}: {ending(rank)} {rank.when - first.when:+.1f} s; last call: {_call(rank, now)}"
