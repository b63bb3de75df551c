"""autograd.functional gives what PyTorch's gives: values, structures, dtypes and whether results require grad."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg

RNG = np.random.default_rng(11)
VALUES = {
    name: RNG.uniform(0.3, 1.5, shape) for name, shape in {"x": (2,), "y": (2, 3), "u": (2,), "w": (2, 3)}.items()
}
Z, V = RNG.standard_normal((2, 2)) + 1j, RNG.standard_normal((2, 2)) - 0.5j
NAMES = ["jacobian", "hessian", "vjp", "jvp", "vhp", "hvp"]

# Functions of x (2,) and y (2, 3): to tensors of any shape, and to one number.
MAPS: dict[str, Callable[[Any, Any], Any]] = {
    "one": lambda x, y: (x @ y).sin(),
    "tuple": lambda x, y: (x.exp(), (x[:, None] * y).sum(1), y.t() @ x),
    "views and writes": lambda x, y: (y.t()[1:] * 2).clone().mul_(x).reshape(-1),
    "does not depend on y": lambda x, y: x**2,
    "a constant among them": lambda x, y: (x * 2, x.detach(), y[0]),
    "returns its inputs": lambda x, y: (x, y),
}
NUMBERS: dict[str, Callable[[Any, Any], Any]] = {
    "coupled": lambda x, y: (x @ y).sin().sum(),
    "apart": lambda x, y: (x**3).sum() + y.exp().sum(),
    "linear in y": lambda x, y: (x**3).sum() + y.sum(),
    "without y": lambda x, y: x.prod().reshape(1),
}
COMPLEX: dict[str, Callable[[Any], Any]] = {
    "holomorphic": lambda a: a * a.exp(),
    "not holomorphic": lambda a: a * a.conj() + a,
    "to real": lambda a: a.abs(),
}


def given(t: Any, requires_grad: bool = False) -> tuple[Any, Any]:
    """The inputs, in either library."""
    return tuple(t.tensor(VALUES[n], requires_grad=requires_grad) for n in "xy")


def described(value: Any) -> Any:
    """Nested tuples of (shape, dtype, requires grad, values)."""
    if isinstance(value, (tuple, list)):
        return tuple(described(v) for v in value)
    return tuple(value.shape), str(value.dtype).split(".")[-1], value.requires_grad, value.detach().numpy()


def same(ours: Any, theirs: Any) -> None:
    """Equal up to rounding."""
    assert len(ours) == len(theirs)
    if ours and isinstance(ours[-1], np.ndarray):
        assert ours[:-1] == theirs[:-1]
        np.testing.assert_allclose(ours[-1], theirs[-1], rtol=1e-9, atol=1e-11)
        return
    for a, b in zip(ours, theirs, strict=True):
        same(a, b)


def compare(call: Callable[[Any], Any]) -> None:
    """The call in both libraries."""
    torch = pytest.importorskip("torch")
    same(described((call(sg),)), described((call(torch),)))


@pytest.mark.parametrize("options", [{}, {"create_graph": True}, {"vectorize": True}], ids=str)
@pytest.mark.parametrize("name", MAPS)
def test_jacobian(name: str, options: dict[str, Any]) -> None:
    """By rows, one after the other and at once."""
    compare(lambda t: t.autograd.functional.jacobian(MAPS[name], given(t, True), **options))


@pytest.mark.parametrize("name", MAPS)
def test_jacobian_by_columns(name: str) -> None:
    """By forward mode, compared with PyTorch's rows: its columns fail for some of these functions."""
    torch = pytest.importorskip("torch")
    ours = sg.autograd.functional.jacobian(MAPS[name], given(sg), vectorize=True, strategy="forward-mode")
    same(described((ours,)), described((torch.autograd.functional.jacobian(MAPS[name], given(torch)),)))


@pytest.mark.parametrize("options", [{}, {"create_graph": True}, {"vectorize": True}], ids=str)
@pytest.mark.parametrize("name", NUMBERS)
def test_hessian(name: str, options: dict[str, Any]) -> None:
    """By rows, one after the other and at once."""
    compare(lambda t: t.autograd.functional.hessian(NUMBERS[name], given(t, True), **options))


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("name", MAPS)
def test_products_with_the_jacobian(name: str, create_graph: bool) -> None:
    """With the outputs, from the left along their cosines and from the right along random vectors."""

    def left(t: Any) -> Any:
        outputs = MAPS[name](*given(t))
        v = tuple(o.cos() for o in outputs) if isinstance(outputs, tuple) else outputs.cos()
        return t.autograd.functional.vjp(MAPS[name], given(t, True), v, create_graph)

    compare(left)
    v = "uw"
    compare(
        lambda t: t.autograd.functional.jvp(
            MAPS[name], given(t, True), tuple(t.tensor(VALUES[n]) for n in v), create_graph
        )
    )


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("function", ["vhp", "hvp"])
@pytest.mark.parametrize("name", NUMBERS)
def test_products_with_the_hessian(name: str, function: str, create_graph: bool) -> None:
    """From the left and from the right."""
    compare(
        lambda t: getattr(t.autograd.functional, function)(
            NUMBERS[name], given(t, True), tuple(t.tensor(VALUES[n]) for n in "uw"), create_graph
        )
    )


@pytest.mark.parametrize("function", ["vjp", "jvp"])
@pytest.mark.parametrize("name", COMPLEX)
def test_complex_products(name: str, function: str) -> None:
    """C to C, holomorphic or not, and C to R."""
    v = V.real if (name, function) == ("to real", "vjp") else V
    compare(lambda t: getattr(t.autograd.functional, function)(COMPLEX[name], t.tensor(Z), t.tensor(v)))


@pytest.mark.parametrize("function", ["vhp", "hvp"])
def test_complex_second_products(function: str) -> None:
    """C to R."""
    compare(
        lambda t: getattr(t.autograd.functional, function)(
            lambda a: (a * a * a.conj()).real.sum(), t.tensor(Z), t.tensor(V)
        )
    )


@pytest.mark.parametrize("options", [{}, {"vectorize": True}], ids=str)
def test_complex_jacobians(options: dict[str, Any]) -> None:
    """Of real outputs in complex inputs; at once also of complex outputs."""
    compare(lambda t: t.autograd.functional.jacobian(lambda a: (a * a.conj()).real, t.tensor(Z), **options))
    if options:
        compare(lambda t: t.autograd.functional.jacobian(lambda a: a * a, t.tensor(Z), **options))


@pytest.mark.parametrize("name", NAMES)
def test_same_arguments(name: str) -> None:
    """Names, kinds and defaults."""
    torch = pytest.importorskip("torch")
    ours, theirs = (inspect.signature(getattr(t.autograd.functional, name)).parameters for t in (sg, torch))
    assert [(p.name, p.kind, p.default) for p in ours.values()] == [
        (p.name, p.kind, p.default) for p in theirs.values()
    ]
