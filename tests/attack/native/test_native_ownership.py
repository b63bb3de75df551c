"""Whatever happens at a point at which Python may run, native code neither crashes nor gives a wrong result.

With SPECGRAD_NATIVE=check every such point is one at which, in turn, there is no memory, the collector runs, all
operands get other memory (more, less, none, of another dtype or layout), lists are emptied, tables are cleared, or
another thread computes. Freed objects are overwritten (PYTHONMALLOC=debug), arrays lie between guard words
(codegen/verify/guards.py).
Besides, each allocation of CPython fails once, and a second thread changes operands all the time.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.attack.amount import FULL, SEED, amount
from tests.repository import ROOT

CHUNKS = amount(1, 12)
POINTS = amount(2, 1000)  # of each program that each act is tried at


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_point_may_be_hostile(chunk: int, figures: Callable[..., None]) -> None:
    """No crash, no wrong result, no error but MemoryError and those that say what was wrong."""
    environment = {
        **os.environ,
        "SPECGRAD_NATIVE": "check",
        "SPECGRAD_CUDA": "simulated",
        "SPECGRAD_CUDA_FALLBACK": "silent",
        "PYTHONMALLOC": "debug",
        "PYTHONPATH": str(ROOT),
    }
    arguments = [str(SEED + chunk), str(POINTS), str(chunk), str(CHUNKS)]
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.attack.native.native_attack", *arguments]
    limit = 3600 if FULL else 900
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=limit)
    assert done.returncode == 0, f"seed {SEED + chunk}: {done.stdout}\n{done.stderr[-4000:]}"
    found = dict(pair.split("=") for pair in done.stdout.split())
    figures("native ownership", **{name: int(count) for name, count in found.items()})
