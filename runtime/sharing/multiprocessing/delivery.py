"""Descriptors on their way to other processes, and processes that end only when what they have sent has arrived.

A process that is started is given descriptors by inheritance. All others fetch them from a thread of the sender, as
with Python's own `resource_sharer`; but that one is out of reach as soon as its process begins to end, and what queues
hold is sent still then.
"""

from __future__ import annotations

import multiprocessing
import os
import secrets
import sys
import threading
import time
from multiprocessing import context, reduction, util
from multiprocessing.connection import Client, Listener
from typing import Any

from ...locks import new_lock

PATIENCE = 2.0  # seconds that a process waits at its end for those that have not fetched yet what it has sent
_BYTES = 8  # of the number of an offer


class _Server:
    """Gives descriptors to the processes that ask for them, each once, from a thread that begins with the first."""

    def __init__(self) -> None:
        self.lock = new_lock()
        self.listener: Listener | None = None
        self.offers = 0
        self.copies: dict[int, int] = {}  # of descriptors that nobody has fetched yet, by the number of the offer
        self.waiting = 0  # the number of the process that is going to wait at its end

    def offer(self, descriptor: int) -> tuple[Any, int]:
        """Where to ask for a copy of the descriptor, and the number of the offer."""
        with self.lock:
            if self.listener is None:
                # Linux has names that are no files: nothing has to be removed.
                name = f"\0specgrad-{secrets.token_hex(16)}" if sys.platform == "linux" else None
                key = multiprocessing.current_process().authkey
                self.listener = Listener(name, "AF_UNIX", backlog=128, authkey=key)
                threading.Thread(target=self._serve, args=(self.listener,), daemon=True).start()
            self.offers += 1
            self.copies[self.offers] = os.dup(descriptor)
            return self.listener.address, self.offers

    def _serve(self, listener: Listener) -> None:
        while True:
            try:
                with listener.accept() as connection:
                    number = int.from_bytes(connection.recv_bytes(_BYTES), "little")
                    reduction.send_handle(connection, self.copies[number], os.getpid())
                    os.close(self.copies.pop(number))
            except (
                OSError,
                EOFError,
                KeyError,
                multiprocessing.AuthenticationError,
            ):  # who asked has gone, or must not
                time.sleep(0.001)

    def forget(self) -> None:
        """This process has been forked: what has been offered is its parent's."""
        for copy in self.copies.values():
            os.close(copy)
        self.copies.clear()
        if self.listener is not None and sys.platform == "linux":  # elsewhere that would remove the parent's file
            self.listener.close()
        self.listener = None


_server = _Server()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_server.forget)


def handle_of(descriptor: int) -> Any:
    """What stands for a descriptor in a message; `detach()` gives it to the receiver, once."""
    if context.get_spawning_popen() is not None:
        return reduction.DupFd(descriptor)
    _wait_at_end(_server)
    return Handle(*_server.offer(descriptor))


class Handle:
    """A descriptor that the receiver of a message fetches from its sender.

    Args:
        address: where the sender listens.
        number: of the offer.
    """

    def __init__(self, address: Any, number: int) -> None:
        self.address = address
        self.number = number

    def detach(self) -> int:
        with Client(self.address, authkey=multiprocessing.current_process().authkey) as connection:
            connection.send_bytes(self.number.to_bytes(_BYTES, "little"))
            return int(reduction.recv_handle(connection))


def wait_in_processes() -> None:
    """Let the processes that are started from now on wait at their end for those who fetch what they have sent.

    That must be said before the end begins.
    """
    util.register_after_fork(_server, _wait_at_end)
    _wait_at_end(_server)


def _wait_at_end(server: _Server) -> None:
    if server.waiting != os.getpid():
        server.waiting = os.getpid()
        util.Finalize(None, _until_fetched, exitpriority=-10)  # after the queues' threads, which come at -5


def _until_fetched() -> None:
    if multiprocessing.parent_process() is None:  # known only now: a process that was spawned imports before it is one
        return
    end = time.monotonic() + PATIENCE
    while _server.copies and time.monotonic() < end:
        time.sleep(0.001)
