"""Bounds on gradients, and parameters as one vector."""

import math
from typing import Any

import numpy as np
import pytest


def _params(lib: Any) -> list[Any]:
    values = ([3.0, 0.0], [[4.0], [12.0]])
    params = [lib.zeros(2, requires_grad=True), lib.zeros(2, 1, requires_grad=True), lib.zeros(1, requires_grad=True)]
    for p, v in zip(params, values, strict=False):
        p.grad = lib.tensor(v)
    return params


@pytest.mark.parametrize(("norm_type", "total"), [(2.0, 13.0), (1.0, 19.0), (math.inf, 12.0)])
def test_clip_by_norm(lib: Any, norm_type: float, total: float) -> None:
    """The norm before is returned, and the norm after is the bound."""
    params = _params(lib)
    assert lib.nn.utils.clip_grad_norm_(params, 1.0, norm_type).item() == pytest.approx(total)
    grads = np.concatenate([p.grad.numpy().ravel() for p in params[:2]])
    np.testing.assert_allclose(np.linalg.norm(grads, norm_type), 1.0, rtol=1e-5)
    np.testing.assert_allclose(grads * total, [3, 0, 4, 12], rtol=1e-5)


def test_small_gradients_stay(lib: Any) -> None:
    """Below the bound nothing changes; without gradients the norm is zero."""
    params = _params(lib)
    lib.nn.utils.clip_grad_norm_(params, 100.0)
    assert params[0].grad.tolist() == [3.0, 0.0]
    assert lib.nn.utils.clip_grad_norm_([lib.zeros(1, requires_grad=True)], 1.0).item() == 0
    assert lib.nn.utils.clip_grad_norm_(params[0], 100.0).item() == 3


def test_non_finite_norm(lib: Any) -> None:
    """A norm that is not finite is an error where that was asked for."""
    params = _params(lib)
    params[0].grad.fill_(math.nan)
    with pytest.raises(RuntimeError, match="non-finite"):
        lib.nn.utils.clip_grad_norm_(params, 1.0, error_if_nonfinite=True)
    assert math.isnan(lib.nn.utils.clip_grad_norm_(params, 1.0).item())


def test_clip_by_value(lib: Any) -> None:
    """Each element is clipped."""
    params = _params(lib)
    lib.nn.utils.clip_grad_value_(params, 3.5)
    assert params[0].grad.tolist() == [3.0, 0.0] and params[1].grad.tolist() == [[3.5], [3.5]]


def test_vector_round_trip(lib: Any) -> None:
    """A vector of all parameters, and parameters out of a vector."""
    m = lib.nn.Linear(3, 2)
    vector = lib.nn.utils.parameters_to_vector(m.parameters())
    assert vector.shape == (8,) and vector.requires_grad
    lib.nn.utils.vector_to_parameters(lib.arange(8.0), m.parameters())
    assert m.weight.tolist() == [[0, 1, 2], [3, 4, 5]] and m.bias.tolist() == [6, 7]
    assert m.weight.is_leaf and m.weight.requires_grad
    with pytest.raises(TypeError, match="expected .*Tensor, but got"):
        lib.nn.utils.vector_to_parameters([1.0], m.parameters())
