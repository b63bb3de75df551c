"""forward_ad: levels, dual tensors, in-place ops and views, and levels inside and outside of vmap and grad."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.tensor.observers import watch
from tests.examples import array, close, reals

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")


def tangent(lib: Any, tensor: Any) -> Any:
    """The tangent of a tensor at the innermost level."""
    return lib.autograd.forward_ad.unpack_dual(tensor).tangent


def test_a_dual_tensor(lib: Any) -> None:
    """It has the primal's values and dtype; unpacking gives both parts; what is made of it carries a tangent."""
    fw = lib.autograd.forward_ad
    x, v = reals(lib, 3), reals(lib, 3, seed=1)
    with fw.dual_level():
        dual = fw.make_dual(x, v)
        primal, along = fw.unpack_dual(dual)
        close(primal, x)
        close(along, v)
        close(tangent(lib, dual.sin() * 2), 2 * array(x.cos() * v))
        assert tangent(lib, x) is None and tangent(lib, dual.detach()) is None
        assert tangent(lib, (dual * 2).long()) is None and tangent(lib, dual > 0) is None
    assert tangent(lib, dual) is None


def test_levels_end(lib: Any) -> None:
    """Outside of its level a tensor has lost its tangent; a new level starts without any."""
    fw = lib.autograd.forward_ad
    level = fw.enter_dual_level()
    dual = fw.make_dual(reals(lib, 2), reals(lib, 2))
    fw.exit_dual_level(level=level)
    with fw.dual_level():
        assert tangent(lib, dual) is None and tangent(lib, dual * 2) is None
    with pytest.raises(RuntimeError, match="no level exists"):
        fw.make_dual(reals(lib, 2), reals(lib, 2))


def test_levels_of_this_library_nest() -> None:
    """An inner level is told apart from the outer one; only the innermost can be closed."""
    fw = sg.autograd.forward_ad
    x = sg.tensor(2.0).double()
    with fw.dual_level() as outer:
        a = fw.make_dual(x, sg.tensor(1.0).double())
        with fw.dual_level() as inner:
            b = fw.make_dual(a * 3, sg.tensor(1.0).double())
            cube = b**3
            derivative = fw.unpack_dual(cube, level=inner).tangent
            with pytest.raises(RuntimeError, match="innermost level"):
                fw.exit_dual_level(level=outer)
        close(derivative, 3 * 36.0)
        close(fw.unpack_dual(derivative, level=outer).tangent, 6 * 6 * 3.0)
    assert not watch.active


def dual(lib: Any, x: Any) -> Any:
    """A tensor that is its own tangent."""
    return lib.autograd.forward_ad.make_dual(x, x)


