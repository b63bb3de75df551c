"""How long a test waits for what has to come: only what hangs takes longer, on any machine under any load."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 900.0  # seconds


def comes_true(condition: Callable[[], bool]) -> bool:
    """Whether a condition holds, now or after a while."""
    deadline = time.monotonic() + PATIENCE
    while not (found := condition()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return found
