"""jacobian and hessian against closed forms in NumPy: values, structures, all ways to compute them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.autograd.functional import hessian, jacobian
from tests.extensions.transforms.functional.examples import X, Y, close, hessian_of_quadratic, mixed, quadratic

RNG = np.random.default_rng(6)


WAYS: dict[str, dict[str, Any]] = {
    "rows": {},
    "rows at once": {"vectorize": True},
    "columns at once": {"vectorize": True, "strategy": "forward-mode"},
}
every_way = pytest.mark.parametrize("way", WAYS)
SECOND: dict[str, dict[str, Any]] = {
    "rows": {},
    "rows at once": {"vectorize": True},
    "forward over reverse": {"vectorize": True, "outer_jacobian_strategy": "forward-mode"},
}
every_second_way = pytest.mark.parametrize("way", SECOND)


@every_way
def test_jacobian_of_several_in_several(way: str) -> None:
    """J[i][j] is d output i / d input j, of shape (*output, *input); zeros where nothing depends."""
    found = jacobian(mixed, (sg.tensor(X), sg.tensor(Y)), **WAYS[way])
    assert isinstance(found, tuple) and all(isinstance(row, tuple) for row in found)
    close(found[0][0], Y.T)
    close(found[0][1], np.einsum("i,kl->kil", X, np.eye(3)))
    close(found[1][0], np.zeros(2))
    close(found[1][1], 2 * Y)


@every_way
def test_jacobian_keeps_the_structure(way: str) -> None:
    """A tensor for tensors, tuples of one for tuples of one."""
    x = sg.tensor(X)
    expected = np.diag(2 * X)
    close(jacobian(lambda a: a**2, x, **WAYS[way]), expected)
    close(jacobian(lambda a: a**2, (x,), **WAYS[way])[0], expected)
    close(jacobian(lambda a: (a**2,), x, **WAYS[way])[0], expected)
    close(jacobian(lambda a: (a**2,), (x,), **WAYS[way])[0][0], expected)


@every_way
@pytest.mark.parametrize("shape", [(), (0,), (2, 0), (1, 2, 2)])
def test_jacobian_of_any_shape(way: str, shape: tuple[int, ...]) -> None:
    """Also without dimensions and without elements."""
    values = RNG.standard_normal(shape)
    expected = np.diag(np.cos(values).reshape(-1)).reshape(shape + shape)
    close(jacobian(sg.sin, sg.tensor(values), **WAYS[way]), expected)


@every_way
def test_jacobian_of_what_does_not_depend(way: str) -> None:
    """Zeros for constants, and for outputs that are cut off; the identity for the input itself."""
    x = sg.tensor(X)
    close(jacobian(lambda a: sg.ones(3, dtype=sg.float64), x, **WAYS[way]), np.zeros((3, 2)))
    found = jacobian(lambda a, b: (a, b * 2), (x, sg.tensor(Y)), **WAYS[way])
    close(found[0][0], np.eye(2))
    close(found[0][1], np.zeros((2, 2, 3)))


@every_way
def test_jacobian_of_writes(way: str) -> None:
    """Values that an op in place overwrites are those from before, in backward and in tangents."""

    def func(a: Any) -> Any:
        b = a * 2
        b[1:].mul_(a[1:]).pow_(2)
        return b.mul_(a)

    x, y = X
    close(jacobian(func, sg.tensor(X), **WAYS[way]), np.diag([4 * x, 20 * y**4]))


@every_way
def test_jacobian_of_complex_inputs(way: str) -> None:
    """Backward gives ds/dx + i ds/dy of a real output; forward mode moves along the real axis, as in PyTorch."""
    z = np.array([1 + 2j, 3.0 - 1j])
    found = jacobian(lambda a: (a * a.conj()).real, sg.tensor(z), **WAYS[way])
    close(found, np.diag(2 * z.real if way == "columns at once" else 2 * z))


def test_jacobian_of_complex_outputs() -> None:
    """Rows one by one are gradients of numbers, which must be real; at once they are conj(J), columns are J."""
    z = np.array([1 + 2j, 3.0 - 1j])
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for real scalar outputs but got"):
        jacobian(lambda a: a * a, sg.tensor(z))
    close(jacobian(lambda a: a * a, sg.tensor(z), vectorize=True), np.diag(2 * z.conj()))
    close(jacobian(lambda a: a * a, sg.tensor(z), vectorize=True, strategy="forward-mode"), np.diag(2 * z))


@every_second_way
def test_hessian_of_one_input(way: str) -> None:
    """A tensor for a tensor, a tuple of tuples for a tuple; an output of one element may have dimensions."""
    values = RNG.standard_normal(3)
    x = sg.tensor(values)
    close(hessian(quadratic, x, **SECOND[way]), hessian_of_quadratic(values))
    close(hessian(quadratic, (x,), **SECOND[way])[0][0], hessian_of_quadratic(values))
    close(hessian(lambda a: quadratic(a).reshape(1, 1), x, **SECOND[way]), hessian_of_quadratic(values))


@every_second_way
def test_hessian_of_several_inputs(way: str) -> None:
    """H[i][j] is d^2 / (d input i d input j); zeros where the gradient does not depend on an input."""

    def func(x: Any, y: Any, z: Any) -> Any:
        return (x @ y).sum() + (x**2).sum() + z.sum()

    found = hessian(func, (sg.tensor(X), sg.tensor(Y), sg.ones(1, dtype=sg.float64)), **SECOND[way])
    cross = np.einsum("ij,k->ijk", np.eye(2), np.ones(3))
    expected = [
        [2 * np.eye(2), cross, np.zeros((2, 1))],
        [np.moveaxis(cross, 0, -1), np.zeros((2, 3, 2, 3)), np.zeros((2, 3, 1))],
        [np.zeros((1, 2)), np.zeros((1, 2, 3)), np.zeros((1, 1))],
    ]
    for row, expected_row in zip(found, expected, strict=True):
        for block, values in zip(row, expected_row, strict=True):
            close(block, values)


@every_second_way
def test_hessian_of_a_constant_and_of_a_linear_function(way: str) -> None:
    """Zeros."""
    x = sg.tensor(X)
    close(hessian(lambda a: sg.ones(()), x, **SECOND[way]), np.zeros((2, 2)))
    close(hessian(lambda a: a.sum(), x, **SECOND[way]), np.zeros((2, 2)))


def test_the_function_is_called_once_for_one_jacobian() -> None:
    """By rows, by rows at once and by columns at once."""
    calls: list[Any] = []

    def func(a: Any) -> Any:
        calls.append(a)
        return a.sin()

    for way in WAYS.values():
        calls.clear()
        jacobian(func, sg.tensor(X), **way)
        assert len(calls) == 1
