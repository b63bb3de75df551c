"""Classes of `distributed` that programs derive from or catch; the rest that is not here: `specgrad/unavailable.py`."""

from __future__ import annotations


class Joinable:
    """What takes part in a Join: programs derive from it."""


class JoinHook:
    """What a Joinable does for processes that have ended: programs derive from it."""

    def main_hook(self) -> None:
        """Called again and again while others go on."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Called once when all have ended; `is_last_joiner` says whether this process was the last."""


class ChildFailedError(RuntimeError):
    """What the process that has started others raises when one of them fails; nobody does here."""
