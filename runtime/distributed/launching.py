"""Start a program as several ranks with mpiexec, and again where it fails: `python -m specgrad.distributed.run`."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_RANK = "specgrad.runtime.distributed.started"  # what each rank runs


def mpiexec() -> str:
    """The launcher of the MPI library: the one beside this interpreter, where mpich was installed as a wheel.

    Raises:
        RuntimeError: there is none.
    """
    beside = Path(sys.executable).with_name("mpiexec")
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None:
        raise RuntimeError("there is no mpiexec here, beside this Python or in PATH: pip install specgrad[distributed]")
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m specgrad.distributed.run", description="Start a program as several ranks with mpiexec."
    )
    parser.add_argument(
        "-n", "--nproc-per-node", "--nproc_per_node", type=int, default=1, dest="count", help="how many ranks"
    )
    parser.add_argument(
        "--max-restarts", "--max_restarts", type=int, default=0, help="how often it is started again where it fails"
    )
    parser.add_argument("-m", "--module", action="store_true", help="the program is the name of a module")
    parser.add_argument("program", help="a Python file")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="those of the program")
    return parser


def main(given: Sequence[str] | None = None) -> int:
    """Start the ranks and wait for them.

    Args:
        given: the words of the command line.

    Returns:
        The exit status of the last start: 0 if all ranks ended well.
    """
    options = _parser().parse_args(given)
    how = ["-m"] if options.module else []
    command = [mpiexec(), "-n", str(options.count), sys.executable, "-m", _RANK, *how, options.program]
    status = 1
    for start in range(options.max_restarts + 1):
        if start:
            print(f"the ranks have ended with status {status}: start {start + 1}", file=sys.stderr, flush=True)
        environment = {**os.environ, "TORCHELASTIC_RESTART_COUNT": str(start)}
        status = subprocess.call([*command, *options.arguments], env=environment)
        if not status:
            break
    return status
