"""The windows of `specgrad.signal.windows`: weights computed in float64, and rounded once.

A window of M weights is symmetric, or periodic: then it is the symmetric one of M + 1 weights without its last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..dispatch import checks
from ..tensor.dtypes import float32, float64, get_default_dtype
from ..tensor.memory_format import strided
from .options import allocating, checked_size, chosen_dtype, finish, from_array

Weights = Callable[[np.ndarray, int], np.ndarray]  # of the places 0, 1, ... and the number N of steps to the last one
_NUTTALL = (0.3635819, 0.4891775, 0.1365995, 0.0106411)

_DOCSTRING = """{formula}

Args:
    M: how many weights.{arguments}
    sym: whether the window is symmetric, N = M - 1, or one period of a function, N = M.
    dtype: float32 or float64, the default dtype unless given.
    layout: strided, the only one that there is.
    device, requires_grad: as of `zeros`.

Raises:
    ValueError: a negative length, another dtype or layout{refused}.

Example:
    >>> import specgrad as sg
    >>> sg.signal.windows.{call}
    {shown}
"""


def _documented(
    formula: str, call: str, shown: str, arguments: str = "", refused: str = ""
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The docstring of a window, of which only a few words are its own."""

    def documented(window: Callable[..., Any]) -> Callable[..., Any]:
        words = f"\n    {arguments}" if arguments else ""
        window.__doc__ = _DOCSTRING.format(formula=formula, call=call, shown=shown, arguments=words, refused=refused)
        return window

    return documented


