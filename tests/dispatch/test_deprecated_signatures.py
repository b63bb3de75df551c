"""Calls in forms that PyTorch has deprecated: what they give, what is said of them, and what is no such call."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.dispatch import deprecated_signatures

A, B, C = np.arange(9.0).reshape(3, 3), np.arange(9.0, 18.0).reshape(3, 3), np.linspace(-2, 2, 9).reshape(3, 3)
BATCH = np.stack([B, C])


@pytest.fixture(autouse=True)
def _warned() -> Any:
    """The warning has been given, so that what is tested are values."""
    before = list(deprecated_signatures._warned)
    deprecated_signatures._warned[:] = ["another"]
    yield
    deprecated_signatures._warned[:] = before


def tensors(*arrays: np.ndarray) -> list[sg.Tensor]:
    return [sg.tensor(array) for array in arrays]


SUMS = [
    ("add", (2, B), A + 2 * B),
    ("add", (2.5, 3), A + 2.5 * 3),
    ("sub", (2, B), A - 2 * B),
    ("addcmul", (2, B, C), A + 2 * B * C),
    ("addcdiv", (-0.5, C, B), A - 0.5 * C / B),
]
PRODUCTS = [
    ("addmm", A, (B, C), B @ C),
    ("addbmm", A, (BATCH, BATCH), (BATCH @ BATCH).sum(0)),
    ("baddbmm", BATCH, (BATCH, BATCH), BATCH @ BATCH),
    ("addmv", A[0], (B, C[0]), B @ C[0]),
    ("addr", A, (B[0], C[0]), np.outer(B[0], C[0])),
]


@pytest.mark.parametrize(("name", "given", "right"), SUMS, ids=lambda value: str(value)[:10])
def test_a_factor_before_the_tensors(name: str, given: tuple[Any, ...], right: np.ndarray) -> None:
    """As function, method, in place and with `out`: the number is alpha or value."""
    values = [sg.tensor(value) if isinstance(value, np.ndarray) else value for value in given]
    x, out = sg.tensor(A), sg.empty(3, 3, dtype=sg.float64)
    np.testing.assert_allclose(getattr(sg, name)(x, *values).numpy(), right)
    np.testing.assert_allclose(getattr(x, name)(*values).numpy(), right)
    assert getattr(sg, name)(x, *values, out=out) is out
    np.testing.assert_allclose(out.numpy(), right)
    assert getattr(x, f"{name}_")(*values) is x
    np.testing.assert_allclose(x.numpy(), right)


@pytest.mark.parametrize(("name", "added", "factors", "product"), PRODUCTS, ids=lambda value: str(value)[:10])
def test_factors_of_products(
    name: str, added: np.ndarray, factors: tuple[np.ndarray, ...], product: np.ndarray
) -> None:
    """beta stands before the tensor that is added, of a method behind it; alpha follows, or is 1."""
    x, function, others = sg.tensor(added), getattr(sg, name), tensors(*factors)
    np.testing.assert_allclose(function(2, x, 3, *others).numpy(), 2 * added + 3 * product)
    np.testing.assert_allclose(function(2, x, *others).numpy(), 2 * added + product)
    np.testing.assert_allclose(getattr(x, name)(2, 3, *others).numpy(), 2 * added + 3 * product)
    np.testing.assert_allclose(getattr(x, name)(2, *others).numpy(), 2 * added + product)
    getattr(x, f"{name}_")(0.5, 3, *others)
    np.testing.assert_allclose(x.numpy(), 0.5 * added + 3 * product)


def test_gradients_are_those_of_the_present_form() -> None:
    """The call is the op itself, with what it was given by place."""
    x, y = sg.tensor([1.0, 2.0], requires_grad=True), sg.tensor([3.0, 4.0], requires_grad=True)
    sg.add(x, 2, y).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0] and y.grad.tolist() == [2.0, 2.0]


def test_warned_once_at_the_users_line() -> None:
    """PyTorch's warning, for the first of all calls."""
    deprecated_signatures._warned.clear()
    x, y = sg.ones(2), sg.ones(2)
    with pytest.warns(
        UserWarning, match=r"This overload of add_ is deprecated:\n\tadd_\(Number alpha, Tensor other\)"
    ) as seen:
        x.add_(2, y)
    assert "add_(Tensor other, *, Number alpha = 1)" in str(seen[0].message)
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x.addcmul_(2, y, y)


def test_what_is_no_older_form() -> None:
    """Arguments in another order, too many of them, and a factor twice: TypeErrors, and nothing is written."""
    x, y = sg.ones(2), sg.ones(2)
    for call in (
        lambda: x.add(y, 3),
        lambda: x.add_(y, y),
        lambda: x.sub_(2, y, alpha=3),
        lambda: x.addcmul_(y, y, 2),
        lambda: sg.addmm(1, sg.ones(2, 2), 2, 3, sg.ones(2, 2)),
    ):
        with pytest.raises(TypeError, match=r"takes \d positional arguments but|multiple values for argument 'alpha'"):
            call()
    assert x.tolist() == [1.0, 1.0]


def test_beside_pytorch() -> None:
    """The values of PyTorch, which warns and computes."""
    torch = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, given, _ in SUMS:
            there = [torch.tensor(v) if isinstance(v, np.ndarray) else v for v in given]
            here = [sg.tensor(v) if isinstance(v, np.ndarray) else v for v in given]
            theirs = getattr(torch.tensor(A), name)(*there)
            np.testing.assert_allclose(getattr(sg.tensor(A), name)(*here).numpy(), theirs.numpy())
