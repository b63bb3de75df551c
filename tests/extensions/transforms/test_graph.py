"""Transforms and ordinary autograd: parameters outside, values and gradients that lead to them, gradient modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.examples import close, reals

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")


def test_backward_through_gradients(lib: Any) -> None:
    """A gradient is a function of what requires grad outside: of the argument, and of what the function captures."""
    x, w = reals(lib, 3).requires_grad_(), reals(lib, 3, seed=1).requires_grad_()
    lib.func.grad(lambda x: (w * x**3).sum())(x).sum().backward()
    close(x.grad, 6 * w * x)
    close(w.grad, 3 * x**2)


def test_backward_through_values(lib: Any) -> None:
    """So are values, other outputs, and what vjp, jvp and Jacobians return."""
    for call, expected in (
        (lambda x, w: lib.func.grad_and_value(lambda x: (w * x).sum())(x)[1], lambda x, w: x),
        (lambda x, w: lib.func.grad(lambda x: (x.sum(), w * x), has_aux=True)(x)[1], lambda x, w: x),
        (lambda x, w: lib.func.vjp(lambda x: w * x * x, x)[0], lambda x, w: x * x),
        (lambda x, w: lib.func.vjp(lambda x: w * x * x, x)[1](lib.ones_like(x))[0], lambda x, w: 2 * x),
        (lambda x, w: lib.func.jvp(lambda x: w * x * x, (x,), (x,))[1], lambda x, w: 2 * x * x),
        (lambda x, w: lib.func.jacrev(lambda x: w * x * x)(x), lambda x, w: 2 * x),
        (lambda x, w: lib.func.jacfwd(lambda x: w * x * x)(x), lambda x, w: 2 * x),
        (lambda x, w: lib.vmap(lambda e: w * e)(lib.stack([x, x])), lambda x, w: 2 * x),
        (lambda x, w: lib.vmap(lib.func.grad(lambda e: (w * e * e).sum()))(lib.stack([x, x])), lambda x, w: 4 * x),
    ):
        x, w = reals(lib, 3), reals(lib, 3, seed=1).requires_grad_()
        call(x, w).sum().backward()
        close(w.grad, expected(x, w))


def test_what_leads_nowhere_else_is_outside_the_graph(lib: Any) -> None:
    """Results that depend on the arguments alone do not require grad, and hold no graph."""
    x = reals(lib, 3)
    gradient, (value, aux) = lib.func.grad_and_value(lambda x: ((x**2).sum(), x * 2), has_aux=True)(x)
    output, pull = lib.func.vjp(lib.sin, x)
    assert not any(t.requires_grad for t in (gradient, value, aux, output, pull(x)[0], lib.func.jacrev(lib.sin)(x)))
    assert not x.requires_grad and x.grad is None


def test_gradient_modes(lib: Any) -> None:
    """A transform differentiates whatever is switched off outside; what is switched off inside is constant."""
    x, w = reals(lib, 3).requires_grad_(), reals(lib, 3, seed=1).requires_grad_()
    for mode in (lib.no_grad, lib.inference_mode):
        with mode():
            found = lib.func.grad(lambda x: (w * x**2).sum())(reals(lib, 3))
            output, pull = lib.func.vjp(lambda x: w * x**2, reals(lib, 3))
            close(pull(lib.ones(3).double())[0], 2 * w * x)
        close(found, 2 * w * x)
        assert not found.requires_grad and not output.requires_grad

    def partly(x: Any) -> Any:
        with lib.no_grad():
            constant = x**2
        return (x - constant).sum()

    close(lib.func.grad(partly)(reals(lib, 3)), np.ones(3))
    close(lib.func.grad(lib.no_grad()(lambda x: (x**2).sum()))(reals(lib, 3)), np.zeros(3))
    seen: list[bool] = []
    with lib.no_grad():
        lib.func.grad(lambda x: seen.append(lib.is_grad_enabled()) or x.sum())(reals(lib, 3))
        lib.vmap(lambda x: seen.append(lib.is_grad_enabled()) or x.sum())(reals(lib, 3))
    assert seen == [True, False]


def test_leaves_keep_their_grad(lib: Any) -> None:
    """Transforms never touch .grad, also of leaves that the function captures."""
    x, w = reals(lib, 3).requires_grad_(), reals(lib, 3, seed=1).requires_grad_()
    lib.func.grad(lambda x: (w * x).sum())(x)
    lib.vmap(lib.func.grad(lambda e: (w * e).sum()))(reals(lib, 4, 3))
    assert x.grad is None and w.grad is None


def test_autograd_inside(lib: Any) -> None:
    """autograd.grad works in a function being differentiated, and for a batch of cotangents; on examples it refuses."""

    def derivative(x: Any) -> Any:
        (found,) = lib.autograd.grad((x**3).sum(), x, create_graph=True)
        return found.sum()

    x = reals(lib, 3)
    close(lib.func.grad(derivative)(x), 6 * x)
    leaf = reals(lib, 3).requires_grad_()
    y = leaf**3
    rows = lib.vmap(lambda v: lib.autograd.grad(y, leaf, v, retain_graph=True)[0])(lib.eye(3).double())
    close(rows, lib.diag(3 * x**2))
    (batched,) = lib.autograd.grad(y, leaf, lib.eye(3).double(), is_grads_batched=True, create_graph=True)
    batched.sum().backward()
    close(batched, lib.diag(3 * x**2))
    close(leaf.grad, 6 * x)
    with pytest.raises(RuntimeError, match=r"backward\(\) called inside a functorch transform"):
        lib.vmap(lambda e: (leaf * e).sum().backward())(reals(lib, 4, 3))
