"""Examples of tensors and of custom Functions, and comparisons with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

import specgrad as sg


def reals(lib: Any, *shape: int, seed: int = 0) -> Any:
    """A tensor of random numbers in double precision, the same in both libraries."""
    return lib.tensor(np.random.default_rng(seed).standard_normal(shape))


def leaf(*values: float) -> Any:
    """A float64 vector that requires grad."""
    return sg.tensor(values, dtype=sg.float64, requires_grad=True)


def array(tensor: Any) -> np.ndarray:
    """The values of a tensor."""
    return np.asarray(tensor.detach().resolve_conj().resolve_neg().numpy())


def close(found: Any, expected: Any) -> None:
    """Equal up to rounding, and of one shape."""
    requested = array(expected) if hasattr(expected, "detach") else np.asarray(expected)
    assert tuple(found.shape) == requested.shape
    np.testing.assert_allclose(array(found), requested, rtol=1e-9, atol=1e-11)


def close_trees(found: Any, expected: Any) -> None:
    """The same for tuples, lists and dictionaries of tensors of one structure."""
    assert type(found) is type(expected)
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        found, expected = list(found.values()), list(expected.values())
    if not isinstance(expected, (tuple, list)):
        close(found, expected)
        return
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        close_trees(one, other)


class Exp(sg.autograd.Function):
    """Saves its output."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * ctx.saved_tensors[0]
