"""Anomaly mode names the forward call and the spec line of what failed, and is off again when its block ends."""

from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime.autograd.grad_mode import watch


class Broken(sg.autograd.Function):
    """Its backward fails."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        raise ValueError("no gradient today")


def notes_of(error: BaseException) -> str:
    return "\n".join(error.__notes__)


def test_nan_is_an_error() -> None:
    """A gradient with nan is an error that names node, op and spec line, and the line of the forward call."""
    x = sg.zeros(2, requires_grad=True)
    with sg.autograd.set_detect_anomaly(True):
        loss = (x.sqrt() * 0).sum()  # the call that is named
        with pytest.raises(
            RuntimeError, match=r"'SqrtBackward0' returned nan values in its 0th output: sqrt \(deriv.*:\d+\)"
        ) as found:
            loss.backward()
    assert "loss = (x.sqrt() * 0).sum()  # the call that is named" in notes_of(found.value)
    assert notes_of(found.value).rstrip().endswith("# the call that is named")


def test_nan_may_pass() -> None:
    """Without check_nan nothing is looked for."""
    x = sg.zeros(2, requires_grad=True)
    with sg.autograd.set_detect_anomaly(True, check_nan=False):
        (x.sqrt() * 0).sum().backward()
    assert x.grad.isnan().all()


def test_error_of_a_custom_function() -> None:
    """An error in the user's backward keeps its class and gets the place of the call."""
    x = sg.ones(2, requires_grad=True)
    with sg.autograd.set_detect_anomaly(True), pytest.raises(ValueError, match="no gradient today") as found:
        Broken.apply(x).sum().backward()
    assert "Broken.apply(x).sum()" in notes_of(found.value)


def test_changed_saved_value() -> None:
    """The error about a saved tensor that was changed says where the op that saved it was called."""
    x = sg.ones(2, requires_grad=True)
    with sg.autograd.set_detect_anomaly(True):
        y = x.exp()
        z = (y * y).sum()
        y.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation") as found:
            z.backward()
    assert "z = (y * y).sum()" in notes_of(found.value)


def test_call_before_the_mode() -> None:
    """An op that was called before the mode was on has no place to name."""
    loss = (sg.zeros(2, requires_grad=True).sqrt() * 0).sum()
    with sg.autograd.set_detect_anomaly(True), pytest.raises(RuntimeError, match="nan") as found:
        loss.backward()
    assert "No forward pass information" in notes_of(found.value)


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
    """The context manager says that it makes everything slow."""
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled"), sg.autograd.detect_anomaly():
        assert sg.is_anomaly_enabled()
    assert not sg.is_anomaly_enabled()


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
