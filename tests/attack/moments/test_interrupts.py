"""Interrupts at every step and at any moment: the next call computes as if there had been none."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.attack.amount import SEED, amount

ROUNDS = {"steps": (1, 8, 8, 130), "moments": (1, 8, 8, 25)}  # chunks and rounds, of a sample and of all
CASES = [
    (kind, chunk)
    for kind, (small_count, _, multi_count, _) in ROUNDS.items()
    for chunk in range(amount(small_count, multi_count))
]
LIMIT = 600  # seconds: some five are enough where nothing else runs


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that interrupt")
@pytest.mark.parametrize(("kind", "chunk"), CASES)
def test_an_interrupt_leaves_nothing_behind(kind: str, chunk: int, figures: Callable[..., None]) -> None:
    """Results are right, workers take parts, and the number of threads changes at once; the process ends in time."""
    _, small_count, _, multi_count = ROUNDS[kind]
    command = [
        sys.executable,
        "-m",
        "tests.attack.moments.interrupted",
        kind,
        f"{SEED} {chunk}",
        str(amount(small_count, multi_count)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    figures("interrupts", **{kind: int(done.stdout)})
