"""Calls that wait inside MPI, made by a thread of their own, so that who asks waits no longer than it wants to."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any

from ..groups.errors import DistBackendError
from ..groups.work import until


class Aside:
    """A thread that makes calls one after the other. It initializes MPI and finalizes it: MPI's main thread.

    A call that does not come back holds the thread for ever; the process can only be ended then.
    """

    def __init__(self) -> None:
        self._calls: SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self.stuck = ""  # the call that has not come back

    def call(
        self, what: str, function: Callable[[], Any], seconds: float, look: Callable[[], object] | None = None
    ) -> Any:
        """What a function returns.

        Args:
            what: the call's name, for errors.
            function: it.
            seconds: how long to wait.
            look: called meanwhile; what it raises ends the wait.

        Raises:
            DistBackendError: it did not come back in time, or one before it did not.
        """
        if self.stuck:
            raise DistBackendError(f"{what}: MPI still waits in {self.stuck}")
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="specgrad-mpi", daemon=True)
            self._thread.start()
        done: Future[Any] = Future()
        self._calls.put((function, done))
        try:
            if not until(done.done, seconds, look):
                raise DistBackendError(f"{what}: not complete within {seconds:g} s")
        finally:
            if not done.done():
                self.stuck = what
        return done.result()

    def _run(self) -> None:
        while True:
            function, done = self._calls.get()
            try:
                done.set_result(function())
            except BaseException as error:
                done.set_exception(error)


of_process = Aside()
