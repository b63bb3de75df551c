"""Numbers at equal ratios, and single numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dispatch import checks
from ..errors import DtypeError
from ..tensor.dtypes import bool_, complex128, float64, get_default_dtype
from .options import chosen_dtype, filled, finish, from_array
from .ranges import linspace


def logspace(
    start: Any,
    end: Any,
    steps: int,
    base: float = 10.0,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """`steps` numbers from base^start to base^end, both included, at equal ratios.

    Args:
        start: the exponent of the first number.
        end: the exponent of the last number.
        steps: how many numbers.
        base: what is raised to these powers.
        dtype, device, requires_grad, pin_memory: as of `zeros`.

    Raises:
        RuntimeError: `steps` is negative.

    Example:
        >>> import specgrad as sg
        >>> sg.logspace(-1, 1, 3)
        tensor([ 0.1000,  1.0000, 10.0000])
    """
    number = checks.scalar("logspace", "base", base)
    count = checks.integer("logspace", "steps", steps)
    if count < 0:
        raise RuntimeError(f"logspace(): number of steps must be non-negative, got {count}")
    first, last = checks.scalar("logspace", "start", start), checks.scalar("logspace", "end", end)
    is_complex = any(isinstance(x, complex) for x in (first, last, number))
    default = get_default_dtype()
    kind = chosen_dtype("logspace", dtype, default.to_complex() if is_complex else default)
    if kind is bool_:
        raise DtypeError(f"logspace(): not implemented for {kind}")
    exponents = linspace(first, last, count, dtype=complex128 if is_complex else float64)
    with np.errstate(all="ignore"):
        values = np.power(number, exponents.array)
    return finish("logspace", from_array(values, kind), device, requires_grad, pin_memory)


def scalar_tensor(
    s: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False
) -> Any:
    """A number as a tensor without dimensions.

    Args:
        s: the number.
        dtype: the element type; the default dtype when not given, also for integers.
        device, requires_grad, pin_memory: as of `zeros`.

    Example:
        >>> import specgrad as sg
        >>> sg.scalar_tensor(3)
        tensor(3.)
    """
    value = checks.scalar("scalar_tensor", "s", s)
    kind = chosen_dtype("scalar_tensor", dtype, get_default_dtype())
    return finish("scalar_tensor", filled("scalar_tensor", (), value, kind), device, requires_grad, pin_memory)
