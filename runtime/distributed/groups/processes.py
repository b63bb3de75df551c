"""Processes of ranks: what others need to know of one, and whether it is still there, as far as the machine tells."""

from __future__ import annotations

import json
import os
import platform
import signal
from pathlib import Path

LENGTH = 240  # bytes of what a process says of itself
_STATUS_FILE = "/proc/{}/stat"
_STATE, _START, _STATUS = 0, 19, 49  # places in that file, after the name in brackets


def own() -> str:
    """What this process says of itself: its number, when it began, and the machine that numbers it."""
    fields = _fields(os.getpid())
    return json.dumps({"pid": os.getpid(), "start": fields[_START] if fields else "", "where": _where()})


def _where() -> str:
    """This machine since it was started, and who numbers processes there: containers do that apart."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return platform.node()


def _fields(number: int) -> list[str]:
    """What the system says of a process; nothing where it says nothing."""
    try:
        text = Path(_STATUS_FILE.format(number)).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


class Process:
    """A process of another rank, which this one can look at where both are on one machine."""

    def __init__(self, call_description: str) -> None:
        known = json.loads(call_description)
        self.number = int(known["pid"])
        self._start = known["start"]
        self.is_local = known["where"] == _where()

    def fate(self) -> str | None:
        """How it has ended; None while it runs, or where that cannot be seen."""
        if not self.is_local:
            return None
        fields = _fields(self.number)
        if not self._start:  # a system without such files
            return None if self._answers() else self._ended()
        if not fields or fields[_START] != self._start:
            return self._ended()
        return self._ended(fields[_STATUS:]) if fields[_STATE] in "ZX" else None

    def _answers(self) -> bool:
        try:
            os.kill(self.number, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True

    def _ended(self, status: list[str] | None = None) -> str:
        code = os.waitstatus_to_exitcode(int(status[0])) if status else 0
        how = f"was killed by {_signal(-code)}" if code < 0 else "has ended" + (f" with status {code}" if code else "")
        return f"{how} (process {self.number})"

    def state(self) -> str:
        """What keeps it from answering, if that can be seen: it has ended, or is stopped."""
        return self.fate() or (f"process {self.number} is stopped" if self.stopped() else "")

    def stopped(self) -> bool:
        fields = _fields(self.number) if self.is_local else []
        return bool(fields) and fields[_STATE] in "Tt"


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
