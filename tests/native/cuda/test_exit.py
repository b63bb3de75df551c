"""The end of a process that has memory on a device: blocks go after modules have gone, by native code."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.repository import ROOT

PROGRAM = """
import gc
import specgrad as sg
gc.freeze()  # the collector frees nothing before modules go
weight = sg.ones(3, 2, device="cuda", requires_grad=True)
optimizer = sg.optim.Adam([weight])
for _ in range(3):
    weight.gather(1, sg.zeros(3, 1, dtype=sg.int64, device="cuda")).sum().backward()
    optimizer.step()
print(weight.shape)
"""


def test_a_process_ends_whole() -> None:
    """Freed memory is overwritten, so that whoever calls what is gone crashes."""
    environment = {**os.environ, "SPECGRAD_CUDA": "simulated", "PYTHONMALLOC": "debug"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "specgrad.Size([3, 2])\n", "")
