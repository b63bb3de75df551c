"""Sorting kernels against Python's stable sort, over dtypes, ties, nan, layouts and sizes."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.ops.sorting import cpu as sorting

rng = np.random.default_rng(0)
DTYPES = (np.float32, np.float64, np.int64, np.int32, np.int8, np.uint8, np.bool_)
SIZES = (0, 1, 2, 7, 65, 300, 3000)


def rank(value: Any, descending: bool) -> Any:
    """What Python sorts by: nan is above all, and the order of equals stays."""
    if isinstance(value, float) and np.isnan(value):
        return (0 if descending else 1, 0)
    return (1 if descending else 0, -value if descending else value)


def expected_order(rows: np.ndarray, descending: bool) -> np.ndarray:
    """Where the elements of each row in order were."""
    found = np.empty(rows.shape, np.int64)
    for row, out in zip(rows, found, strict=True):
        values = row.tolist()
        out[:] = sorted(range(len(values)), key=lambda i: rank(values[i], descending))
    return found


def draw(dtype: Any, size: int) -> np.ndarray:
    """Three rows with ties; of floats also nan of both signs, infinities and zeros of both signs."""
    kind = np.dtype(dtype).kind
    rows = rng.standard_normal((3, size)) * 5
    if kind != "f":
        scale = 10**15 if dtype == np.int64 else 1
        return (np.abs(rows) if kind in "ub" else rows * scale).astype(dtype)
    if size > 6:
        rows[:, ::5] = rows[:, 1:2]
        rows[0, 3], rows[1, 2], rows[1, 4], rows[2, 5] = np.nan, -np.nan, np.inf, -np.inf
        rows[2, 1], rows[2, 3] = -0.0, 0.0
    return rows.astype(dtype)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("descending", [False, True])
def test_sort_is_the_stable_sort(dtype: Any, size: int, descending: bool) -> None:
    """Places and values; what was equal keeps its order, also 0 and -0."""
    rows = draw(dtype, size)
    order = expected_order(rows, descending)
    values, positions = sorting.sort(rows, 1, descending, False)
    np.testing.assert_array_equal(positions, order)
    np.testing.assert_array_equal(values, np.take_along_axis(rows, order, 1))
    assert values.dtype == rows.dtype
    np.testing.assert_array_equal(sorting.argsort(rows, 1, descending, True), order)


@pytest.mark.parametrize("dtype", DTYPES[:-1])
@pytest.mark.parametrize("size, count", [(7, 0), (7, 3), (7, 7), (300, 10), (300, 64), (300, 65), (3000, 5), (1, 1)])
@pytest.mark.parametrize("largest", [False, True])
def test_topk_is_the_beginning_of_a_sort(dtype: Any, size: int, count: int, largest: bool) -> None:
    """By one pass over each row for few elements, by sorting for many."""
    rows = draw(dtype, size)
    order = expected_order(rows, largest)[:, :count]
    values, positions = sorting.topk(rows, count, 1, largest, True)
    np.testing.assert_array_equal(positions, order)
    np.testing.assert_array_equal(values, np.take_along_axis(rows, order, 1))


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_any_dimension_and_layout(dim: int) -> None:
    """Along each dimension of contiguous, transposed and strided arrays."""
    base = rng.standard_normal((4, 5, 6))
    for a in (base, rng.standard_normal((6, 5, 4)).T, rng.standard_normal((4, 5, 12))[..., ::2]):
        values, positions = sorting.sort(a, dim, False, False)
        np.testing.assert_array_equal(positions, np.argsort(a, dim, kind="stable"))
        np.testing.assert_array_equal(values, np.sort(a, dim))
        value, index = sorting.kthvalue(a, 3, dim, True)
        np.testing.assert_array_equal(value, np.sort(a, dim).take([2], dim))
        np.testing.assert_array_equal(index, np.argsort(a, dim, kind="stable").take([2], dim))
        small_count, _ = sorting.topk(a, 2, dim, True, True)
        np.testing.assert_array_equal(small_count, np.flip(np.sort(a, dim), dim).take([0, 1], dim))


def test_gradients_go_to_the_places_that_were_chosen() -> None:
    """Of the sorted values, of the greatest few and of the k-th least."""
    x = sg.tensor([[3.0, 1.0, 2.0], [5.0, 6.0, 4.0]], requires_grad=True)
    weights = sg.tensor([[1.0, 10.0, 100.0]])
    assert sg.autograd.grad((x.sort().values * weights).sum(), x)[0].tolist() == [[100, 1, 10], [10, 100, 1]]
    (found,) = sg.autograd.grad(x.topk(2, dim=1).values.sum(), x)
    assert found.tolist() == [[1, 0, 1], [1, 1, 0]]
    (found,) = sg.autograd.grad(x.kthvalue(1, dim=0).values.sum(), x)
    assert found.tolist() == [[1, 1, 1], [0, 0, 0]]


def test_results_are_named_tuples_of_pytorch() -> None:
    """values and indices by name and by position, also in half precision."""
    x = sg.tensor([2.0, 1.0, 3.0], dtype=sg.float16)
    values, indices = sg.sort(x, descending=True)
    assert values.dtype is sg.float16 and indices.dtype is sg.int64 and indices.tolist() == [2, 0, 1]
    assert sg.topk(x, 1).indices.tolist() == [2] and sg.kthvalue(x, 2).values.item() == 2
    assert sg.msort(x).tolist() == [1, 2, 3] and x.argsort().tolist() == [1, 0, 2]


def test_what_there_is_not_is_refused() -> None:
    """More elements than there are, a place of none, and a dimension that is not there."""
    x = sg.randn(3, 4)
    with pytest.raises(RuntimeError, match="selected index k out of range"):
        x.topk(5)
    with pytest.raises(RuntimeError, match="selected number k out of range for dimension 1"):
        x.kthvalue(0)
    with pytest.raises(IndexError, match="Dimension out of range"):
        x.sort(dim=2)
    with pytest.raises(IndexError, match="non-zero size"):
        sg.zeros(0, 3).kthvalue(1, dim=0)


def test_against_pytorch() -> None:
    """Values and indices with nan, infinities and ties, stable in both directions."""
    torch = pytest.importorskip("torch")
    rows = draw(np.float32, 300)
    for descending in (False, True):
        ours, theirs = (
            sg.tensor(rows).sort(1, descending, stable=True),
            torch.tensor(rows).sort(dim=1, descending=descending, stable=True),
        )
        np.testing.assert_array_equal(ours.indices.numpy(), theirs.indices.numpy())
        np.testing.assert_array_equal(ours.values.numpy(), theirs.values.numpy())
        ours, theirs = sg.tensor(rows).topk(9, largest=descending), torch.tensor(rows).topk(9, largest=descending)
        np.testing.assert_array_equal(ours.values.numpy(), theirs.values.numpy())
