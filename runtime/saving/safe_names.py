"""Classes and functions that a program lets `load` call: `torch.serialization.add_safe_globals`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ..errors import ArgumentError, SerializationError, UnsafeFileError
from .pickle_reader import Named

Safe = Callable[..., Any] | tuple[Callable[..., Any], str]

_OWN = __name__.rpartition(".runtime.")[0] + "."
_safe: list[Safe] = []


def add_safe_globals(safe_globals: list[Safe]) -> None:
    """Let `load` name these classes and functions, by their own names or as `(callable, "module.name")`.

    A file can then call them with whatever it holds: add only what is harmless with any arguments.
    """
    for one in safe_globals:
        callable_, name = one if isinstance(one, tuple) else (one, "")
        if not callable(callable_) or not isinstance(name, str):
            raise ArgumentError(f"add_safe_globals(): expected classes, functions or pairs with a name, got {one!r}")
    _safe.extend(one for one in safe_globals if one not in _safe)


def get_safe_globals() -> list[Safe]:
    """What `add_safe_globals` has been given."""
    return list(_safe)


def clear_safe_globals() -> None:
    """Forget what `add_safe_globals` has been given."""
    _safe.clear()


class safe_globals(contextlib.AbstractContextManager[None]):
    """`add_safe_globals` for a block."""

    def __init__(self, safe_globals: list[Safe]) -> None:
        self._added = safe_globals

    def __enter__(self) -> None:
        self._before = get_safe_globals()
        add_safe_globals(self._added)

    def __exit__(self, *error: Any) -> None:
        _safe[:] = self._before


def full_name(value: Any) -> str:
    """The name by which pickles know a class or a function; specgrad's own have PyTorch's."""
    return public_name(f"{value.__module__}.{value.__qualname__}")


def public_name(name: str) -> str:
    return "torch." + name.removeprefix(_OWN) if name.startswith(_OWN) else name


def safe_name(module: str, name: str) -> Named:
    """What a program has declared safe under this name.

    Raises:
        UnsafeFileError: nothing.
    """
    requested = public_name(f"{module}.{name}")
    for value, own in _named():
        if own == requested:
            new = partial(value.__new__, value) if isinstance(value, type) else None
            return Named(
                value,
                _named_in_errors(own, value),
                new and _named_in_errors(own, new),
                _named_in_errors(own, _build),
                True,
            )
    raise UnsafeFileError(
        f"the file names {module}.{name}, which load(weights_only=True) does not call by itself: if you trust both, "
        f"allow it by torch.serialization.add_safe_globals([{name}]), or for a block by safe_globals([{name}])"
    )


def _named_in_errors(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A program's function, whose errors are its own: they do not say that the file is damaged."""

    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            message = f"load(): {name}, which the program lets files call, raised {type(error).__name__}: {error}"
            raise SerializationError(message) from error

    return called


def _named() -> Iterator[tuple[Any, str]]:
    for one in _safe:
        yield (one[0], public_name(one[1])) if isinstance(one, tuple) else (one, full_name(one))


def _build(value: Any, state: Any) -> None:
    """Give an instance of a class that is safe its state, as Python's reader does."""
    if hasattr(value, "__setstate__"):
        value.__setstate__(state)
        return
    state, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    value.__dict__.update(state or {})
    for name, part in (slots or {}).items():
        setattr(value, name, part)
