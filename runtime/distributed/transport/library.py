"""mpi4py, and two calls of MPI that it would make by itself, to initialize and to finalize, each with a limit of time.

mpi4py initializes MPI while it is imported and finalizes it when the interpreter ends, both without letting other
threads run: where another rank is missing, nobody could tell. So both are called as functions of the library.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import locale
import os
import sys
from collections.abc import Iterator
from typing import Any

import mpi4py

from ..groups.errors import DistBackendError
from ..groups.place import location
from ..groups.progress import note, silent
from .aside import of_process


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
    provided = ctypes.c_int()
    with _ascii_locale():
        _function("MPI_Init_thread")(None, None, ctypes.c_int(MPI.THREAD_MULTIPLE), ctypes.byref(provided))


@contextlib.contextmanager
def _ascii_locale() -> Iterator[None]:
    """In Turkish the capital of i is not I: UCX, below MPICH, would not know its own settings."""
    before = locale.setlocale(locale.LC_CTYPE)
    locale.setlocale(locale.LC_CTYPE, "C")
    try:
        yield
    finally:
        locale.setlocale(locale.LC_CTYPE, before)


def initialize(seconds: float) -> None:
    """Initialize MPI, unless the program has done so.

    Raises:
        DistBackendError: the other ranks did not come in time.
        RuntimeError: MPI is not to be called by several threads.
    """
    if not MPI.Is_initialized():
        note("init_process_group", location())
        try:
            of_process.call("MPI_Init", _initialize, seconds)
        except DistBackendError as error:
            rank = next((os.environ[name] for name in _RANK if name in os.environ), "?")
            where = "{}:{}".format(*location())
            messages = f"[rank {rank}] init_process_group, called at {where}: {error}; {silent() or _UNKNOWN}"
            raise DistBackendError(messages) from None
    for communicator in (MPI.COMM_WORLD, MPI.COMM_SELF):
        communicator.Set_errhandler(MPI.ERRORS_RETURN)
    if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
        raise RuntimeError(
            "init_process_group(): this MPI was initialized without MPI_THREAD_MULTIPLE, which backward passes in "
            "several threads need; leave mpi4py.rc.thread_level as it is"
        )


def finalize(seconds: float) -> None:
    """Finalize MPI, unless the program has done so; a DistBackendError where the other ranks did not come in time."""
    if not MPI.Is_finalized():
        of_process.call("MPI_Finalize", _function("MPI_Finalize"), seconds)
