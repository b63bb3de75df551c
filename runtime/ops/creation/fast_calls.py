"""What creation functions ask first: native code, once there is any."""

from functools import update_wrapper
from typing import Any

from ...compiler.passes.loading import is_loaded
from ...fast_path import fast_path
from ...tensor.overrides import public_functions


class Creation:
    """The fast function of a creation function: `launch(*arguments, dtype, device, requires_grad, ...)` gives the new
    tensor, or None where the general path is to make it.

    `arg_kinds` say what the arguments before dtype are: S a tuple of sizes, s the size as one argument, L a tensor that
    the new one is like, v a number or data, n a number of a range, g a generator; after T, a tensor that is filled
    itself, nothing stands behind these. What stands behind requires_grad is None or False in usual calls. `fill` says
    what is written (native/creation/plans.py), `value` the number where all elements are one, `inferred` that numbers
    decide the dtype where none is given.

    The compiler is not loaded for a new tensor: before an op has asked for it, the general path makes them all.
    """

    __slots__ = ("fill", "inferred", "launch", "arg_kinds", "name", "value")

    def __init__(self, name: str, fill: str, arg_kinds: str, value: int = 0, inferred: bool = False) -> None:
        self.name, self.fill, self.arg_kinds, self.value, self.inferred = name, fill, arg_kinds, value, inferred
        self.launch: Any = self._first

    def _first(self, *arguments: Any) -> Any:
        if not is_loaded():
            return None
        self.launch = fast_path().creation(self)
        return self.launch(*arguments)


def public(function: Any, general: Any, make: Any) -> Any:
    """The function that tries native code first; for who watches it stands for the general one."""
    public_functions[general] = function
    return named_like(function, make)


def named_like(function: Any, make: Any) -> Any:
    """With another function's name and docstring, but its own parameters."""
    del update_wrapper(function, make, ("__module__", "__name__", "__qualname__", "__doc__")).__wrapped__
    return function
