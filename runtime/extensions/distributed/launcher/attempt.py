"""One start of all ranks: mpiexec, a supervisor per rank, and what is done when one of them fails.

Also `record`, by which ranks write what they have failed with, for the launcher's report.
"""

import faulthandler
import functools
import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..groups import observers
from ..groups.errors import MPI_MISSING
from .options import Options


def mpiexec() -> str:
    """The launcher of the MPI library: the one beside this interpreter, where mpich was installed as a wheel."""
    beside = Path(sys.executable).with_name("mpiexec")
    result = str(beside) if beside.exists() else shutil.which("mpiexec")
    if result is None:
        raise RuntimeError(f"there is no mpiexec beside this Python or in PATH; {MPI_MISSING}")
    return result


_OWN_TIME = 3.0  # seconds in which the other ranks end by themselves, with errors of their own, after one has failed
_LONGEST_NAME = 104  # bytes of a socket's name, with the one that ends it: as few as any system has
_GRACE = 5.0  # seconds from SIGTERM to SIGKILL
_SHUTDOWN_TIMEOUT = 20.0  # seconds in which supervisors have ended all programs then
_LAST = 5.0  # seconds for mpiexec to end when all ranks have
_SUPERVISOR = Path(__file__).with_name("supervisor.py")


@dataclass
class Rank:
    """What is known of a rank."""

    number: int
    process: int = 0
    status: int | None = None  # the exit status, or less than 0: the signal that has ended it; None while it runs
    when: float = 0.0  # it ended
    message: str = ""  # the end of its stderr
    by_launcher: bool = False  # whether the launcher has ended it
    stopped: bool = False  # whether it was stopped then
    call: observers.Progress | None = None  # begun last


@dataclass
class Outcome:
    """How an attempt has ended."""

    ranks: list[Rank]
    status: int = 0  # for the launcher
    hung: str = ""  # why ranks were ended that began no collective
    interrupted: int = 0  # the signal that has ended the launcher
    when: float = field(default_factory=time.monotonic)


