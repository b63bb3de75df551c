"""The other ranks of the world: what each has said last, and whether its process is still there, as far as the machine
tells.
"""

import json
import os
import platform
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ....locks import new_lock
from .errors import DistBackendError
from .links import Link
from .work import until

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
        except (ProcessLookupError, PermissionError) as error:
            return isinstance(error, PermissionError)
        return True

    def _ended(self, status: list[str] | None = None) -> str:
        code = os.waitstatus_to_exitcode(int(status[0])) if status else 0
        ended = "has ended" + (f" with status {code}" if code else "")
        how = f"was killed by {signal_name(-code, f'signal {-code}')}" if code < 0 else ended
        return f"{how} (process {self.number})"

    def state(self) -> str:
        """What keeps it from answering, if that can be seen: it has ended, or is stopped."""
        return self.fate() or (f"process {self.number} is stopped" if self.stopped() else "")

    def stopped(self) -> bool:
        fields = _fields(self.number) if self.is_local else []
        return bool(fields) and fields[_STATE] in "Tt"


def signal_name(number: int, unknown: str) -> str:
    return signal.Signals(number).name if number in set(signal.Signals) else unknown


_TAG = 0  # the link carries nothing else
_BETWEEN = 0.1  # seconds from one look at processes to the next
_GRACE = 0.5  # seconds in which what a rank has sent before its end still arrives
_SHORT = 5.0  # seconds: a letter whose beginning is here
_LONGEST = 2000  # bytes of a letter
END = "has come to the end of its program"
_NO_CAUSE = (END, f"has ended with {DistBackendError.__name__}")  # who is told of these finds the cause itself


def received_messages(link: Link, tag: int, pending: list[Any]) -> Iterator[tuple[int, str]]:
    """What others have sent since this was last asked, with who has; a request that does not end is left `pending`."""
    while (notice := link.arrived(tag)) is not None:
        source, length = notice
        data = np.empty(length, np.uint8)
        request = link.receive(data, source, tag)
        if not until(request.done, _SHORT):
            pending.append(request)
            return
        yield source, data.tobytes().decode(errors="replace")


class Peers:
    """The ranks of the world as this one sees them. A rank tells the others when it ends, well or badly.

    The link is for these words alone.
    """

    def __init__(self, link: Link, call_description: list[str]) -> None:
        self.link = link
        self.processes = [Process(one) for one in call_description]
        self.broken = False  # whether a call has failed here, so that others may never end
        self._lock = new_lock()
        self._pending: list[Any] = []
        self._lost: dict[int, tuple[str, float]] = {}  # what is known of a rank's end, and since when
        self._ended: set[int] = set()  # who has come to the end of its program
        self._next_look = 0.0

    def tell(self, text: str) -> None:
        data = np.frombuffer(text.encode()[:_LONGEST], np.uint8)
        for rank in range(self.link.size):
            if rank != self.link.rank and self._lost.get(rank, (END, 0.0))[0] == END:
                self._pending.append(self.link.send(data, rank, _TAG))

    def lost(self) -> dict[int, str]:
        """Which ranks come to no further call, and why: they have ended, and nothing of them is under way any more."""
        with self._lock:
            self._hear()
            now = time.monotonic()
            if now >= self._next_look:
                self._next_look = now + _BETWEEN
                self._look(now)
            return {rank: text for rank, (text, since) in self._lost.items() if now - since > _GRACE}

    def _hear(self) -> None:
        for source, text in received_messages(self.link, _TAG, self._pending):
            if text == END:
                self._ended.add(source)
            self._lost[source] = (text, time.monotonic() - (0 if text.startswith(_NO_CAUSE) else _GRACE))

    def _look(self, now: float) -> None:
        for rank, process in enumerate(self.processes):
            known = self._lost.get(rank)
            if rank != self.link.rank and (known is None or known[0] == END):
                fate = process.fate()
                if fate is not None:
                    self._lost[rank] = (fate, known[1] if known else now)

    def state(self, rank: int) -> str:
        return self.processes[rank].state()

    def check(self, call: str) -> None:
        messages = "; ".join(f"rank {rank} {text}" for rank, text in sorted(self.lost().items()))
        if messages:
            raise DistBackendError(f"[rank {self.link.rank}] {call}: {messages}")

    def missing(self) -> str:
        others = [rank for rank in range(self.link.size) if rank != self.link.rank]
        return "".join(f"; rank {rank}: {state}" for rank in others if (state := self.state(rank)))

    def part(self, seconds: float) -> str:
        """At the end of the program: wait for the others' ends, as finalizing MPI would, however long they work.

        A rank may be stopped for some seconds meanwhile, and where a call has failed so long is waited at all; a
        DistBackendError then. Returned is which rank has failed, so that MPI cannot be finalized; empty where all have
        come to their end.
        """
        self.tell(END)
        free = time.monotonic()  # when the others were last seen to go on

        def over() -> bool:
            nonlocal free
            self.lost()
            others = [rank for rank in range(self.link.size) if rank != self.link.rank and rank not in self._ended]
            if not (self.broken or any(self.processes[rank].stopped() for rank in others)):
                free = time.monotonic()
            return self._parted() or self._failed() != "" or time.monotonic() - free > seconds

        until(over, float("inf"))
        if not self._parted() and not self._failed():
            why = f"waited {seconds:g} s for others to end{self.missing()}"
            self.tell(why)
            raise DistBackendError(why)
        return self._failed()

    def _parted(self) -> bool:
        return len(self._ended) == self.link.size - 1 and all(request.done() for request in self._pending)

    def _failed(self) -> str:
        return "; ".join(f"rank {rank} {text}" for rank, (text, _) in sorted(self._lost.items()) if text != END)

    def failed_are_gone(self) -> bool:
        failed = [rank for rank, (text, _) in self._lost.items() if text != END]
        return all(self.processes[rank].fate() is not None for rank in failed)
