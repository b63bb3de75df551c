"""What goes wrong with a checkpoint, on all ranks at once: one rank's error is everybody's."""

import traceback
from collections.abc import Callable
from typing import Any, TypeVar

from ..groups.process_group import ProcessGroup
from ..objects import all_gather_object

Failure = tuple[BaseException, traceback.StackSummary]
T = TypeVar("T")


class CheckpointException(BaseException):
    """A checkpoint could not be written or read. As in PyTorch, it is no Exception.

    `failures` has, for each rank that failed, its error and where that was raised (unknown of other ranks').
    """

    def __init__(self, msg: str, failures: dict[int, Failure]) -> None:
        super().__init__(msg, failures)
        self._message = msg
        self.failures = failures

    def __str__(self) -> str:
        lines = [f"rank {rank}: {_error_message(error)}" for rank, (error, _) in sorted(self.failures.items())]
        return f"{self._message} failed on ranks {sorted(self.failures)}: " + "; ".join(lines)


def run_on_all(what: str, group: ProcessGroup | None, function: Callable[[], T]) -> list[T]:
    """What `function` has given on each rank, plain objects. Where one rank fails, all ranks raise.

    Args:
        what: what is done, for errors.
        group: the ranks; None where there is this process alone.
    """
    own: Any = None
    error: Exception | None = None
    try:
        own = function()
    except Exception as problem:
        error = problem
    if group is None:
        if error is not None:
            raise CheckpointException(what, {0: _failure(error)}) from error
        return [own]
    every: list[Any] = [None] * group.size()
    all_gather_object(every, (None if error is None else _error_message(error), own), group)
    failures = {
        group.ranks[rank]: _failure(error if rank == group.rank() and error is not None else RuntimeError(message))
        for rank, (message, _) in enumerate(every)
        if message is not None
    }
    if failures:
        raise CheckpointException(what, failures) from error
    return [result for _, result in every]


def _failure(error: BaseException) -> Failure:
    return error, traceback.extract_tb(error.__traceback__)


def _error_message(error: BaseException) -> str:
    return str(error) if type(error) is RuntimeError else f"{type(error).__name__}: {error}"
