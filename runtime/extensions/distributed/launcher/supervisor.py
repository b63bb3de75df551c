"""What mpiexec starts as each rank of `specgrad.distributed.run`: it starts the program and says how that has ended.

mpiexec ends all ranks at once where one dies; behind a supervisor it does not see that, and the others have time to say
what they waited for. Run by its path, with the standard library alone: `supervisor.py JOB`, a file of the launcher's.
"""

import contextlib
import ctypes
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# What programs for PyTorch's launcher read, by what launchers of MPI libraries say: mpich's, then Open MPI's.
_NAMES = {
    "RANK": ("PMI_RANK", "OMPI_COMM_WORLD_RANK"),
    "WORLD_SIZE": ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE"),
    "LOCAL_RANK": ("MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK"),
    "LOCAL_WORLD_SIZE": ("MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"),
}
_SAME = {"ROLE_RANK": "RANK", "ROLE_WORLD_SIZE": "WORLD_SIZE"}
_LOCAL_RANK = "${local_rank}"  # in arguments, as PyTorch's launcher has it
_STREAMS = {1: "stdout", 2: "stderr"}
_TAIL = 8192  # bytes of what the program has said last
_MOMENT = 0.05  # seconds for the rest of a line, so that those of ranks do not mix
_FINAL_OUTPUT_TIMEOUT = 2.0  # seconds for output that is still under way when the program has ended
_LOOK = 0.5  # seconds between looks where no signal says that there is something to see
_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
_COMMAND_MISSING = 127


def numbers(environment: Mapping[str, str]) -> dict[str, str]:
    """The numbers of this rank under the names that PyTorch's launcher gives them."""
    own = {name: next((environment[one] for one in keys if one in environment), "") for name, keys in _NAMES.items()}
    own |= {name: own[same] for name, same in _SAME.items()}
    return {name: number for name, number in own.items() if number}


class Output:
    """One stream of the program, 1 or 2: where it goes, and its last bytes. `prefix` begins lines on the terminal."""

    def __init__(self, stream: int, file: Path | None, shown: bool, prefix: bytes) -> None:
        self.stream, self.shown, self.prefix = stream, shown, prefix
        self.log = None if file is None else file.open("ab", buffering=0)
        self.tail = b""
        self._line = b""
        self._reader, self.writer = os.pipe()
        self._thread = threading.Thread(target=self._pump, daemon=True)

    def begin(self) -> None:
        """The program has the writing end now."""
        os.close(self.writer)
        self._thread.start()

    def finish(self) -> None:
        """Wait for what is under way, but not for processes that the program may have left."""
        self._thread.join(_FINAL_OUTPUT_TIMEOUT)
        if self._line:
            self._show(self.prefix + self._line + (b"\n" if self.prefix else b""))

    def _pump(self) -> None:
        while data := self._next():
            self.tail = (self.tail + data)[-_TAIL:]
            if self.log is not None:
                self.log.write(data)
            *lines, self._line = (self._line + data).split(b"\n")
            self._show(b"".join(self.prefix + line + b"\n" for line in lines))

    def _next(self) -> bytes:
        """What comes next; what the program has begun a line with is shown where nothing comes for a moment."""
        while self._line and not self.prefix and not select.select([self._reader], [], [], _MOMENT)[0]:
            self._show(self._line)
            self._line = b""
        return os.read(self._reader, 65536)

    def _show(self, data: bytes) -> None:
        while self.shown and data:
            try:
                data = data[os.write(self.stream, data) :]
            except OSError:  # nobody reads any more
                self.shown = False


