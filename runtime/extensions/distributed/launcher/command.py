"""`torchrun` and `python -m specgrad.distributed.launch`: attempt after attempt, until all ranks end well.

Of one that has failed it says who failed first and with what, and what the others did.
"""

import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..groups.peers import signal_name
from .attempt import Attempt, Outcome, Rank, first_failure, mpiexec
from .options import Options, parsed

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_WIDTH = 100
_LINES = 12  # of stderr


def main(args: Sequence[str] | None = None, launch: bool = False) -> int:
    """Start the ranks and wait for them; start them again where one fails, as often as the options allow.

    Args:
        args: the words of the command line.
        launch: whether it is that of `specgrad.distributed.launch`.

    Returns:
        0 if all ranks ended well; else the exit status of the rank that failed first, 128 + N for signal N.

    Raises:
        SystemExit: the command line is wrong, or there is no mpiexec.
    """
    options = parsed(args, launch)
    try:
        mpiexec()
    except RuntimeError as error:
        sys.exit(f"torchrun: {error}")
    with tempfile.TemporaryDirectory(prefix="specgrad-logs-") as scratch, _signals() as wake:
        folder = options.log_dir or Path(scratch)
        count = options.max_nodes
        for restarts in range(options.max_restarts + 1):
            logs = folder / f"attempt_{restarts}"
            outcome = Attempt(options, count, restarts, logs.absolute(), wake).run()
            if not outcome.status:
                break
            _say(outcome, options, restarts, count, logs)
            if outcome.interrupted:
                break
            count = max(options.min_nodes, count - 1)
    return outcome.status


@contextmanager
def _signals() -> Iterator[int]:
    """A file that has a byte for each signal that came; the signals have no other effect meanwhile."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    before = {number: signal.signal(number, lambda *_: None) for number in _SIGNALS}
    old = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        yield reader
    finally:
        signal.set_wakeup_fd(old)
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(reader)
        os.close(writer)


def _say(outcome: Outcome, options: Options, restarts: int, count: int, logs: Path) -> None:
    sys.stdout.flush()
    lines = []
    if outcome.interrupted:
        name = signal.Signals(outcome.interrupted).name
        lines.append(f"specgrad.distributed.run: {name}: all {count} ranks have been ended")
    else:
        title = f"{options.program}, attempt {restarts} of {count} ranks,"
        lines.append(_report(outcome, title, logs, retained=options.log_dir is not None))
        if restarts < options.max_restarts:
            start = f"start {restarts + 2} of at most {options.max_restarts + 1}"
            lines.append(f"specgrad.distributed.run: {start}, with {max(options.min_nodes, count - 1)} ranks")
    print(*lines, sep="\n", file=sys.stderr, flush=True)


def _report(outcome: Outcome, title: str, logs: Path, retained: bool) -> str:
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
    how = f"{signal_name(-status, 'unknown')} (signal {-status})" if status < 0 else f"exit status {status}"
    if rank.stopped:
        return f"{how}, by the launcher: it was stopped"
    return f"{how}, by the launcher" if rank.by_launcher and status < 0 else how


def _first(rank: Rank, now: float, folder: Path, retained: bool) -> list[str]:
    matches = [
        f"  rank      : {rank.number} (process {rank.process})",
        f"  time      : {time.strftime('%Y-%m-%d_%H:%M:%S', time.localtime(rank.when))}",
        f"  ended with: {ending(rank)}",
        f"  last call : {_call(rank, now)}",
    ]
    if retained and (folder / "stderr.log").exists():
        matches.append(f"  log       : {folder / 'stderr.log'}")
    if recorded := _recorded(folder / "error.json"):
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
