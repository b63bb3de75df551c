"""x[key] and x[key] = value for keys that native code takes apart: tensors beside whole slices, Ellipsis and lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg

rng = np.random.default_rng(0)
AT, TO = np.array([0, 2, 1]), np.array([[1], [0]])
ALL = slice(None)
KEYS: list[Any] = [
    (ALL, AT), (..., AT), (ALL, ALL, AT), (AT, ALL, AT), (AT, ..., AT), (..., AT, ALL), (ALL, AT, TO),
    (slice(0, 5), AT), (slice(1, 3), AT), (ALL, slice(0, 99), AT), (0, AT), (None, AT), (AT, None),
    (ALL, [1, 2], [0, 3]), [0, 2], (..., [0, 2]),
    (AT, AT, AT), (..., AT, AT, AT), (ALL, AT, slice(None, None, 2)), (ALL, np.int64(1), AT),
]  # fmt: skip
VIEWS: list[Any] = [
    ALL, ..., (..., 0), (..., ALL), (..., slice(1, 4)), (None, ALL), (ALL, None, 0), (0, ..., slice(2)),
    (ALL, ALL, ALL),
]  # fmt: skip


def as_tensors(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(as_tensors(part) for part in key)
    return sg.tensor(key) if isinstance(key, np.ndarray) else key


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_choosing(key: Any) -> None:
    """Values and gradients; the second call is native code's."""
    x = sg.tensor(rng.standard_normal((5, 6, 7))).requires_grad_()
    expected = x.detach().numpy()[key]
    for _ in range(3):
        found, x.grad = x[as_tensors(key)], None
        np.testing.assert_array_equal(found.detach().numpy(), expected)
        weights = sg.tensor(rng.standard_normal(expected.shape))
        (found * weights).sum().backward()
        grad = np.zeros(x.shape)
        np.add.at(grad, key, weights.numpy())
        np.testing.assert_allclose(x.grad.numpy(), grad)


@pytest.mark.parametrize("key", KEYS + VIEWS, ids=str)
def test_writing(key: Any) -> None:
    """A number, a tensor of the shape that is chosen, and one that expands to it."""
    x = sg.tensor(rng.standard_normal((5, 6, 7)))
    for k in range(3):
        before, shape = x.numpy().copy(), x.numpy()[key].shape
        for value in (float(k), rng.standard_normal(shape), rng.standard_normal(shape[-1:])):
            x[as_tensors(key)] = value if isinstance(value, float) else sg.tensor(value)
            before[key] = value
            np.testing.assert_array_equal(x.numpy(), before)


def test_errors() -> None:
    """What native code leaves to the general path, also after it knows the layout."""
    x, large = sg.ones(5, 6, 7), sg.tensor([9])
    for _ in range(2):
        x[:, sg.tensor([1])]
        with pytest.raises(IndexError, match="out of bounds for dimension 1 with size 6"):
            x[:, large]
        with pytest.raises(IndexError, match="too many indices"):
            x[:, :, :, sg.tensor([0])]
        with pytest.raises(IndexError, match="too many indices"):
            x[..., sg.tensor([0]), 0, 0, 0]
    leaf = sg.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf"):
        leaf[:] = 2.0
    with pytest.raises(RuntimeError, match="leaf"):
        leaf[...] = sg.zeros(3)


def test_masks_beside_slices() -> None:
    """A mask takes as many dimensions as it has."""
    x = sg.tensor(rng.standard_normal((5, 6, 7)))
    mask = rng.random((6, 7)) < 0.5
    for _ in range(2):
        np.testing.assert_array_equal(x[:, sg.tensor(mask)].numpy(), x.numpy()[:, mask])
        np.testing.assert_array_equal(x[..., sg.tensor(mask[0])].numpy(), x.numpy()[..., mask[0]])


MASK, WIDE = np.array([True, False, True, True, False, True]), rng.random((5, 6)) < 0.5
MASKED: list[Any] = [
    (ALL, MASK), (..., MASK, ALL), (ALL, MASK, ALL), (MASK[:5], AT), (ALL, MASK[:6], np.array([1, 0, 3, 2])), WIDE,
    (WIDE, ALL), (WIDE, np.arange(WIDE.sum()) % 7), (WIDE, 2), (0, MASK), (MASK[:5], ALL, AT),
    (ALL, WIDE[0], slice(1, 3)),
]  # fmt: skip


@pytest.mark.parametrize("key", MASKED, ids=str)
def test_masks_beside_others(key: Any) -> None:
    """Read, and written by a number, by a tensor of the shape that is chosen, and by one that expands to it."""
    x = sg.tensor(rng.standard_normal((5, 6, 7)))
    for k in range(3):
        before = x.numpy().copy()
        chosen = before[key]
        np.testing.assert_array_equal(x[as_tensors(key)].numpy(), chosen)
        for value in (float(k), rng.standard_normal(chosen.shape), rng.standard_normal(chosen.shape[1:])):
            x[as_tensors(key)] = value if isinstance(value, float) else sg.tensor(value)
            before[key] = value
            np.testing.assert_array_equal(x.numpy(), before)
