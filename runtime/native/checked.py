"""The C functions as check mode calls them: at each point at which Python may run, `interrupt` does (setting.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types

from ..kernels.llvm.memory import Word, load, native
from .setting import CHECKING
from .world import W, world

FREED = -0x2222222222222223  # the word that PYTHONMALLOC=debug writes over freed memory: 0xDD, eight times

_call = types.ExternalFunction("PyObject_Vectorcall", Word(Word, Word, Word, Word))
_drop = types.ExternalFunction("Py_DecRef", types.void(Word))
_error_set = types.ExternalFunction("PyErr_Occurred", Word())
_clear_error = types.ExternalFunction("PyErr_Clear", types.void())
_abort = types.ExternalFunction("abort", types.void())


@native
def refused():
    """Run the hook, if no error is set; whether it raised, as an allocation does where there is no memory."""
    if _error_set() != 0:
        return False
    answer = _call(load(world(), W.interrupt), 0, 0, 0)
    _drop(answer)
    return answer == 0


@native
def interrupted():
    """Run the hook at a point at which nothing can fail."""
    if refused():
        _clear_error()


@native
def alive(thing):
    """End the process where a reference is used that has been let go; the lower half of the first word counts them."""
    count = load(thing, 0)
    if count == FREED or count & 0xFFFFFFFF == 0:
        _abort()


def allocating(function: Any, arguments: int, failure: int = 0) -> Any:
    """A C function that gives `failure` and sets an error where there is no memory, and may run the collector."""
    return _ALLOCATING[arguments](function, failure) if CHECKING else function


def taking(function: Any) -> Any:
    """PyArray_NewFromDescr, which takes over a reference to its second argument also where it fails."""
    if not CHECKING:
        return function

    @native
    def checked(a, b, c, d, e, f, g, h):
        if refused():
            _drop(b)
            return 0
        return function(a, b, c, d, e, f, g, h)

    return checked


def letting_go(function: Any) -> Any:
    """Py_DecRef, which may run what waits for the end of an object."""
    if not CHECKING:
        return function

    @native
    def checked(thing):
        if thing != 0:
            alive(thing)
            function(thing)
            interrupted()

    return checked


def before(function: Any) -> Any:
    """A function without arguments, before which other threads may run."""
    if not CHECKING:
        return function

    @native
    def checked():
        interrupted()
        return function()

    return checked


def _of_one(function: Any, failure: int) -> Any:
    @native
    def checked(a):
        return failure if refused() else function(a)

    return checked


def _of_two(function: Any, failure: int) -> Any:
    @native
    def checked(a, b):
        return failure if refused() else function(a, b)

    return checked


def _of_three(function: Any, failure: int) -> Any:
    @native
    def checked(a, b, c):
        return failure if refused() else function(a, b, c)

    return checked


def _of_four(function: Any, failure: int) -> Any:
    @native
    def checked(a, b, c, d):
        return failure if refused() else function(a, b, c, d)

    return checked


_ALLOCATING: dict[int, Callable[..., Any]] = {1: _of_one, 2: _of_two, 3: _of_three, 4: _of_four}
