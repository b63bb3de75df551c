"""Counting, searching and distinct elements: edges, equal elements, nan, dtypes, and what is refused."""

from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np
import pytest

import specgrad as sg

X = sg.tensor([1.0, 2.0, 2.0, 5.0])
ROWS = sg.tensor([[1.0, 3.0, 5.0], [0.0, 0.0, 1.0]])


def test_bincount() -> None:
    """Weights of float32 stay that, others become float64; they get gradients."""
    numbers = sg.tensor([1, 2, 2])
    assert sg.bincount(numbers, sg.ones(3)).dtype is sg.float32
    assert sg.bincount(numbers, sg.tensor([1, 2, 3])).tolist() == [0.0, 1.0, 5.0]
    weights = sg.ones(3, requires_grad=True)
    (sg.bincount(numbers, weights) * sg.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert weights.grad.tolist() == [2, 3, 3]
    with pytest.raises(RuntimeError, match="depends on the values"):
        sg.vmap(sg.bincount)(numbers.expand(2, 3))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("minlength", [0, 700, 5000])
@pytest.mark.parametrize("max_count", [3, 1000, 1025, 60_000, 1 << 20])
def test_bincount_of_many(max_count: int, minlength: int, threads: int) -> None:
    """As NumPy counts, also where numbers are greater than was expected; a negative one anywhere is refused."""
    a = np.random.default_rng(0).integers(0, max_count, 30_001)
    before = sg.get_num_threads()
    sg.set_num_threads(threads)
    try:
        for line in (a, a[::-1], a[:9], a.astype(np.int32)):
            found = sg.bincount(sg.tensor(line.copy()), minlength=minlength)
            assert found.dtype is sg.int64 and np.array_equal(found, np.bincount(line, minlength=minlength))
        for index in (0, 17_000, 30_000):
            negative = a.copy()
            negative[index] = -7
            with pytest.raises(RuntimeError, match="integers that are not negative, but got -7"):
                sg.bincount(sg.tensor(negative), minlength=minlength)
    finally:
        sg.set_num_threads(before)


def test_histc() -> None:
    """What is outside of the range, or nan, is not counted; the greatest belongs to the last part."""
    assert sg.histc(X, 4).tolist() == [1, 2, 0, 1] and sg.histc(X, 4, 0, 4).tolist() == [0, 1, 2, 0]
    assert sg.histc(sg.tensor([1.0, 2.0, nan]), 4, 0, 3).tolist() == [0, 1, 1, 0]
    assert sg.histc(sg.tensor([2.0, 2.0]), 4).tolist() == [0, 0, 2, 0]


def test_histogram() -> None:
    """Counts or weights between edges, as a density where that is wanted."""
    found = sg.histogram(X, 4, range=(0.0, 4.0), weight=sg.tensor([1.0, 2.0, 3.0, 4.0]), density=True)
    assert np.allclose(found.hist, [0, 1 / 6, 5 / 6, 0]) and found.bin_edges.tolist() == [0, 1, 2, 3, 4]
    assert sg.histogram(X, sg.tensor([0.0, 1.0, 2.0, 10.0])).hist.tolist() == [0, 1, 3]
    assert sg.histogram(sg.ones(2), 2).bin_edges.tolist() == [0.5, 1, 1.5]
    assert sg.vmap(lambda x: sg.histogram(x, 2, range=(0.0, 4.0)).hist)(ROWS).tolist() == [[1, 1], [3, 0]]


def test_search_in_rows() -> None:
    """Each row of values is sought in its own row, equal elements on either side."""
    values = sg.tensor([[3.0, 9.0, 0.0], [0.0, 0.5, nan]])
    assert sg.searchsorted(ROWS, values).tolist() == [[1, 3, 0], [0, 2, 3]]
    assert sg.searchsorted(ROWS, values, side="right").tolist() == [[2, 3, 0], [2, 2, 3]]
    assert sg.bucketize(values, ROWS[0], out_int32=True).dtype is sg.int32
    assert sg.searchsorted(sg.tensor([1, 2, 3]), 2.5).item() == 2
    order = sg.tensor([2, 0, 1])
    assert sg.searchsorted(sg.tensor([3.0, 5.0, 1.0]), sg.tensor([4.0]), sorter=order).item() == 2
    assert sg.vmap(sg.searchsorted)(ROWS, values).tolist() == sg.searchsorted(ROWS, values).tolist()


def test_unique() -> None:
    """nan equals nothing; where each element went, and how often it is, is told on demand."""
    assert sg.unique(sg.tensor([nan, 1.0, nan])).shape == (3,)
    values, inverse, counts = sg.unique(sg.tensor([[3, 1], [2, 1]]), return_inverse=True, return_counts=True)
    assert (values.tolist(), inverse.tolist(), counts.tolist()) == ([1, 2, 3], [[2, 0], [1, 0]], [2, 1, 1])
    values, inverse = sg.tensor([[3, 1], [2, 1], [3, 1]]).unique(return_inverse=True, dim=0)
    assert (values.tolist(), inverse.tolist()) == ([[2, 1], [3, 1]], [1, 0, 1])
    assert sg.unique(sg.tensor([True, False, True])).tolist() == [False, True]
    with pytest.raises(RuntimeError, match="depends on the values"):
        sg.vmap(sg.unique)(ROWS)


def test_unique_consecutive() -> None:
    """Only neighbours are compared, whole slices along a dimension."""
    values, counts = sg.unique_consecutive(sg.tensor([[1, 1], [1, 1], [2, 2], [1, 1]]), return_counts=True, dim=0)
    assert (values.tolist(), counts.tolist()) == ([[1, 1], [2, 2], [1, 1]], [2, 1, 1])
    assert sg.unique_consecutive(sg.tensor([nan, nan])).shape == (2,)


REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: sg.bincount(sg.tensor([-1, 2])), RuntimeError, r"bincount\(\): expected a 1-D tensor of integers"),
    (lambda: sg.bincount(X), NotImplementedError, "expected an integral dtype"),
    (lambda: sg.bincount(sg.tensor([1]), minlength=-1), RuntimeError, "expected minlength >= 0"),
    (lambda: sg.bincount(sg.tensor([1]), X), RuntimeError, r"expected weights of shape \[1\]"),
    (lambda: sg.histc(sg.tensor([1])), NotImplementedError, r"histc\(\): expected a floating point dtype"),
    (lambda: sg.histc(X, 0), RuntimeError, "expected bins > 0, but got 0"),
    (lambda: sg.histc(X, 3, 2, 1), RuntimeError, "expected min <= max"),
    (lambda: sg.histc(sg.tensor([nan])), RuntimeError, "expected a finite range"),
    (lambda: sg.histogram(sg.tensor([1]), 3), NotImplementedError, r"histogram\(\): expected a floating point"),
    (lambda: sg.histogram(X, 3, range=(1.0,)), RuntimeError, "expected a range of 2 numbers, but got 1"),
    (lambda: sg.histogram(X, 3, range=(0.0, inf)), RuntimeError, "expected a finite range"),
    (lambda: sg.histogram(X, 3, range="ab"), TypeError, "histogram"),
    (lambda: sg.histogram(X, X[:1]), RuntimeError, "expected at least two edges"),
    (lambda: sg.histogram(X, X.double()), RuntimeError, "in a vector of specgrad.float32"),
    (lambda: sg.histogram(X, 3, weight=X[:2]), RuntimeError, r"expected weight of shape \[4\]"),
    (lambda: sg.bucketize(X, ROWS), RuntimeError, r"bucketize\(\): expected boundaries to be 1-D"),
    (lambda: sg.bucketize(X + 1j, X), NotImplementedError, "expected integers or real numbers"),
    (lambda: sg.searchsorted(ROWS, X), RuntimeError, "expected one row to search in"),
    (lambda: sg.searchsorted(ROWS, 2), RuntimeError, "expected one row to search in"),
    (lambda: sg.searchsorted(X, X, side="up"), RuntimeError, "expected side to be 'left' or 'right'"),
    (lambda: sg.searchsorted(X, X, side="left", right=True), RuntimeError, "expected side and right to agree"),
    (lambda: sg.searchsorted(X, X, sorter=X), RuntimeError, "expected sorter to be int64"),
    (lambda: sg.searchsorted(X, X, sorter=sg.tensor([0])), RuntimeError, r"expected sorter of shape \[4\]"),
    (lambda: sg.searchsorted(X, X, sorter=sg.tensor([0, 1, 2, 4])), RuntimeError, "hold indices into rows of 4"),
    (lambda: sg.unique(sg.tensor([1j])), NotImplementedError, r"unique\(\): expected a real dtype"),
    (lambda: sg.unique(sg.ones(0, 2), dim=1), RuntimeError, "expected no empty dimension but dim=1"),
    (lambda: sg.unique(sg.tensor(1.0), dim=0), IndexError, "tensor has no dimensions"),
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSED)
def test_refused(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    """Bad input is refused in PyTorch's class of error, which names the op."""
    with pytest.raises(error, match=message):
        call()
