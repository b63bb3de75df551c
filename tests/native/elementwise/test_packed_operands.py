"""Operands of many elements that lie apart, brought block by block into the memory of the result: values are NumPy's.

By squares where rows are columns in memory, with rows and columns left over, and row by row elsewhere; by one thread
and by several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated.ops import arithmetic

DTYPES = pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.int64, sg.bfloat16, sg.uint8], ids=str)
THREADS = pytest.mark.parametrize("threads", [1, 3])


@pytest.fixture(autouse=True)
def _threads_as_before() -> Iterator[None]:
    before = sg.get_num_threads()
    yield
    sg.set_num_threads(before)


def numbers(shape: tuple[int, ...], dtype: Any) -> Any:
    """Small whole numbers: no dtype rounds their sums and products."""
    return sg.from_numpy(np.random.default_rng(sum(shape)).integers(0, 8, shape)).to(dtype)


def views(dtype: Any) -> Iterator[Any]:
    """Tensors that lie apart in different ways, from 20 thousand elements on."""
    yield numbers((163, 130), dtype).t()
    yield numbers((1203, 17), dtype).t()
    yield numbers((3, 4001), dtype).t()
    yield numbers((5, 67, 71), dtype).transpose(1, 2)
    yield numbers((67, 5, 71), dtype).permute(2, 1, 0)
    yield numbers((3, 4, 65, 33), dtype).permute(0, 2, 1, 3)
    yield numbers((3, 4, 65, 33), dtype).permute(0, 3, 1, 2)
    yield numbers((150, 300), dtype)[:, ::2]
    yield numbers((300, 151), dtype)[::2, 3:]
    yield numbers((40, 3, 220), dtype).permute(0, 2, 1)[1:, 5:]
    yield numbers((260, 1), dtype).expand(260, 90)


def array(tensor: Any) -> np.ndarray:
    return np.array(tensor.to(sg.float64).tolist())


@THREADS
@DTYPES
def test_with_one_operand_apart(dtype: Any, threads: int) -> None:
    sg.set_num_threads(threads)
    for view in views(dtype):
        other = numbers(tuple(view.shape), dtype)
        separate, contiguous = array(view), array(other)
        for _ in range(2):
            np.testing.assert_array_equal(array(view + other), separate + contiguous)
            np.testing.assert_array_equal(array(other * view), contiguous * separate)
            np.testing.assert_array_equal(array(view * 2), separate * 2)
            np.testing.assert_array_equal(array(view > other), separate > contiguous)


@THREADS
@DTYPES
def test_with_several_operands_apart(dtype: Any, threads: int) -> None:
    sg.set_num_threads(threads)
    for view, again in zip(views(dtype), views(dtype), strict=True):
        other = numbers(tuple(view.shape[::-1]), dtype).permute(*range(view.dim() - 1, -1, -1))
        separate, beside = array(view), array(other)
        np.testing.assert_array_equal(array(view + other), separate + beside)
        np.testing.assert_array_equal(array(sg.where(other > 3, view, other)), np.where(beside > 3, separate, beside))
        np.testing.assert_array_equal(array(view + again), separate + separate)
        np.testing.assert_array_equal(array(sg.addcmul(other, view, again)), beside + separate * separate)


@THREADS
@DTYPES
def test_in_place(dtype: Any, threads: int) -> None:
    """Only the elements of a view are written to."""
    sg.set_num_threads(threads)
    changes: tuple[Callable[[Any], Any], ...] = (lambda x: x.T, lambda x: x[:, ::2], lambda x: x[1:, 5:].T)
    for change in changes:
        base = numbers((363, 230), dtype)
        expected, view = array(base), change(base)
        term = numbers(tuple(view.shape), dtype)
        view.add_(term).mul_(2)
        change(expected)[...] = 2 * (change(expected) + array(term))
        np.testing.assert_array_equal(array(base), expected)
        view.clamp_(2, 9)
        change(expected)[...] = change(expected).clip(2, 9)
        view.mul_(numbers(tuple(view.shape[::-1]), dtype).T)
        change(expected)[...] *= array(numbers(tuple(view.shape[::-1]), dtype).T)
        np.testing.assert_array_equal(array(base), expected)


@THREADS
def test_in_place_beside_what_is_written(threads: int) -> None:
    """Operands over the memory that is written to are read before it is, or refused."""
    sg.set_num_threads(threads)
    base = numbers((401, 300), sg.float32)
    expected = array(base)
    left, right = base[:, ::2], base[:, 1::2]
    left.addcmul_(right, left)
    expected[:, ::2] += expected[:, 1::2] * expected[:, ::2]
    np.testing.assert_array_equal(array(base), expected)
    left.mul_(left)
    expected[:, ::2] *= expected[:, ::2]
    np.testing.assert_array_equal(array(base), expected)
    left.add_(right)
    expected[:, ::2] += expected[:, 1::2]
    np.testing.assert_array_equal(array(base), expected)


@THREADS
def test_gradients(threads: int) -> None:
    sg.set_num_threads(threads)
    for view in views(sg.float64):
        x = view.detach().requires_grad_()
        weights = numbers(tuple(view.shape[::-1]), sg.float64).permute(*range(view.dim() - 1, -1, -1))
        (x * x * weights).sum().backward()
        np.testing.assert_array_equal(array(x.grad), 2 * array(view) * array(weights))


@pytest.mark.parametrize("dtype", [sg.bool, sg.uint8, sg.int16, sg.float32, sg.float64, sg.complex64], ids=str)
def test_contiguous_copies(dtype: Any) -> None:
    """By squares, of elements of any size; also of long rows and of few."""
    shapes = ((16, 16), (17, 33), (64, 50), (31, 1000), (1000, 31), (3, 40, 50), (128, 128))
    for shape in shapes:
        values = np.random.default_rng(0).integers(0, 100, shape)
        x = sg.from_numpy(values).to(dtype)
        for first, second in ((0, -1), (-2, -1)):
            moved = x.transpose(first, second)
            expected = np.swapaxes(values if dtype != sg.bool else values != 0, first, second)
            for _ in range(2):
                assert moved.contiguous().is_contiguous()
                np.testing.assert_array_equal(np.array(moved.contiguous().tolist()), expected)


def test_rows_of_many_elements_are_looked_for_first() -> None:
    """Where rows lie side by side nothing is brought together: the general path finds them once, native code then."""
    x, op = numbers((301, 50), sg.float32), arithmetic.kernels.MUL_TENSOR
    left, right = x[:, 1:], x[:, :-1]
    assert op.launch(left, right) is None
    np.testing.assert_array_equal(array(left * right), array(left) * array(right))
    np.testing.assert_array_equal(array(op.launch(left, right)), array(left) * array(right))
    other = numbers((301, 60), sg.float32)[:, 3:53]
    expected = array(x) + array(other)
    np.testing.assert_array_equal(array(x.add_(other)), expected)
    np.testing.assert_array_equal(array(x.add_(other)), expected + array(other))


@DTYPES
def test_narrow_matrices_in_parts(dtype: Any) -> None:
    """Transposed matrices of few columns, of which blocks of elements end within a row: no square has room there."""
    for width in (2, 3, 4, 5, 7, 8, 9):
        for matrices in (1, 3):
            view = numbers((matrices, width, 8191), dtype).transpose(1, 2)
            other = numbers(tuple(view.shape), dtype)
            np.testing.assert_array_equal(array(view + other), array(view) + array(other))
            base = numbers((matrices, width, 8191), dtype)
            expected = array(base) + array(other).transpose(0, 2, 1)
            base.transpose(1, 2).add_(other)
            np.testing.assert_array_equal(array(base), expected)
