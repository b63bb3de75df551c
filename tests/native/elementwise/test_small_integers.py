"""Element-wise ops on integers of fewer than 64 bits: natively what NumPy computes, and by nobody else."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated.ops.arithmetic import checks
from specgrad.runtime.native.registration import supported

pytestmark = pytest.mark.skipif(not supported(), reason="there is no native code here")

DTYPES = [sg.int32, sg.int16, sg.int8, sg.uint8]
LAYOUTS = ("rows", "columns", "apart", "expanded")


@pytest.fixture
def natively(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that computes twice, the second time without the general path."""

    def run(function: Any) -> Any:
        function()
        with monkeypatch.context() as patch:
            patch.setattr(checks, "operand", None)  # which begins with it
            return function()

    return run


def sampled(dtype: Any, *shape: int, low: int = 0) -> Any:
    """Numbers of a dtype, from the least to the largest."""
    info = np.iinfo(dtype.np)
    min_value = low if low else info.min
    return sg.tensor(np.random.default_rng(5).integers(min_value, info.max, shape, dtype.np, endpoint=True))


def with_layout(x: Any, layout: str) -> Any:
    """A tensor of the same shape that lies otherwise."""
    if layout == "columns":
        return x.t().contiguous().t()
    if layout == "apart":
        return sg.stack([x, x], -1)[..., 0]
    return x[:1].expand(x.shape) if layout == "expanded" else x


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "compute", [operator.add, operator.sub, operator.mul, operator.xor, operator.lt, operator.eq, sg.maximum]
)
def test_two_tensors(dtype: Any, layout: str, compute: Any, natively: Any) -> None:
    """What has no place in the bits is lost, as in NumPy; operands may broadcast."""
    x, y = with_layout(sampled(dtype, 6, 7), layout), sampled(dtype, 6, 7).flip(0).contiguous()
    reference = np.maximum if compute is sg.maximum else compute
    columns = [] if layout == "columns" else [y[:, :1]]  # of other orders in memory the general path takes care
    for other in (y, y[0], y[0, 0], *columns):
        found = natively(lambda other=other: compute(x, other))
        requested = reference(x.numpy(), other.numpy())
        np.testing.assert_array_equal(found.numpy(), requested)
        assert found.numpy().dtype == requested.dtype


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("compute", [operator.add, operator.mul, operator.and_, operator.gt, operator.ne])
def test_a_number(dtype: Any, compute: Any, natively: Any) -> None:
    """The least and the largest that a dtype has among them."""
    x, info = sampled(dtype, 40), np.iinfo(dtype.np)
    for number in (info.min, info.max, 1, 0):
        found = natively(lambda number=number: compute(x, number))
        np.testing.assert_array_equal(found.numpy(), compute(x.numpy(), dtype.np.type(number)))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("compute", [operator.floordiv, operator.mod])
def test_divisors_above_zero(dtype: Any, compute: Any, natively: Any) -> None:
    x, y = sampled(dtype, 40), sampled(dtype, 40, low=1)
    for other in (y, 3, int(np.iinfo(dtype.np).max)):
        found = natively(lambda other=other: compute(x, other))
        requested = other if isinstance(other, int) else other.numpy()
        np.testing.assert_array_equal(found.numpy(), compute(x.numpy(), dtype.np.type(requested)))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_other_divisors(dtype: Any) -> None:
    """Those below zero are for the general path, and zero is refused by it."""
    x = sampled(dtype, 40)
    if dtype is not sg.uint8:
        np.testing.assert_array_equal((x // -3).numpy(), x.numpy() // dtype.np.type(-3))
    for zero in (0, sg.zeros(40, dtype=dtype)):
        with pytest.raises(RuntimeError, match="ZeroDivisionError|by zero"):
            x // zero


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_one_tensor_and_writing(dtype: Any, natively: Any) -> None:
    x = sampled(dtype, 5, 6)
    np.testing.assert_array_equal(natively(lambda: -x).numpy(), -x.numpy())
    np.testing.assert_array_equal(natively(lambda: ~x).numpy(), ~x.numpy())
    np.testing.assert_array_equal(natively(lambda: x.clamp(1, 5)).numpy(), x.numpy().clip(1, 5))
    y = x.clone()
    natively(lambda: y.add_(3).mul_(x))
    with np.errstate(over="ignore"):
        step = (x.numpy() + dtype.np.type(3)) * x.numpy()
        np.testing.assert_array_equal(y.numpy(), (step + dtype.np.type(3)) * x.numpy())
    mask = x > 2
    np.testing.assert_array_equal(natively(lambda: sg.where(mask, x, 7)).numpy(), np.where(mask.numpy(), x.numpy(), 7))


@pytest.mark.parametrize("number", [300, -1, -129, 2**40])
def test_numbers_that_a_dtype_has_not(number: int) -> None:
    """They are for the general path, which takes their last bits."""
    x = sg.tensor([1, 2, 250], dtype=sg.uint8)
    np.testing.assert_array_equal((x + number).numpy(), (x.numpy().astype(np.int64) + number).astype(np.uint8))
