"""Windows, weights that fade a piece of a signal in and out, and the frequencies of a discrete Fourier transform."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import Signature, signature
from typing import Any

import numpy as np

from ...device.device import DeviceLike
from ...dispatch import argument_checks
from ...namespace import Tensor
from ...tensor.dtypes import dtype, get_default_dtype
from .fast_calls import named_like
from .options import allocating, checked_size, chosen_dtype, finish, from_array, written


def _window(weights: Callable[..., np.ndarray]) -> Callable[..., Tensor]:
    """The public function of weights at the angles 2 pi n / N; their other parameters are the window's own numbers."""
    op, parameters = weights.__name__, signature(weights)

    def window(
        window_length: int,
        periodic: bool = True,
        *own: Any,
        dtype: dtype | None = None,
        device: DeviceLike = None,
        pin_memory: bool = False,
        requires_grad: bool = False,
        **named: Any,
    ) -> Tensor:
        try:
            arguments = parameters.bind(None, *own, **named).arguments
        except TypeError as error:
            count, max_count = 2 + len(own), 2 + len(own_parameters)
            counts = f"takes from 1 to {max_count} positional arguments but {count} were given"
            raise TypeError(f"{op}() {counts if count > max_count else error}") from None
        numbers = {name: argument_checks.floating(op, name, arguments[name]) for name in list(arguments)[1:]}
        count = argument_checks.integer(op, "window_length", window_length)
        if count < 0:
            raise RuntimeError(f"{op}(): requires non-negative window_length, got window_length={count}")
        checked_size(op, (count,))
        kind = chosen_dtype(op, dtype, get_default_dtype())
        if kind.kind != "f":
            raise RuntimeError(f"{op}(): expects floating point dtypes, got {kind.name}")
        last = count if argument_checks.boolean(op, "periodic", periodic) else count - 1
        with allocating(op), np.errstate(all="ignore"):
            angles = 2 * np.pi * np.arange(count) / max(last, 1)
            result = np.ones(count) if count == 1 else weights(angles, **numbers)
        return finish(op, from_array(result, kind), device, requires_grad, pin_memory)

    first, second, _, *options, _ = signature(window).parameters.values()
    _, *own_parameters = parameters.parameters.values()
    window.__signature__ = Signature([first, second, *own_parameters, *options])  # type: ignore[attr-defined]
    return named_like(window, weights)


@_window
def hann_window(angles: np.ndarray) -> np.ndarray:
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
    return 0.5 - 0.5 * np.cos(angles)


@_window
def hamming_window(angles: np.ndarray, alpha: float = 0.54, beta: float = 0.46) -> np.ndarray:
    """alpha - beta cos(2 pi n / N), arguments as of `hann_window`.

    Args:
        alpha: the mean.
        beta: the height of the wave.

    Example:
        >>> import specgrad as sg
        >>> sg.hamming_window(4)
        tensor([0.0800, 0.5400, 1.0000, 0.5400])
    """
    return alpha - beta * np.cos(angles)


@_window
def blackman_window(angles: np.ndarray) -> np.ndarray:
    """0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N), arguments as of `hann_window`.

    Example:
        >>> import specgrad as sg
        >>> sg.blackman_window(3, periodic=False).abs()
        tensor([0., 1., 0.])
    """
    return np.maximum(0.42 - 0.5 * np.cos(angles) + 0.08 * np.cos(2 * angles), 0)


@_window
def bartlett_window(angles: np.ndarray) -> np.ndarray:
    """1 - |2 n / N - 1|, arguments as of `hann_window`.

    Example:
        >>> import specgrad as sg
        >>> sg.bartlett_window(4)
        tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return 1 - np.abs(angles / np.pi - 1)


@_window
def kaiser_window(angles: np.ndarray, beta: float = 12.0) -> np.ndarray:
    """I0(beta sqrt(1 - (2 n / N - 1)^2)) / I0(beta) with Bessel's function I0, arguments as of `hann_window`.

    Args:
        beta: how narrow it is.

    Example:
        >>> import specgrad as sg
        >>> sg.kaiser_window(3, periodic=False, beta=2.0)
        tensor([0.4387, 1.0000, 0.4387])
    """
    return np.i0(beta * np.sqrt(np.maximum(1 - (angles / np.pi - 1) ** 2, 0))) / np.i0(np.float64(beta))


def fftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
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
    return _frequencies("fftfreq", n, d, dtype, device, requires_grad, pin_memory)


def rfftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """The frequencies [0, 1, ..., n // 2] / (d n) of the numbers of `rfft`, arguments as of `fftfreq`.

    Example:
        >>> import specgrad as sg
        >>> sg.fft.rfftfreq(5)
        tensor([0.0000, 0.2000, 0.4000])
    """
    if out is not None:
        return written(partial(rfftfreq, n, d), out, dtype, requires_grad)
    return _frequencies("rfftfreq", n, d, dtype, device, requires_grad, pin_memory)


def _frequencies(op: str, n: Any, d: Any, dtype: Any, *options: Any) -> Any:
    count = argument_checks.integer(op, "n", n)
    if count < 0:
        raise RuntimeError(f"{op}(): expected a number n >= 0, got {count}")
    checked_size(op, (count,))
    with allocating(op), np.errstate(all="ignore"):
        order = np.arange(count if op == "fftfreq" else count // 2 + 1)
        if op == "fftfreq":
            order[(count + 1) // 2 :] -= count
        kind = chosen_dtype(op, dtype, get_default_dtype())
        result = order * (1.0 / np.float64(count * argument_checks.floating(op, "d", d)))
    return finish(op, from_array(result, kind), *options)
