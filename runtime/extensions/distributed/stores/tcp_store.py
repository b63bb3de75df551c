"""A store that a server has, reached through a port."""

import os
import socket
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import BinaryIO

from ..groups.errors import DistNetworkError, DistStoreError
from . import table
from .store import DEFAULT_TIMEOUT, Store, checked_time
from .table import left
from .tcp_server import FIELDS_REPLY, GREETING, LATE, Server, shut

_BETWEEN_TRIES = 0.05  # seconds
_SLACK = 30.0  # seconds that an answer may take beyond what the server waits
_shared: dict[int, Server] = {}  # servers that several stores of this process share, by port


class TCPStore(Store):
    """A store that processes reach over TCP. One of them, the master, has the server, which lives as long as its store.

    Whoever reaches the port can read and write all keys: a server with a loopback address is for this machine alone,
    one with another address listens on all of them, for networks that are trusted.

    Args:
        host_name: the name or address of the master's machine.
        port: the port; the master may say 0 and read `port` afterwards.
        world_size: how many processes there will be, the master among them; None where nobody knows.
        is_master: whether this process has the server.
        timeout: how long to wait for the server, for the others and for keys.
        wait_for_workers: whether the master waits until `world_size` stores are connected.
        multi_tenant: whether a second master of this process takes the server that the first one has on the port.
        master_listen_fd: a socket for the server that is bound already.
        use_libuv: not looked at; there is one server.

    Raises:
        DistNetworkError: the port is taken, or nobody answers there in time.
        DistStoreError: others do not come in time.

    Example:
        >>> from specgrad import distributed
        >>> server = distributed.TCPStore("127.0.0.1", 0, is_master=True)
        >>> other = distributed.TCPStore("127.0.0.1", server.port)
        >>> server.set("first_key", "first_value")
        >>> other.get("first_key")
        b'first_value'
    """

    libuvBackend = True  # as in PyTorch where nothing else is asked for

    def __init__(
        self,
        host_name: str,
        port: int,
        world_size: int | None = None,
        is_master: bool = False,
        timeout: timedelta = DEFAULT_TIMEOUT,
        wait_for_workers: bool = True,
        multi_tenant: bool = False,
        master_listen_fd: int | None = None,
        use_libuv: bool = True,
    ) -> None:
        if not isinstance(host_name, str):
            raise TypeError(f"TCPStore(): argument 'host_name' must be a str, not {type(host_name).__name__}")
        if not hasattr(port, "__index__") or not 0 <= int(port) < 65536:
            raise ValueError(f"TCPStore(): a port is an integer from 0 to 65535, but got {port!r}")
        self._timeout = checked_time("TCPStore", timeout)
        self.host, self.port = host_name, int(port)
        self._server = _served(host_name, self.port, multi_tenant, master_listen_fd) if is_master else None
        if self._server is not None:
            weakref.finalize(self, _end, os.getpid(), self._server.leave)
            self.port = self._server.port
        self._connection = _Connection(host_name, self.port, timeout)
        weakref.finalize(self, _end, os.getpid(), self._connection.close)
        if world_size is not None:
            self._join(world_size, wait_for_workers)

    def num_keys(self) -> int:
        """How many keys there are, and one that stands for those who are connected, as in PyTorch."""
        return super().num_keys() + 1

    def clone(self) -> "TCPStore":
        """Another connection to the same server, which it does not keep alive."""
        return TCPStore(self.host, self.port, timeout=self._timeout)

    def __repr__(self) -> str:
        server = f"TCPServer(port={self.port})" if self._server is not None else "<nullptr>"
        return f"TCPStore(client={self.host}:{self.port}, server={server})"

    def _join(self, world_size: int, wait: bool) -> None:
        seconds = self._timeout.total_seconds()
        self._connection.ask(0.0, b"join")
        if self._server is not None and wait and not self._server.all_workers_arrived(world_size, seconds):
            workers = f"{self._server.worker_count}/{world_size}"
            raise DistStoreError(f"Timed out after {seconds:g} seconds waiting for clients. {workers} clients joined.")

    def _call(self, name: str, *fields: bytes) -> list[bytes]:
        return self._connection.ask(0.0, name.encode(), *fields)[1:]

    def _come(self, names: tuple[bytes, ...], seconds: float) -> bool:
        return self._connection.ask(seconds, b"wait", str(seconds).encode(), *names)[0] != LATE


def _served(host: str, port: int, shared: bool, descriptor: int | None) -> Server:
    """A server on a port: that of another store of this process where both say that they share it."""
    server = _shared.get(port) if shared else None
    if server is None or not server.take():
        server = Server(host, port, descriptor)
        server.take()
        if shared:
            _shared[server.port] = server
    return server


def _end(process: int, end: Callable[[], None]) -> None:
    """Close what a store has, in the process that has made it, not in those that it has forked."""
    if os.getpid() == process:
        end()


class _Connection:
    """A connection to a server: one question at a time."""

    def __init__(self, host: str, port: int, timeout: timedelta) -> None:
        self._where = f"{host}:{port}"
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._socket = _connected(host, port, timeout)
        self._stream: BinaryIO = self._socket.makefile("rb")

    def close(self) -> None:
        shut(self._socket)
        self._stream.close()

    def ask(self, seconds: float, *fields: bytes) -> list[bytes]:
        """The answer to fields, which the server may think about for some seconds."""
        if os.getpid() != self._process:
            raise DistNetworkError("TCPStore: this store is that of the process that was forked: make another one here")
        with self._lock:
            answer = self._answer(seconds, fields)
        if answer[0] not in (FIELDS_REPLY, LATE):
            raise ValueError(b" ".join(answer[1:]).decode())
        return answer

    def _answer(self, seconds: float, fields: Sequence[bytes]) -> list[bytes]:
        try:
            self._socket.settimeout(seconds + _SLACK)
            self._socket.sendall(table.packed(fields))
            return table.unpacked(self._stream.read)
        except (OSError, ValueError, table.Ended, table.Malformed) as error:
            self.close()
            why = f"TCPStore: the server at {self._where} does not answer any more ({error})"
            raise DistNetworkError(why) from None
        except BaseException:
            self.close()  # the answer would be taken for that of the next question
            raise


def _connected(host: str, port: int, timeout: timedelta) -> socket.socket:
    deadline = time.monotonic() + timeout.total_seconds()
    while True:
        try:
            return _greeted(host, port, max(_BETWEEN_TRIES, left(deadline)))
        except OSError as error:
            if not left(deadline):
                raise DistNetworkError(
                    f"The client socket has timed out after {timeout.total_seconds() * 1000:.0f}ms while trying to "
                    f"connect to ({host}, {port}): {error}"
                ) from None
            time.sleep(min(_BETWEEN_TRIES, left(deadline)))


def _greeted(host: str, port: int, seconds: float) -> socket.socket:
    result = socket.create_connection((host, port), seconds)
    try:
        result.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        result.sendall(GREETING)
        answer = b""
        while len(answer) < len(GREETING) and (part := result.recv(len(GREETING) - len(answer))):
            answer += part
        if answer != GREETING:
            raise OSError("what answers there is no store of specgrad's")
        return result
    except OSError:
        result.close()
        raise
