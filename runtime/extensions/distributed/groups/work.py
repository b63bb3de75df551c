"""A call under way: what it has still to do, who drives it on, and how long somebody waits for it."""

import contextlib
import datetime
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .errors import DistBackendError
from .futures import Future
from .links import Request
from .observers import location, observed

Steps = Iterator[Request]  # a call's requests; each is begun when the one before is done
Header = tuple[Request, Callable[[], str | None]] | None  # the request for what all ranks say, and what reads it
_SPIN = 0.002  # seconds of asking again at once, giving way to other processes
_SHORTEST, _LONGEST = 0.00005, 0.001  # of sleeping between questions after that


class Work:
    """A collective or message under way. A group keeps it until it is complete, whoever else does.

    Its steps hold the arrays that are read and written, and so keep them; they begin `count` requests.
    """

    def __init__(
        self, group: Any, call_description: str, steps: Steps, count: int, header: Header = None, outputs: Any = ()
    ) -> None:
        self.group = group
        self._steps = steps
        self._header = header
        self._request: Request | None = None
        self._to_begin = count
        self._error: BaseException | None = None
        self._ended = False
        self._future: Future[Any] | None = None
        self.outputs = outputs
        self.call_description = call_description
        self.location = location()
        self.source = -1
        listener = observed.listener
        self._notify_end = None if listener is None else listener.begun(self)

    @property
    def all_begun(self) -> bool:
        """Whether no request is still to begin, so that those of later calls may."""
        return self._ended or not self._to_begin

    def advance(self) -> bool:
        """Go on as far as that needs no waiting; whether the call has ended."""
        try:
            while not self._ended and self._ready():
                self._next()
        except Exception as error:
            messages = self.group.explained(error, self)
            self.end(messages)
            self.group.tell(messages, self)
        return self._ended

    def _ready(self) -> bool:
        if self._request is None:  # the first request begins together with the header
            return True
        if self._header is not None:
            request, read = self._header
            if not request.done():
                return False
            self._header = None
            wrong = read()
            if wrong is not None:
                raise DistBackendError(f"{self.group.about(self)}: the ranks disagree: {wrong}")
        return self._request.done()

    def _next(self) -> None:
        if self._request is not None and self._request.source >= 0:
            self.source = self._request.source
        self._request = next(self._steps, None)
        if self._request is None:
            self.end(None)
        else:
            self._to_begin -= 1

    def end(self, error: BaseException | None) -> None:
        """With an error its arrays stay where they are, for the transport may still write to them."""
        self._ended = True
        self._error = error
        if self._notify_end is not None:
            self._notify_end()
        if error is not None:
            self.group.failed(error, self)
        if self._future is not None:
            self._tell(self._future)

    def _tell(self, future: Future[Any]) -> None:
        if self._error is None:
            future.set_result(list(self.outputs))
        else:
            future.set_exception(self._error)

    def wait(self, timeout: datetime.timedelta | None = None) -> bool:
        """Wait until it is complete, for as long as `timeout` or the group's; True.

        Raises:
            DistBackendError: other ranks did not come in time, called something else, or have failed.
        """
        if not self._ended:
            listener = observed.listener
            with contextlib.ExitStack() as stack:
                if listener is not None:
                    stack.callback(listener.waits(self))
                self.group.drive(self, timeout)
        if self._error is not None:
            raise self._error
        return True

    def synchronize(self) -> None:
        """As `wait`: nothing runs beside the host here."""
        self.wait()

    def is_completed(self) -> bool:
        """Whether it has ended; asking drives it on."""
        if not self._ended:
            self.group.advance()
        return self._ended

    def is_success(self) -> bool:
        """Whether it has ended, and well."""
        return self.is_completed() and self._error is None

    def exception(self) -> BaseException | None:
        """What it has failed with."""
        return self._error

    def result(self) -> list[Any]:
        """The tensors that it has written, when it is complete."""
        self.wait()
        return list(self.outputs)

    def source_rank(self) -> int:
        """Who sent the message that was received."""
        return int(self.group.ranks[self.source])

    _source_rank = source_rank

    def get_future(self) -> Future[Any]:
        """A future of the tensors that it writes; waiting for that drives the call on."""
        if self._future is None:
            self._future = _Driving(self)
            if self._ended:
                self._tell(self._future)
        return self._future


class _Driving(Future[Any]):
    def __init__(self, work: Work) -> None:
        super().__init__()
        self._work = work

    def done(self) -> bool:
        return self._work.is_completed() and super().done()

    def wait(self) -> Any:
        self._work.wait()
        return super().wait()


def until(ready: Callable[[], bool], seconds: float, look: Callable[[], object] | None = None) -> bool:
    """Ask `ready` until it is so, or for some seconds; whether it is so.

    Processes share cores: after a while of giving way, this one sleeps between questions, longer each time, and calls
    `look` before.
    """
    begin, pause = time.monotonic(), _SHORTEST
    while not ready():
        waited = time.monotonic() - begin
        if waited > seconds:
            return False
        if waited < _SPIN:
            _give_way()
            continue
        if look is not None:
            look()
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST)
    return True


_give_way: Callable[[], None] = getattr(os, "sched_yield", lambda: time.sleep(0))


def raw(values: np.ndarray) -> np.ndarray:
    return values.reshape(-1).view(np.uint8)
