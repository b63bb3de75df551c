"""Elements written, or added, where a mask is true: any dimensions of any layout, one value or as many as are true.

Each call is made twice: what the first one found is what native code goes by in the second.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg

rng = np.random.default_rng(0)
DTYPES = [sg.float32, sg.float64, sg.bfloat16, sg.complex64, sg.int64, sg.int32, sg.uint8, sg.bool]
VIEWS: dict[str, Callable[[Any], Any]] = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.mT.contiguous().mT if x.ndim > 1 else x,
    "steps": lambda x: x.repeat_interleave(2, -1)[..., ::2],
}
SHAPES = [((5,), 0, 1), ((4, 3), 0, 1), ((4, 3), 1, 2), ((4, 3), 0, 2), ((2, 5, 3), 1, 2), ((70, 30, 2), 0, 2)]


def as_numpy(x: Any) -> Any:
    return x.to(sg.complex128 if x.dtype.is_complex else sg.float64).numpy()


def numbers(shape: tuple[int, ...], dtype: Any) -> Any:
    return sg.tensor(rng.integers(0, 2 if dtype is sg.bool else 9, shape)).to(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("how", VIEWS)
@pytest.mark.parametrize(("shape", "first", "last"), SHAPES)
def test_values(shape: tuple[int, ...], first: int, last: int, how: str, dtype: Any) -> None:
    """The mask is one of the dimensions from `first` to `last`."""
    for share in (0, 0.5, 1):
        mask = rng.random(shape[first:last]) < share
        count, behind, key = int(mask.sum()), shape[last:], (*[slice(None)] * first, mask)
        for size in ((), (1,), behind, (count, *behind), (*shape[:first], count, *behind), (count, *[1] * len(behind))):
            values = numbers(size, dtype)
            for add in (False, True) if dtype is not sg.bool else (False,):
                for _ in range(2):
                    x = VIEWS[how](numbers(shape, dtype))
                    requested, indices = as_numpy(x).copy(), [*[None] * first, sg.tensor(mask)]
                    requested[key] = as_numpy(values) + add * requested[key]
                    np.testing.assert_array_equal(as_numpy(x.index_put(indices, values, add)), requested)
                    y = x.clone()
                    if not add:
                        y[(*key[:-1], sg.tensor(mask)) if first else sg.tensor(mask)] = values
                        np.testing.assert_array_equal(as_numpy(y), requested)
                    assert x.index_put_(indices, values, add) is x
                    np.testing.assert_array_equal(as_numpy(x), requested)


@pytest.mark.parametrize("shape", [(4, 3), (3, 4)])
def test_numbers(shape: tuple[int, ...]) -> None:
    """Written where a mask of the first dimension, or of all, is true."""
    for mask in (rng.random(shape) < 0.5, rng.random(shape[:1]) < 0.5):
        for number in (1, 2.5, True):
            for _ in range(2):
                x, requested = sg.zeros(shape), np.zeros(shape)
                x[sg.tensor(mask)] = number
                requested[mask] = number
                np.testing.assert_array_equal(x.numpy(), requested)


@pytest.mark.parametrize("first", [0, 1])
def test_other_numbers_of_values_are_refused_and_nothing_is_written(first: int) -> None:
    """Also where a mask of the same shape with as many true elements as values has been written by before."""
    rest = (3,) if first else ()
    fits, other = (np.arange(6) < n for n in (3, 2))
    for _ in range(2):
        sg.zeros(*rest, 6).index_put_([*[None] * first, sg.tensor(fits)], sg.ones(3))
        x = sg.zeros(*rest, 6)
        for call in (x.index_put_, x.index_put):
            with pytest.raises(RuntimeError, match="index_put.*shape mismatch"):
                call([*[None] * first, sg.tensor(other)], sg.ones(3))
        assert not x.any()
    with pytest.raises(IndexError, match="mask"):
        x[sg.tensor(np.arange(7) < 3)] = sg.ones(3)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("how", VIEWS)
@pytest.mark.parametrize("shape", [(5,), (4, 3), (2, 5, 3), (70, 30, 2)])
def test_elements_one_after_the_other(shape: tuple[int, ...], how: str, dtype: Any) -> None:
    """masked_scatter, of masks that broadcast, and of tensors that are expanded to the mask."""
    for size in (shape, shape[-1:], (*shape[:-1], 1), ()):
        for own in (shape, shape[1:]):
            mask, x = rng.random(size) < 0.6, VIEWS[how](numbers(own, dtype)) if own else numbers(own, dtype)
            common = np.broadcast_shapes(size, own)
            where = np.broadcast_to(mask, common)
            source = VIEWS[how](numbers((int(where.sum()) + 2,), dtype))
            requested = np.broadcast_to(as_numpy(x), common).copy()
            requested[where] = as_numpy(source)[:-2]
            for _ in range(2):
                found = x.masked_scatter(sg.tensor(mask), source)
                np.testing.assert_array_equal(as_numpy(found), requested)
                if own == common:
                    y = x.clone()
                    assert y.masked_scatter_(sg.tensor(mask), source) is y
                    np.testing.assert_array_equal(as_numpy(y), requested)


def test_too_few_elements() -> None:
    """Also where a mask with fewer true elements was taken before."""
    small_count, multi_count = (sg.tensor(np.arange(6) < n) for n in (3, 4))
    for _ in range(2):
        sg.zeros(6).masked_scatter(small_count, sg.ones(3))
        for name in ("masked_scatter", "masked_scatter_"):
            with pytest.raises(RuntimeError, match="elements of source < number of ones in mask: 3 < 4"):
                getattr(sg.zeros(6), name)(multi_count, sg.ones(3))


def test_gradients_of_elements() -> None:
    """Those that were not written have none."""
    mask, grad = np.array([True, False, True]), rng.integers(1, 9, (2, 3)).astype(np.float64)
    for _ in range(2):
        x, source = (sg.tensor(rng.standard_normal(n), requires_grad=True) for n in ((2, 3), (5,)))
        x.masked_scatter(sg.tensor(mask), source).backward(sg.tensor(grad))
        np.testing.assert_array_equal(x.grad.numpy(), grad * ~mask)
        np.testing.assert_array_equal(source.grad.numpy(), [*grad[:, mask].ravel(), 0])


def test_gradients() -> None:
    """Those of the values are read where they were written; the tensor has none there, but where they were added."""
    mask, grad = np.array([True, False, True, True]), rng.integers(1, 9, (4, 3)).astype(np.float64)
    for add in (False, True):
        for _ in range(2):
            x, values = (sg.tensor(rng.standard_normal((n, 3)), requires_grad=True) for n in (4, 3))
            x.index_put([sg.tensor(mask)], values, add).backward(sg.tensor(grad))
            np.testing.assert_array_equal(x.grad.numpy(), grad * (add | ~mask[:, None]))
            np.testing.assert_array_equal(values.grad.numpy(), grad[mask])
