"""What function transforms refuse, in PyTorch's classes and words."""

from __future__ import annotations

from typing import Any

import pytest

from tests.examples import reals

MISTAKES: dict[str, tuple[Any, type[Exception], str]] = {
    "no number": (lambda t, x: t.func.grad(t.sin)(x), RuntimeError, "return a scalar Tensor, got tensor with 1 dims"),
    "no tensor": (lambda t, x: t.func.grad(lambda x: 3.0)(x), RuntimeError, "to return a Tensor, got <class"),
    "a complex number": (lambda t, x: t.func.grad(lambda x: (x * 1j).sum())(x), RuntimeError, "real scalar outputs"),
    "two outputs": (
        lambda t, x: t.func.grad(lambda x: (x.sum(), x))(x),
        RuntimeError,
        "to return a Tensor, got <class",
    ),
    "no aux": (
        lambda t, x: t.func.grad(lambda x: x.sum(), has_aux=True)(x),
        RuntimeError,
        "should be a tuple: .output, aux",
    ),
    "aux of text": (
        lambda t, x: t.func.grad(lambda x: (x.sum(), "a"), has_aux=True)(x),
        RuntimeError,
        "unsupported type",
    ),
    "a whole number": (
        lambda t, x: t.func.grad(lambda x: x.sum() * 1.0)(x.long()),
        RuntimeError,
        "can require gradients",
    ),
    "a Python number": (lambda t, x: t.func.grad(lambda x: x)(3.0), ValueError, "must be Tensor, got <class 'float'>"),
    "argnums too large": (
        lambda t, x: t.func.grad(t.sum, argnums=2)(x),
        RuntimeError,
        "Got argnum=2, but only 1 positional inputs",
    ),
    "argnums of text": (lambda t, x: t.func.grad(t.sum, argnums="a")(x), RuntimeError, "argnums must be int or Tuple"),
    "argnums twice": (
        lambda t, x: t.func.grad(t.mul, argnums=(0, 0))(x, x),
        RuntimeError,
        "argnums elements must be unique",
    ),
    "argnums empty": (lambda t, x: t.func.grad(t.mul, argnums=())(x, x), RuntimeError, "argnums"),
    "vjp of whole numbers": (lambda t, x: t.func.vjp(t.argmax, x), RuntimeError, "must be floating-point or complex"),
    "vjp of nothing": (lambda t, x: t.func.vjp(lambda x: (), x), RuntimeError, "non-empty output"),
    "vjp of a number": (
        lambda t, x: t.func.vjp(lambda x: 3.0, x),
        RuntimeError,
        "only tensors, got unsupported type <class 'float'>",
    ),
    "another structure": (
        lambda t, x: t.func.vjp(t.sin, x)[1]((x, x)),
        RuntimeError,
        r"cotangents: \(\*, \*\), primal output: \*",
    ),
    "another shape": (lambda t, x: t.func.vjp(t.sin, x)[1](x[:2]), RuntimeError, "[Mm]ismatch in shape"),
    "two cotangents": (lambda t, x: t.func.vjp(lambda x: (x, x), x)[1](x, x), RuntimeError, "pytree structure"),
    "complex Jacobian": (
        lambda t, x: t.func.jacrev(t.sin)(x * 1j),
        RuntimeError,
        "jacrev: Expected all inputs to be real",
    ),
    "complex output": (
        lambda t, x: t.func.jacrev(lambda x: x * 1j)(x),
        RuntimeError,
        "jacrev: Expected all outputs to be real",
    ),
    "no rows at once": (lambda t, x: t.func.jacrev(t.sin, chunk_size=0)(x), ValueError, "chunk_size"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(lib: Any, name: str) -> None:
    """Errors of PyTorch's classes; those with its words say what is wrong."""
    call, error, message = MISTAKES[name]
    with pytest.raises(error, match=message):
        call(lib, reals(lib, 3))


FORWARD: dict[str, tuple[Any, type[Exception], str]] = {
    "no tuple": (lambda t, x: t.func.jvp(t.sin, x, x), RuntimeError, "Expected primals to be a tuple"),
    "another structure": (
        lambda t, x: t.func.jvp(t.sin, (x,), (x, x)),
        RuntimeError,
        "to have the same python structure",
    ),
    "nothing": (lambda t, x: t.func.jvp(lambda: x, (), ()), RuntimeError, "at least one Tensor"),
    "numbers": (
        lambda t, x: t.func.jvp(t.sin, (3.0,), (1.0,)),
        RuntimeError,
        "to only contain Tensors, got <class 'float'>",
    ),
    "another shape": (lambda t, x: t.func.jvp(t.sin, (x,), (x[:2],)), RuntimeError, "size|shape"),
    "whole numbers": (
        lambda t, x: t.func.jvp(t.neg, (x.long(),), (x.long(),)),
        ValueError,
        "primal to be floating point or c",
    ),
    "a number returned": (
        lambda t, x: t.func.jvp(lambda x: 3.0, (x,), (x,)),
        RuntimeError,
        "unsupported type <class 'float'>",
    ),
    "no aux": (
        lambda t, x: t.func.jvp(t.sin, (x,), (x,), has_aux=True),
        RuntimeError,
        "should be a tuple: .output, aux",
    ),
    "independent": (
        lambda t, x: t.func.jvp(lambda x: t.ones(2), (x,), (x,), strict=True),
        RuntimeError,
        "independent of the in",
    ),
    "complex Jacobian": (
        lambda t, x: t.func.jacfwd(t.sin)(x * 1j),
        RuntimeError,
        "jacfwd: Expected all inputs to be real",
    ),
    "complex output": (
        lambda t, x: t.func.jacfwd(lambda x: x * 1j)(x),
        RuntimeError,
        "jacfwd: Expected all outputs to be real",
    ),
    "argnums too large": (
        lambda t, x: t.func.jacfwd(t.sin, argnums=3)(x),
        RuntimeError,
        "Got argnum=3, but only 1 positional",
    ),
    "tangents of another shape": (
        lambda t, x: t.func.linearize(t.sin, x)[1](x[:2]),
        RuntimeError,
        "tangent:0 with shape",
    ),
    "tangents of another dtype": (
        lambda t, x: t.func.linearize(t.sin, x)[1](x.float()),
        RuntimeError,
        "tangent:0 with dtype",
    ),
    "two tangents": (
        lambda t, x: t.func.linearize(t.sin, x)[1](x, x),
        RuntimeError,
        "to have the same argspec as the primals",
    ),
}


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:Attempted to insert a get_attr Node:UserWarning")
@pytest.mark.parametrize("name", FORWARD)
def test_mistakes_in_forward_mode(lib: Any, name: str) -> None:
    """The same of jvp, jacfwd and linearize."""
    call, error, message = FORWARD[name]
    with pytest.raises(error, match=message):
        call(lib, reals(lib, 3))
