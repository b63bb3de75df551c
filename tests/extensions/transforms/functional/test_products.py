"""Products with Jacobians and Hessians against closed forms in NumPy; create_graph and v in the graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp
from tests.extensions.transforms.functional.examples import A, X, Y, close, hessian_of_quadratic, mixed, quadratic

RNG = np.random.default_rng(6)


def test_products_with_the_jacobian() -> None:
    """vjp is v^T J with the structure of the inputs, jvp is J v with that of the outputs; both give the outputs."""
    x, y = sg.tensor(X), sg.tensor(Y)
    u, v, w = RNG.standard_normal(3), RNG.standard_normal(2), RNG.standard_normal((2, 3))
    outputs, product = vjp(mixed, (x, y), (sg.tensor(u), sg.tensor(0.5)))
    close(outputs[0], X @ Y)
    close(outputs[1], (Y**2).sum())
    close(product[0], Y @ u)
    close(product[1], np.outer(X, u) + 0.5 * 2 * Y)
    outputs, product = jvp(mixed, (x, y), (sg.tensor(v), sg.tensor(w)))
    close(outputs[0], X @ Y)
    close(product[0], v @ Y + X @ w)
    close(product[1], (2 * Y * w).sum())


def test_products_with_the_hessian() -> None:
    """vhp is v^T H, hvp is H v, both with the structure of the inputs."""
    values, v = RNG.standard_normal(3), RNG.standard_normal(3)
    for function, expected in (
        (vhp, v @ hessian_of_quadratic(values)),
        (hvp, hessian_of_quadratic(values) @ v),
    ):
        output, product = function(quadratic, sg.tensor(values), sg.tensor(v))
        close(output, values @ A @ values / 2 + (values**3).sum())
        close(product, expected)
        output, product = function(
            lambda x, y: (x @ y).sum() ** 2, (sg.tensor(X), sg.tensor(Y)), (sg.tensor(X), sg.tensor(Y))
        )
        total = (X @ Y).sum()
        close(output, total**2)
        # The gradient in x is 2 t Y 1, in y 2 t x 1^T; along (x, y) itself t changes by 2 t.
        close(product[0], 4 * total * Y.sum(1) + 2 * total * Y.sum(1))
        close(product[1], 4 * total * np.outer(X, np.ones(3)) + 2 * total * np.outer(X, np.ones(3)))


class Skew(sg.autograd.Function):
    """A number whose gradient is M x for a matrix M that is not symmetric: v^T M and M v differ."""

    matrix = sg.tensor([[1.0, 2.0], [0.0, 3.0]], dtype=sg.float64)

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x.sum()

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * (Skew.matrix @ ctx.saved_tensors[0])


def test_left_and_right_products_differ_where_the_hessian_is_not_symmetric() -> None:
    """vhp multiplies from the left, hvp from the right."""
    x, v = sg.tensor(X), np.array([1.0, 10.0])
    matrix = Skew.matrix.numpy()
    close(hessian(Skew.apply, x), matrix)
    close(vhp(Skew.apply, x, sg.tensor(v))[1], v @ matrix)
    close(hvp(Skew.apply, x, sg.tensor(v))[1], matrix @ v)


def test_v_is_one_where_there_is_one_element() -> None:
    """For vjp one element of the output, for the others one of the input, with or without dimensions."""
    for x in (sg.tensor(2.0), sg.tensor([2.0]), sg.tensor([[2.0]])):
        assert vjp(lambda a: a**3, x)[1].item() == jvp(lambda a: a**3, x)[1].item() == 12.0
        assert vhp(lambda a: a**3, x)[1].item() == hvp(lambda a: a**3, x)[1].item() == 12.0
    close(vjp(lambda a, b: (a * b).sum(), (sg.tensor(X), sg.tensor(X)))[1][1], X)


def test_complex_products() -> None:
    """vjp is J^H v, jvp is J v; the Hessian products of |z|^2 z-like functions follow from real coordinates."""
    z, v = np.array([1 + 2j, 3.0 - 1j]), np.array([2 - 1j, 0.5j])
    close(vjp(lambda a: a * a, sg.tensor(z), sg.tensor(v))[1], 2 * z.conj() * v)
    close(jvp(lambda a: a * a, sg.tensor(z), sg.tensor(v))[1], 2 * z * v)
    close(jvp(lambda a: (a * a.conj()).real, sg.tensor(z), sg.tensor(v))[1], 2 * (z.conj() * v).real)
    close(jvp(lambda a: a * 1j, sg.tensor(X), sg.tensor(X))[1], X * 1j)
    for function in (vhp, hvp):
        close(function(lambda a: (a * a.conj()).real.sum(), sg.tensor(z), sg.tensor(v))[1], 2 * v)


def test_products_have_the_dtype_of_what_they_belong_to() -> None:
    """A v of another precision is cast."""
    x, v = sg.tensor(X), sg.ones(2)
    assert vjp(sg.sin, x, v)[1].dtype is jvp(sg.sin, x, v)[1].dtype is sg.float64
    assert vhp(lambda a: a.sin().sum(), x, v)[1].dtype is hvp(lambda a: a.sin().sum(), x, v)[1].dtype is sg.float64


def everything(x: Any, create_graph: bool) -> dict[str, Any]:
    """The result of each function for a sum of x^4 (or x^4 itself)."""
    v = sg.ones(2, dtype=sg.float64)

    def total(a: Any) -> Any:
        return (a**4).sum()

    def powers(a: Any) -> Any:
        return a**4

    return {
        "jacobian": jacobian(powers, x, create_graph),
        "jacobian at once": jacobian(powers, x, create_graph, vectorize=True),
        "hessian": hessian(total, x, create_graph),
        "hessian at once": hessian(total, x, create_graph, vectorize=True),
        "vjp": vjp(powers, x, v, create_graph)[1],
        "jvp": jvp(powers, x, v, create_graph)[1],
        "vhp": vhp(total, x, v, create_graph)[1],
        "hvp": hvp(total, x, v, create_graph)[1],
    }


NAMES = list(everything(sg.tensor(X), False))


@pytest.mark.parametrize("name", NAMES)
def test_create_graph_continues_the_graph(name: str) -> None:
    """The gradient of the sum of the result is the next derivative: 12 x^2, or 24 x for second derivatives."""
    x = sg.tensor(X, requires_grad=True)
    y = x * 2
    (found,) = sg.autograd.grad(everything(y, True)[name].sum(), x)
    second = name.startswith(("hess", "vhp", "hvp"))
    close(found, 24 * (2 * X) * 2 if second else 12 * (2 * X) ** 2 * 2)


@pytest.mark.parametrize("name", NAMES)
def test_without_create_graph_results_are_detached(name: str) -> None:
    """Inputs keep their .grad, and need not require grad."""
    x = sg.tensor(X, requires_grad=True)
    for point in (x, sg.tensor(X)):
        assert not everything(point, False)[name].requires_grad
    assert x.grad is None


def test_v_takes_part_in_the_graph() -> None:
    """With create_graph products differentiate in v too, whose gradients are J 1 or J^T 1."""
    x = sg.tensor(X)
    for function, func, expected in (
        (vjp, lambda a: a**2, 2 * X),
        (jvp, lambda a: a**2, 2 * X),
        (vhp, lambda a: (a**3).sum(), 6 * X),
        (hvp, lambda a: (a**3).sum(), 6 * X),
    ):
        v = sg.ones(2, dtype=sg.float64, requires_grad=True)
        close(sg.autograd.grad(function(func, x, v, create_graph=True)[1].sum(), v)[0], expected)
        assert not function(func, x, v)[1].requires_grad


def test_recorded_also_under_no_grad() -> None:
    """The functions differentiate whatever the mode around them."""
    with sg.no_grad():
        found = everything(sg.tensor(X), False)
        recorded = everything(sg.tensor(X), True)
    close(found["jvp"], 4 * X**3)
    close(found["hvp"], 12 * X**2)
    assert all(result.requires_grad for result in recorded.values())
