"""Arrays of indices that broadcast, or that choose from dimensions with others between them, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated.ops.indexing import INDEX
from tests.generated.calls import watched

INTEGRAL = slice(None)
ONE, TWO, COLUMN = np.array([0, -1, 2]), np.array([1, 0, -2]), np.array([[1], [-1]])
KEYS: dict[str, tuple[Any, ...]] = {
    "apart": (INTEGRAL, ONE, INTEGRAL, TWO),
    "apart, one left": (ONE, INTEGRAL, TWO),
    "apart, broadcast": (COLUMN, INTEGRAL, TWO),
    "broadcast": (COLUMN, TWO),
    "broadcast behind one": (INTEGRAL, COLUMN, TWO),
    "three": (COLUMN, TWO, ONE),
    "three apart": (COLUMN, TWO, INTEGRAL, ONE),
}
rng = np.random.default_rng(0)
VALUES = rng.normal(size=(3, 4, 5, 3))


def made(kind: str, transposed: bool) -> tuple[Any, np.ndarray]:
    """A tensor in rows, or one whose elements lie apart, and the same in NumPy."""
    x = sg.tensor(VALUES)
    x = {"bool": lambda: x > 0, "int32": lambda: (x * 9).to(sg.int32)}.get(kind, lambda: x.to(getattr(sg, kind)))()
    x = x.permute(2, 0, 3, 1).contiguous().permute(1, 3, 0, 2) if transposed else x
    return x, np.asarray(x.double().numpy())


@pytest.mark.parametrize("kind", ["float32", "float64", "bfloat16", "bool", "int32"])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_values(key: tuple[Any, ...], transposed: bool, kind: str) -> None:
    """In the first call, in those by native code, and where every op is watched."""
    x, expected = made(kind, transposed)
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
    for key in ((rows, INTEGRAL, columns), (rows[:, 0], INTEGRAL, rows[:, 0])):
        given = tuple(sg.tensor(k) if isinstance(k, np.ndarray) else k for k in key)
        for _ in range(3):
            np.testing.assert_array_equal(sg.tensor(table)[given].numpy(), table[key])


@pytest.mark.parametrize("transposed", [False, True])
def test_gradients(transposed: bool) -> None:
    """What is read more than once gets the sum: against sums in NumPy."""
    for key in KEYS.values():
        x = made("float64", transposed)[0].detach().requires_grad_()
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


BESIDE: dict[str, tuple[Any, ...]] = {
    "a part of the rest": (ONE, slice(1, 3)),
    "in front": (slice(1, None), TWO),
    "both": (slice(0, 2), ONE, slice(None, None, 2)),
    "an int": (1, ONE, slice(1, 4)),
    "a new dimension": (None, ONE, slice(2)),
    "at the end": (slice(0, 2), Ellipsis, ONE),
    "two apart": (ONE, slice(1, 3), INTEGRAL, TWO),
    "broadcast": (COLUMN, TWO, slice(1, 3)),
    "a mask": (np.array([True, False, True]), slice(1, 3)),
    "a mask and a new dimension": (slice(1, 3), None, np.array([True, False, True, True])),
    "none chosen": (np.array([False] * 3), slice(1, 3)),
    "nothing left": (slice(2, 2), np.zeros(0, np.int64), slice(1, 3)),
}


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("key", BESIDE.values(), ids=BESIDE)
def test_slices_beside_indices(key: tuple[Any, ...], transposed: bool) -> None:
    """What is no tensor makes a view first: an int does not broadcast with indices, unlike in NumPy."""
    x, expected = made("float64", transposed)
    expected = expected[tuple(slice(k, k + 1) if k is not None and k.__class__ is int else k for k in key)]
    expected = expected.squeeze(0) if key[0].__class__ is int else expected
    leaf = x.detach().clone().requires_grad_()
    given = tuple(sg.tensor(k) if isinstance(k, np.ndarray) else k for k in key)
    for _ in range(3):
        found = leaf[given]
        np.testing.assert_array_equal(found.detach().numpy(), expected)
        (gradient,) = sg.autograd.grad(found.sum(), leaf)
        counts = np.zeros(VALUES.shape)
        np.add.at(counts, tuple(slice(k, k + 1) if k.__class__ is int else k for k in key if k is not None), 1)
        np.testing.assert_array_equal(gradient.numpy(), counts)


def test_a_number_in_a_tensor_is_an_int() -> None:
    """A tensor without dimensions makes a view, also one that is a part of another, in each call as it is then."""
    x, positions = sg.tensor(VALUES), sg.tensor([2, -1, 0])
    for _ in range(3):
        for index in (0, 1, 2):
            number = int(positions[index])
            for key, same in (
                (positions[index], number),
                ((positions[index], slice(1, 3)), (number, slice(1, 3))),
                ((slice(1, 3), positions[index]), (slice(1, 3), number)),
                ((Ellipsis, positions[index], None), (Ellipsis, number, None)),
            ):
                np.testing.assert_array_equal(x[key].numpy(), VALUES[same])
                assert x[key].data_ptr() == x[same].data_ptr()
    number = sg.tensor(0)
    first = x[number]
    number.fill_(1)
    assert np.array_equal(x[number].numpy(), VALUES[1]) and np.array_equal(first.numpy(), VALUES[0])
    for wrong in (3, -4):
        with pytest.raises(IndexError, match=f"index {wrong} is out of bounds for dimension 0 with size 3"):
            x[sg.tensor(wrong)]
