"""backward and grad: how gradients add up, which graph is kept, what `inputs` selects, and the errors."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.namespace import op
from tests.examples import leaf


def test_same_tensor_twice() -> None:
    """Both uses of x in x * x contribute."""
    x = leaf(1.0, -3.0)
    (x * x).sum().backward()
    assert x.grad.tolist() == [2.0, -6.0]


def test_x_plus_x() -> None:
    """One gradient that arrives twice at a leaf is added, not overwritten."""
    x = leaf(1.0, 2.0)
    (x + x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_backward_of_a_leaf() -> None:
    """A leaf is an output too: its gradient is the one that was given."""
    x = leaf(2.0)
    x.sum().backward()
    x.backward(sg.tensor([3.0], dtype=sg.float64))
    assert x.grad.tolist() == [4.0]


def test_diamonds() -> None:
    """In a ladder of diamonds every node runs once, after all its contributions: d/dx of (2x)^n by doubling."""
    x = leaf(1.5)
    y = x
    for _ in range(40):
        left, right = y * 1, y.sin() * 0 + y
        y = left * 0.5 + right * 0.5 + y
    y.backward()
    assert x.grad.item() == pytest.approx(2.0**40)


def test_contributions_wait_for_the_older_node() -> None:
    """A node whose output is used early and late in the graph runs only when both gradients are there."""
    x = leaf(2.0)
    calls = []
    y = x * 3
    y.register_hook(lambda g: calls.append(g.item()))
    z = y.exp().log().exp().log() + y
    z.backward()
    assert calls == [pytest.approx(2.0)]
    assert x.grad.item() == pytest.approx(6.0)


def test_several_roots_and_gradients() -> None:
    """backward of several tensors gives the sum over them, also where one is computed from the other."""
    x = leaf(2.0)
    y = x * x
    z = y * x
    sg.autograd.backward([y, z], [None, sg.tensor([2.0], dtype=sg.float64)])
    assert x.grad.item() == pytest.approx(2 * 2 + 2 * 3 * 4)


def test_unused_output_of_several() -> None:
    """Of an op with several outputs only some may be used."""
    x = leaf(3.0, 1.0, 2.0)
    values, indices = x.reshape(1, 3).max(1)
    assert not indices.requires_grad
    values.sum().backward()
    a, _, c = x.unbind()
    (a * c).backward()
    assert x.grad.tolist() == [3.0, 0.0, 3.0]


def test_freed_graph() -> None:
    """Saved tensors are gone after backward; running it again says so and names retain_graph."""
    x = leaf(1.0)
    y = x.exp()
    y.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time.*retain_graph=True"):
        y.backward()


def test_retain_graph() -> None:
    """With retain_graph=True the same graph runs again."""
    x = leaf(3.0)
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.item() == 12.0


def test_create_graph() -> None:
    """Gradients recorded with create_graph differentiate again, to any order: sin, cos, -sin, -cos."""
    x = leaf(0.7)
    y = x.sin()
    found = []
    for _ in range(4):
        (y,) = sg.autograd.grad(y, x, create_graph=True)
        found.append(y.item())
    cos, sin = x.cos().item(), x.sin().item()
    assert found == pytest.approx([cos, -sin, -cos, sin])


def test_gradients_are_not_recorded_by_default() -> None:
    """Without create_graph a gradient is a leaf that requires no grad, and .grad likewise."""
    x = leaf(0.7)
    assert not sg.autograd.grad(x.sin(), x)[0].requires_grad
    x.exp().backward()
    assert not x.grad.requires_grad and x.grad.grad_fn is None


def test_backward_create_graph_fills_a_differentiable_grad() -> None:
    """backward(create_graph=True) leaves a .grad that has a history, and warns of the cycle that this makes."""
    x = leaf(2.0)
    with pytest.warns(UserWarning, match="create_graph=True will create a reference cycle") as found:
        (x**3).backward(create_graph=True)
    assert found[0].filename == __file__
    (second,) = sg.autograd.grad(x.grad, x)
    assert second.item() == pytest.approx(12.0)


def test_inputs_restrict_backward() -> None:
    """Only the tensors in inputs= get a gradient, leaves and others alike."""
    x, w = leaf(2.0), leaf(3.0)
    y = x * w
    z = y * y
    z.backward(inputs=[w, y])
    assert x.grad is None
    assert w.grad.item() == 24.0
    assert y.grad.item() == 12.0


def test_inputs_must_not_be_empty() -> None:
    """An empty inputs= is an error, not a backward that does nothing."""
    with pytest.raises(RuntimeError, match="empty"):
        leaf(1.0).exp().backward(inputs=[])


def test_grad_touches_no_grad_attribute() -> None:
    """autograd.grad returns what backward would have added, and only returns it."""
    x, w = leaf(2.0), leaf(3.0)
    found = sg.autograd.grad(x * w, (x, w))
    assert [g.item() for g in found] == [3.0, 2.0]
    assert x.grad is None and w.grad is None


def test_grad_with_respect_to_a_non_leaf() -> None:
    """An intermediate result is a valid input, and so is the output itself; older nodes do not run."""
    x = leaf(2.0)
    y = x * 3
    y.grad_fn.register_hook(lambda *_: pytest.fail("ran below the input"))
    z = y * y
    assert [g.item() for g in sg.autograd.grad(z, (y, z), retain_graph=True)] == [12.0, 1.0]


def test_grad_of_one_output_of_several() -> None:
    """The gradient of one output of a node with several is its own, not the first's."""
    x = leaf(1.0, 2.0, 3.0)
    a, b, c = (x * 1).unbind()
    found = sg.autograd.grad(a * 2 + c * 5, (a, b, c), allow_unused=True)
    assert [g and g.item() for g in found] == [2.0, None, 5.0]


