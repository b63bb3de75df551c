"""The CUDA kernels give the CPU kernels' results when their threads are simulated."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_simulated_kernels_equal_the_cpu_kernels() -> None:
    """All element-wise kernels, forward and fused backward, on 7 elements in blocks of 4 threads."""
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.runtime.simulate_cuda"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert int(done.stdout.split(" kernels compared")[0].split()[-1]) > 150
