"""Statistics: which of equal elements is meant, what nan does, and what is refused."""

from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np
import pytest

import specgrad as sg


def gradient(function: Callable[[Any], Any], numbers: Any) -> Any:
    """The gradient of the sum of a function's values."""
    x = sg.tensor(numbers, dtype=sg.float64, requires_grad=True)
    function(x).sum().backward()
    return x.grad.tolist()


def test_medians_of_equal_elements() -> None:
    """Of all elements, equal ones share the gradient; along a dimension one gets it, that of a stable sort."""
    assert gradient(sg.median, [1, 2, 2, 2, 5]) == [0, 1 / 3, 1 / 3, 1 / 3, 0]
    assert gradient(lambda x: sg.median(x, 0).values, [1, 2, 2, 2, 5]) == [0, 0, 1, 0, 0]
    assert sg.tensor([4, 4, 1, 4, 4]).median(0).indices.item() == 1


def test_medians_of_nan() -> None:
    """A median is nan where one element is, the first of them; nanmedian does not see them."""
    x = sg.tensor([[3.0, nan, 1.0, nan], [nan, nan, nan, nan]])
    assert sg.median(x, 1).indices.tolist() == [1, 0]
    assert sg.median(x).isnan() and sg.median(x, 1).values.isnan().all()
    found = sg.nanmedian(x, 1)
    assert found.indices.tolist() == [2, 0] and found.values[0] == 1 and found.values[1].isnan()
    assert sg.nanmedian(x) == 1 and sg.nanmedian(x[1]).isnan()
    assert gradient(sg.median, [1.0, nan, nan, 0.0]) == [0, 0.5, 0.5, 0]
    assert gradient(sg.nanmedian, [1.0, nan, nan, 0.0]) == [0, 0, 0, 1]


def test_medians_of_nothing() -> None:
    """The median of no elements is nan, of integers the least integer."""
    assert sg.median(sg.empty(0)).isnan() and sg.nanmedian(sg.empty(0)).isnan()
    assert sg.median(sg.empty(0, dtype=sg.int64)).item() == -(2**63)
    assert sg.median(sg.empty(0, 3), 1).values.shape == (0,)


def test_mode() -> None:
    """The least of several values that are equally frequent, at its last place."""
    found = sg.mode(sg.tensor([[2, 1, 2, 1, 3], [5, 4, 3, 2, 1]]))
    assert found.values.tolist() == [1, 1] and found.indices.tolist() == [3, 4]
    assert sg.mode(sg.tensor([True, False, True])).indices.item() == 2
    assert sg.mode(sg.tensor([nan, 2.0, nan, 1.0])).values.item() == 1


def test_running_extrema() -> None:
    """The last of equal elements is the place; each nan is a new one."""
    for function in (sg.cummax, sg.cummin):
        found = function(sg.tensor([1.0, 1.0, nan, nan, 3.0, nan, 4.0]), 0)
        assert found.indices.tolist() == [0, 1, 2, 3, 3, 5, 5]
        assert found.values[:2].tolist() == [1, 1] and found.values[2:].isnan().all()
    assert gradient(lambda x: sg.cummax(x, 0).values, [1, 3, 2, 3, 0]) == [1, 2, 0, 2, 0]


