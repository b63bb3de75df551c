"""The server of TCPStore: a table, and a thread for each process that is connected."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_address

from ..groups.errors import DistNetworkError
from . import table
from .table import Table

GREETING = b"specgrad store 1\n"
FIELDS_REPLY, LATE, WRONG = b"given", b"late", b"wrong"  # what an answer is: fields, nothing in time, an error
_SHORTEST_WAIT = 0.5  # seconds after which a thread that waits for keys looks whether the server is still open


class Server:
    """A table that answers on a port (any that is free for 0), or a bound socket, until it is closed.

    `host` is the address that others will use: a loopback address is not reached from outside.
    """

    def __init__(self, host: str, port: int, descriptor: int | None = None) -> None:
        self._table = Table()
        self._open = True
        self._stores = 0
        self.worker_count = 0
        self._change = threading.Condition()
        self._connections: set[socket.socket] = set()
        self._socket = socket.socket(fileno=descriptor) if descriptor is not None else _bound(host, port)
        self._socket.listen(128)
        self.port: int = self._socket.getsockname()[1]
        threading.Thread(target=self._accept, name=f"specgrad store {self.port}", daemon=True).start()

    def take(self) -> bool:
        """One more store of this process has the server; False where it is closed."""
        with self._change:
            self._stores += self._open
            return self._open

    def leave(self) -> None:
        """One store less: with the last one nobody is answered any more."""
        with self._change:
            self._stores -= 1
            if self._stores:
                return
        self._open = False
        with self._change:
            connections = list(self._connections)
        for one in [self._socket, *connections]:
            shut(one)

    def all_workers_arrived(self, count: int, seconds: float) -> bool:
        with self._change:
            return self._change.wait_for(lambda: self.worker_count >= count, seconds)

    def _accept(self) -> None:
        while self._open:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with self._change:
                self._connections.add(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            with connection.makefile("rb") as stream:
                if stream.read(len(GREETING)) == GREETING:
                    connection.sendall(GREETING)
                    self._answer(stream.read, connection)
        except (OSError, table.Ended, table.Malformed):
            pass  # who was connected has ended, or is no store
        finally:
            with self._change:
                self._connections.discard(connection)
            shut(connection)

    def _answer(self, read: Callable[[int], bytes], connection: socket.socket) -> None:
        while self._open:
            name, *fields = table.unpacked(read)
            try:
                answer = self._done(name.decode("ascii", "replace"), fields)
            except (ValueError, TypeError) as error:
                answer = [WRONG, str(error).encode()]
            connection.sendall(table.packed(answer))

    def _done(self, name: str, fields: list[bytes]) -> list[bytes]:
        if name == "join":
            with self._change:
                self.worker_count += 1
                self._change.notify_all()
            return [FIELDS_REPLY]
        if name == "wait":
            return [FIELDS_REPLY if self._wait(tuple(fields[1:]), float(fields[0])) else LATE]
        return [FIELDS_REPLY, *self._table.call(name, *fields)]

    def _wait(self, keys: tuple[bytes, ...], seconds: float) -> bool:
        while self._open and seconds > _SHORTEST_WAIT:
            if self._table.wait(keys, _SHORTEST_WAIT):
                return True
            seconds -= _SHORTEST_WAIT
        return self._table.wait(keys, max(0.0, seconds))


def _bound(host: str, port: int) -> socket.socket:
    """A socket on the loopback address alone if `host` is one, else on all addresses, as names are resolved anyhow."""
    try:
        alone = host if host == "localhost" or ip_address(host).is_loopback else ""
    except ValueError:
        alone = ""
    family = socket.AF_INET6 if ":" in alone else socket.AF_INET
    result = socket.socket(family, socket.SOCK_STREAM)
    result.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        result.bind((alone, port))
    except OSError as error:
        result.close()
        raise DistNetworkError(f"TCPStore: the server cannot listen on port {port} of {host}: {error}") from None
    return result


def shut(one: socket.socket) -> None:
    """End a socket, also for a thread that waits at it."""
    with suppress(OSError):  # it was not connected
        one.shutdown(socket.SHUT_RDWR)
    one.close()
