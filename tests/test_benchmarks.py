"""Every workload of benchmarks/ runs with specgrad."""

import subprocess
import sys

import pytest

from tests.repository import ROOT


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True)


def test_every_workload_runs_twice() -> None:
    """A workload can be prepared, and repeated, without an error or a warning."""
    code = """
import specgrad
from benchmarks.worker import prepared
from benchmarks.workloads import WORKLOADS
for name in WORKLOADS:
    step = prepared("specgrad", specgrad, name)
    if step is not None:
        step()
"""
    done = _run("-W", "error", "-c", code)
    assert done.returncode == 0, done.stderr


def test_one_workload_is_timed() -> None:
    """The command prints a line with the workload's name and a number."""
    done = _run("-m", "benchmarks", "mul_sum_64", "--rounds", "1")
    assert done.returncode == 0, done.stderr
    line = next(line for line in done.stdout.splitlines() if line.startswith("mul_sum_64"))
    assert float(line.split()[1]) > 0


@pytest.mark.parametrize("name", ["no_such_workload"])
def test_unknown_workload(name: str) -> None:
    """A name that does not exist is refused with the names that do."""
    done = _run("-m", "benchmarks", name)
    assert done.returncode == 2 and "mul_sum_64" in done.stderr
