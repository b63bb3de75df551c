"""The decorator that gives the derivatives of a user's scalar function; codegen reads it, kernels do not run it."""

from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])


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
