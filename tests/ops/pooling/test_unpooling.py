"""Maxima at the places that they came from: any layouts and dtypes, places that are given twice or lie outside.

Each call is made twice: what the first one found is what native code goes by in the second.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import pytest

import specgrad as sg
import specgrad.nn.functional as F

rng = np.random.default_rng(0)
CASES = [((2, 3, 4), (9,)), ((3, 2), (4,)), ((2, 3, 2, 3), (4, 7)), ((1, 1, 1), (2, 2)), ((2, 2, 1, 2, 3), (2, 5, 6))]
CASES += [((0, 2, 3), (6,)), ((2, 40, 30, 30), (60, 61))]
VIEWS: dict[str, Callable[[Any], Any]] = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.mT.contiguous().mT,
    "steps": lambda x: x.repeat_interleave(2, -1)[..., ::2],
}


def unpool(x: Any, positions: Any, plane: tuple[int, ...]) -> Any:
    """Windows so wide, and so far apart, that every size of the result is one that pooling leaves open."""
    lead = len(x.shape) - len(plane)
    step = [2 * n + 2 for n in plane]
    kernel = [n - (m - 1) * s for n, m, s in zip(plane, x.shape[lead:], step, strict=True)]
    return getattr(F, f"max_unpool{len(plane)}d")(x, positions, kernel, step, 0, sg.Size(plane))


def expected(x: Any, positions: Any, plane: tuple[int, ...]) -> Any:
    result = np.zeros((*x.shape[: -len(plane)], prod(plane)), x.dtype)
    rows = (
        result.reshape(-1, prod(plane)),
        positions.reshape(-1, prod(x.shape[-len(plane) :])),
        x.reshape(-1, prod(x.shape[-len(plane) :])),
    )
    for row, at, values in zip(*rows, strict=True):
        for index, value in zip(at, values, strict=True):
            row[index] = value
    return result.reshape(*x.shape[: -len(plane)], *plane)


@pytest.mark.parametrize("how", VIEWS)
@pytest.mark.parametrize(("shape", "plane"), CASES)
def test_values(shape: tuple[int, ...], plane: tuple[int, ...], how: str) -> None:
    """Of equal places the last one counts."""
    positions = rng.integers(0, prod(plane), shape)
    for dtype in (sg.float32, sg.float64, sg.float16, sg.int64, sg.uint8) if prod(shape) < 1000 else (sg.float32,):
        x = VIEWS[how](sg.tensor(rng.integers(1, 9, shape)).to(dtype))
        at = VIEWS[how](sg.tensor(positions))
        for _ in range(2):
            found = unpool(x, at, plane)
            assert found.dtype is dtype
            np.testing.assert_array_equal(found.double().numpy(), expected(x.double().numpy(), positions, plane))


@pytest.mark.parametrize(("shape", "plane"), CASES[:6])
def test_gradients(shape: tuple[int, ...], plane: tuple[int, ...]) -> None:
    """Each is read at its place."""
    positions = rng.integers(0, prod(plane), shape)
    x, grad = (
        sg.tensor(rng.standard_normal(shape), requires_grad=True),
        rng.standard_normal((*shape[: -len(plane)], *plane)),
    )
    lines = grad.reshape(*shape[: -len(plane)], prod(plane))
    requested = np.take_along_axis(
        lines, positions.reshape(*lines.shape[:-1], prod(shape[len(lines.shape) - 1 :])), -1
    ).reshape(shape)
    for _ in range(2):
        x.grad = None
        unpool(x, sg.tensor(positions), plane).backward(sg.tensor(grad))
        np.testing.assert_array_equal(x.grad.numpy(), requested)


def test_size_of_a_tensor() -> None:
    """An output_size that is a Size finds what one that is a tuple or a list has found."""
    before = sg.tensor(rng.standard_normal((2, 3, 6, 8)))
    values, positions = F.max_pool2d(before, (3, 2), return_indices=True)
    given = [before.shape, tuple(before.shape), list(before.shape), before.shape[2:], [6, 8]]
    for size in given * 2:
        found = F.max_unpool2d(values, positions, (3, 2), output_size=size)
        np.testing.assert_array_equal(found.numpy(), expected(values.numpy(), positions.numpy(), (6, 8)))


@pytest.mark.parametrize("wrong", [-1, 6])
def test_places_outside(wrong: int) -> None:
    """They are refused, also where places inside have been found before."""
    x, positions = sg.ones(2, 3), sg.tensor([[0, 1, 2], [3, 4, 5]])
    for _ in range(2):
        assert F.max_unpool1d(x, positions, 2).shape == (2, 6)
        with pytest.raises(RuntimeError, match=rf"max_unpool1d.*invalid max index: {wrong} .*size 6"):
            F.max_unpool1d(x, sg.where(positions == 4, wrong, positions), 2)
