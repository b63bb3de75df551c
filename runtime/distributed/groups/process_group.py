"""`ProcessGroup`: some of the ranks, their links, and the calls that are under way between them."""

from __future__ import annotations

import contextlib
import datetime
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...locks import new_lock
from ..transport.link import Link, Request
from . import header, notices
from .errors import DistBackendError
from .observed import observed
from .on_arrays import OnArrays
from .work import Steps, Work, until

_given_up: list[Any] = []  # works whose arrays a transport may still read or write


class ProcessGroup(OnArrays):
    """A group of ranks. Programs get it from `init_process_group` and `new_group`.

    Collectives match in the order in which ranks begin them. A call of several requests holds back those after it until
    its last has begun, so that all ranks begin all requests in one order, however fast each is.

    Args:
        link: where contents go.
        control: where headers and notices go; its messages meet none of the other's.
        ranks: the ranks of the members in the world, in the order of their ranks here.
        timeout: how long calls wait.
        name: for errors.
        desc: what the program says that it is for.
    """

    def __init__(
        self,
        link: Link,
        control: Link,
        ranks: Sequence[int],
        timeout: datetime.timedelta,
        name: str,
        desc: str = "",
    ) -> None:
        self.link = link
        self.control = control
        self.ranks = list(ranks)
        self.timeout = timeout
        self.group_name = name
        self.group_desc = desc or "undefined"
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
        """Choose how long calls wait."""
        self.timeout = timeout

    def begin(self, said: str, steps: Steps, count: int, outputs: Any = ()) -> Work:
        """Begin a collective.

        Args:
            said: what all ranks must say alike.
            steps: its requests.
            count: how many these are.
            outputs: the tensors that it writes.

        Raises:
            DistBackendError: an earlier call of the group has failed.
        """
        with self._lock:
            self._check()
            self.calls += 1
            said = f"{said} (call {self.calls})"
            work = Work(self, said, steps, count, self._header(said), outputs)
            self._waiting.append(work)
        self.advance()
        return work

    def begin_message(
        self, said: str, steps: Steps, header: tuple[Request, Callable[[], str | None]] | None, outputs: Any = ()
    ) -> Work:
        """Begin to send or receive; messages match by rank and tag, and hold nothing back."""
        with self._lock:
            self._check()
            work = Work(self, said, steps, 1, header, outputs)
            self._begun.append(work)
        self.advance()
        return work

    def _check(self) -> None:
        if self.error is not None:
            raise DistBackendError(f"process group {self.group_name}: an earlier call has failed: {self.error}")

    def _header(self, said: str) -> tuple[Request, Callable[[], str | None]] | None:
        if not header.checking or self.size() == 1:
            return None
        every = np.empty(self.size() * header.LENGTH, np.uint8)
        return self.control.all_gather(every, header.field(said)), lambda: header.disagreement(every, self.ranks)

    @property
    def is_busy(self) -> bool:
        """Whether calls are under way."""
        return bool(self._waiting or self._begun)

    def advance(self) -> None:
        """Drive on what is under way, as far as that needs no waiting."""
        listener = observed.listener
        if listener is None or not (self._begun or self._waiting):
            self._advance()
            return
        told_end = listener.drives()
        self._advance()
        told_end()

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
        """Drive on what is under way until one call has ended, or time is up."""
        seconds = (timeout or self.timeout).total_seconds()

        def ended() -> bool:
            self._advance()
            return work._ended

        if not until(ended, seconds, lambda: notices.look(self, work)):
            late = notices.who_waits(self, work, seconds)
            with self._lock:
                if not work._ended:
                    work.fail(DistBackendError(late))

    def about(self, work: Work) -> str:
        """Rank, call and place, for errors."""
        return (
            f"[rank {self.ranks[self.rank()]}] {work.said} in process group {self.group_name} of ranks {self.ranks}, "
            f"called at {work.place[0]}:{work.place[1]}"
        )

    def failed(self, error: BaseException, work: Work) -> None:
        """Note that a call has failed: after that, the ranks may have begun different calls."""
        _given_up.append(work)
        self.error = error

    def tell(self, error: BaseException, work: Work) -> None:
        """Tell the others what a call has failed with here, so that they do not wait."""
        notices.give(self, f"has failed in {work.said}: {error}")

    def close(self) -> None:
        """Give the links back, unless something is still under way on them."""
        with contextlib.suppress(DistBackendError):
            self.advance()
        if self.error is None and not self.is_busy:
            self.link.close()
            self.control.close()
        else:
            _given_up.extend([*self._waiting, *self._begun])
