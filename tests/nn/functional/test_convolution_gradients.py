"""`nn.grad`: gradients of convolutions, against autograd and against PyTorch."""

from typing import Any

import numpy as np
import pytest

CASES = [
    (1, (2, 3, 7), (4, 3, 3), {}),
    (1, (1, 4, 9), (6, 2, 2), {"stride": 2, "padding": 1, "groups": 2}),
    (2, (2, 2, 5, 6), (3, 2, 2, 3), {"stride": (2, 1), "padding": (0, 2), "dilation": (1, 2)}),
    (3, (1, 1, 4, 4, 4), (2, 1, 2, 2, 2), {"stride": 2}),
]


@pytest.mark.parametrize(("spatial", "shape", "kernel", "settings"), CASES)
def test_gradients_as_functions(lib: Any, spatial: int, shape: Any, kernel: Any, settings: Any) -> None:
    """They are what autograd gives, also where the last rows of the input are in no window."""
    x, w = (lib.tensor(np.sin(np.arange(np.prod(s)) * 1.0)).reshape(s).requires_grad_() for s in (shape, kernel))
    y = getattr(lib.nn.functional, f"conv{spatial}d")(x, w, **settings)
    grad = lib.tensor(np.cos(np.arange(y.numel()) * 1.0)).reshape(y.shape)
    expected = lib.autograd.grad(y, (x, w), grad)
    of_input = getattr(lib.nn.grad, f"conv{spatial}d_input")(shape, w, grad, **settings)
    of_weight = getattr(lib.nn.grad, f"conv{spatial}d_weight")(x, kernel, grad, **settings)
    for found, requested in zip((of_input, of_weight), expected, strict=True):
        np.testing.assert_allclose(found.detach().cpu().numpy(), requested.cpu().numpy(), rtol=1e-10, atol=1e-12)


def test_signals_with_time_first(lib: Any) -> None:
    """`conv_tbc` is `conv1d` with its dimensions in another order."""
    x, w, b = (lib.tensor(np.sin(np.arange(np.prod(s)) * 1.0)).reshape(s) for s in ((5, 2, 3), (2, 3, 4), (4,)))
    found = lib.conv_tbc(x, w, b, 1)
    expected = lib.nn.functional.conv1d(x.permute(1, 2, 0), w.permute(2, 1, 0), b, padding=1).permute(2, 0, 1)
    np.testing.assert_allclose(found.cpu().numpy(), expected.cpu().numpy(), rtol=1e-12)


@pytest.mark.parametrize("name", ["max_pool1d", "max_pool2d", "max_pool3d", "adaptive_max_pool2d"])
def test_pooling_with_places(lib: Any, name: str) -> None:
    """What `return_indices` gives, as a function of its own; indexing by the places finds the maxima."""
    spatial = int(name[-2])
    x = lib.tensor(np.sin(np.arange(2 * 4**spatial) * 1.0)).reshape(1, 2, *(4,) * spatial)
    values, positions = getattr(lib.nn.functional, f"{name}_with_indices")(x, 2)
    assert sg_equal(lib, values, getattr(lib.nn.functional, name)(x, 2))
    assert sg_equal(lib, values.flatten(2), x.flatten(2).gather(2, positions.flatten(2)))


def sg_equal(lib: Any, a: Any, b: Any) -> bool:
    """Whether tensors have the same shapes and elements."""
    return bool(lib.equal(a, b))
