"""What a failed gradcheck says: both Jacobians, the worst entry, and which output, input, mode and part it is about."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.autograd.gradcheck import GradcheckError

gradcheck = sg.autograd.gradcheck


class Wrong(sg.autograd.Function):
    """y = A x for the matrix below, with one wrong entry in backward and another one in jvp."""

    matrix = sg.tensor([[2.0, 0.0, 1.0], [4.0, -1.0, 0.5]], dtype=sg.float64)
    in_backward = sg.tensor([[2.0, 0.0, 1.0], [4.0, -1.0, 0.75]], dtype=sg.float64)
    in_jvp = sg.tensor([[2.0, 3.0, 1.0], [4.0, -1.0, 0.5]], dtype=sg.float64)

    @staticmethod
    def forward(x: Any) -> Any:
        return Wrong.matrix @ x

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad @ Wrong.in_backward

    @staticmethod
    def jvp(ctx: Any, tangent: Any) -> Any:
        return Wrong.in_jvp @ tangent


class ForgetsConjugate(sg.autograd.Function):
    """x * 2j, with the factor not conjugated in backward, and the tangent conjugated in jvp."""

    @staticmethod
    def forward(x: Any) -> Any:
        return x * 2j

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * 2j

    @staticmethod
    def jvp(ctx: Any, tangent: Any) -> Any:
        return tangent.conj() * 2j


def message(func: Any, inputs: Any, **options: Any) -> str:
    """What gradcheck says."""
    with pytest.raises(GradcheckError) as caught:
        gradcheck(func, inputs, **options)
    return str(caught.value)


def matrices(text: str) -> list[np.ndarray]:
    """The tensors that a message shows."""
    found = re.findall(r"tensor\((\[\[.*?\]\])", text, re.DOTALL)
    return [np.array(eval(body), dtype=complex) for body in found]


X = sg.tensor([0.5, -1.0, 2.0], dtype=sg.float64, requires_grad=True)
Z = sg.tensor([0.5 + 1j, -1.0], dtype=sg.complex128, requires_grad=True)


def test_both_jacobians_and_the_worst_entry() -> None:
    """Rows are elements of the input, columns of the output, as in PyTorch."""
    text = message(Wrong.apply, X)
    assert text.startswith("Jacobian mismatch for output 0 with respect to input 0,\nnumerical:tensor([[")
    numerical, analytical = matrices(text)
    np.testing.assert_allclose(numerical, Wrong.matrix.t().numpy(), atol=1e-4)
    np.testing.assert_allclose(analytical, Wrong.in_backward.t().numpy())
    assert re.search(
        r"worst entry is \[2, 1\]: numerical 0\.\d+, analytical 0\.75, absolute error 0\.25, relative error 0\.5\.",
        text,
    )


def test_the_worst_entry_is_the_one_furthest_outside_the_tolerance() -> None:
    """A large entry that is off by less than rtol of it comes after a small one that is off by more."""

    class Two(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * sg.tensor([1000.0, 1.0, 1.0], dtype=sg.float64)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * sg.tensor([1000.5, 1.2, sg.nan if nan else 1.1], dtype=sg.float64)

    nan = False
    assert "The worst entry is [1, 1]" in message(Two.apply, X)
    nan = True
    assert re.search(r"The worst entry is \[2, 0\]: numerical \S+, analytical nan", message(Two.apply, X))


def test_forward_mode_says_so() -> None:
    """The same for the Jacobian of tangents."""
    text = message(Wrong.apply, X, check_backward_ad=False, check_forward_ad=True)
    assert text.startswith("Jacobian computed with forward mode mismatch for output 0 with respect to input 0,\n")
    np.testing.assert_allclose(matrices(text)[1], Wrong.in_jvp.t().numpy())
    assert "The worst entry is [1, 0]: numerical 0, analytical 3, absolute error 3, relative error inf." in text


@pytest.mark.parametrize("options", [{}, {"check_backward_ad": False, "check_forward_ad": True}])
def test_numbers_of_output_and_input(options: dict[str, bool]) -> None:
    """Outputs and inputs are counted among those that are differentiable."""

    def func(a: Any, k: float, c: Any) -> Any:
        return a.detach(), a * k, Wrong.apply(c)

    text = message(func, (sg.ones(2, dtype=sg.float64, requires_grad=True), 3.0, X), **options)
    assert "mismatch for output 1 with respect to input 1,\n" in text


def test_parts_of_complex_numbers() -> None:
    """Backward names the part of the outputs, forward mode that of the inputs; the imaginary part comes first."""
    start = "While considering the imaginary part of complex {} only, Jacobian {}mismatch for output 0 with respect to "
    text = message(ForgetsConjugate.apply, Z)
    assert text.startswith(start.format("outputs", ""))
    np.testing.assert_allclose(matrices(text)[0], 2 * np.eye(2), atol=1e-8)
    np.testing.assert_allclose(matrices(text)[1], -2 * np.eye(2))
    text = message(ForgetsConjugate.apply, Z, check_backward_ad=False, check_forward_ad=True)
    assert text.startswith(start.format("inputs", "computed with forward mode "))
    np.testing.assert_allclose(matrices(text)[0], -2 * np.eye(2), atol=1e-8)
    np.testing.assert_allclose(matrices(text)[1], 2 * np.eye(2))


def test_fast_mode_shows_the_whole_jacobians_too() -> None:
    """First the two products, then what slow mode compares."""
    text = message(Wrong.apply, X, fast_mode=True)
    products = re.match(
        r"Jacobian mismatch for output 0 with respect to input 0,\nnumerical:(\S+)\nanalytical:(\S+)\n", text
    )
    assert products is not None and abs(float(products[1]) - float(products[2])) > 1e-3
    assert "we recompute numerical and analytical jacobians in slow mode" in text
    numerical, analytical = matrices(text)
    np.testing.assert_allclose(numerical, Wrong.matrix.t().numpy(), atol=1e-4)
    np.testing.assert_allclose(analytical, Wrong.in_backward.t().numpy())
    assert re.search(r"The max per-element difference \(slow mode\) is: 0\.2\d+\.\nThe worst entry is \[2, 1\]", text)
    assert "Fast gradcheck failed but element-wise differences are small" not in text


def test_fast_mode_in_forward_mode_shows_vectors() -> None:
    """There J u is compared, for each output one vector."""
    text = message(Wrong.apply, X, fast_mode=True, check_backward_ad=False, check_forward_ad=True)
    assert re.search(r"mismatch for output 0 with respect to input 0,\nnumerical:tensor\(\[[^\[]", text)
    np.testing.assert_allclose(matrices(text)[1], Wrong.in_jvp.t().numpy())


def test_fast_mode_says_when_slow_mode_would_pass() -> None:
    """Where terms cancel in u^T J v, a relative error that is small in each entry is large in the product."""

    class Cancelling(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x @ weights

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * weights * sg.tensor([1.0009, 1.0], dtype=sg.float64)

    x = sg.tensor([0.5, -1.0], dtype=sg.float64, requires_grad=True)
    weights = sg.tensor([1.0, 0.0], dtype=sg.float64)
    u = [slope_along(x, k) for k in range(2)]
    weights = sg.tensor([1000 * u[1], -1000 * u[0]], dtype=sg.float64)
    assert gradcheck(Cancelling.apply, x)
    text = message(Cancelling.apply, x, fast_mode=True)
    assert "Fast gradcheck failed but element-wise differences are small" in text and "fast_mode=False" in text


def slope_along(x: Any, k: int) -> float:
    """The component k of the random vector, seen by a function that is called at x + eps u and x - eps u."""
    seen: list[float] = []

    def watching(a: Any) -> Any:
        seen.append(float(a.detach()[k]))
        return a.sum()

    gradcheck(watching, x, fast_mode=True, eps=0.5)
    return seen[1] - seen[2]
