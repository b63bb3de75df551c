"""Windows of a dilated pooling that step over the whole plane."""

from __future__ import annotations

import itertools

import pytest

import specgrad as sg


@pytest.mark.parametrize(
    ("size", "stride", "padding", "dilation"),
    [*itertools.product((1, 2, 3), (1, 2), (1,), (1, 2, 3)), *itertools.product((1, 2, 3), (1, 2), (0,), (1, 2))],
)
def test_a_window_without_an_element_is_rejected(size: int, stride: int, padding: int, dilation: int) -> None:
    """Such a window has no largest element; all others have one."""
    positions = range(-padding, size + padding - dilation, stride)
    if not positions:
        return
    call = lambda: sg.nn.functional.max_pool1d(sg.ones(1, 1, size), 2, stride, padding, dilation)  # noqa: E731
    if all(any(0 <= at < size for at in (begin, begin + dilation)) for begin in positions):
        assert call().tolist() == [[[1.0] * len(positions)]]
    else:
        with pytest.raises(RuntimeError, match="has no element of a dimension"):
            call()
