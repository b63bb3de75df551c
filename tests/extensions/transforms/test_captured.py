"""What the function of a transform may write to: its arguments and what it makes; and what it may not call."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from tests.examples import close, reals

X = np.array([1.0, -2.0, 0.5])
CAPTURED = "mutate a captured Tensor"


def x() -> Any:
    return sg.tensor(X)


TRANSFORMS: dict[str, Callable[[Callable[..., Any]], Any]] = {
    "grad": lambda f: sg.func.grad(lambda v: f(v).sum())(x()),
    "vjp": lambda f: sg.func.vjp(f, x()),
    "jvp": lambda f: sg.func.jvp(f, (x(),), (x(),)),
    "jacrev": lambda f: sg.func.jacrev(f)(x()),
    "jacfwd": lambda f: sg.func.jacfwd(f)(x()),
    "hessian": lambda f: sg.func.hessian(lambda v: f(v).sum())(x()),
    "linearize": lambda f: sg.func.linearize(f, x()),
    "vmap of grad": lambda f: sg.vmap(sg.func.grad(lambda v: f(v).sum()))(reals(sg, 2, 3)),
    "grad in grad": lambda f: sg.func.grad(lambda a: sg.func.grad(lambda b: f(b).sum())(x()).sum() * a.sum())(x()),
}
WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "an op": lambda c, v: c.add_(1),
    "a composite": lambda c, v: c.addmv_(sg.ones(3, 3).double(), sg.ones(3).double()),
    "a view": lambda c, v: c.view(3, 1).mul_(2),
    "an element": lambda c, v: c.__setitem__(0, 2.0),
    "detached": lambda c, v: c.detach().add_(1),
    "data": lambda c, v: c.data.add_(1),
    "zero_": lambda c, v: c.zero_(),
    "random numbers": lambda c, v: c.normal_(),
    "a view in place": lambda c, v: c.unsqueeze_(0),
    "resize_": lambda c, v: c.resize_(2),
    "set_": lambda c, v: c.set_(sg.ones(2).double()),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_no_transform_lets_a_captured_tensor_be_written_to(transform: str) -> None:
    captured = x()
    with pytest.raises(RuntimeError, match=CAPTURED):
        TRANSFORMS[transform](lambda v: v * captured.mul_(2))
    close(captured, X)


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("recording", [True, False])
def test_no_write_to_a_captured_tensor(write: str, recording: bool) -> None:
    captured = x()

    def function(v: Any) -> Any:
        with sg.set_grad_enabled(recording):
            WRITES[write](captured, v)
        return v.sum()

    with pytest.raises(RuntimeError, match=CAPTURED):
        sg.func.grad(function)(x())
    close(captured, X)
    assert not captured.requires_grad
    captured.add_(1)  # afterwards it is a tensor as any other


def test_made_in_a_transform_around_it() -> None:
    def outer(a: Any) -> Any:
        made = a * 1
        return sg.func.grad(lambda b: (made.mul_(2) * b).sum())(x()).sum()

    with pytest.raises(RuntimeError, match=CAPTURED):
        sg.func.grad(outer)(x())


def test_the_input_itself() -> None:
    value = x()
    with pytest.raises(RuntimeError, match=CAPTURED):
        sg.func.grad(lambda v: (value.add_(1) * v).sum())(value)


def test_statistics_of_a_captured_module() -> None:
    norm = sg.nn.BatchNorm1d(3).double()
    with pytest.raises(RuntimeError, match=CAPTURED):
        sg.func.grad(lambda v: norm(v).sum())(reals(sg, 4, 3))

    def with_own(v: Any) -> Any:
        buffers = {name: buffer.clone() for name, buffer in norm.named_buffers()}
        return sg.func.functional_call(norm, buffers, (v,)).pow(3).sum()

    assert sg.func.grad(with_own)(reals(sg, 4, 3)).shape == (4, 3)


def written(v: Any) -> Any:
    """(v1 + v0, 2 v0 + v1, ...) by writes: 2 (z + v) for z = (v1, v0, v1)."""
    z = sg.zeros(3, dtype=sg.float64)
    z[0] = v[1]
    z[1:] = v[:2]
    z += v
    z.view(3, 1).mul_(2)
    return z


MATRIX = 2 * (np.eye(3) + np.array([[0, 1, 0], [1, 0, 0], [0, 1, 0]]))


def test_what_a_function_makes_may_be_written_to() -> None:
    close(sg.func.jacrev(written)(x()), MATRIX)
    close(sg.func.jacfwd(written)(x()), MATRIX)
    close(sg.func.grad(lambda v: written(v).sum())(x()), MATRIX.sum(0))
    close(sg.func.vjp(written, x())[0], MATRIX @ X)
    for make in (sg.zeros_like, sg.clone, sg.rand_like, lambda c: c.sort()[0], lambda c: c.to(sg.float32).double()):
        close(sg.func.grad(lambda v, make=make: (make(x()).fill_(2).add_(1) * v).sum())(x()), np.full(3, 3.0))


def test_after_a_transform_inside() -> None:
    def function(v: Any) -> Any:
        total = sg.zeros(3, dtype=sg.float64)
        gradient = sg.func.grad(lambda b: (b * b).sum())(x())
        total.add_(gradient)
        gradient.mul_(2)
        return total.add_(v).sum()

    close(sg.func.grad(function)(x()), np.ones(3))


def test_arguments_may_be_written_to() -> None:
    buffer, named = sg.zeros(3, dtype=sg.float64), sg.zeros(3, dtype=sg.float64)

    def function(v: Any, buffer: Any, named: Any) -> Any:
        return (v * buffer.view(3).add_(2) * named.add_(3)).sum()

    close(sg.func.grad(function)(x(), buffer, named=named), np.full(3, 6.0))
    close(buffer, np.full(3, 2.0))
    primal, tangent = x(), x()
    output, slope = sg.func.jvp(lambda v: v.mul_(2), (primal,), (tangent,))
    close(output, 2 * X)
    close(slope, 2 * X)
    close(primal, 2 * X)
    shared = x()
    close(sg.vmap(lambda v: shared.add_(1) + v)(sg.zeros(2, 3)), np.stack([X + 1] * 2))


REFUSED: dict[str, Callable[[Any], Any]] = {
    "requires_grad_": lambda v: v.detach().requires_grad_(),
    "retain_grad": lambda v: (v * 2).retain_grad(),
    "backward": lambda v: (v * v).sum().backward(),
}


@pytest.mark.parametrize("method", REFUSED)
@pytest.mark.parametrize("transform", ["grad", "vjp", "vmap of grad"])
def test_what_changes_the_graph_of_a_transform_is_refused(method: str, transform: str) -> None:
    with pytest.raises(RuntimeError, match=rf"{method}\(\).* inside .*functorch transform"):
        TRANSFORMS[transform](lambda v: (REFUSED[method](v), v)[1])
    leaf = sg.ones(2).requires_grad_()  # as before, once no transform runs
    (leaf * leaf).sum().backward()
    close(leaf.grad, np.full(2, 2.0))


def test_leaves_may_be_made() -> None:
    for make in (
        lambda: sg.ones(3, requires_grad=True),
        lambda: sg.nn.Parameter(sg.ones(3)),
        lambda: sg.tensor([1.0, 1.0, 1.0], requires_grad=True),
    ):
        close(sg.func.grad(lambda v, make=make: (make() * v).sum())(x()), np.ones(3))
