"""Links on MPI: each call is one of MPI's nonblocking calls, and what they move stays where it is.

Calls that wait inside MPI are made by a thread of their own, so that who asks waits no longer than it wants to. mpi4py
initializes MPI while it is imported and finalizes it when the interpreter ends, both without letting other threads
run: where another rank is missing, nobody could tell. So both are called here as functions of the library, each with a
limit of time. The only module that imports mpi4py; loaded by `init_process_group`.
"""

import ctypes
import importlib
import locale
import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any

import mpi4py
import numpy as np

from .errors import DistBackendError, TransportError
from .links import ANY, Bytes, Look
from .observers import location, note, silent
from .work import until


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
        """What a function returns; a DistBackendError where it, or one before it, did not come back in time.

        Meanwhile `look` is called; what it raises ends the wait.
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


def _loaded() -> Any:
    if "mpi4py.MPI" not in sys.modules:
        mpi4py.rc.initialize = False
        mpi4py.rc.finalize = False
    return importlib.import_module("mpi4py.MPI")


MPI: Any = _loaded()
_RANK = ("RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK")  # where launchers say it
_UNKNOWN = "another rank did not come, or has ended"


def _function(name: str) -> Any:
    """A function of the MPI library that mpi4py is linked with; other threads run while it does."""
    return getattr(ctypes.CDLL(MPI.__file__), name)


def _initialize() -> None:
    """In Turkish the capital of i is not I: UCX, below MPICH, would not know its own settings."""
    provided, before = ctypes.c_int(), locale.setlocale(locale.LC_CTYPE)
    locale.setlocale(locale.LC_CTYPE, "C")
    try:
        _function("MPI_Init_thread")(None, None, ctypes.c_int(MPI.THREAD_MULTIPLE), ctypes.byref(provided))
    finally:
        locale.setlocale(locale.LC_CTYPE, before)


def initialize(seconds: float) -> None:
    """Initialize MPI, unless the program has done so."""
    if not MPI.Is_initialized():
        note("init_process_group", location())
        try:
            of_process.call("MPI_Init", _initialize, seconds)
        except DistBackendError as error:
            rank = next((os.environ[name] for name in _RANK if name in os.environ), "?")
            where = "[rank {}] init_process_group, called at {}:{}".format(rank, *location())
            raise DistBackendError(f"{where}: {error}; {silent() or _UNKNOWN}") from None
    for communicator in (MPI.COMM_WORLD, MPI.COMM_SELF):
        communicator.Set_errhandler(MPI.ERRORS_RETURN)
    if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
        raise RuntimeError(
            "init_process_group(): this MPI was initialized without MPI_THREAD_MULTIPLE, which backward passes in "
            "several threads need; leave mpi4py.rc.thread_level as it is"
        )


def finalize(seconds: float) -> None:
    if not MPI.Is_finalized():
        of_process.call("MPI_Finalize", _function("MPI_Finalize"), seconds)


_OPERATIONS = {name: getattr(MPI, name) for name in ("SUM", "PROD", "MIN", "MAX", "BAND", "BOR", "BXOR")}
_NUMBERS = {
    np.dtype(kind): getattr(MPI, name)
    for kind, name in {
        **{f"i{size}": f"INT{8 * size}_T" for size in (1, 2, 4, 8)},
        **{f"u{size}": f"UINT{8 * size}_T" for size in (1, 2, 4, 8)},
        "f4": "FLOAT",
        "f8": "DOUBLE",
        "c8": "C_FLOAT_COMPLEX",
        "c16": "C_DOUBLE_COMPLEX",
    }.items()
}


class MpiRequest:
    """One of MPI's requests, and the arrays that MPI reads and writes for it at their addresses."""

    __slots__ = ("_ended", "_referenced", "_request", "_status", "source")

    def __init__(self, request: Any, *retained: Any) -> None:
        self._request = request
        self._referenced = retained
        self._status = MPI.Status()
        self._ended = False
        self.source = ANY

    def done(self) -> bool:
        """Asking is what drives MPI on."""
        if not self._ended:
            try:
                self._ended = self._request.Test(self._status)
            except MPI.Exception as error:
                raise TransportError(f"MPI: {error.Get_error_string()}") from None
            if self._ended:
                self.source = self._status.Get_source()
                self._referenced = ()
        return self._ended


