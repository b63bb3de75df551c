"""Windows of a dilated pooling that step over the whole plane."""

from __future__ import annotations

import itertools

import pytest

import specgrad as sg


@pytest.mark.parametrize(
    ("size", "stride", "padding", "dilation"),
    [*itertools.product((1, 2, 3), (1, 2), (1,), (1, 2, 3)), *itertools.product((1, 2, 3), (1, 2), (0,), (1, 2))],
)
def test_a_window_without_an_element_has_no_maximum(size: int, stride: int, padding: int, dilation: int) -> None:
    """Its maximum is -inf, as on PyTorch, and no element gets its gradient; indices are those of the other windows."""
    positions = range(-padding, size + padding - dilation, stride)
    if not positions:
        return
    x = (sg.arange(size) + 1.0).reshape(1, 1, size).requires_grad_()
    windows = [[at for at in (begin, begin + dilation) if 0 <= at < size] for begin in positions]
    expected = [max(window) + 1.0 if window else -float("inf") for window in windows]
    pooled, indices = sg.nn.functional.max_pool1d(x, 2, stride, padding, dilation, return_indices=True)
    assert pooled.tolist() == [[expected]]
    assert all(
        index == max(window) for index, window in zip(indices.flatten().tolist(), windows, strict=True) if window
    )
    pooled.sum().backward()
    maxima = [max(window) for window in windows if window]
    assert x.grad.tolist() == [[[float(maxima.count(at)) for at in range(size)]]]
    plane = sg.nn.functional.max_pool2d(x[..., None], (2, 1), (stride, 1), (padding, 0), (dilation, 1))
    assert plane.flatten().tolist() == expected
    assert sg.max_pool1d(x, 2, stride, padding, dilation).tolist() == [[expected]]


def test_integers_have_no_infinity() -> None:
    """The least number stands for a window without elements."""
    assert sg.nn.functional.max_pool1d(sg.tensor([[5]], dtype=sg.int8), 2, 1, 1, 2).tolist() == [[-128]]


@pytest.mark.parametrize("spatial", [1, 2, 3])
def test_sizes_that_overflow(spatial: int) -> None:
    """An output of more elements than can be counted is an error at once."""
    x = sg.empty((2, 2) + (4,) * spatial)
    for name in ("max", "avg"):
        with pytest.raises(RuntimeError, match="overflows"):
            getattr(sg.nn.functional, f"adaptive_{name}_pool{spatial}d")(x, (2**62 // 2 ** (spatial // 2),) * spatial)


def test_no_channels() -> None:
    """An average of none is empty, as on PyTorch."""
    assert sg.nn.functional.adaptive_avg_pool2d(sg.empty(2, 0, 4, 4), 2).shape == (2, 0, 2, 2)
