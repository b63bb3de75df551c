"""The windows of `specgrad.signal.windows`: weights computed in float64, and rounded once.

A window of M weights is symmetric, or periodic: then it is the symmetric one of M + 1 weights without its last.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from inspect import Parameter, Signature, signature
from typing import Any

import numpy as np

from ...dispatch import argument_checks
from ...tensor.dtypes import float32, float64, get_default_dtype
from ...tensor.memory_format import strided
from .options import allocating, checked_size, chosen_dtype, finish, from_array

Weights = Callable[..., np.ndarray]  # of the places 0, 1, ..., the number N of steps to the last one, and `sym`
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


def _window(
    formula: str, call: str, shown: str, arguments: str = "", refused: str = ""
) -> Callable[[Weights], Callable[..., Any]]:
    """Make a window's public function of its weights, whose keywords are the window's own arguments."""

    def made(weights: Weights) -> Callable[..., Any]:
        name = weights.__name__

        def window(
            M: int,
            *,
            sym: bool = True,
            dtype: Any = None,
            layout: Any = strided,
            device: Any = None,
            requires_grad: bool = False,
            **own: Any,
        ) -> Any:
            _check_names(name, own, named)
            count = argument_checks.integer(name, "M", M)
            kind = chosen_dtype(name, dtype, get_default_dtype())
            if count < 0:
                raise ValueError(f"{name}() requires non-negative window length, got M={count}")
            if layout is not None and layout is not strided:
                raise ValueError(f"{name}() is implemented for strided tensors only, got: {layout}")
            if kind not in (float32, float64):
                raise ValueError(f"{name}() expects float32 or float64 dtypes, got: {kind}")
            checked_size(name, (count,))
            is_symmetric = argument_checks.boolean(name, "sym", sym)
            with allocating(name):
                last = max(count - 1, 0) if is_symmetric or count <= 1 else count
                result = weights(np.arange(count), last, is_symmetric, **own)
            return finish(name, from_array(result, kind), device, requires_grad)

        first, *options, _ = signature(window).parameters.values()
        named = {k: one for k, one in signature(weights).parameters.items() if one.kind is Parameter.KEYWORD_ONLY}
        window.__signature__ = Signature([first, *named.values(), *options])  # type: ignore[attr-defined]
        window.__name__ = window.__qualname__ = name
        namespace = f"\n    {arguments}" if arguments else ""
        window.__doc__ = _DOCSTRING.format(
            formula=formula, call=call, shown=shown, arguments=namespace, refused=refused
        )
        return window

    return made


@_window(
    "exp(-|n - center| / tau) for n = 0, 1, ..., M - 1: an exponential window.",
    "exponential(3)",
    "tensor([0.3679, 1.0000, 0.3679])",
    "center: where the greatest weight lies, N / 2 unless given; of periodic ones only.\n    tau: how fast it decays.",
    ", a `tau` that is not positive, or a `center` of a symmetric window",
)
def exponential(n: np.ndarray, last: int, sym: bool, *, center: float | None = None, tau: float = 1.0) -> np.ndarray:
    decay = argument_checks.floating("exponential", "tau", tau)
    mean_value = argument_checks.optional_floating("exponential", "center", center)
    if decay <= 0:
        raise ValueError(f"exponential(): Tau must be positive, got: {decay} instead.")
    if sym and mean_value is not None:
        raise ValueError("exponential(): Center must be None for symmetric windows")
    return np.exp(-np.abs(n - (last / 2 if mean_value is None else mean_value)) / decay)


@_window(
    "sin(pi (n + 1/2) / (N + 1)): a cosine window, whose ends are not 0.",
    "cosine(3)",
    "tensor([0.5000, 1.0000, 0.5000])",
)
def cosine(n: np.ndarray, last: int, sym: bool) -> np.ndarray:
    return np.sin(np.pi * (n + 0.5) / (last + 1))


@_window(
    "exp(-((n - N / 2) / std)^2 / 2): a Gaussian window.",
    "gaussian(3)",
    "tensor([0.6065, 1.0000, 0.6065])",
    "std: the standard deviation.",
    ", or an `std` that is not positive",
)
def gaussian(n: np.ndarray, last: int, sym: bool, *, std: float = 1.0) -> np.ndarray:
    width = argument_checks.floating("gaussian", "std", std)
    if width <= 0:
        raise ValueError(f"gaussian(): Standard deviation must be positive, got: {width} instead.")
    return np.exp(-(((n - last / 2) / width) ** 2) / 2)


@_window(
    "I0(beta sqrt(1 - (2 n / N - 1)^2)) / I0(beta) with Bessel's function I0: a Kaiser window.",
    "kaiser(3, beta=2.0)",
    "tensor([0.4387, 1.0000, 0.4387])",
    "beta: how narrow it is.",
    ", or a negative `beta`",
)
def kaiser(n: np.ndarray, last: int, sym: bool, *, beta: float = 12.0) -> np.ndarray:
    shape = argument_checks.floating("kaiser", "beta", beta)
    if shape < 0:
        raise ValueError(f"kaiser(): beta must be non-negative, got: {shape} instead.")
    return np.i0(shape * np.sqrt(np.maximum(1 - _centred(n, last) ** 2, 0))) / np.i0(np.float64(shape))


@_window(
    "1 - |2 n / N - 1|: a triangle from 0 to 1.", "bartlett(5)", "tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])"
)
def bartlett(n: np.ndarray, last: int, sym: bool) -> np.ndarray:
    return 1 - np.abs(_centred(n, last))


@_window(
    "sum_i (-1)^i a_i cos(2 pi i n / N): a sum of cosines.",
    "general_cosine(3, a=[0.5, 0.25])",
    "tensor([0.2500, 0.7500, 0.2500])",
    "a: the coefficients, a list or tuple of numbers.",
    ", or no coefficients",
)
def general_cosine(n: np.ndarray, last: int, sym: bool, *, a: Iterable[float]) -> np.ndarray:
    return _cosines("general_cosine", n, last, a)


@_window(
    "alpha - (1 - alpha) cos(2 pi n / N): a general Hamming window.",
    "general_hamming(3, alpha=0.75)",
    "tensor([0.5000, 1.0000, 0.5000])",
    "alpha: the mean.",
)
def general_hamming(n: np.ndarray, last: int, sym: bool, *, alpha: float = 0.54) -> np.ndarray:
    mean = argument_checks.floating("general_hamming", "alpha", alpha)
    return _cosines("general_hamming", n, last, (mean, 1 - mean))


@_window("0.54 - 0.46 cos(2 pi n / N): a Hamming window.", "hamming(3)", "tensor([0.0800, 1.0000, 0.0800])")
def hamming(n: np.ndarray, last: int, sym: bool) -> np.ndarray:
    return _cosines("hamming", n, last, (0.54, 0.46))


@_window("(1 - cos(2 pi n / N)) / 2: a Hann window.", "hann(5)", "tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])")
def hann(n: np.ndarray, last: int, sym: bool) -> np.ndarray:
    return _cosines("hann", n, last, (0.5, 0.5))


@_window(
    "0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N): a Blackman window.",
    "blackman(4, sym=False)[1:]",
    "tensor([0.3400, 1.0000, 0.3400])",
)
def blackman(n: np.ndarray, last: int, sym: bool) -> np.ndarray:
    return _cosines("blackman", n, last, (0.42, 0.5, 0.08))


@_window(
    "The sum of four cosines with low side lobes that A. Nuttall found (IEEE ASSP-29, 1981).",
    "nuttall(3)",
    "tensor([3.6280e-04, 1.0000e+00, 3.6280e-04])",
)
def nuttall(n: np.ndarray, last: int, sym: bool) -> np.ndarray:
    return _cosines("nuttall", n, last, _NUTTALL)


def _check_names(op: str, args: Collection[str], named: Mapping[str, Parameter]) -> None:
    for name in args:
        if name not in named:
            raise TypeError(f"{op}() got an unexpected keyword argument '{name}'")
    for name, parameter in named.items():
        if name not in args and parameter.default is Parameter.empty:
            raise TypeError(f"{op}() missing 1 required keyword-only argument: '{name}'")


def _centred(n: np.ndarray, last: int) -> np.ndarray:
    return 2 * n / last - 1 if last else np.zeros(len(n))


def _cosines(op: str, n: np.ndarray, last: int, coefficients: Any) -> np.ndarray:
    if not isinstance(coefficients, Iterable):
        raise TypeError(f"{op}(): Coefficients must be a list/tuple")
    matches = list(coefficients)
    if not matches:
        raise ValueError(f"{op}(): Coefficients cannot be empty")
    angles = 2 * np.pi * n / max(last, 1)
    total = np.zeros(len(n))
    for i, a in enumerate(matches):
        total += (-1) ** i * argument_checks.floating(op, "a", a) * np.cos(i * angles)
    return total if len(n) > 1 else np.ones(len(n))
