"""Results as long as elements say, by native code from the second call on, against NumPy."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.fast_path import item_getter
from specgrad.runtime.ops.indexing.cpu_mask import BLOCK

rng = np.random.default_rng(0)
DTYPES = [sg.float32, sg.float64, sg.float16, sg.bfloat16, sg.int64, sg.bool]
SHAPES = [(7,), (5, 4), (3, 4, 5), (BLOCK + 1,), (3, BLOCK), (2, 3, 4, 5)]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_elements_and_rows_where_a_mask_is_true(shape: tuple[int, ...], dtype: Any) -> None:
    """A mask of all dimensions chooses elements, one of the first dimensions what lies in the others."""
    numbers = rng.integers(-3, 4, shape)
    x = sg.tensor(numbers).to(dtype)
    expected = x.tolist()
    for ndim in range(1, len(shape) + 1):
        mask = rng.random(shape[:ndim]) < rng.random()
        key = sg.tensor(mask)
        for _ in range(3):
            found = x[key]
            assert found.dtype is dtype
            assert found.tolist() == np.array(expected)[mask].tolist()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES[1:], ids=str)
def test_a_mask_of_later_dimensions(shape: tuple[int, ...], dtype: Any) -> None:
    """What it chooses stands in their place."""
    numbers = rng.integers(-3, 4, shape)
    x = sg.tensor(numbers).to(dtype)
    expected = np.array(x.tolist())
    for first in range(1, len(shape)):
        for last in range(first + 1, len(shape) + 1):
            for share in (0, 0.5, 1):
                mask = rng.random(shape[first:last]) < share
                key, full = sg.tensor(mask), (slice(None),) * first
                for _ in range(3):
                    found = x[(*full, key)]
                    assert found.dtype is dtype and found.shape == expected[(*full, mask)].shape
                    assert found.tolist() == expected[(*full, mask)].tolist()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_places_of_what_is_not_zero(shape: tuple[int, ...], dtype: Any) -> None:
    """`nonzero` of any numbers, and of none and of all."""
    numbers = rng.integers(-1, 2, shape)
    for each in (numbers, np.zeros(shape), np.ones(shape)):
        x = sg.tensor(each).to(dtype)
        for _ in range(3):
            np.testing.assert_array_equal(x.nonzero().numpy(), np.argwhere(each))


def test_native_code_answers() -> None:
    """Once a layout has been seen, a mask's call is not one of Python any more, and what is recorded is `index`."""
    x, mask = sg.randn(4, 5, requires_grad=True), sg.rand(4, 5) > 0.5
    x[mask]
    found = item_getter()(x, mask)
    if found is None:  # without native code
        return
    assert type(found.grad_fn).__name__ == "IndexBackward0"
    found.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), mask.numpy())


def test_masks_are_no_indices_of_their_shape() -> None:
    """What was found for one is not taken for the other."""
    x = sg.arange(12).reshape(4, 3)
    rows, mask = sg.tensor([3, 0, 1, 1]), sg.tensor([True, False, False, True])
    for _ in range(3):
        assert x[rows].tolist() == [[9, 10, 11], [0, 1, 2], [3, 4, 5], [3, 4, 5]]
        assert x[mask].tolist() == [[0, 1, 2], [9, 10, 11]]
    with pytest.raises(IndexError, match="mask"):
        x[sg.tensor([True, False, True])]


def test_masks_that_lie_apart_or_change() -> None:
    """A mask is read as it is now, whatever its layout."""
    x, mask = sg.arange(16).reshape(4, 4), sg.zeros(4, 4, dtype=sg.bool)
    for i in range(4):
        mask[i, 3 - i] = True
        expected = x.numpy()[mask.numpy()]
        assert x[mask].tolist() == expected.tolist()
        assert x[mask.t()].tolist() == x.numpy()[mask.numpy().T].tolist()
        assert x.t()[mask].tolist() == x.numpy().T[mask.numpy()].tolist()
        assert sg.masked_select(x, mask).tolist() == expected.tolist()


def test_elements_of_the_flattened_tensor() -> None:
    """`take` by plans: negative places, places out of bounds after others, gradients."""
    a = rng.normal(size=(3, 4))
    positions = rng.integers(-12, 12, (2, 5))
    for _ in range(3):
        x, index = sg.tensor(a, requires_grad=True), sg.tensor(positions)
        found = x.take(index)
        np.testing.assert_array_equal(found.detach().numpy(), a.ravel()[positions])
        found.sum().backward()
        counts = np.bincount((positions % 12).ravel(), minlength=12).reshape(3, 4)
        np.testing.assert_array_equal(x.grad.numpy(), counts)
        with pytest.raises(IndexError, match=r"take\(\): index 12 is out of bounds"):
            x.take(index.clone().fill_(12))
