"""Declares which functions write the result of another one in place; the generator reads the declaration."""

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def writes(name: str) -> Callable[[Function], Function]:
    """Declare that a function writes to its first argument what `name` returns as a new array or tensor. Of a kernel
    `name` is the kernel that the in-place variant of an op would else call and copy from; of a helper of formulas it is
    the composite op. The function itself is unchanged."""
    return lambda function: function
