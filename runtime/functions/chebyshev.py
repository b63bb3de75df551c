"""Chebyshev polynomials of four kinds."""

from __future__ import annotations

from typing import Any

from .polynomials import evaluated


def chebyshev_polynomial_t(input: Any, n: Any, *, out: Any = None) -> Any:
    """Chebyshev polynomials of the first kind: T_n(cos a) = cos(n a).

    Args:
        input: x, a tensor of real numbers, or a number.
        n: the degree, a number or a tensor; shapes broadcast. There are none below 0: these are 0.
        out: a tensor to write to.

    Example:
        >>> import specgrad as sg
        >>> sg.special.chebyshev_polynomial_t(sg.tensor([0.5, 2.0]), 2).tolist()
        [-0.5, 7.0]
    """
    return evaluated(
        "chebyshev_polynomial_t", input, n, out, lambda x: x, lambda x, now, before, k: 2 * x * now - before
    )


def chebyshev_polynomial_u(input: Any, n: Any, *, out: Any = None) -> Any:
    """Chebyshev polynomials of the second kind: U_n(cos a) = sin((n + 1) a) / sin(a).

    Args:
        input: x, a tensor of real numbers, or a number.
        n: the degree, a number or a tensor; shapes broadcast. There are none below 0: these are 0.
        out: a tensor to write to.

    Example:
        >>> import specgrad as sg
        >>> sg.special.chebyshev_polynomial_u(sg.tensor([0.5, 2.0]), 2).tolist()
        [0.0, 15.0]
    """
    return evaluated(
        "chebyshev_polynomial_u", input, n, out, lambda x: 2 * x, lambda x, now, before, k: 2 * x * now - before
    )


def chebyshev_polynomial_v(input: Any, n: Any, *, out: Any = None) -> Any:
    """Chebyshev polynomials of the third kind: V_n(cos a) = cos((n + 1/2) a) / cos(a / 2).

    Args:
        input: x, a tensor of real numbers, or a number.
        n: the degree, a number or a tensor; shapes broadcast. There are none below 0: these are 0.
        out: a tensor to write to.

    Example:
        >>> import specgrad as sg
        >>> sg.special.chebyshev_polynomial_v(sg.tensor([0.5, 2.0]), 2).tolist()
        [-1.0, 11.0]
    """
    return evaluated(
        "chebyshev_polynomial_v", input, n, out, lambda x: 2 * x - 1, lambda x, now, before, k: 2 * x * now - before
    )


def chebyshev_polynomial_w(input: Any, n: Any, *, out: Any = None) -> Any:
    """Chebyshev polynomials of the fourth kind: W_n(cos a) = sin((n + 1/2) a) / sin(a / 2).

    Args:
        input: x, a tensor of real numbers, or a number.
        n: the degree, a number or a tensor; shapes broadcast. There are none below 0: these are 0.
        out: a tensor to write to.

    Example:
        >>> import specgrad as sg
        >>> sg.special.chebyshev_polynomial_w(sg.tensor([0.5, 2.0]), 2).tolist()
        [1.0, 19.0]
    """
    return evaluated(
        "chebyshev_polynomial_w", input, n, out, lambda x: 2 * x + 1, lambda x, now, before, k: 2 * x * now - before
    )


def shifted_chebyshev_polynomial_t(input: Any, n: Any, *, out: Any = None) -> Any:
    """Chebyshev polynomials of the first kind, of 2 x - 1: for x in [0, 1].

    Args:
        input: x, a tensor of real numbers, or a number.
        n: the degree, a number or a tensor; shapes broadcast. There are none below 0: these are 0.
        out: a tensor to write to.

    Example:
        >>> import specgrad as sg
        >>> sg.special.shifted_chebyshev_polynomial_t(sg.tensor([0.5, 2.0]), 2).tolist()
        [-1.0, 17.0]
    """
    return evaluated(
        "shifted_chebyshev_polynomial_t",
        input,
        n,
        out,
        lambda x: 2 * x - 1,
        lambda x, now, before, k: (4 * x - 2) * now - before,
    )


def shifted_chebyshev_polynomial_u(input: Any, n: Any, *, out: Any = None) -> Any:
    """Chebyshev polynomials of the second kind, of 2 x - 1: for x in [0, 1].

    Args:
        input: x, a tensor of real numbers, or a number.
        n: the degree, a number or a tensor; shapes broadcast. There are none below 0: these are 0.
        out: a tensor to write to.

    Example:
        >>> import specgrad as sg
        >>> sg.special.shifted_chebyshev_polynomial_u(sg.tensor([0.5, 2.0]), 2).tolist()
        [-1.0, 35.0]
    """
    return evaluated(
        "shifted_chebyshev_polynomial_u",
        input,
        n,
        out,
        lambda x: 4 * x - 2,
        lambda x, now, before, k: (4 * x - 2) * now - before,
    )


def shifted_chebyshev_polynomial_v(input: Any, n: Any, *, out: Any = None) -> Any:
    """Chebyshev polynomials of the third kind, of 2 x - 1: for x in [0, 1].

    Args:
        input: x, a tensor of real numbers, or a number.
        n: the degree, a number or a tensor; shapes broadcast. There are none below 0: these are 0.
        out: a tensor to write to.

    Example:
        >>> import specgrad as sg
        >>> sg.special.shifted_chebyshev_polynomial_v(sg.tensor([0.5, 2.0]), 2).tolist()
        [-1.0, 29.0]
    """
    return evaluated(
        "shifted_chebyshev_polynomial_v",
        input,
        n,
        out,
        lambda x: 4 * x - 3,
        lambda x, now, before, k: (4 * x - 2) * now - before,
    )


def shifted_chebyshev_polynomial_w(input: Any, n: Any, *, out: Any = None) -> Any:
    """Chebyshev polynomials of the fourth kind, of 2 x - 1: for x in [0, 1].

    Args:
        input: x, a tensor of real numbers, or a number.
        n: the degree, a number or a tensor; shapes broadcast. There are none below 0: these are 0.
        out: a tensor to write to.

    Example:
        >>> import specgrad as sg
        >>> sg.special.shifted_chebyshev_polynomial_w(sg.tensor([0.5, 2.0]), 2).tolist()
        [-1.0, 41.0]
    """
    return evaluated(
        "shifted_chebyshev_polynomial_w",
        input,
        n,
        out,
        lambda x: 4 * x - 1,
        lambda x, now, before, k: (4 * x - 2) * now - before,
    )
