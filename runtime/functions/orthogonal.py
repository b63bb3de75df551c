"""Polynomials of Hermite, Laguerre and Legendre."""

from __future__ import annotations

from typing import Any

from .polynomials import evaluated


def hermite_polynomial_h(input: Any, n: Any, *, out: Any = None) -> Any:
    """The physicists' Hermite polynomials: H_(n+1)(x) = 2 x H_n(x) - 2 n H_(n-1)(x).

    Args:
        input: x, a tensor of real numbers, or a number.
        n: the degree, a number or a tensor; shapes broadcast. There are none below 0: these are 0.
        out: a tensor to write to.

    Example:
        >>> import specgrad as sg
        >>> sg.special.hermite_polynomial_h(sg.tensor([0.5, 2.0]), 2).tolist()
        [-1.0, 14.0]
    """
    return evaluated(
        "hermite_polynomial_h", input, n, out, lambda x: 2 * x, lambda x, now, before, k: 2 * x * now - 2 * k * before
    )


def hermite_polynomial_he(input: Any, n: Any, *, out: Any = None) -> Any:
    """The probabilists' Hermite polynomials: He_(n+1)(x) = x He_n(x) - n He_(n-1)(x).

    Args:
        input: x, a tensor of real numbers, or a number.
        n: the degree, a number or a tensor; shapes broadcast. There are none below 0: these are 0.
        out: a tensor to write to.

    Example:
        >>> import specgrad as sg
        >>> sg.special.hermite_polynomial_he(sg.tensor([0.5, 2.0]), 2).tolist()
        [-0.75, 3.0]
    """
    return evaluated(
        "hermite_polynomial_he", input, n, out, lambda x: x, lambda x, now, before, k: x * now - k * before
    )


def laguerre_polynomial_l(input: Any, n: Any, *, out: Any = None) -> Any:
    """Laguerre polynomials: (n + 1) L_(n+1)(x) = (2 n + 1 - x) L_n(x) - n L_(n-1)(x).

    Args:
        input: x, a tensor of real numbers, or a number.
        n: the degree, a number or a tensor; shapes broadcast. There are none below 0: these are 0.
        out: a tensor to write to.

    Example:
        >>> import specgrad as sg
        >>> sg.special.laguerre_polynomial_l(sg.tensor([0.5, 2.0]), 2).tolist()
        [0.125, -1.0]
    """
    return evaluated(
        "laguerre_polynomial_l",
        input,
        n,
        out,
        lambda x: 1 - x,
        lambda x, now, before, k: ((2 * k + 1 - x) * now - k * before) / (k + 1),
    )


def legendre_polynomial_p(input: Any, n: Any, *, out: Any = None) -> Any:
    """Legendre polynomials: (n + 1) P_(n+1)(x) = (2 n + 1) x P_n(x) - n P_(n-1)(x).

    Args:
        input: x, a tensor of real numbers, or a number.
        n: the degree, a number or a tensor; shapes broadcast. There are none below 0: these are 0.
        out: a tensor to write to.

    Example:
        >>> import specgrad as sg
        >>> sg.special.legendre_polynomial_p(sg.tensor([0.5, 2.0]), 2).tolist()
        [-0.125, 5.5]
    """
    return evaluated(
        "legendre_polynomial_p",
        input,
        n,
        out,
        lambda x: x,
        lambda x, now, before, k: ((2 * k + 1) * x * now - k * before) / (k + 1),
    )