def _scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder for a socket, whose name has to be short: in /tmp where that of temporary files has a long one."""
    made = tempfile.TemporaryDirectory(prefix="specgrad-")
    if len(os.fsencode(Path(made.name) / "socket")) < _LONGEST_NAME:
        return made
    made.cleanup()
    return tempfile.TemporaryDirectory(prefix="specgrad-", dir="/tmp")


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Attempt:
    """One start of all ranks."""

    def __init__(self, options: Options, count: int, restarts: int, logs: Path, wake: int) -> None:
        self.options, self.count = options, count
        self.ranks = {number: Rank(number) for number in range(count)}
        self.scratch = _scratch()
        self.begun = time.monotonic()
        self._deadline: float | None = None  # when supervisors are told to end what still runs
        self._notified = False
        self._hung = ""
        self._interrupted = 0
        self._connected: dict[int, socket.socket] = {}
        self._lines: dict[socket.socket, bytes] = {}
        self._wake = wake
        self._selector = selectors.DefaultSelector()
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(Path(self.scratch.name) / "socket"))
        self._server.listen(count)
        self._selector.register(self._server, selectors.EVENT_READ)
        self._selector.register(wake, selectors.EVENT_READ)
        self._job = Path(self.scratch.name) / "job.json"
        self._job.write_text(json.dumps(self._description(restarts, logs)), encoding="utf-8")

    def _description(self, restarts: int, logs: Path) -> dict[str, Any]:
        environment = {
            "MASTER_ADDR": self.options.master_addr,
            "MASTER_PORT": str(self.options.master_port or _free_port()),
            "GROUP_RANK": "0",
            "GROUP_WORLD_SIZE": "1",
            "ROLE_NAME": self.options.role,
            "TORCHELASTIC_RESTART_COUNT": str(restarts),
            "TORCHELASTIC_MAX_RESTARTS": str(self.options.max_restarts),
            "TORCHELASTIC_RUN_ID": self.options.rdzv_id,
        }
        if self.count > 1 and "OMP_NUM_THREADS" not in os.environ:
            environment["OMP_NUM_THREADS"] = "1"
        return {
            "socket": str(Path(self.scratch.name) / "socket"),
            "progress": [str(self._progress(number)) for number in range(self.count)],
            "logs": str(logs),
            "command": self.options.command,
            "environment": environment,
            "redirects": self.options.redirects,
            "tee": self.options.tee,
            "shown": self.options.local_ranks_filter,
            "grace": _GRACE,
        }

    def run(self) -> Outcome:
        command = [mpiexec(), "-n", str(self.count), sys.executable, "-I", str(_SUPERVISOR), str(self._job)]
        launcher = subprocess.Popen(command, start_new_session=True)
        try:
            while self._goes_on(launcher):
                for key, _ in self._selector.select(max(self.options.monitor_interval, 0.01)):
                    self._read(key.fileobj)
                if self.options.hang_timeout is not None and self._deadline is None:
                    self._find_hung(self.options.hang_timeout)
                if self._deadline is not None and time.monotonic() >= self._deadline and not self._notified:
                    self._end(b"end\n")
            return self._outcome(launcher)
        finally:
            self._let_go(launcher)

    def _goes_on(self, launcher: subprocess.Popen[bytes]) -> bool:
        if all(rank.status is not None for rank in self.ranks.values()):
            return False
        late = self._notified and self._deadline is not None and time.monotonic() > self._deadline + _SHUTDOWN_TIMEOUT
        return not late and (launcher.poll() is None or bool(self._connected))

    def _read(self, source: Any) -> None:
        """What has come: a supervisor, a line of one, its end, or a signal."""
        if source == self._wake:
            for number in os.read(self._wake, 64):
                if number != signal.SIGCHLD:  # the second signal ends all ranks at once
                    self._end(b"end\n" if not self._interrupted else b"kill\n")
                    self._interrupted = self._interrupted or number
        elif source is self._server:
            connection, _ = self._server.accept()
            self._lines[connection] = b""
            self._selector.register(connection, selectors.EVENT_READ)
        else:
            self._hear(source)

    def _hear(self, connection: socket.socket) -> None:
        try:
            data = connection.recv(65536)
        except OSError:
            data = b""
        *lines, self._lines[connection] = (self._lines[connection] + data).split(b"\n")
        for line in lines:
            self._take(connection, json.loads(line))
        if data:
            return
        self._selector.unregister(connection)
        del self._lines[connection]
        for number in [number for number, one in self._connected.items() if one is connection]:
            del self._connected[number]
            if self.ranks[number].status is None:
                self.ranks[number].when = time.time()
                self._ended(self.ranks[number], -signal.SIGKILL)

    def _take(self, connection: socket.socket, child_report: dict[str, Any]) -> None:
        rank = self.ranks[child_report["rank"]]
        if "process" in child_report:
            rank.process = child_report["process"]
            self._connected[rank.number] = connection
            if self._notified:
                connection.sendall(b"end\n")
            return
        rank.when, rank.message, rank.stopped = child_report["time"], child_report["message"], child_report["stopped"]
        rank.by_launcher = bool(child_report["by"])
        self._ended(rank, child_report["status"])

    def _ended(self, rank: Rank, status: int) -> None:
        rank.status = status
        rank.call = observers.read(self._progress(rank.number))
        if status and self._deadline is None:
            self._deadline = time.monotonic() + _OWN_TIME

    def _progress(self, number: int) -> Path:
        return observers.file_of(Path(self.scratch.name), number)

    def _find_hung(self, seconds: float) -> None:
        now, late = time.monotonic(), []
        for rank in self.ranks.values():
            last = observers.read(self._progress(rank.number))
            since = now - (last.when if last is not None else self.begun)
            if rank.status is None and since > seconds:
                what = f"since it began {last.text}" if last is not None else "since its start"
                late.append(f"rank {rank.number}: {since:.1f} s {what}")
        if late:
            self._hung = f"no collective for {seconds:g} s (--hang-timeout): " + "; ".join(late)
            self._end(b"end\n")

    def _end(self, word: bytes) -> None:
        """With `end` programs have time to end, with `kill` none."""
        self._notified = True
        if self._deadline is None:
            self._deadline = time.monotonic()
        for connection in self._connected.values():
            with suppress(OSError):
                connection.sendall(word)

    def _outcome(self, launcher: subprocess.Popen[bytes]) -> Outcome:
        for rank in self.ranks.values():
            if rank.status is None:  # mpiexec has failed, or a supervisor does not answer
                rank.when, rank.status = time.time(), launcher.poll() or -signal.SIGKILL
        first = first_failure(list(self.ranks.values()))
        status = 0 if first is None or first.status is None else first.status
        if self._interrupted:
            status = -self._interrupted
        elif self._hung:
            status = status or 1
        return Outcome(list(self.ranks.values()), 128 - status if status < 0 else status, self._hung, self._interrupted)

    def _let_go(self, launcher: subprocess.Popen[bytes]) -> None:
        for connection in self._lines:
            connection.close()
        self._selector.close()
        self._server.close()
        try:
            launcher.wait(_LAST)
        except subprocess.TimeoutExpired:
            os.killpg(launcher.pid, signal.SIGKILL)
            launcher.wait()
        self.scratch.cleanup()


def first_failure(ranks: list[Rank]) -> Rank | None:
    """The rank that has failed first, by itself if one has; None if all ended well."""
    failed = [rank for rank in ranks if rank.status]
    stopped = [rank for rank in failed if rank.stopped]  # what others have waited for
    return min(stopped or failed, key=lambda rank: (rank.by_launcher, rank.when), default=None)


_VARIABLE = "TORCHELASTIC_ERROR_FILE"


def record(fn: Callable[..., Any], error_handler: Any = None) -> Callable[..., Any]:
    """Let the launcher know what a rank's main function raises: its message is in the report of the attempt.

    The function writes an exception to the file that TORCHELASTIC_ERROR_FILE names, and raises it. `error_handler` is
    not looked at.

    Example:
        >>> from specgrad.distributed.elastic.multiprocessing.errors import record
        >>> @record
        ... def main():
        ...     return 3
        >>> main()
        3
    """

    @functools.wraps(fn)
    def recorded(*args: Any, **kwargs: Any) -> Any:
        with suppress(OSError, ValueError, AttributeError):  # where errors go to no file
            faulthandler.enable(all_threads=True)
        try:
            return fn(*args, **kwargs)
        except SystemExit as end:
            if end.code == 0:
                return None
            raise
        except Exception as error:
            _write(error)
            raise

    return recorded


def _write(error: Exception) -> None:
    name = os.environ.get(_VARIABLE)
    if name:
        extra = {"py_callstack": traceback.format_exc(), "timestamp": str(int(time.time()))}
        message = {"message": f"{type(error).__name__}: {error}", "extraInfo": extra}
        Path(name).write_text(json.dumps({"message": message}), encoding="utf-8")
