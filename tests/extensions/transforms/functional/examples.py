"""Functions whose Jacobians and Hessians have a closed form, which is given in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

import specgrad as sg

RNG = np.random.default_rng(5)
X, Y = RNG.standard_normal(2), RNG.standard_normal((2, 3))
A = RNG.standard_normal((3, 3))


def close(found: Any, expected: Any) -> None:
    """Equal up to rounding, and of the same shape."""
    assert tuple(found.shape) == np.shape(expected)
    np.testing.assert_allclose(found.detach().numpy(), expected, rtol=1e-12, atol=1e-12)


def mixed(x: Any, y: Any) -> tuple[Any, Any]:
    """x^T y and the sum of y^2."""
    return x @ y, (y**2).sum()


def quadratic(x: Any) -> Any:
    """x^T A x / 2 + the sum of x^3: its Hessian is (A + A^T) / 2 + diag(6 x)."""
    return x @ (sg.tensor(A) @ x) / 2 + (x**3).sum()


def hessian_of_quadratic(x: np.ndarray) -> np.ndarray:
    """The Hessian of `quadratic` at x."""
    return (A + A.T) / 2 + np.diag(6 * x)
