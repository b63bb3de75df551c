"""SPECGRAD_NATIVE: `1`, or nothing, for native code where it is supported; `0` for none; `check` to check it.

In check mode what native code answers is computed by the general path too, and compared (native/comparison.py). An
index beyond an array of a struct ends the process, and so does a reference that is used after it was released. For
tests, every allocation of native code, every reference that it releases and every moment at which it releases the GIL
calls `interrupt.hook` first: what they put there runs the garbage collector, raises MemoryError, or gives tensors other
memory, as a finalizer or another thread might just then.
"""

from __future__ import annotations

import os
from collections.abc import Callable

SETTINGS = ("0", "1", "check")
SETTING = os.environ.get("SPECGRAD_NATIVE") or "1"
if SETTING not in SETTINGS:
    raise ImportError(f"SPECGRAD_NATIVE: expected one of {', '.join(SETTINGS)}, but got {SETTING!r}")
CHECKING = SETTING == "check"
ENABLED = SETTING != "0"


class Interrupt:
    """The callback of native code in check mode; `points` counts how often."""

    def __init__(self) -> None:
        self.hook: Callable[[], None] | None = None
        self.points = 0

    def __call__(self) -> None:
        """One point at which Python may run."""
        hook = self.hook
        if hook is not None:
            self.points += 1
            self.hook = None  # what the hook does is not interrupted in turn
            try:
                hook()
            finally:
                self.hook = hook


interrupt = Interrupt()
