"""Without native code every op gives the same bits, values and gradients."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.repository import ROOT

from .sample_bits import bits

PARTS = 3


@pytest.mark.parametrize("part", range(PARTS))
def test_python_alone_gives_the_same_bits(part: int) -> None:
    """At all samples, in a process in which the forward and the backward pass are Python's."""
    environment = {**os.environ, "SPECGRAD_NATIVE": "0", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.generated.sample_bits", str(part), str(PARTS)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    alone, found = json.loads(done.stdout), bits(part, PARTS)
    assert len(found) > 100 and found.keys() == alone.keys()
    assert [name for name in found if found[name] != alone[name]] == []
