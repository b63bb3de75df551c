"""Anomaly mode names the forward call and the spec line of what failed, and is off again when its block ends."""

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime.tensor.observers import watch


class Broken(sg.autograd.Function):
    """Its backward fails."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        raise ValueError("no gradient today")


def failing(run: Callable[[], Any], error: type[Exception], match: str) -> str:
    """The notes to the error that a backward raises, after checking that a warning has said the same."""
    with warnings.catch_warnings(record=True) as warned, pytest.raises(error, match=match) as found:
        warnings.simplefilter("always")
        run()
    assert [str(w.message) for w in warned] == found.value.__notes__
    assert {w.filename for w in warned} == {__file__}
    return "\n".join(found.value.__notes__)


def test_nan_is_an_error() -> None:
    """A gradient with nan is an error that names node, op and spec line, and the line of the forward call."""
    x = sg.zeros(2, requires_grad=True)
    with sg.autograd.set_detect_anomaly(True):
        loss = (x.sqrt() * 0).sum()  # the call that is named
        match = r"'SqrtBackward0' returned nan values in its 0th output: sqrt \(deriv.*:\d+\)"
        notes = failing(loss.backward, RuntimeError, match)
    assert notes.startswith("Error detected in SqrtBackward0: sqrt (derivatives.yaml:")
    assert "loss = (x.sqrt() * 0).sum()  # the call that is named" in notes
    assert notes.rstrip().endswith("# the call that is named")


def test_nan_may_pass() -> None:
    """Without check_nan nothing is looked for."""
    x = sg.zeros(2, requires_grad=True)
    with sg.autograd.set_detect_anomaly(True, check_nan=False):
        (x.sqrt() * 0).sum().backward()
    assert x.grad.isnan().all()


def test_error_of_a_custom_function() -> None:
    """An error in the user's backward keeps its class and gets the place of the call."""
    x = sg.ones(2, requires_grad=True)
    with sg.autograd.set_detect_anomaly(True):
        loss = Broken.apply(x).sum()
        notes = failing(loss.backward, ValueError, "no gradient today")
    assert "loss = Broken.apply(x).sum()" in notes


def test_changed_saved_value() -> None:
    """The error about a saved tensor that was changed says where the op that saved it was called."""
    x = sg.ones(2, requires_grad=True)
    with sg.autograd.set_detect_anomaly(True):
        y = x.exp()
        z = (y * y).sum()
        y.add_(1)
        notes = failing(z.backward, RuntimeError, "modified by an inplace operation")
    assert "z = (y * y).sum()" in notes


def test_call_before_the_mode() -> None:
    """An op that was called before the mode was on has no place to name."""
    loss = (sg.zeros(2, requires_grad=True).sqrt() * 0).sum()
    with sg.autograd.set_detect_anomaly(True):
        notes = failing(loss.backward, RuntimeError, "nan")
    assert "No forward pass information available" in notes


def test_second_order_names_both_calls() -> None:
    """A node that was made by a backward pass names that pass and the forward call that it comes from."""
    x = sg.zeros(2, requires_grad=True)
    with sg.autograd.set_detect_anomaly(True):
        y = (x**1.5).sum()  # forward
        (first,) = sg.autograd.grad(y, x, create_graph=True)
        assert first.grad_fn.metadata["parent_"] is y.grad_fn.next_functions[0][0]
        notes = failing(
            lambda: sg.autograd.grad((first * 0).sum(), x), RuntimeError, "'PowNumberBackward0' returned nan"
        )
    second, forward = notes.split("Previous calculation was induced by PowBackward")
    assert "(first,) = sg.autograd.grad(y, x, create_graph=True)" in second
    assert forward.rstrip().endswith("y = (x**1.5).sum()  # forward")


def test_nan_for_a_leaf_with_a_hook() -> None:
    """A gradient that waits for the hooks of its leaf is looked at like others."""
    x = sg.zeros(2, requires_grad=True)
    x.register_hook(lambda grad: None)
    with sg.autograd.set_detect_anomaly(True):
        failing((x.sqrt() * 0).sum().backward, RuntimeError, "'SqrtBackward0' returned nan")


def test_nan_in_a_batch_of_gradients() -> None:
    """Batched gradients are looked at as a whole."""
    x = sg.zeros(2, requires_grad=True)
    with sg.autograd.set_detect_anomaly(True):
        y = x.sqrt() * 0
        failing(
            lambda: sg.autograd.grad(y, x, sg.eye(2), is_grads_batched=True),
            RuntimeError,
            "'SqrtBackward0' returned nan",
        )


def test_nested_backward_names_both_nodes() -> None:
    """An error in a backward within a Function's backward names the inner node first, then the Function."""

    class Nested(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * 1

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            with sg.enable_grad():
                inner = ctx.saved_tensors[0].detach().requires_grad_()
                loss = Broken.apply(inner).sum()
            return sg.autograd.grad(loss, inner)

    with sg.autograd.set_detect_anomaly(True):
        loss = Nested.apply(sg.ones(2, requires_grad=True)).sum()
        notes = failing(loss.backward, ValueError, "no gradient today")
    inner, outer = notes.index("Error detected in BrokenBackward"), notes.index("Error detected in NestedBackward")
    assert inner < outer


def test_on_and_off() -> None:
    """The mode ends with its block, also inside another; as a function it stays until it is turned off."""
    with sg.autograd.set_detect_anomaly(True):
        with sg.autograd.set_detect_anomaly(False):
            assert not sg.is_anomaly_enabled() and not watch.active
        assert sg.is_anomaly_enabled() and sg.is_anomaly_check_nan_enabled()
    assert not sg.is_anomaly_enabled() and not watch.active
    sg.autograd.set_detect_anomaly(True)
    sg.autograd.set_detect_anomaly(False)
    assert not sg.is_anomaly_enabled()


def test_detect_anomaly_warns() -> None:
    """The context manager says that it makes everything slow, and takes effect when its block is entered."""
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled"):
        mode = sg.autograd.detect_anomaly(check_nan=False)
    assert not sg.is_anomaly_enabled()
    with mode:
        assert sg.is_anomaly_enabled() and not sg.is_anomaly_check_nan_enabled()
    assert not sg.is_anomaly_enabled() and sg.is_anomaly_check_nan_enabled()


def test_gradients_are_the_same() -> None:
    """Gradients in the mode are those without it, also of second order."""

    def gradients() -> list[Any]:
        x = sg.tensor([0.5, 2.0], requires_grad=True)
        (first,) = sg.autograd.grad((x.exp() * x).sum(), x, create_graph=True)
        (second,) = sg.autograd.grad(first.sum(), x)
        return [first.tolist(), second.tolist()]

    plain = gradients()
    with sg.autograd.set_detect_anomaly(True):
        assert gradients() == plain
