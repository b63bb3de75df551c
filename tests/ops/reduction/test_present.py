"""Sums of what is not nan: against NumPy in double precision, with gradients, and the same bits on both paths."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from tests.generated.calls import watched

nan, inf = float("nan"), float("inf")
# Short rows and fours of them, rows of several blocks, a long one in chunks, few and many columns.
SHAPES = ((), (0,), (7,), (9, 3), (5, 130), (3, 9000), (70000,), (300, 5), (200, 70), (2, 131, 3))
rng = np.random.default_rng(0)


def sample(shape: tuple[int, ...], dtype: Any, share: float) -> np.ndarray:
    """Numbers, of which a share is nan."""
    values = np.asarray(rng.uniform(0.9, 1.1, shape)).astype(dtype)
    return np.where(rng.random(shape) < share, nan, values).astype(dtype)


def dims_of(shape: tuple[int, ...]) -> Iterator[Any]:
    yield None
    yield from range(len(shape))
    if len(shape) > 2:
        yield (0, 2)


def bits(tensor: Any) -> bytes:
    found: bytes = tensor.detach().numpy().tobytes()
    return found


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sums_and_means(shape: tuple[int, ...], dtype: Any) -> None:
    """With none, some and only nan; without any nan the sum is close to `sum`, and nothing is left of only nan."""
    for share in (0.0, 0.3, 1.0):
        a = sample(shape, dtype, share)
        x, wide = sg.from_numpy(a), a.astype(np.float64)
        for dim in dims_of(shape):
            found, requested = sg.nansum(x, dim).numpy(), np.nansum(wide, axis=dim)
            np.testing.assert_allclose(found, requested, rtol=200 * np.finfo(dtype).eps)
            assert found.dtype == dtype and found.shape == np.shape(requested)
            count = (~np.isnan(wide)).sum(axis=dim)
            with np.errstate(all="ignore"):
                mean = np.asarray(requested / count)
            np.testing.assert_allclose(sg.nanmean(x, dim).numpy(), mean, rtol=200 * np.finfo(dtype).eps)


@pytest.mark.parametrize("shape", SHAPES[2:], ids=str)
def test_both_paths_give_the_same_bits(shape: tuple[int, ...]) -> None:
    """The first call, the second, which native code answers, the general path; strided operands as contiguous ones, but
    for those that are summed in another order, as they lie in memory."""
    a = sample(shape, np.float32, 0.2)
    x = sg.from_numpy(a)
    gaps = sg.from_numpy(np.repeat(a, 2, -1))[..., ::2]
    transposed = sg.from_numpy(np.ascontiguousarray(a.T)).t() if a.ndim == 2 else x
    for dim in dims_of(shape):
        for each in (x, gaps, transposed):
            expected = bits(sg.nansum(transposed if each is transposed else x, dim))
            assert bits(sg.nansum(each, dim)) == expected == bits(sg.nansum(each, dim))
            with watched(True):
                assert bits(sg.nansum(each, dim)) == expected


@pytest.mark.parametrize("shape", SHAPES[2:], ids=str)
def test_gradients(shape: tuple[int, ...]) -> None:
    """Those of the results for what was added, 0 for what is nan."""
    a = sample(shape, np.float64, 0.3)
    for dim in dims_of(shape):
        for _ in range(2):
            x = sg.from_numpy(a).requires_grad_()
            result = sg.nansum(x, dim, keepdim=True)
            weights = sg.arange(result.numel()).reshape(result.shape).double() + 1
            (gradient,) = sg.autograd.grad((result * weights).sum(), x)
            np.testing.assert_array_equal(gradient.numpy(), np.where(np.isnan(a), 0, weights.numpy()))


def test_infinities_and_other_dtypes() -> None:
    """Infinities are added; whole numbers have no nan; 16-bit floats are added in single precision."""
    assert sg.nansum(sg.tensor([inf, nan, 1.0])).item() == inf
    assert sg.nansum(sg.tensor([inf, nan, -inf])).isnan()
    assert sg.nansum(sg.tensor([[3, 4], [5, 6]], dtype=sg.int32), 0).tolist() == [8, 10]
    for dtype in (sg.bfloat16, sg.float16):
        x = sg.tensor([[256.0, nan] + [1.0] * 62] * 3).to(dtype)
        for _ in range(2):
            assert sg.nansum(x, 1).tolist() == [318.0] * 3 and sg.nansum(x, 1).dtype is dtype
    assert sg.nansum(sg.tensor([1.5, nan]), dtype=sg.float64).dtype is sg.float64
