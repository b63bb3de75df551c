"""Ranks that end while another is stopped or fails: who still waits says which one keeps it, and where it waits."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from specgrad.runtime.extensions.distributed.launcher import mpiexec
from tests.patience import PATIENCE
from tests.repository import ROOT

pytest.importorskip("mpi4py")
BEGIN = """
import datetime, os, signal
os.dup2(os.open(f"{{os.getpid()}}.said", os.O_CREAT | os.O_WRONLY | os.O_APPEND), 2)
import specgrad as torch
from specgrad import distributed as dist
from specgrad.runtime.extensions.distributed import session
from specgrad.runtime.extensions.distributed.groups.peers import Peers

def stop():
    os.kill(os.getpid(), signal.SIGSTOP)

dist.init_process_group("mpi", timeout=datetime.timedelta(seconds=60))  # ranks may begin at very different times
rank = dist.get_rank()
session._session.seconds = {seconds}
"""
ENDED = r"\[rank 0\] the end of the program after barrier \(call 1\), called at .*train\.py:15: MPI is not finalized: "
# A rank that is still in its barrier would fail there instead, when it is told.
FAILS_LAST = """dist.barrier()
import glob, time
if rank == 1:
    while len(glob.glob("*.last")) < 2: time.sleep(0.01)
    raise ValueError("the data are gone")
open(f"{rank}.last", "w").close()
"""
STOPPED = r"process \d+ is stopped"


def message(folder: Path, ranks: int, program: str, seconds: float = 3.0) -> str:
    """What ranks print on stderr of which one is stopped or fails; mpiexec ends them all, and says so.

    Each has a file of its own: mpiexec's one stream has the lines of one rank in the middle of another's.
    """
    script = folder / "train.py"
    script.write_text(BEGIN.format(seconds=seconds) + program, encoding="utf-8")
    command = ["env", f"PYTHONPATH={ROOT}", mpiexec(), "-n", str(ranks), sys.executable, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, cwd=folder)
    assert done.returncode != 0, done.stderr
    return "".join(file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.said")))


def test_a_rank_that_is_stopped_at_the_end(tmp_path: Path) -> None:
    """Others wait for the timeout at their ends, and name their last call: no line of the program is left."""
    text = message(tmp_path, 2, "dist.barrier()\nif rank == 1: stop()\n")
    assert re.search(rf"{ENDED}waited 3 s for others to end; rank 1: {STOPPED}\n", text), text


def test_a_rank_that_is_stopped_before_mpi_is_finalized(tmp_path: Path) -> None:
    """All have come to their ends: MPI_Finalize, which waits for all, does not come back."""
    late = "part = Peers.part\nif rank == 1: Peers.part = lambda *given: (part(*given), stop())[0]\n"
    text = message(tmp_path, 2, f"dist.barrier()\n{late}")
    assert re.search(rf"{ENDED}MPI_Finalize: not complete within 10 s; rank 1: {STOPPED}\n", text), text


def test_a_rank_that_has_ended_is_not_all_that_is_told(tmp_path: Path) -> None:
    """Where one rank has ended and another is stopped, who waits names both."""
    text = message(tmp_path, 3, "if rank == 2: stop()\nif rank == 1: dist.all_reduce(torch.ones(2))\n", 60.0)
    about = r"\[rank 1\] all_reduce float32 \[2\] SUM \(call 1\) .*called at .*train\.py:16: "
    notified = rf"rank 0 has come to the end of its program; rank 2 \({STOPPED}\) did not answer"
    assert re.search(about + notified, text), text


def test_a_rank_that_fails_when_others_have_ended(tmp_path: Path) -> None:
    """Others let it end first: the first process that ends without finalizing MPI gives mpiexec its status."""
    text = message(tmp_path, 3, FAILS_LAST, 60.0)
    assert re.search(rf"{ENDED}rank 1 has ended with ValueError: the data are gone\n", text), text
