"""Where the operand that a gradient reads has been written to since, the gradient reads the result, as PyTorch's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import specgrad as sg

X = np.array([-2.0, -0.5, 0.0, 1.0, 3.0])
# op: its values, its first and its second derivative
OPS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], ...]] = {
    "tanh": (np.tanh, lambda x: np.cosh(x) ** -2, lambda x: -2 * np.sinh(x) * np.cosh(x) ** -3),
    "sigmoid": (
        lambda x: 1 / (1 + np.exp(-x)),
        lambda x: np.cosh(x / 2) ** -2 / 4,
        lambda x: -np.sinh(x / 2) * np.cosh(x / 2) ** -3 / 4,
    ),
    "expm1": (np.expm1, np.exp, np.exp),
    "exp2": (np.exp2, lambda x: np.log(2) * np.exp2(x), lambda x: np.log(2) ** 2 * np.exp2(x)),
}


def derivatives(program: Callable[[sg.Tensor], sg.Tensor]) -> tuple[np.ndarray, np.ndarray]:
    leaf = sg.tensor(X, requires_grad=True)
    (first,) = sg.autograd.grad(program(leaf * 1).sum(), leaf, create_graph=True)
    (second,) = sg.autograd.grad(first.sum(), leaf)
    return first.detach().numpy(), second.numpy()


@pytest.mark.parametrize("name", OPS)
def test_operand_is_cleared(name: str) -> None:
    def program(x: sg.Tensor) -> sg.Tensor:
        y = getattr(sg, name)(x)
        x.zero_()
        return y

    found = derivatives(program)
    np.testing.assert_allclose(found, [OPS[name][1](X), OPS[name][2](X)], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", OPS)
def test_operand_is_scaled_by_the_result(name: str) -> None:
    """(x f)' = f + x f', (x f)'' = 2 f' + x f''."""
    value, first, second = (function(X) for function in OPS[name])
    found = derivatives(lambda x: x.mul_(getattr(sg, name)(x)))
    np.testing.assert_allclose(found, [value + X * first, 2 * first + X * second], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", OPS)
def test_in_place(name: str) -> None:
    found = derivatives(lambda x: getattr(x, f"{name}_")())
    np.testing.assert_allclose(found, [OPS[name][1](X), OPS[name][2](X)], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", OPS)
def test_a_view_in_place(name: str) -> None:
    def program(x: sg.Tensor) -> sg.Tensor:
        getattr(x[1:3], f"{name}_")()
        return x

    found = derivatives(program)
    first, second = np.ones(5), np.zeros(5)
    first[1:3], second[1:3] = OPS[name][1](X[1:3]), OPS[name][2](X[1:3])
    np.testing.assert_allclose(found, [first, second], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", OPS)
def test_tangents_in_place(name: str) -> None:
    with sg.autograd.forward_ad.dual_level():
        dual = sg.autograd.forward_ad.make_dual(sg.tensor(X), sg.ones(5, dtype=sg.float64)).clone()
        tangent = sg.autograd.forward_ad.unpack_dual(getattr(dual, f"{name}_")()).tangent
    np.testing.assert_allclose(tangent.numpy(), OPS[name][1](X), rtol=1e-12)


@pytest.mark.parametrize("name", OPS)
def test_both_are_written_to(name: str) -> None:
    x = sg.tensor(X, requires_grad=True) * 1
    y = getattr(sg, name)(x)
    x.zero_()
    y.detach().zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_hooks_pack_the_operand_alone() -> None:
    packed = []
    with sg.autograd.graph.saved_tensors_hooks(
        lambda tensor: packed.append(tensor) or tensor.clone(), lambda copy: copy
    ):
        y = sg.tanh(sg.tensor(X, requires_grad=True))
    y.sum().backward()
    assert len(packed) == 1
