"""Arrays of indices that broadcast, or that choose from dimensions with others between them, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated.ops.indexing import INDEX
from tests.generated.calls import watched

WHOLE = slice(None)
ONE, TWO, COLUMN = np.array([0, -1, 2]), np.array([1, 0, -2]), np.array([[1], [-1]])
KEYS: dict[str, tuple[Any, ...]] = {
    "apart": (WHOLE, ONE, WHOLE, TWO),
    "apart, one left": (ONE, WHOLE, TWO),
    "apart, broadcast": (COLUMN, WHOLE, TWO),
    "broadcast": (COLUMN, TWO),
    "broadcast behind one": (WHOLE, COLUMN, TWO),
    "three": (COLUMN, TWO, ONE),
    "three apart": (COLUMN, TWO, WHOLE, ONE),
}
rng = np.random.default_rng(0)
VALUES = rng.normal(size=(3, 4, 5, 3))


def made(kind: str, turned: bool) -> tuple[Any, np.ndarray]:
    """A tensor in rows, or one whose elements lie apart, and the same in NumPy."""
    x = sg.tensor(VALUES)
    x = {"bool": lambda: x > 0, "int32": lambda: (x * 9).to(sg.int32)}.get(kind, lambda: x.to(getattr(sg, kind)))()
    x = x.permute(2, 0, 3, 1).contiguous().permute(1, 3, 0, 2) if turned else x
    return x, np.asarray(x.double().numpy())


@pytest.mark.parametrize("kind", ["float32", "float64", "bfloat16", "bool", "int32"])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_values(key: tuple[Any, ...], turned: bool, kind: str) -> None:
    """In the first call, in those by native code, and where every op is watched."""
    x, expected = made(kind, turned)
    given = tuple(sg.tensor(k) if isinstance(k, np.ndarray) else k for k in key)
    for _ in range(3):
        found = x[given]
        assert found.dtype is x.dtype
        np.testing.assert_array_equal(found.double().numpy(), expected[key])
    with watched(True):
        np.testing.assert_array_equal(x[given].double().numpy(), expected[key])
    indices = [None if isinstance(k, slice) else k for k in given]
    assert INDEX.launch(x, indices) is not None


def test_more_than_one_block() -> None:
    """Where indices are more than are looked up at once, and threads share them."""
    table, rows, columns = rng.normal(size=(60, 7, 90)), rng.integers(-60, 60, (70, 1)), rng.integers(-90, 90, 80)
    for key in ((rows, WHOLE, columns), (rows[:, 0], WHOLE, rows[:, 0])):
        given = tuple(sg.tensor(k) if isinstance(k, np.ndarray) else k for k in key)
        for _ in range(3):
            np.testing.assert_array_equal(sg.tensor(table)[given].numpy(), table[key])


@pytest.mark.parametrize("turned", [False, True])
def test_gradients(turned: bool) -> None:
    """What is read more than once gets the sum: against sums in NumPy."""
    for key in KEYS.values():
        x = made("float64", turned)[0].detach().requires_grad_()
        given = tuple(sg.tensor(k) if isinstance(k, np.ndarray) else k for k in key)
        for _ in range(2):
            weights = rng.normal(size=tuple(x[given].shape))
            expected = np.zeros(VALUES.shape)
            np.add.at(expected, key, weights)
            (found,) = sg.autograd.grad((x[given] * sg.tensor(weights)).sum(), x)
            np.testing.assert_allclose(found.numpy(), expected, rtol=1e-14, atol=1e-14)


def test_errors() -> None:
    """An index that is outside is named, and so are shapes that do not broadcast, each time."""
    x = sg.tensor(VALUES)
    for _ in range(2):
        assert x[sg.tensor([[0], [1]]), :, sg.tensor([1, 2])].shape == (2, 2, 4, 3)
        with pytest.raises(IndexError, match="index 5 is out of bounds for dimension 2 with size 5"):
            x[sg.tensor([[0], [1]]), :, sg.tensor([1, 5])]
        with pytest.raises(IndexError, match="could not be broadcast together"):
            x[sg.tensor([0, 1]), :, sg.tensor([1, 2, 3])]
    assert x[sg.tensor([], dtype=sg.int64)[:, None], :, sg.tensor([1, 2])].shape == (0, 2, 4, 3)
