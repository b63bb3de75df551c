"""Interception of whole ops: a watcher with an `intercept` function may run something else in place of an op, or more.

Every generated function calls `intercept` before its general path when a watcher wants it to. The watchers' functions
are nested in their order: the profiler around batching, batching around the op itself. One that leaves a call to the
next answers NOT_HANDLED.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .grad_mode import watch


class NotHandled:
    """The class of NOT_HANDLED: the answer of a watcher that lets the op run as if nobody watched."""

    def __repr__(self) -> str:
        return "NOT_HANDLED"


NOT_HANDLED = NotHandled()


class _Passing(threading.local):
    function: Any = None  # the op that is let through: its next call is not intercepted again
    all: bool = False  # whether every op is


_passing = _Passing()


class OpCall:
    """One call of an op: its name in the spec, the Python function, its batching rule or its name, the arguments."""

    __slots__ = ("args", "following", "function", "kwargs", "name", "rule")

    def __init__(self, name: str, function: Callable[..., Any], rule: Any, args: Any, kwargs: Any) -> None:
        self.name = name
        self.function = function
        self.rule = rule
        self.args = args
        self.kwargs = kwargs
        self.following = watch.interceptors

    def advance(self) -> Any:
        """The answer of the first of the following watchers that handles the call; NOT_HANDLED when none does."""
        while self.following:
            first, self.following = self.following[0], self.following[1:]
            found = first(self)
            if found is not NOT_HANDLED:
                return found
        return NOT_HANDLED

    def proceed(self) -> Any:
        """Run what comes next, the watchers that follow and then the op itself, and return its result."""
        found = self.advance()
        if found is not NOT_HANDLED:
            return found
        _passing.function = self.function
        try:
            return self.function(*self.args, **self.kwargs)
        finally:
            _passing.function = None


def intercept(name: str, function: Callable[..., Any], rule: Any, *args: Any, **kwargs: Any) -> Any:
    """The answer of the watchers to a call; NOT_HANDLED when the op is to run by itself."""
    if _passing.all:
        return NOT_HANDLED
    if _passing.function is function:
        _passing.function = None
        return NOT_HANDLED
    return OpCall(name, function, rule, args, kwargs).advance()


@contextmanager
def without_interception() -> Iterator[None]:
    """Inside, the ops of this thread are not intercepted."""
    before, _passing.all = _passing.all, True
    try:
        yield
    finally:
        _passing.all = before


def interceptable(rule: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let watchers intercept a hand-written function as they do generated ops.

    Args:
        rule: its batching rule: `random` for functions that draw numbers, `like` for new tensors like another.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        name = function.__name__

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if watch.interceptors:
                found = intercept(name, wrapper, rule, *args, **kwargs)
                if found is not NOT_HANDLED:
                    return found
            return function(*args, **kwargs)

        return wrapper

    return decorate
