"""The frequencies that the numbers of a discrete Fourier transform belong to."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..dispatch import checks
from ..tensor.dtypes import get_default_dtype
from .destination import written
from .options import allocating, checked_size, chosen_dtype, finish, from_array


def fftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """The frequencies [0, 1, ..., (n - 1) // 2, -(n // 2), ..., -1] / (d n) of the numbers of `fft`.

    Args:
        n: how many numbers are transformed.
        d: the time from one number to the next.
        dtype: the default dtype unless given.
        out, device, requires_grad, pin_memory: as of `zeros`.

    Raises:
        RuntimeError: a negative n.

    Example:
        >>> import specgrad as sg
        >>> sg.fft.fftfreq(5)
        tensor([ 0.0000,  0.2000,  0.4000, -0.4000, -0.2000])
    """
    if out is not None:
        return written(partial(fftfreq, n, d), out, dtype, requires_grad)
    count = _counted("fftfreq", n)
    with allocating("fftfreq"):
        order = np.arange(count)
    order[(count + 1) // 2 :] -= count
    return _frequencies("fftfreq", order, count, d, dtype, device, requires_grad, pin_memory)


def rfftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """The frequencies [0, 1, ..., n // 2] / (d n) of the numbers of `rfft`.

    Args:
        n: how many real numbers are transformed.
        d: the time from one number to the next.
        dtype: the default dtype unless given.
        out, device, requires_grad, pin_memory: as of `zeros`.

    Raises:
        RuntimeError: a negative n.

    Example:
        >>> import specgrad as sg
        >>> sg.fft.rfftfreq(5)
        tensor([0.0000, 0.2000, 0.4000])
    """
    if out is not None:
        return written(partial(rfftfreq, n, d), out, dtype, requires_grad)
    count = _counted("rfftfreq", n)
    with allocating("rfftfreq"):
        order = np.arange(count // 2 + 1)
    return _frequencies("rfftfreq", order, count, d, dtype, device, requires_grad, pin_memory)


def _counted(op: str, n: Any) -> int:
    count = checks.integer(op, "n", n)
    if count < 0:
        raise RuntimeError(f"{op}(): expected a number n >= 0, got {count}")
    checked_size(op, (count,))
    return count


def _frequencies(op: str, order: np.ndarray, n: int, d: Any, dtype: Any, *options: Any) -> Any:
    kind = chosen_dtype(op, dtype, get_default_dtype())
    with allocating(op), np.errstate(all="ignore"):
        result = order * (1.0 / np.float64(n * checks.floating(op, "d", d)))
    return finish(op, from_array(result, kind), *options)
