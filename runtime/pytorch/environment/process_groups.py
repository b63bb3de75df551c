"""`distributed`: programs find that there are no process groups, and what needs one says so."""

from __future__ import annotations

import datetime
import enum
import os
from collections.abc import Callable
from typing import Any

_NONE = "Default process group has not been initialized, please make sure to call init_process_group."
_MISSING = (
    "specgrad.distributed.{}: there are no process groups yet; specgrad.distributed.is_available() is False. One "
    "process uses all cores (set_num_threads) and several devices (nn.DataParallel)"
)
default_pg_timeout = datetime.timedelta(minutes=30)


class ReduceOp(enum.Enum):
    """How a collective joins the tensors of processes: names that programs have as defaults."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7


class ProcessGroup:
    """The class of process groups: there are none.

    Raises:
        RuntimeError: one is made.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(_MISSING.format(type(self).__name__))


class Store(ProcessGroup):
    """The class of stores that processes meet at: there are none."""


class Work(ProcessGroup):
    """The class of collectives under way: there are none."""


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


class ShardedOptimizer(ProcessGroup):
    """The class of optimizers whose state several processes share: there are none."""


class GroupMember:
    """The group of all processes, and the mark of who is in no group."""

    WORLD = None
    NON_GROUP_MEMBER = -100


def is_available() -> bool:
    """Whether there are process groups: not yet."""
    return False


def is_initialized() -> bool:
    """Whether there is a default process group: there is none."""
    return False


def is_backend_available(backend: str = "") -> bool:
    """Whether a library of collectives is there: none is.

    Args:
        backend: its name.
    """
    return False


def is_torchelastic_launched() -> bool:
    """Whether PyTorch's launcher has started this process."""
    return "TORCHELASTIC_RUN_ID" in os.environ


def init_process_group(*args: Any, **kwargs: Any) -> None:
    """Make the default process group: refused.

    Args:
        *args, **kwargs: as in PyTorch.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError(_MISSING.format("init_process_group"))


def needs_group(*args: Any, **kwargs: Any) -> Any:
    """A question to a process group, or a collective: there is none.

    Args:
        *args, **kwargs: as in PyTorch.

    Raises:
        ValueError: always, as in PyTorch without a default group.
    """
    raise ValueError(_NONE)


class Join(ProcessGroup):
    """A block in which processes may have fewer batches than others: there are no process groups."""


class Joinable:
    """What takes part in a Join: programs derive from it."""


class JoinHook:
    """What a Joinable does for processes that have ended: programs derive from it."""

    def main_hook(self) -> None:
        """Called again and again while others go on."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Called once when all have ended; `is_last_joiner` says whether this process was the last."""


class ChildFailedError(RuntimeError):
    """What the process that has started others raises when one of them fails; nobody does here."""


def record(fn: Callable[..., Any], error_handler: Any = None) -> Callable[..., Any]:
    """A decorator of the main function of a process in a group that a launcher has started: the function itself.

    Args:
        fn: the function.
        error_handler: who would write down what it raises, for the launcher.
    """
    return fn
