"""Whether a backward pass may use a thread for each device: a setting of programs, kept and given back."""

from __future__ import annotations

from types import TracebackType

import numpy as np

from ..errors import ArgumentError, type_name
from ..modes.thread_state import mode as thread_mode


def is_multithreading_enabled() -> bool:
    """Whether programs allow several threads in a backward pass; specgrad's runs in the thread that called it."""
    return bool(thread_mode.__dict__.get("multithreading", True))


class set_multithreading_enabled:
    """Allow or forbid a backward pass threads of its own: a function, and a context manager that ends it.

    Nothing depends on it: kernels share work between threads as `set_num_threads` says.

    Args:
        mode: whether they are allowed.

    Example:
        >>> import specgrad as sg
        >>> with sg.autograd.set_multithreading_enabled(False):
        ...     is_multithreading_enabled()
        False
    """

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, (bool, np.bool_)):
            raise ArgumentError(f"set_multithreading_enabled(): argument 'mode' must be bool, not {type_name(mode)}")
        self.mode = bool(mode)
        self._before = is_multithreading_enabled()
        _set(self.mode)

    def __enter__(self) -> None:
        _set(self.mode)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _set(self._before)

    def clone(self) -> set_multithreading_enabled:
        """Another one of the same setting."""
        return type(self)(self.mode)


def _set(value: bool) -> None:
    thread_mode.__dict__["multithreading"] = value
