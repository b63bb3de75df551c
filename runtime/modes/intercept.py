"""Interception of whole ops: who registers a `lift` with `watch` may run something else in place of one, or around it.

Every generated function calls `lift` before its general path when somebody wants it to. The lifts of all watchers are
nested in their order: the profiler around batching, batching around the op itself.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .grad_mode import watch


class Plain:
    """What a lift returns to let the op go on as if nobody had looked."""

    def __repr__(self) -> str:
        return "PLAIN"


PLAIN = Plain()


class _Passing(threading.local):
    function: Any = None  # the op that is let through: its next call is not lifted again
    all: bool = False  # whether every op is


_passing = _Passing()


class Lifted:
    """One call of an op: its name in the spec, the Python function, its batching rule or its name, the arguments."""

    __slots__ = ("args", "following", "function", "kwargs", "name", "rule")

    def __init__(self, name: str, function: Callable[..., Any], rule: Any, args: Any, kwargs: Any) -> None:
        self.name = name
        self.function = function
        self.rule = rule
        self.args = args
        self.kwargs = kwargs
        self.following = watch.lifts

    def advance(self) -> Any:
        """What the first of the following lifts makes of the call that makes anything of it; PLAIN when none does."""
        while self.following:
            first, self.following = self.following[0], self.following[1:]
            found = first(self)
            if found is not PLAIN:
                return found
        return PLAIN

    def proceed(self) -> Any:
        """Run what comes next, the lifts that follow and then the op itself, and return its result."""
        found = self.advance()
        if found is not PLAIN:
            return found
        _passing.function = self.function
        try:
            return self.function(*self.args, **self.kwargs)
        finally:
            _passing.function = None


def lift(name: str, function: Callable[..., Any], rule: Any, *args: Any, **kwargs: Any) -> Any:
    """What the lifts make of a call, or PLAIN when the op is to go on by itself."""
    if _passing.all:
        return PLAIN
    if _passing.function is function:
        _passing.function = None
        return PLAIN
    return Lifted(name, function, rule, args, kwargs).advance()


@contextmanager
def unlifted() -> Iterator[None]:
    """Inside, the ops of this thread are not intercepted."""
    before, _passing.all = _passing.all, True
    try:
        yield
    finally:
        _passing.all = before


def liftable(rule: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let lifts intercept a hand-written function as they do generated ops.

    Args:
        rule: its batching rule: `random` for functions that draw numbers, `like` for new tensors like another.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        name = function.__name__

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if watch.lifts:
                found = lift(name, wrapper, rule, *args, **kwargs)
                if found is not PLAIN:
                    return found
            return function(*args, **kwargs)

        return wrapper

    return decorate