@pytest.mark.parametrize(
    "dtype", [sg.float32, sg.float64, sg.float16, sg.bfloat16, sg.int64, sg.int32, sg.bool], ids=str
)
@pytest.mark.parametrize("shape", [(1,), (7,), (3, 70), (70, 3), (2, 40, 67), (67, 2)], ids=str)
def test_running_extrema_of_lines(shape: tuple[int, ...], dtype: Any) -> None:
    """Along each dimension, in lines side by side, of numbers of which many are equal and some are nan."""
    for odd in (False, True):
        a = np.random.default_rng(0).integers(-9, 10, shape).astype(np.float64)
        if odd and dtype.is_floating_point:
            a.flat[a.size // 2 :: 9] = nan
        x = sg.tensor(a).to(dtype)
        a = x.to(sg.float64).numpy()
        for dim in range(len(shape)):
            count = np.arange(shape[dim]).reshape([-1 if d == dim else 1 for d in range(len(shape))])
            for function, extreme in ((sg.cummax, np.maximum), (sg.cummin, np.minimum)):
                values = extreme.accumulate(a, dim)
                positions = np.maximum.accumulate(np.where((a == values) | np.isnan(a), count, 0), dim)
                for _ in range(2):
                    found = function(x, dim)
                    np.testing.assert_array_equal(found.values.to(sg.float64).numpy(), values)
                    np.testing.assert_array_equal(found.indices.numpy(), positions)


def test_logcumsumexp_of_infinities() -> None:
    """exp(-inf) adds nothing and gets no gradient."""
    assert sg.logcumsumexp(sg.tensor([-inf, -inf, 0.0, inf, 1.0]), 0).tolist() == [-inf, -inf, 0, inf, inf]
    assert gradient(lambda x: sg.logcumsumexp(x, 0), [-inf, -inf, 0.0, 0.0]) == [0, 0, 1.5, 0.5]


def test_cumprod_of_zeros() -> None:
    """The gradient is exact where elements are zero, and so is the second one."""
    x = sg.tensor([2.0, 0.0, 3.0, 0.0], dtype=sg.float64, requires_grad=True)
    assert gradient(lambda x: sg.cumprod(x, 0), x.tolist()) == [1, 8, 0, 0]
    assert sg.autograd.gradgradcheck(lambda x: sg.cumprod(x, 0), (x,))
    assert sg.tensor([1, 2], dtype=sg.int32).cumprod_(0).dtype is sg.int32


def test_reductions_without_nan() -> None:
    """nan neither adds to a sum or a mean nor gets a gradient."""
    assert sg.nansum(sg.tensor([[1, nan], [nan, nan]]), 1).tolist() == [1, 0]
    assert sg.nanmean(sg.tensor([nan])).isnan()
    assert gradient(sg.nanmean, [1.0, nan, 3.0]) == [0.5, 0, 0.5]
    assert sg.nansum(sg.tensor([True, True])).dtype is sg.int64


REFUSED = [
    (lambda: sg.median(sg.empty(0, 3), 0), IndexError, r"median\(\): Expected reduction dim 0 to have non-zero size"),
    (lambda: sg.median(sg.tensor([True])), NotImplementedError, r"median\(\)"),
    (lambda: sg.mode(sg.empty(2, 0)), IndexError, r"mode\(\): Expected reduction dim 1"),
    (lambda: sg.cummax(sg.tensor([1j]), 0), NotImplementedError, r"cummax\(\)"),
    (lambda: sg.logcumsumexp(sg.tensor([1]), 0), NotImplementedError, r"logcumsumexp\(\)"),
    (lambda: sg.nansum(sg.tensor([1j])), RuntimeError, r"nansum\(\): expected a real dtype"),
    (lambda: sg.nanmean(sg.tensor([1])), RuntimeError, r"nanmean\(\): expected a floating point dtype"),
    (lambda: sg.std_mean(sg.tensor([1])), RuntimeError, r"std\(\)"),
    (lambda: sg.aminmax(sg.empty(0)), RuntimeError, r"aminmax\(\): Expected reduction dim to be specified"),
    (lambda: sg.aminmax(sg.empty(0, 2), dim=0), IndexError, r"aminmax\(\): Expected reduction dim 0"),
    (lambda: sg.aminmax(sg.tensor([1j])), NotImplementedError, r"aminmax\(\): expected a real dtype"),
    (lambda: sg.count_nonzero(sg.ones(2, 3), (0, 0)), RuntimeError, "appears multiple times"),
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSED)
def test_refused(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    """What has no such statistic is refused in PyTorch's class of error."""
    with pytest.raises(error, match=message):
        call()
