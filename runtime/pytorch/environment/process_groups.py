"""What `distributed` does not have yet: programs find the names, and what needs one says so."""

from __future__ import annotations

from typing import Any

_MISSING = (
    "specgrad.distributed.{}: not there yet; there are process groups on MPI (init_process_group) and "
    "nn.parallel.DistributedDataParallel"
)


class Absent:
    """A class that programs ask for by isinstance: nothing is one.

    Raises:
        RuntimeError: one is made.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(_MISSING.format(type(self).__name__))


class ShardedOptimizer(Absent):
    """The class of optimizers whose state several processes share: there are none."""


def absent(*args: Any, **kwargs: Any) -> Any:
    """A function of process groups that is not there yet: refused.

    Args:
        *args, **kwargs: as in PyTorch.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError(_MISSING.format("this function"))


class Join(Absent):
    """A block in which processes may have fewer batches than others: not there."""


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
