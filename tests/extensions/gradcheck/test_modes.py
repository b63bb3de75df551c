"""Seeded mistakes: each mode of gradcheck finds wrong backward, jvp and second derivatives, and passes right ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg
from specgrad.autograd.gradcheck import GradcheckError

gradcheck, gradgradcheck = sg.autograd.gradcheck, sg.autograd.gradgradcheck
both_modes = pytest.mark.parametrize("fast_mode", [False, True])

Rule = Callable[..., Any]


def product(backward: Rule, jvp: Rule) -> Any:
    """x * y with the given rules: backward(grad, x, y) and jvp(x_t, y_t, x, y)."""

    class Product(sg.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x: Any, y: Any) -> Any:
            return x * y

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return backward(grad, *ctx.saved_tensors)

        @staticmethod
        def jvp(ctx: Any, x_t: Any, y_t: Any) -> Any:
            return jvp(x_t, y_t, *ctx.saved_tensors)

    return Product.apply


def right_backward(grad: Any, x: Any, y: Any) -> Any:
    """The gradients of x * y."""
    return grad * y.conj(), grad * x.conj()


def right_jvp(x_t: Any, y_t: Any, x: Any, y: Any) -> Any:
    """The tangent of x * y."""
    return x_t * y + y_t * x


WRONG_BACKWARD: dict[str, Rule] = {
    "wrong sign": lambda g, x, y: (-g * y.conj(), g * x.conj()),
    "off by one percent": lambda g, x, y: (g * y.conj() * 1.01, g * x.conj()),
    "exchanged": lambda g, x, y: (g * x.conj(), g * y.conj()),
    "one is missing": lambda g, x, y: (g * y.conj(), None),
    "a term too much": lambda g, x, y: (g * y.conj() + g * 0.1, g * x.conj()),
    "elements mixed up": lambda g, x, y: (g * y.conj(), (g * x.conj()).flip(0)),
    "summed up": lambda g, x, y: (g * y.conj(), (g * x.conj()).sum().expand(2)),
    "not conjugated": lambda g, x, y: (g * y, g * x),
    "conjugate of the gradient": lambda g, x, y: (g.conj() * y.conj(), g * x.conj()),
}
WRONG_JVP: dict[str, Rule] = {
    "a term is missing": lambda xt, yt, x, y: xt * y,
    "wrong sign": lambda xt, yt, x, y: xt * y - yt * x,
    "exchanged": lambda xt, yt, x, y: xt * x + yt * y,
    "off by one percent": lambda xt, yt, x, y: xt * y * 1.01 + yt * x,
    "elements mixed up": lambda xt, yt, x, y: (xt * y).flip(0) + yt * x,
    "conjugate of the tangent": lambda xt, yt, x, y: xt.conj() * y + yt * x,
}
COMPLEX_ONLY = {"not conjugated", "conjugate of the gradient", "conjugate of the tangent"}


def inputs(dtype: Any) -> tuple[Any, Any]:
    """Two tensors of two elements that require grad."""
    imaginary = (0.7j, -0.4j) if dtype.is_complex else (0, 0)
    x = sg.tensor([1.5 + imaginary[0], -0.8], dtype=dtype, requires_grad=True)
    y = sg.tensor([0.6, 2.0 + imaginary[1]], dtype=dtype, requires_grad=True)
    return x, y


def with_dtypes(mistakes: dict[str, Rule]) -> Any:
    """Every mistake with the dtypes in which it is one."""
    cases = [(name, dtype) for name in mistakes for dtype in (sg.float64, sg.complex128)]
    return [pytest.param(n, d, id=f"{n}-{d}") for n, d in cases if d.is_complex or n not in COMPLEX_ONLY]


@both_modes
@pytest.mark.parametrize("dtype", [sg.float64, sg.complex128], ids=str)
def test_right_rules_pass_every_check(dtype: Any, fast_mode: bool) -> None:
    """Backward, forward mode, both under vmap, missing gradients and tangents, and the second derivatives."""
    func = product(right_backward, right_jvp)
    assert gradcheck(
        func,
        inputs(dtype),
        check_forward_ad=True,
        check_batched_grad=True,
        check_batched_forward_grad=True,
        check_grad_dtypes=True,
        fast_mode=fast_mode,
    )
    assert gradgradcheck(
        func,
        inputs(dtype),
        check_fwd_over_rev=True,
        check_batched_grad=True,
        check_grad_dtypes=True,
        fast_mode=fast_mode,
    )


@both_modes
@pytest.mark.parametrize(("name", "dtype"), with_dtypes(WRONG_BACKWARD))
def test_wrong_backward_is_found(name: str, dtype: Any, fast_mode: bool) -> None:
    """Also where only forward mode is asked for and right, gradcheck says nothing of it."""
    func = product(WRONG_BACKWARD[name], right_jvp)
    with pytest.raises(GradcheckError, match="Jacobian mismatch for output 0 with respect to input"):
        gradcheck(func, inputs(dtype), fast_mode=fast_mode)
    assert gradcheck(func, inputs(dtype), check_backward_ad=False, check_forward_ad=True, fast_mode=fast_mode)


@both_modes
@pytest.mark.parametrize(("name", "dtype"), with_dtypes(WRONG_JVP))
def test_wrong_jvp_is_found(name: str, dtype: Any, fast_mode: bool) -> None:
    """By check_forward_ad, and only then."""
    func = product(right_backward, WRONG_JVP[name])
    with pytest.raises(
        GradcheckError, match="Jacobian computed with forward mode mismatch for output 0 with respect to"
    ):
        gradcheck(func, inputs(dtype), check_forward_ad=True, fast_mode=fast_mode)
    assert gradcheck(func, inputs(dtype), fast_mode=fast_mode)


WRONG_SECOND: dict[str, Rule] = {
    "input cut off": lambda g, x, y: (g * y.conj().detach(), g * x.conj()),
    "gradient cut off": lambda g, x, y: (g.detach() * y.conj(), g * x.conj()),
    "right value, wrong derivative": lambda g, x, y: (g * y.conj() * (x / x.detach()), g * x.conj()),
}


@both_modes
@pytest.mark.parametrize("dtype", [sg.float64, sg.complex128], ids=str)
@pytest.mark.parametrize("name", WRONG_SECOND)
def test_wrong_second_derivatives_are_found(name: str, dtype: Any, fast_mode: bool) -> None:
    """gradcheck passes, gradgradcheck does not: neither by backward of backward nor by forward mode of backward."""
    func = product(WRONG_SECOND[name], right_jvp)
    assert gradcheck(func, inputs(dtype), fast_mode=fast_mode)
    with pytest.raises(GradcheckError, match="Jacobian mismatch for output 0 with respect to input"):
        gradgradcheck(func, inputs(dtype), fast_mode=fast_mode)
    with pytest.raises(GradcheckError, match="Jacobian computed with forward mode mismatch for output 0"):
        gradgradcheck(
            func,
            inputs(dtype),
            check_fwd_over_rev=True,
            check_rev_over_rev=False,
            check_undefined_grad=False,
            fast_mode=fast_mode,
        )


@both_modes
def test_mistakes_that_depend_on_the_batch_are_found(fast_mode: bool) -> None:
    """A backward, or a jvp, that looks at whether it runs for many at once."""

    def batched(t: Any) -> bool:
        return "Batched" in type(t).__name__

    def backward(g: Any, x: Any, y: Any) -> Any:
        return g * y * (2 if batched(g) else 1), g * x

    def jvp(x_t: Any, y_t: Any, x: Any, y: Any) -> Any:
        return x_t * y * (2 if batched(x_t) else 1) + y_t * x

    x, y = inputs(sg.float64)
    assert gradcheck(product(backward, jvp), (x, y), check_forward_ad=True, fast_mode=fast_mode)
    with pytest.raises(
        GradcheckError, match="(?s)For output 0 and input 0:.*batched gradient computation.*Got:.*Expected:"
    ):
        gradcheck(product(backward, jvp), (x, y), check_batched_grad=True, fast_mode=fast_mode)
    with pytest.raises(GradcheckError, match="(?s)For output 0 and input 0:.*with forward-mode AD.*Got:.*Expected:"):
        gradcheck(
            product(backward, jvp),
            (x, y),
            check_forward_ad=True,
            check_batched_forward_grad=True,
            fast_mode=fast_mode,
        )


@both_modes
def test_what_cannot_run_under_vmap_is_found(fast_mode: bool) -> None:
    """A backward that reads the memory of its gradient."""

    def backward(g: Any, x: Any, y: Any) -> Any:
        return sg.from_numpy(g.numpy()) * y, g * x

    func = product(backward, right_jvp)
    assert gradcheck(func, inputs(sg.float64), fast_mode=fast_mode)
    with pytest.raises(GradcheckError, match="While computing batched gradients, got: .*"):
        gradcheck(func, inputs(sg.float64), check_batched_grad=True, fast_mode=fast_mode)