MISTAKES: dict[str, tuple[Any, type[Exception]]] = {
    "another shape": (lambda t, x: t.autograd.forward_ad.make_dual(x, x[:2]), RuntimeError),
    "whole numbers": (lambda t, x: t.autograd.forward_ad.make_dual(x.long(), x.long()), ValueError),
    "a whole tangent": (lambda t, x: t.autograd.forward_ad.make_dual(x, x.long()), ValueError),
    "numbers": (lambda t, x: t.autograd.forward_ad.make_dual(3.0, 1.0), (TypeError, AttributeError)),
    "a dual primal": (lambda t, x: t.autograd.forward_ad.make_dual(dual(t, x), x), RuntimeError),
    "a dual tangent": (lambda t, x: t.autograd.forward_ad.make_dual(x, dual(t, x)), RuntimeError),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(lib: Any, name: str) -> None:
    """Primal and tangent are floating-point tensors of one shape; an error leaves no level open."""
    call, error = MISTAKES[name]
    with pytest.raises(error), lib.autograd.forward_ad.dual_level():
        call(lib, reals(lib, 3))
    assert not watch.active


LAYOUTS: dict[str, tuple[Any, Any]] = {
    "a transposed tangent": (lambda t: reals(t, 3, 4), lambda t: reals(t, 4, 3, seed=1).t()),
    "a transposed primal": (lambda t: reals(t, 4, 3).t(), lambda t: reals(t, 3, 4, seed=1)),
    "a repeated tangent": (lambda t: reals(t, 3, 4), lambda t: reals(t, 3, 1, seed=1).expand(3, 4)),
    "every other column": (lambda t: reals(t, 3, 8)[:, ::2], lambda t: reals(t, 3, 4, seed=1)),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_tangents_lie_as_their_primals(lib: Any, name: str) -> None:
    """Whatever the layout of what was given, views and writes through views reach the tangent."""
    fw = lib.autograd.forward_ad
    x, v = (make(lib) for make in LAYOUTS[name])
    expected = array(v).copy()
    with fw.dual_level():
        dual = fw.make_dual(x.clone() if "every" in name else x, v)
        flat = dual.t().view(12) if name == "a transposed primal" else dual.view(12)
        close(tangent(lib, flat), expected.T.reshape(-1) if name == "a transposed primal" else expected.reshape(-1))
        flat[2:5].mul_(2)
        rows = expected.T.copy() if name == "a transposed primal" else expected.copy()
        rows.reshape(-1)[2:5] *= 2
        close(tangent(lib, dual), rows.T if name == "a transposed primal" else rows)


def test_writes(lib: Any) -> None:
    """In-place ops, copies and element assignments change tangents; what is no dual becomes one."""
    fw = lib.autograd.forward_ad
    x, v = reals(lib, 3), reals(lib, 3, seed=1)
    a, b = array(x), array(v)
    with fw.dual_level():
        dual = fw.make_dual(x, v)
        y = lib.zeros(2, 3).double()
        y[0] = dual
        y[1].copy_(dual).mul_(dual)
        y[:, 2] = 5.0
        close(tangent(lib, y), np.stack([b, 2 * a * b]) * [1, 1, 0])
        y.zero_()
        close(tangent(lib, y), np.zeros((2, 3)))


def test_inside_vmap() -> None:
    """A level opened for examples: primal, tangent or both differ between them."""
    fw = sg.autograd.forward_ad
    x, v = reals(sg, 4, 3), reals(sg, 4, 3, seed=1)

    def push(x: Any, v: Any) -> Any:
        with fw.dual_level():
            dual = fw.make_dual(x, v)
            y = dual * 1
            y[0] = dual[1] * 2
            return fw.unpack_dual(y.sin() * dual.sum()).tangent

    alone = sg.stack([push(a, b) for a, b in zip(x, v, strict=True)])
    close(sg.vmap(push)(x, v), alone)
    close(sg.vmap(push, in_dims=(None, 0))(x[0], v), sg.stack([push(x[0], b) for b in v]))
    close(sg.vmap(push, in_dims=(0, None))(x, v[0]), sg.stack([push(a, v[0]) for a in x]))


def test_around_vmap(lib: Any) -> None:
    """vmap of dual tensors, in batches and captured, gives dual tensors."""
    fw = lib.autograd.forward_ad
    x, v, w = reals(lib, 4, 3), reals(lib, 4, 3, seed=1), reals(lib, 3, seed=2)
    with fw.dual_level():
        dual = fw.make_dual(x, v)
        close(tangent(lib, lib.vmap(lambda e: e.sin().sum())(dual)), (x.cos() * v).sum(1))
        shared = fw.make_dual(w, v[0])
        close(tangent(lib, lib.vmap(lambda e: e * shared)(x)), x * v[0])
        close(tangent(lib, lib.vmap(lambda e: e * shared)(dual)), v * w + x * v[0])
        close(tangent(lib, lib.vmap(lib.func.grad(lambda e: (e**3).sum()))(dual)), 6 * x * v)


def test_with_reverse_mode(lib: Any) -> None:
    """The tangent of a gradient is a Hessian-vector product; a tangent can be differentiated backward."""
    fw = lib.autograd.forward_ad
    x, v = reals(lib, 3), reals(lib, 3, seed=1)
    with fw.dual_level():
        dual = fw.make_dual(x.clone().requires_grad_(), v)
        (gradient,) = lib.autograd.grad((dual.sin() * dual.sum()).sum(), dual, create_graph=True)
        found = tangent(lib, gradient)
    a, b = array(x), array(v)
    close(found, -np.sin(a) * a.sum() * b + np.cos(a) * b.sum() + (np.cos(a) * b).sum())
    leaf = x.clone().requires_grad_()
    with fw.dual_level():
        along = tangent(lib, fw.make_dual(leaf, v) ** 3)
    along.sum().backward()
    close(leaf.grad, 6 * a * b)
