"""Element-wise ops of three tensors that broadcast: values as NumPy's, gradients as of expanded operands."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg

SHAPES = [(3, 4), (4,), (3, 1), (), (2, 3, 4)]
OPS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "addcmul": (lambda x, y, z: sg.addcmul(x, y, z, value=0.5), lambda x, y, z: x + 0.5 * y * z),
    "addcdiv": (sg.addcdiv, lambda x, y, z: x + y / z),
    "lerp": (sg.lerp, lambda x, y, z: x + (y - x) * z),
    "clamp": (sg.clamp, lambda x, y, z: np.minimum(np.maximum(x, y), z)),
    "where": (lambda x, y, z: sg.where(x > 0, y, z), lambda x, y, z: np.where(x > 0, y, z)),
}


def operands(shapes: tuple[tuple[int, ...], ...], dtype: Any) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [(rng.normal(size=shape) + 0.1).astype(dtype) for shape in shapes]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", OPS)
def test_values_and_gradients(name: str, dtype: Any) -> None:
    op, reference = OPS[name]
    tolerance = {"rtol": 1e-4, "atol": 1e-4} if dtype is np.float32 else {"rtol": 1e-11, "atol": 1e-11}
    for shapes in itertools.product(SHAPES, repeat=3):
        arrays = operands(shapes, dtype)
        every = np.broadcast_shapes(*shapes)
        for _ in range(2):
            found = op(*map(sg.tensor, arrays))
            assert found.shape == every
            np.testing.assert_allclose(found.numpy(), reference(*arrays), **tolerance)
        given = [sg.tensor(a, requires_grad=True) for a in arrays]
        entire = [t.detach().expand(every).clone().requires_grad_() for t in given]
        weights = sg.tensor(np.random.default_rng(1).normal(size=every).astype(dtype))
        grads, expected = (sg.autograd.grad(op(*ts), ts, weights, allow_unused=True) for ts in (given, entire))
        for t, grad, each in zip(given, grads, expected, strict=True):
            assert (grad is None) == (each is None)
            if grad is not None:
                np.testing.assert_allclose(grad.numpy(), each.sum_to_size(t.shape).numpy(), **tolerance)


def test_of_other_layouts_and_in_place() -> None:
    """Operands that lie in columns; and what is written in place is refused where it would be read again."""
    x, y, z = (sg.tensor(a) for a in operands(((4, 3), (3, 4), (4,)), np.float64))
    for _ in range(2):
        found = sg.addcmul(x.t(), y, z)
        np.testing.assert_allclose(found.numpy(), x.numpy().T + y.numpy() * z.numpy(), rtol=1e-14)
        into = y.clone()
        into.addcmul_(x.t(), z)
        np.testing.assert_allclose(into.numpy(), y.numpy() + x.numpy().T * z.numpy(), rtol=1e-14)
        with pytest.raises(RuntimeError):
            into.addcmul_(into[:1], z)


def test_integers_and_dtypes() -> None:
    """Of integers as of floats; operands of several dtypes are converted."""
    x, y, z = sg.arange(12).reshape(3, 4), sg.arange(4), sg.tensor(2)
    for _ in range(2):
        assert sg.addcmul(x, y, z).tolist() == (x.numpy() + y.numpy() * 2).tolist()
        mixed = sg.addcmul(x.double(), y.double(), sg.tensor(0.5, dtype=sg.float64))
        np.testing.assert_array_equal(mixed.numpy(), x.numpy() + y.numpy() * 0.5)
        assert sg.where(x > 3, y, sg.tensor(0.5)).dtype is sg.float32


def in_any_layout(a: np.ndarray, rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    """A tensor with its dimensions in any order in memory, some repeated, and what it then has."""
    order = rng.permutation(a.ndim)
    t = sg.tensor(a.transpose(order).copy()).permute(tuple(np.argsort(order)))
    if a.ndim and rng.random() < 0.3:
        dim = int(rng.integers(a.ndim))
        return t.narrow(dim, 0, 1).expand(a.shape), np.broadcast_to(np.take(a, [0], dim), a.shape)
    return t, a


def test_layouts_at_random() -> None:
    """Of shapes of which none need be that of the result, in any layouts."""
    rng = np.random.default_rng(0)
    for _ in range(1500):
        full = tuple(rng.integers(1, 5, int(rng.integers(1, 4))))
        shapes = [tuple(n if rng.random() < 0.6 else 1 for n in full)[int(rng.random() < 0.4) :] for _ in range(3)]
        tensors, arrays = zip(*[in_any_layout(rng.normal(size=shape), rng) for shape in shapes], strict=True)
        for name in ("addcmul", "where"):
            op, reference = OPS[name]
            np.testing.assert_allclose(op(*tensors).numpy(), reference(*arrays), rtol=1e-13)
