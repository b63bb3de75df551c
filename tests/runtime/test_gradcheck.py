"""gradcheck and gradgradcheck: what passes, what fails, and what the message says."""

from typing import Any

import pytest

import specgrad as sg

gradcheck, gradgradcheck = sg.autograd.gradcheck, sg.autograd.gradgradcheck


def randn(*shape: int, dtype: Any = sg.float64) -> Any:
    """A tensor that requires grad."""
    return sg.randn(shape, dtype=dtype, requires_grad=True)


def wrong(factor: float) -> Any:
    """x * 2 with a backward that is off by a factor."""

    class Double(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2 * factor

    return Double.apply


def test_passes() -> None:
    """Right gradients pass: real, complex, several inputs and outputs, inputs that need no gradient."""
    assert gradcheck(lambda x: x.sin(), (randn(3),))
    assert gradcheck(lambda x: x * x.conj(), (randn(3, dtype=sg.complex128),))
    assert gradcheck(lambda x, y, k: (x * y * k, x.sum() + y), (randn(2, 2), randn(2), 3.0))
    assert gradcheck(lambda x, y: x * y, (randn(3), sg.randn(3, dtype=sg.float64)))


def test_second_order_passes() -> None:
    """Right second derivatives pass, with given output gradients too."""
    assert gradgradcheck(lambda x, y: x.sin() * y, (randn(3), randn(3)))
    assert gradgradcheck(lambda x: x**3, (randn(3),), grad_outputs=(randn(3),))


def test_empty_and_scalar() -> None:
    """Tensors without elements and without dimensions are checked too."""
    assert gradcheck(lambda x: x * 2, (randn(0, 3),))
    assert gradcheck(lambda x: x * 2, (randn(),))


def test_fails_with_both_jacobians() -> None:
    """A wrong gradient is an error that shows the numerical and the analytical Jacobian."""
    with pytest.raises(
        RuntimeError, match=r"(?s)Jacobian mismatch for output 0 with respect to input 0.*numerical.*analytical"
    ):
        gradcheck(wrong(1.5), (randn(3),))


def test_fails_without_exception() -> None:
    """raise_exception=False gives False instead."""
    assert gradcheck(wrong(1.5), (randn(3),), raise_exception=False) is False


def test_small_errors_pass_the_tolerance() -> None:
    """The tolerances decide what is wrong."""
    assert gradcheck(wrong(1.0001), (randn(3),), rtol=0.01)
    assert not gradcheck(wrong(1.0001), (randn(3),), rtol=1e-6, atol=1e-6, raise_exception=False)


def test_second_order_fails() -> None:
    """A formula that is right at first order only is caught by gradgradcheck."""

    class Square(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2 * ctx.saved_tensors[0].detach()

    x = randn(3)
    assert gradcheck(Square.apply, (x,))
    assert not gradgradcheck(Square.apply, (x,), raise_exception=False)


def test_complex_conjugation_matters() -> None:
    """A gradient that forgot a conjugate fails on complex inputs."""

    class Scale(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2j

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2j

    assert not gradcheck(Scale.apply, (randn(2, dtype=sg.complex128),), raise_exception=False)


def test_undefined_gradients_are_checked() -> None:
    """A backward that cannot take a missing output gradient is found out."""

    class Pair(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx: Any, a: Any, b: Any) -> Any:
            return None if b is None else (b * 3 if a is None else a * 2 + b * 3)

    assert not gradcheck(Pair.apply, (randn(2),), raise_exception=False)


def test_bad_arguments() -> None:
    """Nothing to check is an error; the caller's inputs are left as they were."""
    with pytest.raises(ValueError, match="gradcheck.*(at least one|expects)"):
        gradcheck(lambda x: x * 2, (sg.ones(2, dtype=sg.float64),))
    x = randn(2)
    before = x.tolist()
    gradcheck(lambda x: x * 2, (x,))
    assert x.tolist() == before and x.grad is None


class Detour(sg.autograd.Function):
    """Right in backward; its forward computes in NumPy, so that no tangent comes through."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return sg.from_numpy(x.numpy() * 2)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * 2


def test_forward_mode_is_checked_on_demand() -> None:
    """With check_forward_ad the Jacobian of tangents is compared too."""
    x = sg.tensor([0.5, -1.0], dtype=sg.float64, requires_grad=True)
    assert gradcheck(sg.sin, x, check_forward_ad=True, fast_mode=True)
    assert gradcheck(lambda a: (a.max(0)[0], a.prod()), x, check_forward_ad=True, check_backward_ad=False)
    z = sg.tensor([0.5 + 1j], dtype=sg.complex128, requires_grad=True)
    assert gradcheck(lambda a: a * a, z, check_forward_ad=True)
    assert gradcheck(Detour.apply, x)
    with pytest.raises(RuntimeError, match="Jacobian mismatch for output 0 with respect to input 0"):
        gradcheck(Detour.apply, x, check_forward_ad=True)
