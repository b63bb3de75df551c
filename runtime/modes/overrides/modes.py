"""Modes: blocks in which an object of the user's takes the place of every call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...tensor.base import tensor_class
from ..intercept import NOT_HANDLED, Watcher, watch
from .members import of_every_tensor
from .switches import state

_NAME = "modes of __torch_function__"


class TorchFunctionMode:
    """A block in which `__torch_function__` of this object is called in the place of functions, methods and properties.

    Inside that call the mode is off, so what it calls is asked of the modes around it, and then of the arguments.

    Example:
        >>> import specgrad as sg
        >>> class Log(sg.overrides.TorchFunctionMode):
        ...     def __torch_function__(self, func, types, args=(), kwargs=None):
        ...         print(func.__name__)
        ...         return func(*args, **(kwargs or {}))
        >>> with Log():
        ...     total = sg.ones(2).sum()
        ones
        sum
    """

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """What takes the place of a call.

        Args:
            func: the function, method, or a property's `__get__`.
            types: the classes of arguments that have a `__torch_function__`.
            args, kwargs: with what it was called.
        """
        raise NotImplementedError

    def __enter__(self) -> TorchFunctionMode:
        _members.enter()
        watch.enter(_NAME, Watcher(intercept=_unanswered, order=-1))
        state.modes = [*state.modes, self]
        return self

    def __exit__(self, *error: object) -> None:
        state.modes = state.modes[:-1]
        watch.leave(_NAME)
        _members.leave()

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> TorchFunctionMode:
        """A mode made of these arguments: the older name of the class itself.

        Args:
            *args, **kwargs: those of the class.
        """
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that runs every call as it is."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def _unanswered(call: Any) -> Any:
    """Modes are asked before the watchers of ops: see intercept()."""
    return NOT_HANDLED


class _Members:
    """Members of `Tensor` that ask, for as long as some thread has entered a mode."""

    def __init__(self) -> None:
        self.count = 0
        self.undo: Callable[[], None] | None = None

    def enter(self) -> None:
        with watch.lock:
            self.count += 1
            if self.count == 1:
                self.undo = of_every_tensor(tensor_class())

    def leave(self) -> None:
        with watch.lock:
            self.count -= 1
            if not self.count and self.undo is not None:
                self.undo()


_members = _Members()
