"""gradcheck of forward mode, and what gradgradcheck does with its own arguments."""

from __future__ import annotations

from typing import Any

import pytest

import specgrad as sg
from specgrad.autograd.gradcheck import GradcheckError

gradcheck, gradgradcheck = sg.autograd.gradcheck, sg.autograd.gradgradcheck
both_modes = pytest.mark.parametrize("fast_mode", [False, True])


def point(*values: Any, dtype: Any = sg.float64) -> Any:
    """A tensor that requires grad."""
    return sg.tensor(values, dtype=dtype, requires_grad=True)


X, Y, Z = point(0.5, -1.0), point(2.0, 3.0), point(1 + 2j, -0.5j, dtype=sg.complex128)


@both_modes
def test_forward_mode_passes(fast_mode: bool) -> None:
    """Several inputs and outputs, real and complex, alone and mixed; outputs that have no tangent."""
    options: Any = {"check_forward_ad": True, "fast_mode": fast_mode}
    assert gradcheck(sg.sin, X, **options)
    assert gradcheck(lambda a, b, k: (a * b * k, a.max(0)[0], b.prod()), (X, Y, 3.0), **options)
    assert gradcheck(lambda a: a * a + a.conj(), Z, **options)
    assert gradcheck(lambda a, b: (a * b, a * 2, b.abs()), (X, Z), **options)
    assert gradcheck(lambda a: a * (1 + 2j), X, **options)
    assert gradcheck(lambda a: (a.t() ** 2, a[0]), sg.ones(2, 3, dtype=sg.float64).t().requires_grad_(), **options)
    assert gradcheck(lambda a: a.clone().mul_(a).exp_(), X, **options)
    assert gradcheck(lambda a: a * 2, sg.ones(0, 3, dtype=sg.float64, requires_grad=True), **options)


class Detour(sg.autograd.Function):
    """Right in backward; it has no jvp."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return sg.from_numpy(x.numpy() * 2)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * 2


def test_functions_without_jvp_say_so() -> None:
    """The error of the Function comes through; without forward mode they pass."""
    assert gradcheck(Detour.apply, X)
    with pytest.raises(NotImplementedError, match="You must implement the jvp function"):
        gradcheck(Detour.apply, X, check_forward_ad=True)


@both_modes
def test_a_lost_tangent_counts_as_zeros(fast_mode: bool) -> None:
    """A function that goes around forward mode has a Jacobian of zeros there."""

    def func(a: Any) -> Any:
        return sg.from_numpy(a.detach().numpy() * 2).requires_grad_()

    with pytest.raises(GradcheckError, match="Jacobian computed with forward mode mismatch for output 0"):
        gradcheck(func, X, check_forward_ad=True, check_backward_ad=False, fast_mode=fast_mode)


@both_modes
def test_second_derivatives_pass(fast_mode: bool) -> None:
    """In all combinations of modes, real and complex, with several outputs some of which need no gradient."""
    options: Any = {"check_fwd_over_rev": True, "fast_mode": fast_mode}
    assert gradgradcheck(lambda a, b: a.sin() * b, (X, Y), **options)
    assert gradgradcheck(lambda a: (a**3, a.detach(), a.exp().sum()), X, **options)
    assert gradgradcheck(lambda a: a * a * a.conj(), Z, **options)
    assert gradgradcheck(lambda a: a * (1 + 2j), X, **options)
    assert gradgradcheck(lambda a: a * 2, X, **options)
    assert gradgradcheck(sg.sin, X, check_batched_grad=True, **options)
    assert gradgradcheck(sg.sin, X, check_rev_over_rev=False, check_undefined_grad=False, **options)


class Watched(sg.autograd.Function):
    """x ** 2, noting the gradients that its backward gets."""

    seen: list[Any] = []

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        Watched.seen.append((grad.stride(), grad.dtype, grad.tolist()))
        return grad * 2 * ctx.saved_tensors[0]


def test_output_gradients_given_and_drawn() -> None:
    """Those given are used, one tensor or several; drawn ones are the same each time, and strided on demand."""
    x = sg.ones(2, 3, dtype=sg.float64, requires_grad=True)
    given = sg.full((2, 3), 7.0, dtype=sg.float64)
    for grad_outputs in (given, (given,), [given]):
        Watched.seen.clear()
        assert gradgradcheck(Watched.apply, x, grad_outputs)
        assert Watched.seen[0] == ((3, 1), sg.float64, given.tolist())
    firsts = []
    for strided in (False, False, True):
        Watched.seen.clear()
        assert gradgradcheck(Watched.apply, x, gen_non_contig_grad_outputs=strided)
        firsts.append(Watched.seen[0])
    assert firsts[0] == firsts[1] and firsts[0][0] == (3, 1) and firsts[2][0] == (6, 2)


def test_gradients_that_need_no_gradient_are_not_differentiated() -> None:
    """A Function whose backward forgets the graph is wrong in the output gradient where that requires grad."""

    class Detached(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad.detach() * 2

    v = sg.ones(2, dtype=sg.float64)
    assert gradgradcheck(Detached.apply, X, v)
    with pytest.raises(GradcheckError, match="Numerical gradient for function expected to be zero"):
        gradgradcheck(Detached.apply, X, v.clone().requires_grad_())


def test_raise_exception_and_tolerances_reach_gradcheck() -> None:
    """raise_exception, eps, atol, rtol and nondet_tol are as of gradcheck."""
    x = point(0.5, 1.5)
    assert not gradgradcheck(lambda a: (a.abs() - 0.5).abs(), point(0.501), eps=0.1, raise_exception=False)
    assert not gradgradcheck(lambda a: Cut.apply(a), x, raise_exception=False)
    assert gradgradcheck(lambda a: Cut.apply(a), x, atol=100.0)
    assert gradgradcheck(lambda a: Cut.apply(a), x, rtol=100.0, nondet_tol=1.0)


class Cut(sg.autograd.Function):
    """x ** 2 whose second derivative is lost."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * 2 * ctx.saved_tensors[0].detach()


def test_bad_arguments() -> None:
    """Nothing to check, switches that contradict each other, and gradients that do not fit."""
    with pytest.raises(ValueError, match="at least one input tensor to require gradient"):
        gradgradcheck(sg.sin, sg.ones(2, dtype=sg.float64))
    with pytest.raises(ValueError, match="at least one output of func to require gradient"):
        gradgradcheck(lambda a: a.detach(), X)
    with pytest.raises(AssertionError, match="at least one of check_fwd_over_rev or check_rev_over_rev to be True"):
        gradgradcheck(sg.sin, X, check_rev_over_rev=False)
    options: Any = {"check_fwd_over_rev": True, "check_rev_over_rev": False}
    with pytest.raises(AssertionError, match="check_undefined_grad=True requires check_rev_over_rev to be True"):
        gradgradcheck(sg.sin, X, **options)
    with pytest.raises(AssertionError, match="check_batched_grad=True requires check_rev_over_rev to be True"):
        gradgradcheck(sg.sin, X, **options, check_undefined_grad=False, check_batched_grad=True)
    with pytest.raises(RuntimeError, match="got 1 tensors and 2 gradients"):
        gradgradcheck(sg.sin, X, (X, X))
