"""Contiguous copies and what else is written in another order, against NumPy, for all layouts and sizes."""

from collections.abc import Iterator

import numpy as np
import pytest

from specgrad.runtime.kernels.cpu import contiguous_copy
from specgrad.runtime.ops.shape import cpu as shape

rng = np.random.default_rng(0)


def arrays(dtype: type) -> Iterator[np.ndarray]:
    """Large and small arrays whose dimensions lie in other orders, with gaps, backwards and repeated."""

    def draw(*shape: int) -> np.ndarray:
        return (rng.random(shape) * 100).astype(dtype)

    yield draw(130, 70).T
    yield draw(301, 203).T[5:, 7:]
    yield draw(300, 400)[::2, ::3].T
    yield draw(64, 100)[:, ::-1].T
    yield draw(64, 100)[::-1].T
    yield draw(3, 33, 35, 17).transpose(0, 2, 3, 1)
    yield draw(3, 35, 17, 33).transpose(0, 3, 1, 2)
    for order in ((2, 1, 0), (2, 0, 1), (1, 0, 2), (0, 2, 1)):
        yield draw(30, 17, 19).transpose(order)
    yield np.broadcast_to(draw(1, 100), (90, 100)).T
    yield draw(2, 3, 4, 5, 60).transpose(4, 2, 0, 3, 1)
    yield draw(2, 3).T
    yield draw(0, 3).T
    yield np.asarray(draw()).reshape(())


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.int32, np.int8, np.complex64, np.complex128])
def test_copies_have_the_elements_in_row_major_order(dtype: type) -> None:
    """Whatever the strides and the size of an element; the copy is memory of its own."""
    for a in arrays(dtype):
        found = contiguous_copy.copied(a)
        assert found.flags.c_contiguous and found.dtype == dtype and not np.may_share_memory(found, a)
        np.testing.assert_array_equal(found, a)
        np.testing.assert_array_equal(contiguous_copy.contiguous(a), a)


def test_what_is_contiguous_is_not_copied() -> None:
    """`contiguous` gives the array itself."""
    a = rng.random((4, 5))
    assert contiguous_copy.contiguous(a) is a and contiguous_copy.copied(a) is not a


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_triangles_flips_and_padding(dtype: type) -> None:
    """As NumPy's, for batches, transposed arrays and every diagonal."""
    for a in ((rng.random((2, 7, 5)) * 9).astype(dtype), (rng.random((5, 7, 2)) * 9).astype(dtype).T):
        for diagonal in range(-8, 7):
            np.testing.assert_array_equal(shape.triu(a, diagonal), np.triu(a, diagonal))
            np.testing.assert_array_equal(shape.tril(a, diagonal), np.tril(a, diagonal))
        for dims in ((), (0,), (2,), (0, 2), (1, 2), (0, 1, 2)):
            np.testing.assert_array_equal(shape.flip(a, dims), np.flip(a, dims))
        padded = shape.constant_pad_nd(a, (1, 2, 0, 3), 7)
        np.testing.assert_array_equal(padded, np.pad(a, ((0, 0), (0, 3), (1, 2)), constant_values=7))
        cut = shape.constant_pad_nd(a, (-1, 1, 2, -2), 7)
        np.testing.assert_array_equal(cut, np.pad(a[:, :-2, 1:], ((0, 0), (2, 0), (0, 1)), constant_values=7))
