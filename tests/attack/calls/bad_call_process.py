"""A process that makes bad calls: `python -m tests.attack.calls.bad_call_process SEED FIRST LAST`.

The seed `every` stands for all calls of `hostile_calls`, of the public functions of these numbers.

Its memory is limited and it starts no processes. It says on standard error which call it is at, as JSON a line, so that
whoever started it knows the seed of a crash or a hang; a call that fails badly is a line of standard output.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import io
import json
import multiprocessing.process
import os
import resource
import signal
import sys
from typing import Any

os.environ["SPECGRAD_TRACEBACK"] = "full"  # the verdict looks at where an error was raised

MEMORY = 6 << 30  # bytes beside what the process has when it begins
SECONDS = 300  # for one call; compiling its kernels included


class TooLong(BaseException):
    """A call that does not come back."""


def _refuse(*_: Any, **__: Any) -> None:
    raise OSError("bad_call_process starts no processes")


def _alarm(*_: Any) -> None:
    raise TooLong


def limited(progress: Any) -> None:
    """Make crashes visible, memory scarce and processes impossible."""
    faulthandler.enable(progress)
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    multiprocessing.process.BaseProcess.start = _refuse  # type: ignore[method-assign]
    signal.signal(signal.SIGALRM, _alarm)


def main(seed: str, first: int, last: int) -> None:
    """Make the calls and write down what is wrong with each."""
    from .bad_calls import outcome

    report, progress = (os.fdopen(os.dup(number), "w", buffering=1) for number in (1, 2))
    limited(progress)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)  # what calls print is no report
    for number in range(first, last):
        progress.write(f"{number}\n")
        signal.alarm(SECONDS)
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                found = outcome(f"{seed}/{number}")
        except TooLong:
            found = f"seed '{seed}/{number}': no answer in {SECONDS} s"
        finally:
            signal.alarm(0)
        if found is not None:
            report.write(json.dumps([number, found]) + "\n")
        if number % 100 == 0:
            gc.collect()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