@_documented(
    "exp(-|n - center| / tau) for n = 0, 1, ..., M - 1: an exponential window.",
    "exponential(3)",
    "tensor([0.3679, 1.0000, 0.3679])",
    "center: where the greatest weight lies, N / 2 unless given; of periodic ones only.\n    tau: how fast it decays.",
    ", a `tau` that is not positive, or a `center` of a symmetric window",
)
def exponential(
    M: int,
    *,
    center: float | None = None,
    tau: float = 1.0,
    sym: bool = True,
    dtype: Any = None,
    layout: Any = strided,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    decay = checks.floating("exponential", "tau", tau)
    middle = checks.optional_floating("exponential", "center", center)

    def weights(n: np.ndarray, last: int) -> np.ndarray:
        if decay <= 0:
            raise ValueError(f"exponential(): Tau must be positive, got: {decay} instead.")
        if sym and middle is not None:
            raise ValueError("exponential(): Center must be None for symmetric windows")
        return np.exp(-np.abs(n - (last / 2 if middle is None else middle)) / decay)

    return _window("exponential", M, sym, weights, dtype, layout, device, requires_grad)


@_documented(
    "sin(pi (n + 1/2) / (N + 1)): a cosine window, whose ends are not 0.",
    "cosine(3)",
    "tensor([0.5000, 1.0000, 0.5000])",
)
def cosine(
    M: int,
    *,
    sym: bool = True,
    dtype: Any = None,
    layout: Any = strided,
    device: Any = None,
    requires_grad: Any = False,
) -> Any:
    def weights(n: np.ndarray, last: int) -> np.ndarray:
        return np.sin(np.pi * (n + 0.5) / (last + 1))

    return _window("cosine", M, sym, weights, dtype, layout, device, requires_grad)


@_documented(
    "exp(-((n - N / 2) / std)^2 / 2): a Gaussian window.",
    "gaussian(3)",
    "tensor([0.6065, 1.0000, 0.6065])",
    "std: the standard deviation.",
    ", or an `std` that is not positive",
)
def gaussian(
    M: int,
    *,
    std: float = 1.0,
    sym: bool = True,
    dtype: Any = None,
    layout: Any = strided,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    width = checks.floating("gaussian", "std", std)

    def weights(n: np.ndarray, last: int) -> np.ndarray:
        if width <= 0:
            raise ValueError(f"gaussian(): Standard deviation must be positive, got: {width} instead.")
        return np.exp(-(((n - last / 2) / width) ** 2) / 2)

    return _window("gaussian", M, sym, weights, dtype, layout, device, requires_grad)


@_documented(
    "I0(beta sqrt(1 - (2 n / N - 1)^2)) / I0(beta) with Bessel's function I0: a Kaiser window.",
    "kaiser(3, beta=2.0)",
    "tensor([0.4387, 1.0000, 0.4387])",
    "beta: how narrow it is.",
    ", or a negative `beta`",
)
def kaiser(
    M: int,
    *,
    beta: float = 12.0,
    sym: bool = True,
    dtype: Any = None,
    layout: Any = strided,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    shape = checks.floating("kaiser", "beta", beta)

    def weights(n: np.ndarray, last: int) -> np.ndarray:
        if shape < 0:
            raise ValueError(f"kaiser(): beta must be non-negative, got: {shape} instead.")
        return np.i0(shape * np.sqrt(np.maximum(1 - _centred(n, last) ** 2, 0))) / np.i0(np.float64(shape))

    return _window("kaiser", M, sym, weights, dtype, layout, device, requires_grad)


@_documented(
    "1 - |2 n / N - 1|: a triangle from 0 to 1.", "bartlett(5)", "tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])"
)
def bartlett(
    M: int,
    *,
    sym: bool = True,
    dtype: Any = None,
    layout: Any = strided,
    device: Any = None,
    requires_grad: Any = False,
) -> Any:
    def weights(n: np.ndarray, last: int) -> np.ndarray:
        return 1 - np.abs(_centred(n, last))

    return _window("bartlett", M, sym, weights, dtype, layout, device, requires_grad)


@_documented(
    "sum_i (-1)^i a_i cos(2 pi i n / N): a sum of cosines.",
    "general_cosine(3, a=[0.5, 0.25])",
    "tensor([0.2500, 0.7500, 0.2500])",
    "a: the coefficients, a list or tuple of numbers.",
    ", or no coefficients",
)
def general_cosine(
    M: int,
    *,
    a: Iterable[float],
    sym: bool = True,
    dtype: Any = None,
    layout: Any = strided,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    return _cosines("general_cosine", M, a, sym, dtype, layout, device, requires_grad)


@_documented(
    "alpha - (1 - alpha) cos(2 pi n / N): a general Hamming window.",
    "general_hamming(3, alpha=0.75)",
    "tensor([0.5000, 1.0000, 0.5000])",
    "alpha: the mean.",
)
def general_hamming(
    M: int,
    *,
    alpha: float = 0.54,
    sym: bool = True,
    dtype: Any = None,
    layout: Any = strided,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    mean = checks.floating("general_hamming", "alpha", alpha)
    return _cosines("general_hamming", M, (mean, 1 - mean), sym, dtype, layout, device, requires_grad)


@_documented("0.54 - 0.46 cos(2 pi n / N): a Hamming window.", "hamming(3)", "tensor([0.0800, 1.0000, 0.0800])")
def hamming(
    M: int,
    *,
    sym: bool = True,
    dtype: Any = None,
    layout: Any = strided,
    device: Any = None,
    requires_grad: Any = False,
) -> Any:
    return _cosines("hamming", M, (0.54, 0.46), sym, dtype, layout, device, requires_grad)


@_documented("(1 - cos(2 pi n / N)) / 2: a Hann window.", "hann(5)", "tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])")
def hann(
    M: int,
    *,
    sym: bool = True,
    dtype: Any = None,
    layout: Any = strided,
    device: Any = None,
    requires_grad: Any = False,
) -> Any:
    return _cosines("hann", M, (0.5, 0.5), sym, dtype, layout, device, requires_grad)


@_documented(
    "0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N): a Blackman window.",
    "blackman(4, sym=False)[1:]",
    "tensor([0.3400, 1.0000, 0.3400])",
)
def blackman(
    M: int,
    *,
    sym: bool = True,
    dtype: Any = None,
    layout: Any = strided,
    device: Any = None,
    requires_grad: Any = False,
) -> Any:
    return _cosines("blackman", M, (0.42, 0.5, 0.08), sym, dtype, layout, device, requires_grad)


@_documented(
    "The sum of four cosines with low side lobes that A. Nuttall found (IEEE ASSP-29, 1981).",
    "nuttall(3)",
    "tensor([3.6280e-04, 1.0000e+00, 3.6280e-04])",
)
def nuttall(
    M: int,
    *,
    sym: bool = True,
    dtype: Any = None,
    layout: Any = strided,
    device: Any = None,
    requires_grad: Any = False,
) -> Any:
    return _cosines("nuttall", M, _NUTTALL, sym, dtype, layout, device, requires_grad)


def _centred(n: np.ndarray, last: int) -> np.ndarray:
    """From -1 at the first place to 1 at the last one."""
    return 2 * n / last - 1 if last else np.zeros(len(n))


def _cosines(op: str, length: Any, coefficients: Any, sym: Any, *options: Any) -> Any:
    def weights(n: np.ndarray, last: int) -> np.ndarray:
        if not isinstance(coefficients, Iterable):
            raise TypeError(f"{op}(): Coefficients must be a list/tuple")
        found = list(coefficients)
        if not found:
            raise ValueError(f"{op}(): Coefficients cannot be empty")
        angles = 2 * np.pi * n / max(last, 1)
        total = np.zeros(len(n))
        for i, a in enumerate(found):
            total += (-1) ** i * checks.floating(op, "a", a) * np.cos(i * angles)
        return total if length > 1 else np.ones(len(n))

    dtype, layout, device, requires_grad = options
    return _window(op, length, sym, weights, dtype, layout, device, requires_grad)


def _window(
    op: str, length: Any, sym: Any, weights: Weights, dtype: Any, layout: Any, device: Any, requires_grad: Any
) -> Any:
    count = checks.integer(op, "M", length)
    kind = chosen_dtype(op, dtype, get_default_dtype())
    if count < 0:
        raise ValueError(f"{op}() requires non-negative window length, got M={count}")
    if layout is not None and layout is not strided:
        raise ValueError(f"{op}() is implemented for strided tensors only, got: {layout}")
    if kind not in (float32, float64):
        raise ValueError(f"{op}() expects float32 or float64 dtypes, got: {kind}")
    checked_size(op, (count,))
    periodic = not checks.boolean(op, "sym", sym)
    with allocating(op):
        found = weights(np.arange(count), count if periodic and count > 1 else max(count - 1, 0))
    return finish(op, from_array(found, kind), device, requires_grad)