def _raw(data: Any) -> list[Any]:
    return [data, MPI.BYTE]


def _parts(data: Bytes, sizes: Sequence[int]) -> list[Any]:
    starts = np.cumsum([0, *sizes[:-1]]).tolist()
    return [data, (list(sizes), starts), MPI.BYTE]


def _numbers(values: np.ndarray) -> list[Any]:
    return [values, values.size, _NUMBERS[values.dtype]]


class MpiLink:
    def __init__(self, communicator: Any) -> None:
        communicator.Set_errhandler(MPI.ERRORS_RETURN)
        self._mpi = communicator
        self.rank = communicator.Get_rank()
        self.size = communicator.Get_size()
        self.last_tag = communicator.Get_attr(MPI.TAG_UB)

    def all_reduce(self, values: np.ndarray, operation: str) -> MpiRequest:
        return MpiRequest(self._mpi.Iallreduce(MPI.IN_PLACE, _numbers(values), _OPERATIONS[operation]), values)

    def reduce(self, values: np.ndarray, operation: str, root: int) -> MpiRequest:
        value, into = (MPI.IN_PLACE, _numbers(values)) if self.rank == root else (_numbers(values), None)
        return MpiRequest(self._mpi.Ireduce(value, into, _OPERATIONS[operation], root), values)

    def broadcast(self, data: Bytes, root: int) -> MpiRequest:
        return MpiRequest(self._mpi.Ibcast(_raw(data), root), data)

    def all_gather(self, every: Bytes, own: Bytes) -> MpiRequest:
        return MpiRequest(self._mpi.Iallgather(_raw(own), _raw(every)), every, own)

    def gather(self, every: Bytes | None, own: Bytes, root: int) -> MpiRequest:
        into = _raw(every) if self.rank == root else None
        return MpiRequest(self._mpi.Igather(_raw(own), into, root), every, own)

    def scatter(self, own: Bytes, every: Bytes | None, root: int) -> MpiRequest:
        value = _raw(every) if self.rank == root else None
        return MpiRequest(self._mpi.Iscatter(value, _raw(own), root), every, own)

    def all_to_all(self, into: Bytes, sizes_in: Sequence[int], out: Bytes, sizes_out: Sequence[int]) -> MpiRequest:
        return MpiRequest(self._mpi.Ialltoallv(_parts(out, sizes_out), _parts(into, sizes_in)), into, out)

    def barrier(self) -> MpiRequest:
        return MpiRequest(self._mpi.Ibarrier())

    def send(self, data: Bytes, to: int, tag: int) -> MpiRequest:
        return MpiRequest(self._mpi.Isend(_raw(data), to, tag), data)

    def receive(self, data: Bytes, source: int, tag: int) -> MpiRequest:
        return MpiRequest(self._mpi.Irecv(_raw(data), MPI.ANY_SOURCE if source == ANY else source, tag), data)

    def arrived(self, tag: int) -> tuple[int, int] | None:
        status = MPI.Status()
        result = self._mpi.Iprobe(MPI.ANY_SOURCE, tag, status)
        return (status.Get_source(), status.Get_count(MPI.BYTE)) if result else None

    def split(self, ranks: Sequence[int], seconds: float, look: Look) -> "MpiLink | None":
        member = self.rank in ranks
        key = list(ranks).index(self.rank) if member else 0
        colour = 0 if member else MPI.UNDEFINED
        part = of_process.call("MPI_Comm_split", lambda: self._mpi.Split(colour, key), seconds, look)
        return MpiLink(part) if member else None

    def copy(self, seconds: float, look: Look) -> "MpiLink":
        return _copied(self._mpi, seconds, look)

    def close(self) -> None:
        self._mpi.Free()


def _copied(communicator: Any, seconds: float, look: Look) -> MpiLink:
    made, request = communicator.Idup()
    if not until(MpiRequest(request).done, seconds, look):
        raise DistBackendError(f"MPI_Comm_idup: not complete within {seconds:g} s")
    return MpiLink(made)


def world(seconds: float) -> MpiLink:
    """A link of all processes that were started together, whose messages meet nobody else's."""
    initialize(seconds)
    return _copied(MPI.COMM_WORLD, seconds, None)
