"""Modes of the dispatcher that PyTorch has below ops: specgrad has none, so there are no such modes and tensors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class TorchDispatchMode:
    """The base of such modes: classes may derive from it, and none can be entered.

    Raises:
        NotImplementedError: it is entered.
    """

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError("__torch_dispatch__(): there is no dispatcher below ops")

    def __enter__(self) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__}: there is no dispatcher below ops whose calls a TorchDispatchMode could take; "
            "overrides.TorchFunctionMode takes the calls of ops"
        )

    def __exit__(self, *error: Any) -> None:
        """Nothing: it cannot have been entered."""


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Whether a tensor is made of others that `__tensor_flatten__` gives: there are no such tensors."""
    return False


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """Whether tensors of a class are made of others: of none are they."""
    return False


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """Whether a mode is on: none is."""
    return False


def current_mode() -> None:
    """The mode that is on: none."""


def current_modes() -> list[Any]:
    """The modes that are on: none."""
    return []


@contextmanager
def without_modes() -> Iterator[list[Any]]:
    """A region without modes, as all are."""
    yield []
