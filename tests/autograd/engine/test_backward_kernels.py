"""Kernels that give all gradients of a node at once: when they run, and that the formulas stand in elsewhere."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated import nodes


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The calls of the kernel for the gradient of var, noted as they come; no plan stands for it."""
    nodes.VarBackward0.plans.cached.clear()
    monkeypatch.setattr(nodes.VarBackward0.plans, "find", lambda *layouts: None)
    noted: list[str] = []
    kernel = nodes.VarBackward0.plans.kernel

    def noting(*args: Any) -> Any:
        noted.append("kernel")
        return kernel(*args)

    monkeypatch.setattr(nodes.VarBackward0.plans, "kernel", noting)
    return noted


def leaf(dtype: Any = sg.float32) -> Any:
    return sg.tensor([[1.0, 2.0, 4.0], [0.0, 5.0, 1.0]], dtype=dtype, requires_grad=True)


EXPECTED = np.array([[-4 / 3, -1 / 3, 5 / 3], [-2, 3, -1]])


@pytest.mark.cpu("calls of the CPU's kernel are counted")
@pytest.mark.parametrize("dtype", [sg.float32, sg.float64])
def test_a_kernel_runs_where_nothing_is_recorded(calls: list[str], dtype: Any) -> None:
    """One call gives the gradient, in the dtype and the shape of the input."""
    x = leaf(dtype)
    x.var(1).sum().backward()
    assert calls == ["kernel"] and x.grad.dtype is dtype
    np.testing.assert_allclose(x.grad.numpy(), EXPECTED, rtol=1e-6)


def test_the_formula_runs_where_its_computation_is_recorded(calls: list[str]) -> None:
    """With create_graph, whose gradient can be differentiated again."""
    x = leaf()
    (first,) = sg.autograd.grad(x.var(1).sum(), x, create_graph=True)
    assert calls == [] and first.requires_grad
    np.testing.assert_allclose(first.detach().numpy(), EXPECTED, rtol=1e-6)
    (second,) = sg.autograd.grad((first * first).sum(), x)
    np.testing.assert_allclose(second.numpy(), 2 * EXPECTED, rtol=1e-6)


@pytest.mark.cpu("calls of the CPU's kernel are counted")
@pytest.mark.parametrize(("dtype", "eps"), [(sg.float16, 2**-11), (sg.bfloat16, 2**-8)])
def test_gradients_of_16_bits_are_rounded_once(calls: list[str], dtype: Any, eps: float) -> None:
    """The kernel computes them in float32."""
    x = leaf(dtype)
    x.var(1).sum().backward()
    assert calls == ["kernel"] and x.grad.dtype is dtype
    np.testing.assert_allclose(x.grad.float().numpy(), EXPECTED, rtol=eps)


def test_the_formula_runs_where_dtypes_differ() -> None:
    """A sum in another dtype has a gradient of that dtype; the input's is its own."""
    x = leaf()
    x.sum(1, dtype=sg.float64).backward(sg.ones(2, dtype=sg.float64))
    assert x.grad.dtype is sg.float32 and x.grad.tolist() == [[1, 1, 1], [1, 1, 1]]


def test_a_kernel_computes_what_is_wanted_alone() -> None:
    """Of several inputs only those that require grad get one, and none shares memory with another."""
    tensors = [sg.randn(4, 3, requires_grad=True), sg.randn(3), sg.randn(3, requires_grad=True)]
    sg.nn.functional.layer_norm(tensors[0], (3,), tensors[1], tensors[2]).sum().backward()
    assert tensors[1].grad is None and tensors[0].grad.shape == (4, 3) and tensors[2].grad.tolist() == [4, 4, 4]
    first, second = sg.randn(2, requires_grad=True), sg.randn(3, requires_grad=True)
    sg.cat([first, second]).backward(sg.ones(5))
    first.grad.add_(1)
    assert second.grad.tolist() == [1, 1, 1]


def test_gradients_of_strided_outputs_are_taken_as_they_lie() -> None:
    """A gradient that is a transposed view gives the same as its copy."""
    x = sg.randn(3, 4, dtype=sg.float64, requires_grad=True)
    seed = sg.randn(4, 3, dtype=sg.float64)
    for function in (lambda t: t.softmax(1), lambda t: t.cumsum(0), lambda t: t.flip(0), lambda t: t.sort(1).values):
        found = sg.autograd.grad(function(x), x, seed.t())[0]
        right = sg.autograd.grad(function(x), x, seed.t().contiguous())[0]
        np.testing.assert_array_equal(found.numpy(), right.numpy())


@pytest.mark.parametrize("reduce", [sg.sum, sg.mean])
def test_a_recorded_gradient_of_a_total_has_no_gaps(reduce: Callable[[Any], Any]) -> None:
    """Expanded it would be as right, but what is computed with it would leave the fast path: 2.5 times the time."""
    x = sg.ones(3, 4, requires_grad=True)
    gradient = reduce(x).grad_fn(sg.ones((), requires_grad=True))
    assert gradient.is_contiguous() and gradient.grad_fn is not None
