"""How the scalar functions of a user's package say what their slopes are: read by the generator, not run by kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])


def slopes(*by_parameter: str | None, **domain: tuple[float, float]) -> Callable[[F], F]:
    """Say the slopes of a scalar function: `@slopes("result * (1 - result)")`.

    Args:
        by_parameter: for each parameter, in order, an expression over the parameters and `result`, which is what the
            function gives; None where no formula needs it. What a formula calls must be an op, so where one needs
            this function itself, an entry of its name has to compute it.
        domain: the interval of each parameter in which the function means something, `bend=(0, 4)`.

    Returns:
        What gives the function back as it is. The generator reads the expressions, derives formulas from them, and
        compares them with differences of the function (`python -m specgrad.codegen verify`).
    """

    def as_it_is(function: F) -> F:
        return function

    return as_it_is
