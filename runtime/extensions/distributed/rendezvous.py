"""Ranks that no launcher of MPI has started: they meet at a store, which stands for that launcher.

MPI asks its launcher for the addresses of other ranks by PMI-1, lines of text on a descriptor (RFC 13 of
https://flux-framework.readthedocs.io/projects/flux-rfc). Here a thread answers from a store, so any processes can be
ranks: those of `multiprocessing.spawn`, or commands on several machines.
"""

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

from .groups.errors import DistError, DistStoreError
from .groups.observers import rank_names
from .stores.file_store import FileStore
from .stores.hash_store import PrefixStore
from .stores.store import Store
from .stores.table import left
from .stores.tcp_store import TCPStore

_LAUNCHERS = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")  # variables that launchers of MPI set
_BETWEEN_LOOKS = 0.02  # seconds
_LAST = 10.0  # seconds in which all ranks have finalized MPI once the first rank has


@contextmanager
def meeting(url: str | None, store: Store | None, rank: int, size: int, timeout: timedelta) -> Iterator[None]:
    """A block in which MPI can be initialized with `size` ranks.

    It has no effect where MPI's launcher has started this process, or ranks have met before.

    Args:
        url: "env://", "tcp://HOST:PORT" or "file:///PATH", where there is no store.
        store: where the ranks meet.
        rank, size: the number of this process, and of all; -1 for what the url or the environment says.
        timeout: how long to wait for the others.
    """
    rank, size = _numbers(url or "", rank, size)
    if size <= 1 or _of_process is not None or any(name in os.environ for name in _LAUNCHERS):
        yield
        return
    if not 0 <= rank < size:
        raise ValueError(f"init_process_group(): rank {rank} is not one of {size} ranks: expected 0 to {size - 1}")
    launcher = _Launcher(_opened(url or "env://", rank, size, timeout) if store is None else store, rank, size, timeout)
    try:
        os.environ.update(launcher.environment)
        yield
    finally:
        for name in launcher.environment:
            del os.environ[name]


def _numbers(url: str, rank: int, size: int) -> tuple[int, int]:
    """The rank and the number of ranks: as arguments, in the url's query, or in the environment, as in PyTorch."""
    query = parse_qs(urlsplit(url).query)
    values = []
    for name, value in (("rank", rank), ("world_size", size)):
        values.append(int(query.get(name, [os.environ.get(name.upper(), "-1")])[0] or -1) if value == -1 else value)
    return values[0], values[1]


def _opened(url: str, rank: int, size: int, timeout: timedelta) -> Store:
    parts = urlsplit(url)
    if parts.scheme == "file":
        return FileStore(parts.path, size)
    if parts.scheme == "env":
        host, port = _variable("MASTER_ADDR"), int(_variable("MASTER_PORT"))
    elif parts.scheme == "tcp" and parts.port is not None:
        host, port = parts.hostname or "", parts.port
    else:
        raise ValueError(
            f"init_process_group(): expected init_method env://, tcp://HOST:PORT or file:///PATH, got {url}"
        )
    return TCPStore(host, port, is_master=rank == 0, timeout=timeout, multi_tenant=True)


def _variable(name: str) -> str:
    if not os.environ.get(name):
        raise ValueError(
            f"Error initializing torch.distributed using env:// rendezvous: environment variable {name} expected, but "
            "not set"
        )
    return os.environ[name]


_REPLIES = {
    "init": "response_to_init rc=0 pmi_version=1 pmi_subversion=1",
    "get_maxes": "maxes rc=0 kvsname_max=64 keylen_max=64 vallen_max=1024",
    "get_appnum": "appnum rc=0 appnum=0",
}


_of_process: "_Launcher | None" = None


class _Launcher:
    """What MPI's launcher is for one rank: the other end of a descriptor, on which MPI asks and a thread answers."""

    def __init__(self, store: Store, rank: int, size: int, timeout: timedelta) -> None:
        global _of_process
        self._store, self._timeout = PrefixStore("specgrad/mpi", store), timeout
        self._rank, self._size, self._barriers = rank, size, 0
        if not rank:  # MPI makes the names of shared memory of it
            self._store.set("job", f"specgrad-{uuid4().hex}")
        self._meet()
        self._socket, self._of_mpi = socket.socketpair()
        numbers = {"PMI_FD": self._of_mpi.fileno(), "PMI_RANK": rank, "PMI_SIZE": size}
        self.environment = {name: str(number) for name, number in numbers.items()}
        threading.Thread(target=self._serve, name="specgrad-pmi", daemon=True).start()
        _of_process = self

    def _meet(self) -> None:
        """Wait for all ranks, so that who does not come is an error that says so, and none of MPI's."""
        if self._store.add(f"rank {self._rank}", 1) > 1:
            raise ValueError(f"init_process_group(): two processes have come as rank {self._rank} of {self._size}")
        seconds = self._timeout.total_seconds()
        deadline = time.monotonic() + seconds
        while late := [rank for rank in range(self._size) if not self._store.check([f"rank {rank}"])]:
            if not left(deadline):
                raise DistStoreError(
                    f"[rank {self._rank}] init_process_group(): {rank_names(late)} of {self._size} did not come in "
                    f"{seconds:g} s"
                )
            time.sleep(_BETWEEN_LOOKS)

    def _serve(self) -> None:
        with suppress(OSError, DistError), self._socket.makefile("rwb") as stream:
            for line in stream:
                fields = dict(field.split("=", 1) for field in line.decode().split() if "=" in field)
                stream.write(f"cmd={self._answer(fields)}\n".encode())
                stream.flush()

    def _answer(self, fields: dict[str, str]) -> str:
        command, key = fields.get("cmd", ""), f"key {fields.get('key')}"
        if command == "get_my_kvsname":
            return f"my_kvsname rc=0 kvsname={self._store.get('job').decode()}"
        if command == "put":
            self._store.set(key, fields["value"])
            return "put_result rc=0"
        if command == "get" and self._store.check([key]):  # keys are put before a barrier, or never
            return f"get_result rc=0 value={self._store.get(key).decode()}"
        if command == "barrier_in":
            self._barriers += 1
            self._store.barrier(f"barrier {self._barriers}", self._size, self._timeout)
            return "barrier_out rc=0"
        return _REPLIES.get(command, f"{command}_result rc=-1")

    def part(self, finalized: bool) -> None:
        """Answer the last command before it comes: MPI sends it when the interpreter has ended, and its threads.

        The first rank, whose process may have the store, waits until all others have finalized MPI.
        """
        with suppress(OSError, DistError):
            self._socket.sendall(b"cmd=finalize_ack rc=0\n")
            self._store.add("left", 1)
            deadline = time.monotonic() + _LAST
            while finalized and not self._rank and self._store.add("left", 0) < self._size and left(deadline):
                time.sleep(_BETWEEN_LOOKS)


def part(finalized: bool) -> None:
    """What a rank that no launcher has started does at its end, after it has finalized MPI or found that it cannot."""
    if _of_process is not None:
        _of_process.part(finalized)
