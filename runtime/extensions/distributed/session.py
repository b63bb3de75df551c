"""This process among those that MPI has started together: how it joins them, how it fails, and how it leaves."""

import atexit
import contextlib
import multiprocessing.util
import os
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from ...device.device import device as Device
from ...errors import warn_once
from . import rendezvous
from .groups import observers, peers
from .groups.errors import MPI_MISSING, DistBackendError
from .groups.links import Link
from .groups.peers import Peers
from .groups.work import until

_TO_BE_HEARD = 1.0  # seconds before launchers end everybody because this one has ended
_AFTER = 0.5  # seconds more for who has failed because of another, so that the cause ends first
_LATE = -100  # of what processes of `multiprocessing` do at their end: after the pools and queues of a program
_FINALIZE = 10.0  # seconds for MPI_Finalize, once all ranks have come to their end


class Session:
    """The links of all ranks. There is one a process, from the first `init_process_group` to the end."""

    def __init__(self, link: Link, seconds: float) -> None:
        self.link = link
        self.process = os.getpid()  # those that it forks are no ranks
        self.seconds = seconds
        every = np.empty((link.size, peers.LENGTH), np.uint8)
        own = np.frombuffer(peers.own().encode().ljust(peers.LENGTH), np.uint8)
        request = link.all_gather(every.reshape(-1), own)
        if not until(request.done, seconds):
            raise DistBackendError(f"[rank {link.rank}] init_process_group(): others did not come in {seconds:g} s")
        self.peers = Peers(link.copy(seconds, None), [one.tobytes().decode() for one in every])

    def copy(self) -> Link:
        call = "init_process_group()"
        try:
            return self.link.copy(self.seconds, lambda: self.peers.check(call))
        except DistBackendError as error:
            if str(error).startswith("[rank"):
                raise
            raise DistBackendError(f"[rank {self.link.rank}] {call}: {error}{self.peers.missing()}") from None

    def leave(self) -> None:
        """At the end of the program: wait for the others, and finalize MPI, or leave it where others have failed.

        An exception under way is that of a process of `multiprocessing`, which reports it afterwards.
        """
        if os.getpid() != self.process:
            return
        error = sys.exception()
        if error is not None and not (isinstance(error, SystemExit) and not error.code):
            cause = error.__context__ or error if isinstance(error, SystemExit) else error
            self.tell(cause)
            self.let_hear(cause)
            atexit.register(_end)
            return
        late = self.peers.broken
        try:
            why = self.peers.part(self.seconds)
            if not why:
                self._finalize()
        except DistBackendError as error:
            why, late = str(error), True
        if why:
            after = f" after {last}" if (last := observers.last()) else ""  # no line of the program is left
            where = f"[rank {self.link.rank}] the end of the program{after}"
            print(f"{where}: MPI is not finalized: {why}", file=sys.stderr, flush=True)
            self._end_in_turn(late)
        rendezvous.part(finalized=not why)

    def tell(self, error: BaseException) -> None:
        """Tell the others what ends this rank, so that they need not wait until time is up."""
        with contextlib.suppress(Exception):  # there may be no memory left
            self.peers.tell(f"has ended with {type(error).__name__}: {error}")

    def let_hear(self, error: BaseException) -> None:
        """Wait until the others have heard it: ranks that fail because of another end after that one."""
        if self.link.size > 1:
            time.sleep(_TO_BE_HEARD + (_AFTER if isinstance(error, DistBackendError) else 0))

    def _finalize(self) -> None:
        from .groups.mpi import finalize

        try:
            finalize(_FINALIZE)
        except DistBackendError as error:
            raise DistBackendError(f"{error}{self.peers.missing()}") from None

    def _end_in_turn(self, late: bool) -> None:
        """End after others have said the same, or after those that have failed.

        Launchers end everybody when the first process ends without finalizing MPI, and give its status as that of all:
        it must be that of one that has failed.
        """
        if late:
            time.sleep(_TO_BE_HEARD)
            _end()
        until(self.peers.failed_are_gone, _TO_BE_HEARD + 2 * _AFTER)


_session: Session | None = None


