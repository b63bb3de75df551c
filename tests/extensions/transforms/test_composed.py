"""Transforms of transforms: per-sample gradients, perturbations that must not be confused, batches of either mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.examples import array, close, close_trees, reals

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")


def one(lib: Any, value: float) -> Any:
    """A number."""
    return lib.tensor(value, dtype=lib.float64)


# The derivative of x f(x), where the inner derivative must not see the outer one's perturbation.
CONFUSING: dict[str, tuple[Callable[[Any, Any], Any], float]] = {
    "grad of x + y": (lambda t, x: t.func.grad(lambda y: x + y)(one(t, 1.0)), 1.0),
    "grad of x y": (lambda t, x: t.func.grad(lambda y: x * y)(one(t, 1.0)), 4.0),
    "grad of x y y": (lambda t, x: t.func.grad(lambda y: x * y * y)(one(t, 1.5)), 12.0),
    "grad at x": (lambda t, x: t.func.grad(lambda y: y**3)(x), 36.0),
    "grad of what does not depend": (lambda t, x: t.func.grad(lambda y: x * x)(one(t, 1.0)), 0.0),
    "jvp of x + y": (lambda t, x: t.func.jvp(lambda y: x + y, (one(t, 1.0),), (one(t, 1.0),))[1], 1.0),
    "jvp of x y y": (lambda t, x: t.func.jvp(lambda y: x * y * y, (one(t, 1.5),), (one(t, 1.0),))[1], 12.0),
    "jvp at x along x": (lambda t, x: t.func.jvp(lambda y: y * y, (x,), (x,))[1], 24.0),
}


@pytest.mark.parametrize("outer", ["grad", "jvp", "jacrev", "jacfwd"])
@pytest.mark.parametrize("name", CONFUSING)
def test_perturbations_are_told_apart(lib: Any, name: str, outer: str) -> None:
    """d/dx (x f(x)) at 2, where f is itself a derivative."""
    inner, expected = CONFUSING[name]

    def function(x: Any) -> Any:
        return x * inner(lib, x)

    x = one(lib, 2.0)
    if outer == "jvp":
        close(lib.func.jvp(function, (x,), (one(lib, 1.0),))[1], expected)
    else:
        close(getattr(lib.func, outer)(function)(x), expected)


def test_the_same_in_batches(lib: Any) -> None:
    """Derivatives at and along examples, three deep."""
    x = reals(lib, 4)
    grad = lib.func.grad
    close(lib.vmap(lambda x: grad(lambda y: y * grad(lambda z: z * x * y)(y))(x))(x), 2 * x**2)
    close(lib.vmap(grad(grad(grad(lib.sin))))(x), -x.cos())

    def directional(x: Any) -> Any:
        return lib.func.jvp(lambda y: lib.func.jvp(lambda z: z * z * y, (y,), (x,))[1], (x,), (lib.ones_like(x),))[1]

    close(lib.vmap(directional)(x), 4 * x**2)


def test_gradients_of_each_sample(lib: Any) -> None:
    """vmap of grad for parameters that all samples share, with values and other outputs; their sum is the gradient."""
    w, x = reals(lib, 3), reals(lib, 4, 3, seed=1)

    def loss(w: Any, x: Any) -> Any:
        return (w * x).sin().sum(), {"twice": w * 2, "sum": x.sum()}

    found, (value, aux) = lib.vmap(lib.func.grad_and_value(loss, has_aux=True), in_dims=(None, 0))(w, x)
    close(found, x * (w * x).cos())
    close(value, (w * x).sin().sum(1))
    close_trees(aux, {"twice": (w * 2).expand(4, 3), "sum": x.sum(1)})
    close(found.sum(0), lib.func.grad(lambda w: lib.vmap(lambda x: loss(w, x)[0])(x).sum())(w))
    unused = lib.vmap(lib.func.grad(lambda w, x: x.sum()), in_dims=(None, 0))(w, x)
    close(unused, np.zeros((4, 3)))


def test_batches_of_batches(lib: Any) -> None:
    """vmap of vmap of grad, and vmap of grad of vmap of grad."""
    w, x = reals(lib, 3), reals(lib, 2, 4, 3, seed=1)
    sample = lib.func.grad(lambda w, x: (w * x).sin().sum())
    nested = lib.vmap(lib.vmap(sample, in_dims=(None, 0)), in_dims=(None, 0))
    close(nested(w, x), x * (w * x).cos())

    def total(x: Any) -> Any:
        return lib.vmap(lib.func.grad(lambda y: (y * x.sum()).sin()))(x).sum()

    rows = array(x)[0]
    s = rows.sum(1, keepdims=True)
    cosines, sines = np.cos(rows * s), np.sin(rows * s)
    # d/dx_k of sum_j s cos(x_j s)
    expected = (cosines - s * rows * sines).sum(1, keepdims=True) - s * s * sines
    close(lib.vmap(lib.func.grad(total))(x[0]), expected)


@pytest.mark.parametrize("mode", ["jacrev", "jacfwd", "hessian"])
def test_matrices_of_each_sample(lib: Any, mode: str) -> None:
    """vmap of jacrev, jacfwd and hessian, for arguments in batches and shared ones."""
    w, x = reals(lib, 3), reals(lib, 4, 3, seed=1)
    second = mode == "hessian"
    transform = getattr(lib.func, mode)

    def function(w: Any, x: Any) -> Any:
        return (w * x).sin().sum() if second else (w * x).sin()

    rows = [-(row**2) * (w * row).sin() if second else row * (w * row).cos() for row in x]
    expected = lib.stack([lib.diag(row) for row in rows])
    close(lib.vmap(transform(function), in_dims=(None, 0))(w, x), expected)
    close(lib.vmap(transform(lambda x, w: function(w, x)), in_dims=(None, 0))(w, x), expected)


def test_forward_mode_in_batches(lib: Any) -> None:
    """Primals, tangents, or both differ between the examples; and a batch inside forward mode."""
    x, v = reals(lib, 4, 3), reals(lib, 4, 3, seed=1)

    def push(x: Any, v: Any) -> Any:
        return lib.func.jvp(lambda x: x.sin() * x.sum(), (x,), (v,))[1]

    alone = lib.stack([push(a, b) for a, b in zip(x, v, strict=True)])
    close(lib.vmap(push)(x, v), alone)
    close(lib.vmap(push, in_dims=(0, None))(x, v[0]), lib.stack([push(a, v[0]) for a in x]))
    close(lib.vmap(push, in_dims=(None, 0))(x[0], v), lib.stack([push(x[0], b) for b in v]))
    close(lib.func.jvp(lib.vmap(lambda x: x.sin() * x.sum()), (x,), (v,))[1], alone)
    w = x[0]
    captured = lib.func.jvp(lambda w: lib.vmap(lambda x: x * w)(x), (w,), (v[0],))[1]
    close(captured, x * v[0])


def test_vjp_inside_and_outside(lib: Any) -> None:
    """The pull-back of one point for a batch of cotangents; of a batch of points; and differentiated itself."""
    x, v = reals(lib, 4, 3), reals(lib, 4, 3, seed=1)
    _, pull = lib.func.vjp(lambda x: x.sin() * x.sum(), x[0])
    close(lib.vmap(pull)(v)[0], lib.stack([pull(row)[0] for row in v]))
    found = lib.vmap(lambda x, v: lib.func.vjp(lib.sin, x)[1](v)[0])(x, v)
    close(found, v * x.cos())
    close(lib.func.grad(lambda v: (lib.func.vjp(lib.sin, x)[1](v)[0] * v).sum())(v), 2 * v * x.cos())
    close(lib.func.grad(lambda x: lib.func.vjp(lib.sin, x)[1](v)[0].sum())(x), -v * x.sin())


def test_loops_over_rows_inside_grad(lib: Any) -> None:
    """What vmap returns is ordinary for the code around it."""
    x = reals(lib, 3, 2)
    found = lib.func.grad(lambda x: sum(lib.vmap(lambda y: y.prod())(x)))(x)
    close(found, array(x)[:, ::-1])