class Rank:
    def __init__(self, job: dict[str, Any]) -> None:
        self.environment = {**os.environ, **job["environment"], **numbers(os.environ)}
        self.rank = int(self.environment["RANK"])
        folder = Path(job["logs"]) / str(self.rank)
        folder.mkdir(parents=True, exist_ok=True)
        self.environment["TORCHELASTIC_ERROR_FILE"] = str(folder / "error.json")
        self.environment["SPECGRAD_PROGRESS"] = job["progress"][self.rank]
        self.outputs = [self._output(job, folder, stream) for stream in _STREAMS]
        self.launcher = socket.socket(socket.AF_UNIX)
        self.launcher.connect(job["socket"])
        self.grace = float(job["grace"])  # seconds from SIGTERM to SIGKILL
        self.ending: float | None = None  # when the program has to have ended
        self.stopped = False
        local_rank = self.environment["LOCAL_RANK"]
        self.process = self._started([part.replace(_LOCAL_RANK, local_rank) for part in job["command"]])

    def _output(self, job: dict[str, Any], folder: Path, stream: int) -> Output:
        redirected, teed = (job[name].get(str(self.rank), job[name].get("-1", 0)) for name in ("redirects", "tee"))
        retained = (redirected | teed) & stream
        shown = job["shown"] is None or self.rank in job["shown"]
        file = folder / f"{_STREAMS[stream]}.log" if retained else None
        prefix = f"[{self.rank}] ".encode() if teed & stream else b""
        return Output(stream, file, shown and not redirected & stream, prefix)

    def _started(self, command: list[str]) -> subprocess.Popen[bytes] | None:
        out, err = (output.writer for output in self.outputs)
        prctl = getattr(ctypes.CDLL(None), "prctl", None)

        def die_with_supervisor() -> None:
            if prctl is not None:
                prctl(_DEATH_SIGNAL, signal.SIGKILL)

        try:
            process = subprocess.Popen(
                command,
                env=self.environment,
                stdout=out,
                stderr=err,
                close_fds=False,  # those of the MPI library's launcher are for the program
                start_new_session=True,
                preexec_fn=die_with_supervisor,
            )
        except OSError as error:
            os.write(err, f"{command[0]}: {error.strerror}\n".encode())
            process = None
        for output in self.outputs:
            output.begin()
        self.tell(rank=self.rank, process=process.pid if process else 0)
        return process

    def tell(self, **what: object) -> None:
        with contextlib.suppress(OSError):
            self.launcher.sendall(json.dumps(what).encode() + b"\n")

    def watch(self, woken: int) -> None:
        """Wait until the program has ended, and end it where the launcher says so, or is gone."""
        while not self._has_ended():
            launcher = self.launcher.fileno()
            ready, _, _ = select.select([launcher, woken], [], [], _LOOK)
            if woken in ready and any(number != signal.SIGCHLD for number in os.read(woken, 64)):
                self._end(self.grace)
            if launcher in ready:
                self._end(self.grace if self._word() == b"end\n" else 0.0)
            if self.ending is not None and time.monotonic() >= self.ending:
                self._signal(signal.SIGKILL)

    def _word(self) -> bytes:
        try:
            return self.launcher.recv(64)
        except OSError:
            return b""

    def _end(self, grace: float) -> None:
        """Ask the program to end; one that is stopped cannot, and is killed."""
        if self.ending is None and grace:
            self.stopped = self._is_stopped()
            self._signal(signal.SIGTERM)
        until = time.monotonic() + (0.0 if self.stopped else grace)
        self.ending = until if self.ending is None else min(until, self.ending)

    def _is_stopped(self) -> bool:
        with contextlib.suppress(OSError):
            assert self.process is not None
            text = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8", errors="replace")
            return text.rpartition(")")[2].split()[0] in "Tt"
        return False

    def _signal(self, number: int) -> None:
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, number)

    def _has_ended(self) -> bool:
        """Its entry stays, in which other ranks read how it has ended."""
        if self.process is None:
            return True
        if not hasattr(os, "waitid"):
            return self.process.poll() is not None
        return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def report(self) -> None:
        """Tell the launcher how it has ended, and wait until that lets go."""
        when = time.time()
        self._signal(signal.SIGKILL)  # what it may have left
        for output in self.outputs:
            output.finish()
        message, by = self.outputs[1].tail.decode(errors="replace"), "launcher" if self.ending is not None else ""
        self.tell(rank=self.rank, status=self._status(), time=when, message=message, by=by, stopped=self.stopped)
        while self._word():
            pass
        if self.process is not None:
            self.process.wait()

    def _status(self) -> int:
        if self.process is None:
            return _COMMAND_MISSING
        if not hasattr(os, "waitid"):
            return self.process.wait()
        result = os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        assert result is not None
        return result.si_status if result.si_code == os.CLD_EXITED else -result.si_status


def main(job: str) -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    rank = Rank(json.loads(Path(job).read_text(encoding="utf-8")))
    rank.watch(reader)
    rank.report()


if __name__ == "__main__":
    main(sys.argv[1])
