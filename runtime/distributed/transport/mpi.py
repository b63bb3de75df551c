"""Links on MPI: each call is one of MPI's nonblocking calls, and what they move stays where it is.

With `library.py` the only module that imports mpi4py; loaded by `init_process_group`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..groups.errors import DistBackendError, TransportError
from ..groups.work import until
from .aside import of_process
from .library import MPI, initialize
from .link import ANY, Bytes, Look

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
        """Whether it is complete; asking is what drives MPI on."""
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
        return MpiRequest(self._mpi.Iallreduce(MPI.INPLACE_FUNCTION, _numbers(values), _OPERATIONS[operation]), values)

    def reduce(self, values: np.ndarray, operation: str, root: int) -> MpiRequest:
        value, into = (MPI.INPLACE_FUNCTION, _numbers(values)) if self.rank == root else (_numbers(values), None)
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

    def split(self, ranks: Sequence[int], seconds: float, look: Look) -> MpiLink | None:
        member = self.rank in ranks
        key = list(ranks).index(self.rank) if member else 0
        colour = 0 if member else MPI.UNDEFINED
        part = of_process.call("MPI_Comm_split", lambda: self._mpi.Split(colour, key), seconds, look)
        return MpiLink(part) if member else None

    def copy(self, seconds: float, look: Look) -> MpiLink:
        return _copied(self._mpi, seconds, look)

    def close(self) -> None:
        self._mpi.Free()


def _copied(communicator: Any, seconds: float, look: Look) -> MpiLink:
    made, request = communicator.Idup()
    if not until(MpiRequest(request).done, seconds, look):
        raise DistBackendError(f"MPI_Comm_idup: not complete within {seconds:g} s")
    return MpiLink(made)


def world(seconds: float) -> MpiLink:
    """A link of all processes that were started together, whose messages meet nobody else's.

    Args:
        seconds: how long to wait for the others.

    Raises:
        DistBackendError: they did not come.
        RuntimeError: MPI is not to be called by several threads.
    """
    initialize(seconds)
    return _copied(MPI.COMM_WORLD, seconds, None)
