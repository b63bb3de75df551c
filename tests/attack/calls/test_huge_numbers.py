"""Numbers far too large for anything: each call is refused at once, in a class that PyTorch's users expect."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

pytest.importorskip("resource")  # which limits memory; there is none on Windows

from tests.attack.amount import SEED, amount

from .huge_calls import cases

CHUNKS, EVERY = amount(1, 8), amount(40, 8)  # of how many calls one is made in a chunk
LIMIT = 60  # seconds for one call, of which most take some microseconds


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_huge_numbers(chunk: int, figures: Callable[..., None]) -> None:
    """No call loops for ever, takes all memory or ends the process; refusals are of the classes that PyTorch has."""
    first = (SEED + chunk) % EVERY
    command = [sys.executable, "-m", "tests.attack.calls.huge_calls", *map(str, (first, EVERY, LIMIT))]
    done = subprocess.run(command, capture_output=True, text=True)
    answers = done.stdout.split("\n")
    called = [int(line) for line in answers if line.isdigit()]
    names = [name for name, _ in cases()]
    assert done.returncode == 0, f"code {done.returncode} of {names[called[-1]] if called else ''}\n{done.stderr}"
    outcomes = [line for line in answers if line and not line.isdigit()]
    wrong = [
        f"{names[k]}: {message}"
        for k, message in zip(called, outcomes, strict=True)
        if message not in ("refused", "done")
    ]
    assert wrong == []
    figures("huge numbers", **{what: outcomes.count(what) for what in ("refused", "done")})
