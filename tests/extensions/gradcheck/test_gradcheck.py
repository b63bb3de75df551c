"""gradcheck: what passes, what fails, and what each argument does."""

from __future__ import annotations

from typing import Any

import pytest

import specgrad as sg
from specgrad.autograd.gradcheck import GradcheckError
from specgrad.runtime.native.objects.interned import node_plans

gradcheck = sg.autograd.gradcheck
both_modes = pytest.mark.parametrize("fast_mode", [False, True])


def point(*values: Any, dtype: Any = sg.float64) -> Any:
    """A tensor that requires grad."""
    return sg.tensor(values, dtype=dtype, requires_grad=True)


def double(factor: Any = 1.0, forward_factor: Any = 2) -> Any:
    """x * 2 with a backward that is off by a factor."""

    class Double(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * forward_factor

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2 * factor

    return Double.apply


@both_modes
def test_right_gradients_pass(fast_mode: bool) -> None:
    """Several inputs and outputs, inputs that need no gradient or are no tensors, lists, strided inputs."""
    x, y, z = point(0.5, -1.0), point(2.0, 3.0), sg.tensor([4.0, 5.0], dtype=sg.float64)
    assert gradcheck(sg.sin, x, fast_mode=fast_mode)
    assert gradcheck(lambda a, b, c, k: (a * b * c * k, a.sum() + b), (x, y, z, 3.0), fast_mode=fast_mode)
    assert gradcheck(lambda a, b: [a * b, a.detach(), b.argmax()], [x, y], fast_mode=fast_mode)
    strided = sg.ones(2, 3, dtype=sg.float64).t().requires_grad_()
    assert gradcheck(lambda a: (a.t() ** 2, a[0], a), strided, fast_mode=fast_mode)
    assert gradcheck(lambda a: a.clone().mul_(a).exp_(), x, fast_mode=fast_mode)


@both_modes
def test_complex_functions_pass(fast_mode: bool) -> None:
    """R to C, C to R and C to C, holomorphic or not, alone and together."""
    x, z = point(0.5, -1.0), point(1 + 2j, -0.5j, dtype=sg.complex128)
    assert gradcheck(lambda a: a * (1 + 2j), x, fast_mode=fast_mode)
    assert gradcheck(lambda a: (a * a.conj()).real, z, fast_mode=fast_mode)
    assert gradcheck(lambda a: a * a + a.conj(), z, fast_mode=fast_mode)
    assert gradcheck(lambda a, b: (a * b, a * 2, b.abs()), (x, z), fast_mode=fast_mode)


@both_modes
@pytest.mark.parametrize("shape", [(), (0, 3), (1, 0)])
def test_tensors_without_dimensions_or_elements(shape: tuple[int, ...], fast_mode: bool) -> None:
    """Tensors without dimensions and without elements are checked too."""
    x = sg.ones(shape, dtype=sg.float64, requires_grad=True)
    assert gradcheck(lambda a: (a * 2, a.sum()), x, fast_mode=fast_mode)


@both_modes
def test_atol_and_rtol_decide(fast_mode: bool) -> None:
    """A relative error of 1e-4 is within rtol=1e-3, and outside of rtol=1e-6 unless atol allows it."""
    x = point(0.5, -1.0)
    assert gradcheck(double(1.0001), x, fast_mode=fast_mode)
    assert not gradcheck(double(1.0001), x, rtol=1e-6, atol=1e-6, raise_exception=False, fast_mode=fast_mode)
    assert gradcheck(double(1.0001), x, rtol=0.0, atol=1e-3, fast_mode=fast_mode)


@both_modes
def test_eps_is_the_step(fast_mode: bool) -> None:
    """Differences of |x| around 0.1 are right with a small step, and zero-ish with one that crosses the kink."""
    assert gradcheck(sg.abs, point(0.1), fast_mode=fast_mode)
    assert not gradcheck(sg.abs, point(0.1), eps=1.0, raise_exception=False, fast_mode=fast_mode)


@both_modes
def test_an_output_that_hides_its_dependence(fast_mode: bool) -> None:
    """Where no output requires grad, none may move with the inputs."""
    x = point(0.5, -1.0)
    with pytest.raises(GradcheckError, match="Numerical gradient for function expected to be zero"):
        gradcheck(lambda a: a.detach() * 2, x, fast_mode=fast_mode)
    assert gradcheck(lambda a: (sg.ones(2), a.argmax()), x, fast_mode=fast_mode)


@both_modes
def test_backward_must_be_linear_in_the_output_gradient(fast_mode: bool) -> None:
    """A backward that ignores the gradient it gets is right for the gradient 1, and wrong for 0."""

    class Sum(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.sum()

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return sg.ones(2, dtype=sg.float64)

    with pytest.raises(GradcheckError, match="backward not multiplied by grad_output"):
        gradcheck(Sum.apply, point(0.5, -1.0), fast_mode=fast_mode)


@both_modes
def test_nondet_tol(fast_mode: bool) -> None:
    """Backward must give the same twice, up to nondet_tol."""
    calls: list[Any] = []

    class Drifting(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            calls.append(grad)
            return grad * 2 * (1 + 1e-7 * len(calls))

    with pytest.raises(GradcheckError, match=r"Backward is not reentrant.*tolerance for nondeterminism was 0\.0"):
        gradcheck(Drifting.apply, point(0.5, -1.0), fast_mode=fast_mode)
    assert gradcheck(Drifting.apply, point(0.5, -1.0), nondet_tol=1e-4, fast_mode=fast_mode)


def put_in_place(monkeypatch: pytest.MonkeyPatch, result: Any, changed: Any) -> None:
    """Let the class of a result's node run what `changed` makes of its `apply`, also where native code would run it."""
    result.sum().backward()
    node_class = type(result.grad_fn)
    monkeypatch.delitem(node_plans, node_class, raising=False)
    monkeypatch.setattr(node_class, "apply", changed(node_class.apply))


@both_modes
def test_check_grad_dtypes(fast_mode: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A node that gives a gradient of another dtype is found out when that is asked for."""
    x = point(0.5, -1.0)
    put_in_place(monkeypatch, sg.sin(x), lambda right: lambda self, grad: tuple(g.float() for g in right(self, grad)))
    with pytest.raises(GradcheckError, match=r"Gradient has dtype mismatch: specgrad\.float32, not specgrad\.float64"):
        gradcheck(sg.sin, x, check_grad_dtypes=True, fast_mode=fast_mode)
    with pytest.raises(GradcheckError, match=r"grad is incorrect type specgrad\.float32, not specgrad\.float64"):
        gradcheck(sg.sin, x, fast_mode=fast_mode)


@both_modes
def test_gradients_of_another_shape(fast_mode: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """So is a node that gives a gradient of another shape."""
    x = point(0.5, -1.0)
    put_in_place(monkeypatch, sg.sin(x), lambda right: lambda self, grad: tuple(g.sum() for g in right(self, grad)))
    with pytest.raises(GradcheckError, match=r"Analytical gradient has incorrect size: \[\], not \[2\]"):
        gradcheck(sg.sin, x, fast_mode=fast_mode)


@both_modes
def test_only_gradcheck_errors_become_false(fast_mode: bool) -> None:
    """raise_exception=False is about wrong gradients: the function's own errors come through."""
    assert gradcheck(double(1.5), point(0.5, -1.0), raise_exception=False, fast_mode=fast_mode) is False
    with pytest.raises(RuntimeError, match="matmul"):
        gradcheck(lambda a: a @ sg.ones(9, dtype=sg.float64), point(0.5, -1.0), raise_exception=False)


@both_modes
def test_inputs_are_left_as_they_were(fast_mode: bool) -> None:
    """Values, versions and .grad of the inputs do not change, nor when func raises in the middle."""
    x = point(0.5, -1.0)
    calls: list[None] = []
    x.grad = sg.ones(2, dtype=sg.float64)

    def failing(a: Any) -> Any:
        calls.append(None)
        if len(calls) == 3:
            raise KeyError("third call")
        return a * 2

    assert gradcheck(sg.sin, x, fast_mode=fast_mode)
    with pytest.raises(KeyError):
        gradcheck(failing, x, fast_mode=fast_mode)
    assert (x.tolist(), x._version, x.grad.tolist()) == ([0.5, -1.0], 0, [1.0, 1.0])


def test_masked_changes_nothing() -> None:
    """There are no sparse tensors, about which `masked` is."""
    assert gradcheck(sg.sin, point(0.5), masked=True) and gradcheck(sg.sin, point(0.5), masked=False)


def test_the_error_is_where_pytorch_has_it() -> None:
    """`autograd.gradcheck` is a function, and `autograd.gradcheck.GradcheckError` can be imported."""
    assert callable(sg.autograd.gradcheck) and issubclass(GradcheckError, RuntimeError)
    with pytest.raises(GradcheckError):
        sg.autograd.gradcheck(double(1.5), point(0.5))
