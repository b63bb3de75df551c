"""The determinant is a polynomial: its derivatives are finite at singular matrices of any rank, and equal to minors."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import specgrad as sg

MATRICES = {
    "rank 1 of 2": [[1.0, 2.0], [2.0, 4.0]],
    "rank 0 of 2": [[0.0, 0.0], [0.0, 0.0]],
    "rank 2 of 2": [[1.0, 2.0], [3.0, 5.0]],
    "rank 2 of 3": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]],
    "rank 1 of 3": [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [3.0, 6.0, 9.0]],
    "rank 0 of 3": [[0.0] * 3] * 3,
    "identity": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    "rank 2 of 4": [[1.0, 2.0, 3.0, 4.0], [2.0, 4.0, 6.0, 8.0], [0.0, 1.0, 0.0, 1.0], [1.0, 3.0, 3.0, 5.0]],
    "one number": [[0.0]],
}


def det(rows: list[list[float]]) -> float:
    """By expansion along the first row."""
    if not rows:
        return 1.0
    minors = ([row[:j] + row[j + 1 :] for row in rows[1:]] for j in range(len(rows)))
    return sum((-1) ** j * rows[0][j] * det(minor) for j, minor in enumerate(minors))


def without(rows: list[list[float]], i: int, j: int) -> list[list[float]]:
    return [row[:j] + row[j + 1 :] for k, row in enumerate(rows) if k != i]


def cofactor(rows: list[list[float]], i: int, j: int) -> float:
    return (-1) ** (i + j) * det(without(rows, i, j))


def second(rows: list[list[float]], i: int, j: int) -> np.ndarray:
    """The derivative of the cofactor (i, j)."""
    n, result = len(rows), np.zeros((len(rows), len(rows)))
    for k, m in itertools.product(range(n), range(n)):
        if k != i and m != j:
            result[k, m] = (-1) ** (i + j) * cofactor(without(rows, i, j), k - (k > i), m - (m > j))
    return result


@pytest.mark.parametrize("name", MATRICES)
def test_first_and_second_derivatives(name: str) -> None:
    """By reverse mode twice, and in forward mode over reverse mode."""
    rows = MATRICES[name]
    n, x = len(rows), sg.tensor(rows, dtype=sg.float64, requires_grad=True)
    (first,) = sg.autograd.grad(sg.linalg.det(x), x, create_graph=True)
    right = [[cofactor(rows, i, j) for j in range(n)] for i in range(n)]
    np.testing.assert_allclose(first.detach().numpy(), right, 1e-12, 1e-12)
    hessian = sg.func.hessian(sg.linalg.det)(x.detach()).numpy()
    for i, j in itertools.product(range(n), range(n)):
        (found,) = sg.autograd.grad(first[i, j], x, retain_graph=True)
        np.testing.assert_allclose(found.numpy(), second(rows, i, j), 1e-10, 1e-10)
        np.testing.assert_allclose(hessian[i, j], second(rows, i, j), 1e-10, 1e-10)


def test_batches_and_complex_matrices() -> None:
    """The second derivative of det along a direction is the coefficient of a quadratic polynomial."""
    a = sg.tensor([[[1.0, 2.0], [2.0, 4.0]], [[1j, 1.0], [-1.0, 1j]]], dtype=sg.complex128, requires_grad=True)
    (first,) = sg.autograd.grad(sg.linalg.det(a).sum(), a, sg.ones((), dtype=sg.complex128), create_graph=True)
    (second_grad,) = sg.autograd.grad(first[:, 0, 0].sum(), a, sg.ones((), dtype=sg.complex128))
    np.testing.assert_allclose(second_grad.numpy(), [[[0, 0], [0, 1]]] * 2, 1e-12, 1e-12)


def test_third_derivatives_where_the_matrix_has_an_inverse() -> None:
    """D^3 det of a 3x3 matrix along one direction is 6 det of the direction."""
    a = sg.tensor([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]], dtype=sg.float64)
    h = sg.tensor([[1.0, 2.0, 0.5], [0.0, 1.0, 3.0], [2.0, 0.0, 1.0]], dtype=sg.float64)

    def along(function: Any) -> Any:
        return lambda x: sg.func.jvp(function, (x,), (h,))[1]

    third = along(along(along(sg.linalg.det)))(a)
    np.testing.assert_allclose(third.item(), 6 * det(h.tolist()), 1e-9)
