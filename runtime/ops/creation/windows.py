"""Windows, weights that fade a piece of a signal in and out, and the frequencies of a discrete Fourier transform."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...dispatch import argument_checks
from ...tensor.dtypes import get_default_dtype
from .options import allocating, checked_size, chosen_dtype, finish, from_array, written


def hann_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """(1 - cos(2 pi n / N)) / 2 for n = 0, 1, ..., with N one less than the length, or the length if periodic.

    Args:
        window_length: how many weights.
        periodic: whether the window is one period of a function, else it is symmetric.
        dtype: a floating-point dtype, the default dtype unless given.
        device, pin_memory, requires_grad: as of `zeros`.

    Raises:
        RuntimeError: a negative length, or a dtype that is not floating-point.

    Example:
        >>> import specgrad as sg
        >>> sg.hann_window(4)
        tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    options = (dtype, device, requires_grad, pin_memory)
    return _window("hann_window", window_length, periodic, lambda x: 0.5 - 0.5 * np.cos(x), options)


def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """alpha - beta cos(2 pi n / N), arguments as of `hann_window`.

    Args:
        alpha: the mean.
        beta: the height of the wave.

    Example:
        >>> import specgrad as sg
        >>> sg.hamming_window(4)
        tensor([0.0800, 0.5400, 1.0000, 0.5400])
    """
    a, b = (
        argument_checks.floating("hamming_window", name, value) for name, value in (("alpha", alpha), ("beta", beta))
    )
    options = (dtype, device, requires_grad, pin_memory)
    return _window("hamming_window", window_length, periodic, lambda x: a - b * np.cos(x), options)


def blackman_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N), arguments as of `hann_window`.

    Example:
        >>> import specgrad as sg
        >>> sg.blackman_window(3, periodic=False).abs()
        tensor([0., 1., 0.])
    """
    options = (dtype, device, requires_grad, pin_memory)
    return _window(
        "blackman_window",
        window_length,
        periodic,
        lambda x: np.maximum(0.42 - 0.5 * np.cos(x) + 0.08 * np.cos(2 * x), 0),
        options,
    )


def bartlett_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """1 - |2 n / N - 1|, arguments as of `hann_window`.

    Example:
        >>> import specgrad as sg
        >>> sg.bartlett_window(4)
        tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    options = (dtype, device, requires_grad, pin_memory)
    return _window("bartlett_window", window_length, periodic, lambda x: 1 - np.abs(x / np.pi - 1), options)


def kaiser_window(
    window_length: int,
    periodic: bool = True,
    beta: float = 12.0,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """I0(beta sqrt(1 - (2 n / N - 1)^2)) / I0(beta) with Bessel's function I0, arguments as of `hann_window`.

    Args:
        beta: how narrow it is.

    Example:
        >>> import specgrad as sg
        >>> sg.kaiser_window(3, periodic=False, beta=2.0)
        tensor([0.4387, 1.0000, 0.4387])
    """
    width = argument_checks.floating("kaiser_window", "beta", beta)
    options = (dtype, device, requires_grad, pin_memory)

    def weights(x: np.ndarray) -> np.ndarray:
        return np.i0(width * np.sqrt(np.maximum(1 - (x / np.pi - 1) ** 2, 0))) / np.i0(np.float64(width))

    return _window("kaiser_window", window_length, periodic, weights, options)


def _window(
    op: str, length: Any, periodic: Any, weights: Callable[[np.ndarray], np.ndarray], options: tuple[Any, ...]
) -> Any:
    count = argument_checks.integer(op, "window_length", length)
    if count < 0:
        raise RuntimeError(f"{op}(): requires non-negative window_length, got window_length={count}")
    checked_size(op, (count,))
    kind = chosen_dtype(op, options[0], get_default_dtype())
    if kind.kind != "f":
        raise RuntimeError(f"{op}(): expects floating point dtypes, got {kind.name}")
    last = count if argument_checks.boolean(op, "periodic", periodic) else count - 1
    with allocating(op), np.errstate(all="ignore"):
        angles = 2 * np.pi * np.arange(count) / max(last, 1)
        result = np.ones(count) if count == 1 else weights(angles)
    return finish(op, from_array(result, kind), *options[1:])


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
    count = argument_checks.integer(op, "n", n)
    if count < 0:
        raise RuntimeError(f"{op}(): expected a number n >= 0, got {count}")
    checked_size(op, (count,))
    return count


def _frequencies(op: str, order: np.ndarray, n: int, d: Any, dtype: Any, *options: Any) -> Any:
    kind = chosen_dtype(op, dtype, get_default_dtype())
    with allocating(op), np.errstate(all="ignore"):
        result = order * (1.0 / np.float64(n * argument_checks.floating(op, "d", d)))
    return finish(op, from_array(result, kind), *options)
