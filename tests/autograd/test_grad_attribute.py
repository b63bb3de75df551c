"""`x.grad`: what may be assigned to it, and the warning where it stays empty."""

from typing import Any

import pytest

import specgrad as sg


def test_assigned_and_removed() -> None:
    """A tensor of the same shape, dtype and device, or None; `del` leaves None."""
    x = sg.zeros(2, requires_grad=True)
    x.grad = sg.ones(2)
    (x * 3).sum().backward()
    assert x.grad.tolist() == [4.0, 4.0]
    del x.grad
    assert x.grad is None
    x.grad = None
    assert x.grad is None


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (3, TypeError, "assigned grad expected to be a Tensor or None but got grad of type int"),
        (sg.ones(3), RuntimeError, r"of shape specgrad.Size\(\[3\]\) to a tensor of shape specgrad.Size\(\[2\]\)"),
        (sg.ones(2).double(), RuntimeError, "of dtype specgrad.float64 to a tensor of dtype specgrad.float32"),
    ],
)
def test_wrong_gradient(value: Any, error: type[Exception], message: str) -> None:
    """What cannot be the tensor's gradient is refused at once."""
    x = sg.zeros(2, requires_grad=True)
    with pytest.raises(error, match=message):
        x.grad = value


def test_own_gradient() -> None:
    """A tensor is not its own gradient."""
    x = sg.zeros(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="its own grad"):
        x.grad = x


def test_gradient_of_a_result() -> None:
    """Asking a result for its gradient warns, unless it was retained."""
    y = sg.ones(2, requires_grad=True) * 2
    with pytest.warns(UserWarning, match=r"not a leaf Tensor is being accessed"):
        assert y.grad is None
    y.retain_grad()
    assert y.grad is None
    y.sum().backward()
    assert y.grad.tolist() == [1.0, 1.0]


def test_requires_grad_is_a_bool() -> None:
    """Assigning a number to requires_grad is refused."""
    with pytest.raises(RuntimeError, match="requires_grad must be a bool, not int"):
        sg.zeros(2).requires_grad = 1  # type: ignore[assignment]


def test_only_inputs() -> None:
    """autograd.grad takes PyTorch's argument `only_inputs` in its place; False has no effect but a warning."""
    x = sg.ones(2, requires_grad=True)
    assert sg.autograd.grad(x.sum(), x, None, None, False, True, True)[0].tolist() == [1.0, 1.0]
    with pytest.warns(FutureWarning, match="only_inputs argument is deprecated"):
        assert sg.autograd.grad(x.sum(), x, only_inputs=False)[0].tolist() == [1.0, 1.0]
    assert x.grad is None


def test_numpy_under_no_grad() -> None:
    """A tensor that requires grad gives its array where nothing is recorded."""
    x = sg.ones(2, requires_grad=True)
    with sg.no_grad():
        assert x.numpy().tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match=r"numpy\(\): Can't call numpy\(\) on Tensor that requires grad"):
        x.numpy()
