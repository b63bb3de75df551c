"""What functions declare to the generator, which reads it; the functions themselves are unchanged."""

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def derivatives(*by_parameter: str | None, **domain: tuple[float, float]) -> Callable[[F], F]:
    """Give the derivatives of a scalar function: `@derivatives("result * (1 - result)")`.

    Args:
        by_parameter: for each parameter, in order, an expression over the parameters and `result`, the value that the
            function returns; None where no formula needs this derivative. A formula can call only ops, so where a
            derivative calls this function itself, the spec needs an entry of its name that computes it.
        domain: for a parameter, the interval in which the function is defined, `bend=(0, 4)`.

    Returns:
        A decorator that returns the function unchanged. The generator reads the expressions, derives formulas from
        them, and compares them with finite differences of the function (`python -m specgrad.codegen verify`).
    """

    def unchanged(function: F) -> F:
        return function

    return unchanged


def writes(name: str) -> Callable[[F], F]:
    """Declare that a function writes to its first argument what `name` returns as a new array or tensor. Of a kernel
    `name` is the kernel that the in-place variant of an op would else call and copy from; of a helper of formulas it is
    the composite op."""
    return lambda function: function
