"""Names of libraries of collectives, and which of them are there."""

from __future__ import annotations

import os
from importlib.util import find_spec


class Backend(str):
    """The name of a library of collectives, in small letters.

    Args:
        name: the name.

    Raises:
        ValueError: it is no text.
    """

    UNDEFINED = "undefined"
    GLOO = "gloo"
    NCCL = "nccl"
    UCC = "ucc"
    MPI = "mpi"
    XCCL = "xccl"
    FAKE = "fake"

    def __new__(cls, name: str) -> Backend:
        if not isinstance(name, str):
            raise ValueError("Backend constructor parameter must be string-ish")
        return super().__new__(cls, name.lower())


def is_mpi_available() -> bool:
    """Whether mpi4py is installed (`pip install specgrad[distributed]`)."""
    return find_spec("mpi4py") is not None


def is_available() -> bool:
    """Whether there can be process groups: with mpi4py."""
    return is_mpi_available()


def is_gloo_available() -> bool:
    """False: collectives are MPI's."""
    return False


def is_nccl_available() -> bool:
    """False: collectives are MPI's."""
    return False


def is_backend_available(backend: str) -> bool:
    """Whether a library of collectives is there.

    Args:
        backend: its name; "mpi" is the one that can be.
    """
    return backend.lower() == Backend.MPI and is_mpi_available()


def is_torchelastic_launched() -> bool:
    """Whether PyTorch's launcher has started this process."""
    return "TORCHELASTIC_RUN_ID" in os.environ


def checked(backend: str | None) -> str:
    """The backend that a program asks for.

    Raises:
        ValueError: it is not "mpi".
        RuntimeError: mpi4py is not installed.
    """
    name = Backend.MPI if backend is None else Backend(backend).rpartition(":")[2]
    if name != Backend.MPI:
        raise ValueError(
            f"init_process_group(): backend {backend!r} is not there: specgrad's collectives are MPI's. Say "
            'init_process_group("mpi") and start the program with mpiexec -n N, or with python -m '
            "specgrad.distributed.run -n N"
        )
    if not is_mpi_available():
        raise RuntimeError(
            'init_process_group("mpi") needs mpi4py and an MPI library, which are not installed: '
            "pip install specgrad[distributed]"
        )
    return name
