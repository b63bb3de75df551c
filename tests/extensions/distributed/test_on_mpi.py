"""Process groups on MPI: the checks of `checks.py`, and programs, under mpiexec."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from specgrad.runtime.extensions.distributed.launcher import mpiexec
from tests.extensions.distributed.program import CHECKS
from tests.patience import PATIENCE
from tests.repository import ROOT

pytest.importorskip("mpi4py")


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """What a command prints."""
    return subprocess.run(
        ["env", f"PYTHONPATH={ROOT}", "OMP_NUM_THREADS=1", *command],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd=ROOT,
    )


@pytest.mark.parametrize("size", [2, 3])
def test_checks(size: int, tmp_path: Path) -> None:
    """All checks pass on all ranks."""
    done = run(mpiexec(), "-n", str(size), sys.executable, "-m", "tests.extensions.distributed.program", str(tmp_path))
    found = {path.stem: json.loads(path.read_text()) for path in tmp_path.iterdir()}
    failed = {(rank, name): text for rank, all in found.items() for name, text in all.items() if text != "passed"}
    assert not failed, "\n".join(f"rank {rank}, {name}:\n{text}" for (rank, name), text in failed.items())
    assert done.returncode == 0, done.stderr
    assert sorted(found["0"]) == sorted(CHECKS) and len(found) == size


def test_a_rank_that_raises_is_heard(tmp_path: Path) -> None:
    """The others are told of an exception that ends one rank, and do not wait for the timeout of 30 minutes."""
    script = tmp_path / "train.py"
    script.write_text(
        "import specgrad as torch\n"
        "torch.distributed.init_process_group('mpi')\n"
        "if torch.distributed.get_rank() == 1: raise ValueError('the data are gone')\n"
        "torch.distributed.all_reduce(torch.ones(2))\n"
    )
    done = run(mpiexec(), "-n", "2", sys.executable, str(script))
    assert done.returncode != 0
    assert "rank 1 has ended with ValueError: the data are gone" in done.stderr
    assert "all_reduce float32 [2] SUM" in done.stderr


def test_the_launcher(tmp_path: Path) -> None:
    """`specgrad.distributed.run` gives ranks their numbers, and starts them again after a failure."""
    script = tmp_path / "train.py"
    script.write_text(
        "import os, sys\n"
        "import specgrad as torch\n"
        "torch.distributed.init_process_group()\n"
        "if os.environ['TORCHELASTIC_RESTART_COUNT'] == '0': sys.exit(3)\n"
        "x = torch.ones(1)\n"
        "torch.distributed.all_reduce(x)\n"
        "assert int(os.environ['RANK']) == torch.distributed.get_rank()\n"
        "sys.stdout.write(f\"{os.environ['LOCAL_RANK']} of {os.environ['WORLD_SIZE']}: {sys.argv[1]} {int(x)}\\n\")\n"
    )
    launcher = (sys.executable, "-m", "specgrad.distributed.run", "-n", "2", "--max-restarts", "1")
    done = run(*launcher, str(script), "argument")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["0 of 2: argument 2", "1 of 2: argument 2"]
    assert "start 2" in done.stderr
