"""`ProcessGroup`: some of the ranks, their links, and the calls that are under way between them."""

import contextlib
import datetime
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....locks import new_lock
from . import observers, point_to_point
from .array_collectives import OnArrays
from .errors import DistBackendError, TransportError
from .links import Link
from .observers import observed, rank_names
from .peers import END, Peers, received_messages
from .work import Header, Steps, Work, until

_GRACE = 0.5  # seconds in which ranks whose time is up at about the same moment hear of each other
_PAUSE = 0.005  # seconds between looks
_WAITS = "waits in"
_notices: list[Any] = []  # under way
_abandoned: list[Any] = []  # works whose arrays a transport may still read or write


class ProcessGroup(OnArrays):
    """A group of ranks. Programs get it from `init_process_group` and `new_group`.

    Collectives match in the order in which ranks begin them. A call of several requests holds back those after it until
    its last has begun, so that all ranks begin all requests in one order, however fast each is. Contents go over
    `link`, headers and notices over `control`: its messages meet none of the other's. `ranks` are those of the world,
    in the order of the ranks here; `peers` is None where threads stand for ranks.
    """

    def __init__(
        self,
        link: Link,
        control: Link,
        ranks: Sequence[int],
        timeout: datetime.timedelta,
        name: str,
        desc: str = "",
        peers: Peers | None = None,
    ) -> None:
        self.link = link
        self.control = control
        self.ranks = list(ranks)
        self.timeout = timeout
        self.group_name = name
        self.group_desc = desc or "undefined"
        self.peers = peers
        self.calls = 0
        self.monitored = 0
        self.error: BaseException | None = None
        self._lock = new_lock()
        self._waiting: deque[Work] = deque()  # with requests still to begin
        self._begun: list[Work] = []

    def rank(self) -> int:
        """This process's rank in the group."""
        return self.link.rank

    def name(self) -> str:
        """The backend."""
        return "mpi"

    def __repr__(self) -> str:
        return f"<ProcessGroup {self.group_name}: rank {self.rank()} of ranks {self.ranks}>"

    def set_timeout(self, timeout: datetime.timedelta) -> None:
        """How long calls wait: `timeout`."""
        self.timeout = timeout

    def begin(self, call_description: str, steps: Steps, count: int, outputs: Any = ()) -> Work:
        """Begin a collective of `count` requests that writes tensors, `outputs`; all ranks must describe it alike."""
        with self._lock:
            self._check()
            self.calls += 1
            call_description = f"{call_description} (call {self.calls})"
            work = Work(self, call_description, steps, count, self._header(call_description), outputs)
            observers.note(call_description, work.location)
            self._waiting.append(work)
        self.advance()
        return work

    def begin_message(self, call_description: str, steps: Steps, header: Header, outputs: Any = ()) -> Work:
        """Begin to send or receive; messages match by rank and tag, and hold nothing back."""
        with self._lock:
            self._check()
            work = Work(self, call_description, steps, 1, header, outputs)
            observers.note(call_description, work.location)
            self._begun.append(work)
        self.advance()
        return work

    def _check(self) -> None:
        if self.error is not None:
            raise DistBackendError(f"process group {self.group_name}: an earlier call has failed: {self.error}")

    def _header(self, call_description: str) -> Header:
        if not point_to_point.checking or self.size() == 1:
            return None
        every = np.empty(self.size() * point_to_point.LENGTH, np.uint8)
        request = self.control.all_gather(every, point_to_point.field(call_description))
        return request, lambda: point_to_point.disagreement(every, self.ranks)

    @property
    def is_busy(self) -> bool:
        return bool(self._waiting or self._begun)

    def advance(self) -> None:
        """Drive on what is under way, as far as that needs no waiting."""
        listener = observed.listener
        notify_end = listener.drives() if listener is not None and self.is_busy else None
        self._advance()
        if notify_end is not None:
            notify_end()

    def _advance(self) -> None:
        with self._lock:
            self._begun = [work for work in self._begun if not work.advance()]
            while self._waiting:
                work = self._waiting[0]
                ended = work.advance()
                if not work.all_begun:
                    return
                self._waiting.popleft()
                if not ended:
                    self._begun.append(work)

    def drive(self, work: Work, timeout: datetime.timedelta | None) -> None:
        seconds = (timeout or self.timeout).total_seconds()

        def ended() -> bool:
            self._advance()
            return work._ended

        if not until(ended, seconds, lambda: self._look(work)):
            self._give_up(work, f"not complete within {seconds:g} s; {self._combined_message(work, {})}")

    def _give_up(self, work: Work, why: str) -> None:
        with self._lock:
            if not work._ended:
                work.end(DistBackendError(f"{self.about(work)}: {why}"))

    def _look(self, work: Work) -> None:
        """While a call waits: end it where another rank has given up, or has ended."""
        messages = {**self._heard(), **self.lost()}
        if messages:
            self._give_up(work, self._combined_message(work, messages))

    def _heard(self) -> dict[int, str]:
        """What others have told since this was last asked, by their ranks in the world."""
        messages = received_messages(self.control, self.control.last_tag, _notices)
        return {self.ranks[source]: text for source, text in messages}

    def _give(self, text: str) -> None:
        data = np.frombuffer(text.encode(), np.uint8)
        others = (rank for rank in range(self.size()) if rank != self.rank())
        _notices.extend(self.control.send(data, rank, self.control.last_tag) for rank in others)

    def _combined_message(self, work: Work, messages: dict[int, str]) -> str:
        """Tell the others that this rank waits, and hear who does too; a rank that has failed is told of at once.

        A rank at the end of its program may have done this call, which another that is stopped or dead keeps from its
        end.
        """
        self._give(f"{_WAITS} {work.call_description}")
        end = time.monotonic() + _GRACE
        while time.monotonic() < end and len(messages) < self.size() - 1:
            if any(not text.startswith((_WAITS, END)) for text in messages.values()):  # there is a reason
                break
            time.sleep(_PAUSE)
            messages |= {**self._heard(), **self.lost()}
        silent = [rank for rank in self.ranks if rank not in messages and rank != self.ranks[self.rank()]]
        if any(not text.startswith(_WAITS) for text in messages.values()):
            silent = [rank for rank in silent if self.state(rank)]
        parts = [f"rank {rank} {text}" for rank, text in sorted(messages.items())]
        if silent:
            parts.append(f"{rank_names([f'{rank}{self.state(rank)}' for rank in silent])} did not answer")
        return "; ".join(parts)

    def made_of(self, link: Link, ranks: Sequence[int], work: Work) -> Link | None:
        """A link of some of the ranks, made of one of all; None where this one is not among them."""
        peers = self.peers
        look = (lambda: peers.check(self.about(work))) if peers else None
        try:
            return link.split(ranks, self.timeout.total_seconds(), look)
        except DistBackendError as error:
            messages = f"{self.about(work)}: {error}{peers.missing() if peers else ''}"
            self.failed(DistBackendError(messages), work)
            raise DistBackendError(messages) from None

    def lost(self) -> dict[int, str]:
        """Which members come to no further call, by their ranks in the world, and why."""
        known = self.peers.lost() if self.peers is not None else {}
        return {rank: text for rank, text in known.items() if rank in self.ranks}

    def state(self, rank: int) -> str:
        """For errors; empty where it cannot be seen."""
        state = self.peers.state(rank) if self.peers is not None else ""
        return f" ({state})" if state else ""

    def about(self, work: Work) -> str:
        return (
            f"[rank {self.ranks[self.rank()]}] {work.call_description} in process group {self.group_name} of "
            f"ranks {self.ranks}, called at {work.location[0]}:{work.location[1]}"
        )

    def explained(self, error: Exception, work: Work) -> Exception:
        """What the transport says, with the call and who is lost."""
        if not isinstance(error, TransportError):
            return error
        messages = "".join(f"; rank {rank} {text}" for rank, text in self.lost().items())
        return DistBackendError(f"{self.about(work)}: {error}{messages}")

    def failed(self, error: BaseException, work: Work) -> None:
        """Note that a call has failed: after that, the ranks may have begun different calls."""
        _abandoned.append(work)
        self.error = error
        if self.peers is not None:
            self.peers.broken = True

    def tell(self, error: BaseException, work: Work) -> None:
        """Tell the others what a call has failed with here, so that they do not wait."""
        self._give(f"has failed in {work.call_description}: {error}")

    def close(self) -> None:
        """Give the links back, unless something is still under way on them."""
        with contextlib.suppress(DistBackendError):
            self.advance()
        if self.error is None and not self.is_busy:
            self.link.close()
            self.control.close()
        else:
            _abandoned.extend([*self._waiting, *self._begun])
