"""A program whose ranks write a checkpoint, and then another, in which one of them is killed.

`python -m tests.extensions.distributed.dying MOMENT FOLDER`
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import specgrad as sg
from specgrad import distributed as dist
from specgrad.distributed import checkpoint
from specgrad.runtime.extensions.distributed.checkpoint import filesystem

MOMENTS = ("in its file", "after its file", "before it is valid", "when it is valid")


def _dying(function: Callable[..., Any], before: bool, calls: int = 1) -> Callable[..., Any]:
    """A function in whose last call the process is killed, before or after what it does."""
    left = [calls]

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        left[0] -= 1
        found = None if before and not left[0] else function(*args, **kwargs)
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        return found

    return wrapped


def _plan(moment: str, rank: int) -> None:
    """Who is killed, and where."""
    if moment == "in its file" and rank == 1:
        filesystem.crc32 = _dying(filesystem.crc32, False, 3)
    elif moment == "after its file" and rank == 1:
        filesystem.FileSystemWriter.write = _dying(filesystem.FileSystemWriter.write, False)  # type: ignore[method-assign]
    elif moment == "before it is valid" and rank == 0:
        filesystem.FileSystemWriter.commit = _dying(filesystem.FileSystemWriter.commit, True)  # type: ignore[method-assign]
    elif moment == "when it is valid" and rank == 0:
        filesystem.FileSystemWriter._keep = _dying(filesystem.FileSystemWriter._keep, True)  # type: ignore[method-assign]


def main(moment: str, folder: str) -> None:
    """Write ones, then twos."""
    dist.init_process_group("mpi")
    rank = dist.get_rank()
    for value in (1.0, 2.0):
        state = {f"tensor{number}": sg.full((300_000,), value) for number in range(4)}
        checkpoint.save(state, checkpoint_id=folder)
        _plan(moment, rank)
    sys.stderr.write("nobody was killed\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
