"""Forks while other threads compute, compile, load and learn: the new process can do all of that."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.attack.amount import SEED, amount

from .processes import samples

CHUNKS, EACH = amount(1, 10), amount(2, 5)  # processes, each of which forks so often:
FORKS = 4
WORKS = ["compiles", "shares", "multiplies", "learns", "loads", "changes"]
LIMIT = 900  # seconds: some ten are enough where nothing else runs


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_fork_at_any_moment(chunk: int, figures: Callable[..., None]) -> None:
    """Children compute, compile, share work and end; the parent goes on."""
    draw = samples("forks", chunk)
    for _ in range(EACH):
        works = " ".join(draw.choices(WORKS, k=2))
        command = [
            sys.executable,
            "-W",
            "ignore",
            "-m",
            "tests.attack.moments.forking",
            works,
            str(draw.random()),
            str(FORKS),
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
        assert done.returncode == 0, f"seed {SEED}: {command}\n{done.stderr}"
        figures("forks", children=int(done.stdout))
