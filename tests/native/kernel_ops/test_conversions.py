"""Native code copies tensors in another dtype, once a pair of dtypes has been converted often enough."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import specgrad as sg
from specgrad.generated.nodes.shape import CloneBackward0, ToCopyBackward0
from specgrad.runtime.dispatch.kernel_ops.general import conversions
from specgrad.runtime.native.check_mode import native_alone
from specgrad.runtime.native.plans import kernel_op_plans
from specgrad.runtime.native.plans.kernel_op_plans import WORTH

DTYPES = ["float32", "float64", "bfloat16", "float16", "bool", "int64", "int32", "int16", "int8", "uint8"]
HALVES = {"bfloat16": ml_dtypes.bfloat16, "float16": np.float16}
SPECIAL = [
    *(0.0, -0.0, 0.3, -1.5, 300.7, -300.7, 127.5, 128.0, -129.0, 255.0, 256.0, 65519.0, 65520.0, 1e-7, 2.0**-24, 1e-40),
    *(np.nan, np.inf, -np.inf, 1e300, -1e300, 3e9, -3e9, 1e19, -1e19, 2.0**31, 2.0**63, 5e-324, 3.4028235677973366e38),
]


def elements(dtype: str, count: int = 300) -> np.ndarray:
    """Numbers of a dtype: bits by chance, so that nan of any kind is among them, and special values.

    Processors make a signaling nan of float16 quiet where they widen it, which NumPy does not: there is none.
    """
    kind, rng = np.dtype(HALVES.get(dtype, dtype)), np.random.default_rng(len(dtype))
    if kind == np.bool_:
        return rng.integers(0, 2, count).astype(kind)
    chance = rng.integers(0, 256, count * kind.itemsize, dtype=np.uint8).view(kind)
    if kind == np.float16:
        chance.view(np.uint16)[np.isnan(chance)] |= 0x200
    return np.concatenate([cast(np.array(SPECIAL), dtype), chance]) if kind.kind not in "iu" else chance


def cast(values: np.ndarray, dtype: str) -> np.ndarray:
    """By NumPy; what becomes a 16-bit float is a float32 before."""
    with np.errstate(all="ignore"):
        return values.astype(np.float32).astype(HALVES[dtype]) if dtype in HALVES else values.astype(dtype)


def launched(x: Any, dtype: Any) -> Any:
    """The answer of native code, for a pair that has been converted often."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(WORTH + 1):
            x.to(dtype)
    found = conversions["_to_copy"].launch(x, dtype)
    assert found is not None
    return found


@pytest.mark.parametrize("to", DTYPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_gives_the_bits_of_numpy(dtype: str, to: str) -> None:
    """All pairs: nan, infinities and what does not fit into integers included; also of elements that lie apart."""
    values = elements(dtype)
    x = sg.empty(len(values), dtype=getattr(sg, dtype))
    x.array[:] = values
    if dtype == to:
        assert x.to(x.dtype) is x
        return
    expected = cast(values, to)
    for found, requested in (
        (launched(x, getattr(sg, to)), expected),
        (launched(x[::3], getattr(sg, to)), expected[::3]),
    ):
        assert found.dtype is getattr(sg, to) and found.shape == requested.shape and found.is_contiguous()
        assert found.array.tobytes() == requested.tobytes()


def test_before_a_pair_is_worth_a_kernel_numpy_converts(monkeypatch: pytest.MonkeyPatch) -> None:
    """So a program that converts a few times compiles nothing."""
    monkeypatch.setattr(kernel_op_plans, "_query_counts", Counter())
    assert [bool(kernel_op_plans.kernel_of(1)) for _ in range(WORTH + 2)] == [False] * WORTH + [True] * 2


@pytest.mark.parametrize("shape", [(), (0, 3), (5, 1, 7)])
def test_gradients_are_converted_back_without_python(shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """The nodes of copies hand gradients on in native code, in the dtype of their input."""
    x = sg.tensor(np.random.default_rng(0).normal(size=shape).astype(np.float32), requires_grad=True)
    wide = launched(x, sg.float64)
    launched(wide.detach(), sg.float32)
    assert wide.requires_grad and type(wide.grad_fn) is ToCopyBackward0

    def no_python(*_: Any) -> Any:
        raise AssertionError("a node came to Python")

    with native_alone():
        x.clone().double().sum().backward()
        x.grad = None
        monkeypatch.setattr(ToCopyBackward0, "apply", no_python)
        monkeypatch.setattr(CloneBackward0, "apply", no_python)
        given = np.random.default_rng(1).normal(size=shape)
        x.clone().double().backward(sg.tensor(given))
    assert x.grad.dtype is sg.float32
    np.testing.assert_array_equal(x.grad.numpy(), given.astype(np.float32))


def test_what_is_no_float_is_not_recorded() -> None:
    """And nothing is under no_grad."""
    x = sg.ones(3, requires_grad=True)
    assert not launched(x, sg.int64).requires_grad
    assert launched(x, sg.float64).requires_grad
    with sg.no_grad():
        assert not launched(x, sg.float64).requires_grad


def test_ways_of_asking() -> None:
    """By name, by dtype, by another tensor and by type, as the same tensor where nothing changes."""
    x = sg.tensor([1.5, -2.0])
    for _ in range(WORTH + 2):
        queried = [x.double(), x.to(sg.float64), x.to(dtype=sg.float64), x.to(sg.ones(1, dtype=sg.float64))]
        queried += [x.type(sg.float64), x.type("torch.DoubleTensor"), x.type_as(sg.ones(1, dtype=sg.float64))]
        assert all(y.dtype is sg.float64 and y.tolist() == [1.5, -2.0] for y in queried)
        same = [x.float(), x.to(sg.float32), x.to(x), x.to("cpu"), x.type(sg.float32), x.type_as(x)]
        assert all(y is x for y in same)
    assert x.to(sg.float32, copy=True) is not x


def test_other_things_are_for_the_general_path() -> None:
    """Complex numbers, other arguments, and tensors in the place of dtypes."""
    launch = conversions["_to_copy"].launch
    x = sg.ones(2)
    assert launch(x, sg.complex64) is None
    assert launch(x, x) is None
    assert launch(2.0, sg.float64) is None
    assert launch(x.to(sg.complex64), sg.float32) is None
    assert launch(x, sg.float32) is None


SINGLES = [
    ((1, 4, 1), (8, 2, 8), (4, 1, 4)),
    ((1, 4, 1), (4, 1, 77), (4, 1, 77)),
    ((4, 1, 3), (1, 77, 4), (1, 77, 4)),
    ((5, 1), (2, 9), (1, 5)),
    ((1, 1, 1), (2, 2, 2), (2, 2, 2)),
    ((3, 4), (8, 2), (4, 1)),
]


@pytest.mark.parametrize(("shape", "strides", "requested"), SINGLES)
def test_strides_of_dimensions_of_size_one(lib: Any, shape: Any, strides: Any, requested: Any) -> None:
    """A copy keeps them where it keeps the layout, however often such tensors have been converted."""
    x = lib.empty_strided(shape, strides).zero_()
    assert {x.double().stride() for _ in range(WORTH + 4)} == {requested}
