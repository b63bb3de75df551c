"""Modes of the dispatcher that PyTorch has below ops: specgrad has none, so there are no such modes and tensors."""

from __future__ import annotations

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