def test_grad_twice_asked() -> None:
    """An input that is asked for twice is answered twice."""
    x = leaf(3.0)
    assert [g.item() for g in sg.autograd.grad(x * x, [x, x])] == [6.0, 6.0]


def test_unused_input() -> None:
    """An input that was not used is an error, None with allow_unused, zeros with materialize_grads."""
    x, other = leaf(2.0), leaf(1.0, 1.0)
    with pytest.raises(RuntimeError, match="not have been used in the graph"):
        sg.autograd.grad(x * x, (x, other))
    assert sg.autograd.grad(x * x, (x, other), allow_unused=True)[1] is None
    zeros = sg.autograd.grad(x * x, (x, other), materialize_grads=True)[1]
    assert zeros.tolist() == [0.0, 0.0] and zeros.dtype is sg.float64
    with pytest.raises(ValueError, match="allow_unused.*materialize_grads"):
        sg.autograd.grad(x * x, x, allow_unused=False, materialize_grads=True)


def test_grad_outputs() -> None:
    """grad_outputs weight the outputs."""
    x = leaf(1.0, 2.0)
    v = sg.tensor([3.0, 5.0], dtype=sg.float64)
    assert sg.autograd.grad(x * x, x, v)[0].tolist() == [6.0, 20.0]
    assert sg.autograd.grad([x * 1, x * 2], x, [v, v])[0].tolist() == [9.0, 15.0]


ERRORS: list[tuple[type[Exception], str, Any]] = [
    (RuntimeError, "does not require grad and does not have a grad_fn", lambda x: sg.ones(1).backward()),
    (RuntimeError, "does not require grad", lambda x: sg.autograd.grad(x.sum(), sg.ones(1))),
    (RuntimeError, "only for scalar outputs", lambda x: (x * 2).backward()),
    (RuntimeError, r"Mismatch in shape.*\[3\].*\[2\]", lambda x: (x * 2).backward(sg.ones(3))),
    (RuntimeError, "1 tensors and 2 gradients", lambda x: sg.autograd.backward(x.sum(), [None, None])),
    (TypeError, "Tensors or None, but got (str|<class 'str'>)", lambda x: (x * 2).backward("a")),
    (RuntimeError, "only for real", lambda x: x.to(sg.complex128).sum().backward()),
    (RuntimeError, "leaf", lambda x: (x * 2).requires_grad_(False)),
    (RuntimeError, "floating point", lambda x: sg.ones(1, dtype=sg.int64).requires_grad_()),
]


@pytest.mark.parametrize(("error", "match", "call"), ERRORS, ids=[e[1] for e in ERRORS])
def test_errors(error: type[Exception], match: str, call: Any) -> None:
    """Each mistake is an error of PyTorch's class that says what was expected."""
    with pytest.raises(error, match=match):
        call(leaf(1.0, 2.0))


def test_derivatives_with_respect_to_what_was_not_asked_for() -> None:
    """A gradient with respect to one input is recorded with all that it depends on."""
    x, w = (sg.tensor(value, dtype=sg.float64, requires_grad=True) for value in ([1.5, 2.0], [2.0, 3.0]))
    (derivative,) = sg.autograd.grad((x**w).sum(), x, create_graph=True)
    a, b = x.detach().numpy(), w.detach().numpy()
    np.testing.assert_allclose(derivative.detach().numpy(), b * a ** (b - 1), rtol=1e-12)
    of_x, of_w = sg.autograd.grad(derivative.sum(), (x, w))
    np.testing.assert_allclose(of_x.numpy(), b * (b - 1) * a ** (b - 2), rtol=1e-12)
    np.testing.assert_allclose(of_w.numpy(), a ** (b - 1) * (1 + b * np.log(a)), rtol=1e-12)


def test_no_weight_gradient_for_a_slope_of_the_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """A linear layer is asked for the gradient of its input alone."""
    x, weight = sg.randn(3, 2, dtype=sg.float64, requires_grad=True), sg.randn(4, 2, dtype=sg.float64)
    weight.requires_grad_()
    requested: list[Any] = []
    monkeypatch.setattr(op, "linear_weight_backward", lambda *given: requested.append(given))
    (derivative,) = sg.autograd.grad(sg.nn.functional.linear(x, weight).sum(), x, create_graph=True)
    assert not requested
    np.testing.assert_allclose(derivative.detach().numpy(), np.tile(weight.detach().numpy().sum(0), (3, 1)), rtol=1e-12)
    (of_weight,) = sg.autograd.grad((derivative * derivative).sum(), weight)
    expected = np.tile(6 * weight.detach().numpy().sum(0), (4, 1))
    np.testing.assert_allclose(of_weight.numpy(), expected, rtol=1e-12)
