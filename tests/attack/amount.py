"""How much of an attack is run, and from which seed."""

from __future__ import annotations

import os

FULL = os.environ.get("SPECGRAD_ATTACK") == "full"
SEED = int(os.environ.get("SPECGRAD_ATTACK_SEED", "0"))


def amount(sample: int, full: int) -> int:
    """How many rounds an attack has: `sample` with `make test`, `full` with `make attack`."""
    return full if FULL else sample
