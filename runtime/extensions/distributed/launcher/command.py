"""`python -m specgrad.distributed.run`: attempt after attempt, until all ranks end well."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .attempt import Attempt, Outcome
from .options import Options, parsed
from .report import report

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main(args: Sequence[str] | None = None) -> int:
    """Start the ranks and wait for them; start them again where one fails, as often as the options allow.

    Args:
        given: the words of the command line.

    Returns:
        0 if all ranks ended well; else the exit status of the rank that failed first, 128 + N for signal N.
    """
    options = parsed(args)
    with tempfile.TemporaryDirectory(prefix="specgrad-logs-") as scratch, _signals() as wake:
        folder = options.logs or Path(scratch)
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
    if outcome.interrupted:
        name = signal.Signals(outcome.interrupted).name
        print(f"specgrad.distributed.run: {name}: all {count} ranks have been ended", file=sys.stderr, flush=True)
        return
    title = f"{options.program}, attempt {restarts} of {count} ranks,"
    print(report(outcome, title, logs, retained=options.logs is not None), file=sys.stderr, flush=True)
    if restarts < options.max_restarts:
        again = max(options.min_nodes, count - 1)
        print(
            f"specgrad.distributed.run: start {restarts + 2} of at most {options.max_restarts + 1}, with {again} ranks",
            file=sys.stderr,
            flush=True,
        )
