"""grad, grad_and_value, vjp and jacrev: values are closed forms, structures and errors PyTorch's."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from typing import Any

import numpy as np
import pytest

from tests.examples import array, close, close_trees, reals

Pair = namedtuple("Pair", "a b")


def product(x: Any, y: Any) -> Any:
    """The sum of x y^2."""
    return (x * y * y).sum()


def test_gradient_of_each_argument(lib: Any) -> None:
    """argnums chooses one argument, or several, from either end."""
    x, y = reals(lib, 3), reals(lib, 3, seed=1)
    dx, dy = array(y) ** 2, 2 * array(x) * array(y)
    close(lib.func.grad(product)(x, y), dx)
    close(lib.func.grad(product, argnums=-1)(x, y), dy)
    for argnums, expected in (((0, 1), (dx, dy)), ((-1, 0), (dy, dx)), ((1,), (dy,))):
        found = lib.func.grad(product, argnums=argnums)(x, y)
        assert isinstance(found, tuple) and len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            close(one, other)


def test_values_and_other_outputs(lib: Any) -> None:
    """grad_and_value returns (gradient, value), and has_aux hands a second output through, of any structure."""
    x = reals(lib, 3)

    def square(x: Any) -> Any:
        return (x * x).sum(), {"twice": x * 2, "rest": [x.sum()]}

    gradient, value = lib.func.grad_and_value(lambda x: (x * x).sum())(x)
    close(gradient, 2 * array(x))
    close(value, (array(x) ** 2).sum())
    gradient, aux = lib.func.grad(square, has_aux=True)(x)
    close(gradient, 2 * array(x))
    close_trees(aux, {"twice": x * 2, "rest": [x.sum()]})
    gradient, (value, aux) = lib.func.grad_and_value(square, has_aux=True)(x)
    close(value, (array(x) ** 2).sum())
    assert not any(t.requires_grad for t in (gradient, value, aux["twice"], aux["rest"][0]))


def test_trees_of_arguments(lib: Any) -> None:
    """The gradient has the structure of the argument; keyword arguments are constants."""
    a, b = reals(lib, 2), reals(lib, 2, seed=1)
    expected = {"a": b, "b": [a]}
    close_trees(lib.func.grad(lambda d: (d["a"] * d["b"][0]).sum())({"a": a, "b": [b]}), expected)
    close_trees(lib.func.grad(lambda p: (p.a * p.b).sum())(Pair(a, b)), Pair(b, a))
    close_trees(lib.func.grad(lambda d: (d["z"] * d["a"]).sum())(OrderedDict(z=a, a=b)), OrderedDict(z=b, a=a))
    close(lib.func.grad(lambda x, w=None: (x * w).sum())(a, w=b), b)


def test_what_has_no_part_in_the_output(lib: Any) -> None:
    """Its gradient is zero."""
    x, y = reals(lib, 3), reals(lib, 3, seed=1)
    close(lib.func.grad(lambda x, y: y.sum())(x, y), np.zeros(3))
    close(lib.func.grad(lambda x: lib.tensor(1.0))(x), np.zeros(3))
    close(lib.func.grad(lambda x: x)(x[0]), 1.0)


def test_functions_that_write(lib: Any) -> None:
    """In-place ops are differentiated, views too; the argument itself is a leaf."""

    def written(x: Any) -> Any:
        y = x * 1
        y[0] = 5.0
        y[1:].mul_(3)
        return (y * y).sum()

    x = reals(lib, 3)
    close(lib.func.grad(written)(x), 18 * array(x) * [0, 1, 1])
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        lib.func.grad(lambda x: x.mul_(2).sum())(x)


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32", "complex64"])
def test_dtypes(lib: Any, kind: str) -> None:
    """Gradients have the dtype of the argument; those of complex numbers are conjugate Wirtinger derivatives."""
    z = lib.tensor([1.0, -2.0]).to(getattr(lib, kind)) * (1 + 2j if kind == "complex64" else 1)
    found = lib.func.grad(lambda z: (z * z.conj()).real.sum())(z)
    assert found.dtype == z.dtype
    close(found.to(lib.complex128), 2 * array(z.to(lib.complex128)))


def test_vjp(lib: Any) -> None:
    """The output, and v -> v^T J as often as one likes, for cotangents of the output's structure."""
    x, y, v, w = (reals(lib, 3, seed=seed) for seed in range(4))
    output, pull = lib.func.vjp(lambda x, y: {"product": x * y, "sum": x.sum()}, x, y)
    close_trees(output, {"product": x * y, "sum": x.sum()})
    for cotangent in (v, w):
        found = pull({"product": cotangent, "sum": cotangent[0]})
        close_trees(found, (cotangent * y + cotangent[0], cotangent * x))
    _, pull, aux = lib.func.vjp(lambda d: (d["a"] * d["a"], d["a"] + 1), {"a": x}, has_aux=True)
    close_trees(pull(v), ({"a": 2 * v * x},))
    close(aux, x + 1)


def test_vjp_can_free_its_graph(lib: Any) -> None:
    """With retain_graph=False it is the last call."""
    _, pull = lib.func.vjp(lib.sin, reals(lib, 3))
    close(pull(lib.ones(3, dtype=lib.float64), retain_graph=False)[0], np.cos(array(reals(lib, 3))))
    with pytest.raises(RuntimeError, match="second time"):
        pull(lib.ones(3, dtype=lib.float64))


def test_jacobian(lib: Any) -> None:
    """d output / d input of shape (*output, *input), at once or in chunks of rows."""
    a, b = reals(lib, 2, 3), reals(lib, 3, 2, seed=1)
    da = np.einsum("ik,lj->ijkl", np.eye(2), array(b))
    db = np.einsum("ik,jl->ijkl", array(a), np.eye(2))
    for options in ({}, {"chunk_size": 1}, {"chunk_size": 3}, {"chunk_size": 100}):
        found = lib.func.jacrev(lambda a, b: a @ b, argnums=(0, 1), **options)(a, b)
        close(found[0], da)
        close(found[1], db)
    close(lib.func.jacrev(lambda x: x.sum())(a), np.ones((2, 3)))
    close(lib.func.jacrev(lib.sin)(a[0, 0]), np.cos(array(a)[0, 0]))
    assert tuple(lib.func.jacrev(lib.sin)(a[:0]).shape) == (0, 3, 0, 3)


def test_jacobian_of_trees(lib: Any) -> None:
    """For each output, by its structure, the Jacobians in all inputs, by theirs."""
    a, b = reals(lib, 2), reals(lib, 2, seed=1)
    found, aux = lib.func.jacrev(lambda d: ([d["a"] * d["b"], (d["a"].sum(),)], d["a"]), has_aux=True)({"a": a, "b": b})
    rows = {"a": lib.diag(b), "b": lib.diag(a)}
    close_trees(found, [rows, ({"a": lib.ones(2, dtype=lib.float64), "b": lib.zeros(2, dtype=lib.float64)},)])
    close(aux, a)
