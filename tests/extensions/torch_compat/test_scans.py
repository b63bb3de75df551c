"""`_higher_order_ops.associative_scan`: running results of a function of the user's, beside loops and PyTorch's."""

import importlib
from typing import Any

import numpy as np
import pytest


def _scan(lib: Any) -> Any:
    return importlib.import_module(f"{lib.__name__}._higher_order_ops.associative_scan").associative_scan


@pytest.mark.parametrize("count", [1, 2, 3, 6, 13])
@pytest.mark.parametrize("reverse", [False, True])
def test_a_recurrence(lib: Any, count: int, reverse: bool) -> None:
    """h_i = a_i h_{i-1} + b_i, of two tensors in a tuple, along any dimension."""
    a = np.linspace(-1, 1, 2 * count).reshape(2, count)
    b = np.cos(a)

    def concatenated(left: Any, right: Any) -> Any:
        return left[0] * right[0], left[1] * right[0] + right[1]

    tensors = lib.tensor(a), lib.tensor(b)
    _, found = _scan(lib)(concatenated, tensors, 1, reverse=reverse, combine_mode="generic")
    expected, h = np.empty_like(b), np.zeros(2)
    for i in range(count)[:: -1 if reverse else 1]:
        h = expected[:, i] = a[:, i] * h + b[:, i]
    assert np.abs(found.numpy() - expected).max() < 1e-12


def test_gradients(lib: Any) -> None:
    """The gradient of sums of running products: what is multiplied with each factor."""
    x = lib.tensor([2.0, 3.0, 4.0], requires_grad=True)
    _scan(lib)(lambda a, b: a * b, x, 0, combine_mode="generic").sum().backward()
    assert x.grad.tolist() == [1 + 3 + 12, 2 + 8, 6]


def test_refused(lib: Any) -> None:
    """An unknown mode, no tensors, and sizes that differ."""
    scan = _scan(lib)
    with pytest.raises(ValueError, match="[Cc]ombine_mode"):
        scan(lib.add, lib.ones(2), 0, combine_mode="other")
    with pytest.raises((ValueError, IndexError)):
        scan(lib.add, (), 0, combine_mode="generic")
    with pytest.raises(ValueError):
        scan(lambda a, b: a, (lib.ones(2), lib.ones(3)), 0, combine_mode="generic")
