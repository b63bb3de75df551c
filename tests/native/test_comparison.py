"""SPECGRAD_NATIVE=check computes what native code answers by the general path too, and says where they differ."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.repository import ROOT


def test_programs_agree_and_differences_are_found() -> None:
    """Values, dtype, shape, graph, saved tensors, references, and what was written in place."""
    environment = {**os.environ, "SPECGRAD_NATIVE": "check", "SPECGRAD_CUDA": "simulated", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.native.compared_programs"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout == "14 programs agree, 27 on a device, 10 differences found\n"


def test_without_check_mode_the_registry_is_not_loaded() -> None:
    """It is large, and the first call of an op must not wait for it."""
    program = "import sys, specgrad as sg; x = sg.ones(3); (x * x).sum(); x[1:]; print(sg.__name__, *sys.modules)"
    environment = {**os.environ, "SPECGRAD_NATIVE": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    modules = done.stdout.split()
    assert "specgrad.runtime.native.elementwise.operands" in modules and "specgrad.generated.registry" not in modules
