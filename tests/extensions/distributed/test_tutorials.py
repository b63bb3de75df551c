"""Programs as tutorials of PyTorch have them, started in every way that PyTorch has."""

from __future__ import annotations

import ast
import os
import re
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from specgrad.runtime.extensions.distributed.launcher import mpiexec
from tests.patience import PATIENCE
from tests.repository import ROOT

pytest.importorskip("mpi4py")
PROGRAM = str(Path(__file__).with_name("tutorial.py"))
# The function of the entry `torchrun` in pyproject.toml, called as the command of that name calls it.
_SCRIPT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]["torchrun"]
TORCHRUN = (sys.executable, "-c", "from {} import {} as main; raise SystemExit(main())".format(*_SCRIPT.split(":")))


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """What a program prints whose ranks meet at a free port."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = str(one.getsockname()[1])
    environment = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "MASTER_ADDR": "localhost", "MASTER_PORT": port}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, cwd=ROOT, env={**os.environ, **environment}
    )


@pytest.mark.parametrize("way", ["torchrun", "mpiexec", "spawn", "fork"])
def test_a_step(tmp_path: Path, way: str) -> None:
    """Ranks have the step of one process with both rows, and one of them says what "gloo" and "nccl" are."""
    if way == "torchrun":
        options = ["--nnodes=1", "--nproc_per_node=2", "--rdzv-backend=c10d", "--rdzv-endpoint=localhost:0"]
        done = run(*TORCHRUN, *options, PROGRAM, str(tmp_path), "launched")
    elif way == "mpiexec":
        done = run(mpiexec(), "-n", "2", sys.executable, PROGRAM, str(tmp_path), "launched")
    else:
        done = run(sys.executable, PROGRAM, str(tmp_path), way)
    assert done.returncode == 0, done.stderr
    rows, weight = np.array([[1.0, 1.0], [2.0, 2.0]]), np.array([0.5, 0.5])
    expected = weight - 0.1 * 2 * (rows @ weight - 1) @ rows / 2
    for rank in range(2):
        found = ast.literal_eval((tmp_path / f"{rank} of 2").read_text())
        np.testing.assert_allclose(found, [expected], rtol=1e-6)
    assert len(re.findall(r'init_process_group\("(?:gloo|nccl)"\): the collectives are MPI\'s', done.stderr)) == 1


def test_a_rank_of_spawn_that_raises(tmp_path: Path) -> None:
    """Its traceback is that of the program, which waits for no timeout."""
    done = run(sys.executable, PROGRAM, str(tmp_path), "fail")
    assert done.returncode == 1
    assert "ProcessRaisedException: \n\n-- Process 1 terminated with the following error:" in done.stderr
    assert "ValueError: the data are gone" in done.stderr
