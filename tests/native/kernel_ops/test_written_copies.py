"""Copies of tensors that are written to by index: native code makes them, and gives what NumPy does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated.ops.indexing import INDEX_ADD, INDEX_PUT
from tests.generated.calls import watched

DTYPES = [sg.float32, sg.float64, sg.bfloat16, sg.float16, sg.int64, sg.int32, sg.bool]
# What a tensor of 4 x 5 x 3 is written at: for each of the first dimensions indices, or None; the shape of values.
INDEX_TYPE: list[tuple[list[list[int] | None], tuple[int, ...]]] = [
    ([[2, -1]], (2, 5, 3)),
    ([[2, 0, 2]], (3, 1, 1)),
    ([[3]], ()),
    ([None, [4, 0, -2]], (4, 3, 3)),
    ([None, None, [1]], (4, 5, 1)),
    ([[0, 3], [1, -1]], (2, 3)),
    ([[0, 3], [1, -1]], (1,)),
]


def small(shape: tuple[int, ...], dtype: Any, seed: int) -> Any:
    """Small whole numbers, whose sums are exact in any dtype."""
    return sg.tensor(np.random.default_rng(seed).integers(0, 4, shape)).to(dtype)


def in_numpy(x: Any, key: tuple[Any, ...], values: Any, accumulate: bool) -> np.ndarray:
    """What NumPy makes of it, in a copy."""
    wide = np.bool_ if x.dtype is sg.bool else np.float64
    expected = x.double().numpy().astype(wide)
    if accumulate:
        np.add.at(expected, key, values.double().numpy().astype(wide))
    else:
        expected[key] = values.double().numpy().astype(wide)
    return expected.astype(np.float64)


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(("indices", "shape"), INDEX_TYPE, ids=str)
def test_index_put(indices: list[Any], shape: tuple[int, ...], dtype: Any, accumulate: bool) -> None:
    """By native code from the second call on, and without it; the operand stays as it is."""
    x, values = small((4, 5, 3), dtype, 0), small(shape, dtype, 1)
    key = tuple([slice(None) if each is None else np.array(each) for each in indices])
    given = [None if each is None else sg.tensor(each) for each in indices]
    before, expected = x.double().numpy().copy(), in_numpy(x, key, values, accumulate)
    for _ in range(3):
        np.testing.assert_array_equal(x.index_put(given, values, accumulate).double().numpy(), expected)
    assert INDEX_PUT.launch(x, given, values, accumulate) is not None
    np.testing.assert_array_equal(x.double().numpy(), before)
    with watched(True):
        np.testing.assert_array_equal(x.index_put(given, values, accumulate).double().numpy(), expected)


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d is not sg.bool], ids=str)
@pytest.mark.parametrize("dim", [0, 1, 2, -1])
@pytest.mark.parametrize("transposed", [False, True])
def test_index_add(dim: int, dtype: Any, transposed: bool) -> None:
    """Along any dimension; the source in another order of memory too."""
    x = small((4, 5, 3), dtype, 0)
    index = sg.tensor([1, 0, 1])
    shape = [3 if d == dim % 3 else n for d, n in enumerate(x.shape)]
    source = small(tuple(shape[::-1]), dtype, 1).permute(2, 1, 0) if transposed else small(tuple(shape), dtype, 1)
    key = (*[slice(None)] * (dim % 3), index.numpy())
    expected = in_numpy(x, key, source, True)
    for _ in range(3):
        np.testing.assert_array_equal(x.index_add(dim, index, source).double().numpy(), expected)
    if not transposed:
        assert INDEX_ADD.launch(x, dim, index, source, 1) is not None


def test_gradients_of_what_native_code_has_written() -> None:
    """Elements that were written to have none by the operand; values have those of their places."""
    weights = sg.arange(15.0, dtype=sg.float64).view(5, 3)
    for _ in range(3):
        x = sg.ones(5, 3, dtype=sg.float64, requires_grad=True)
        values = sg.ones(2, 3, dtype=sg.float64, requires_grad=True)
        (x.index_put([sg.tensor([4, 1])], values) * weights).sum().backward()
        np.testing.assert_array_equal(values.grad.numpy(), weights.numpy()[[4, 1]])
        expected = weights.numpy().copy()
        expected[[4, 1]] = 0
        np.testing.assert_array_equal(x.grad.numpy(), expected)


def test_indices_outside_and_none() -> None:
    """An index outside is named each time, also where the same layout was seen before; of no indices x is copied."""
    x, values = sg.zeros(4, 3), sg.ones(2, 3)
    x.index_put([sg.tensor([0, 1])], values)
    for _ in range(2):
        with pytest.raises(IndexError, match="4 is out of bounds"):
            x.index_put([sg.tensor([0, 4])], values)
        with pytest.raises((IndexError, RuntimeError), match="index"):
            x.index_add(1, sg.tensor([0, 3]), sg.ones(4, 2))
    none = sg.tensor([], dtype=sg.int64)
    assert x.index_put([none], sg.ones(0, 3)).tolist() == x.tolist() == x.index_add(1, none, sg.ones(4, 0)).tolist()