def join(seconds: float) -> Session:
    """The session of this process, which the first call begins."""
    global _session
    _end_with_exceptions()
    if _session is None:
        try:
            from .groups.mpi import world
        except (ImportError, RuntimeError) as error:  # mpi4py is not there, or finds no MPI library
            raise RuntimeError(f"init_process_group(): {MPI_MISSING}") from error
        try:
            _session = Session(world(seconds), seconds)
        except DistBackendError:
            atexit.register(_end)
            raise
        _at_exit(_session.leave)
    _session.seconds = seconds
    return _session


def _at_exit(function: Callable[[], None]) -> None:
    """Call a function at the end of the program, which processes of `multiprocessing` reach in a way of their own."""
    if multiprocessing.process.parent_process() is None:
        atexit.register(function)
    else:
        multiprocessing.util.Finalize(None, function, exitpriority=_LATE)


def _end() -> None:
    """End the process at once: where a thread waits inside MPI, or would be ended there, the ordinary end may hang."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # nobody may read it any more
            stream.flush()
    os._exit(1)


def _end_with_exceptions() -> None:
    """Let other ranks hear of an exception that ends this one, so that they need not wait until time is up."""
    before, process = sys.excepthook, os.getpid()

    def hook(kind: type[BaseException], error: BaseException, trace: Any) -> None:
        if os.getpid() != process:
            before(kind, error, trace)
            return
        try:
            if _session is not None:
                _session.tell(error)
            before(kind, error, trace)
            sys.stderr.flush()
            if _session is not None:
                _session.let_hear(error)
        finally:
            _end()  # finalizing MPI would wait for the others

    if not getattr(before, "tells_ranks", False):
        hook.tells_ranks = True  # type: ignore[attr-defined]
        sys.excepthook = hook


class Backend(str):
    """The name of a library of collectives, in small letters; a ValueError where `name` is no text."""

    UNDEFINED, FAKE = "undefined", "fake"
    GLOO, NCCL, UCC, MPI, XCCL = "gloo", "nccl", "ucc", "mpi", "xccl"

    def __new__(cls, name: str) -> "Backend":
        if not isinstance(name, str):
            raise ValueError("Backend constructor parameter must be string-ish")
        return super().__new__(cls, name.lower())


def is_mpi_available() -> bool:
    """Whether there can be process groups: mpi4py is installed (`pip install 'specgrad[distributed]'`)."""
    return find_spec("mpi4py") is not None


def is_gloo_available() -> bool:
    """False: collectives are MPI's."""
    return False


is_available, is_nccl_available = is_mpi_available, is_gloo_available


def is_backend_available(backend: str) -> bool:
    """Whether a library of collectives of a name is there: "mpi" is the one that can be."""
    return backend.lower() == Backend.MPI and is_mpi_available()


def get_default_backend_for_device(device: str | Device) -> str:
    """The name of the backend for tensors of a `device`: "mpi" for all.

    Example:
        >>> from specgrad import distributed
        >>> distributed.get_default_backend_for_device("cpu")
        'mpi'
    """
    Device(device)
    return str(Backend.MPI)


def is_torchelastic_launched() -> bool:
    """Whether PyTorch's launcher has started this process."""
    return "TORCHELASTIC_RUN_ID" in os.environ


_SERVED = (Backend.MPI, Backend.GLOO, Backend.NCCL, Backend.UCC, Backend.XCCL)


def _names(backend: str | None) -> set[str]:
    """The libraries that a backend names: one, or one for each type of device ("cpu:gloo,cuda:nccl")."""
    return {part.rpartition(":")[2] for part in Backend(Backend.MPI if backend is None else backend).split(",")}


def check(backend: str | None) -> None:
    """Raise where a group of this backend cannot be made."""
    for name in _names(backend):
        if name not in _SERVED:
            known = ", ".join(f'"{one}"' for one in _SERVED)
            raise ValueError(f"init_process_group(): expected a backend of {known}, all of which are MPI, got {name!r}")
    if not is_mpi_available():
        raise RuntimeError(f"init_process_group(): {MPI_MISSING}")


def warn_of_others(backend: str | None) -> None:
    if _names(backend) != {Backend.MPI}:
        warn_once(f'init_process_group("{backend}"): the collectives are MPI\'s; say "mpi" to have no warning')
