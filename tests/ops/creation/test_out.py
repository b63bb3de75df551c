"""`out=` and `layout=` of functions that make tensors."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg

CALLS: dict[str, tuple[Callable[..., Any], Any]] = {
    "zeros": (lambda **k: sg.zeros(2, 3, **k), np.zeros((2, 3))),
    "ones": (lambda **k: sg.ones((2,), **k), [1, 1]),
    "full": (lambda **k: sg.full((2,), 7, **k), [7, 7]),
    "eye": (lambda **k: sg.eye(2, 3, **k), np.eye(2, 3)),
    "arange": (lambda **k: sg.arange(1, 7, 2, **k), [1, 3, 5]),
    "linspace": (lambda **k: sg.linspace(0, 4, 3, **k), [0, 2, 4]),
    "logspace": (lambda **k: sg.logspace(0, 2, 3, **k), [1, 10, 100]),
}
RANDOM: dict[str, Callable[..., Any]] = {
    "empty": lambda **k: sg.empty(3, **k),
    "rand": lambda **k: sg.rand(3, **k),
    "randn": lambda **k: sg.randn(3, **k),
    "randint": lambda **k: sg.randint(5, (3,), **k),
    "randperm": lambda **k: sg.randperm(3, **k),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.int16])
def test_values(name: str, dtype: sg.dtype) -> None:
    """An empty `out` takes the shape, keeps its dtype, and is what comes back."""
    call, expected = CALLS[name]
    out = sg.empty(0, dtype=dtype)
    assert call(out=out) is out and out.dtype is dtype
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("name", RANDOM)
def test_random_numbers(name: str) -> None:
    """Those that the same seed gives without `out`."""
    out = sg.empty(0, dtype=sg.int64 if "int" in name or "perm" in name else sg.float32)
    sg.manual_seed(2)
    assert RANDOM[name](out=out) is out and out.shape == (3,)
    if name != "empty":
        sg.manual_seed(2)
        assert sg.equal(out, RANDOM[name]())


def test_strided_memory_is_written_in_place() -> None:
    """A view of the right shape is filled where it lies."""
    base = sg.zeros(2, 4)
    sg.ones(2, 2, out=base[:, ::2])
    assert base.tolist() == [[1, 0, 1, 0], [1, 0, 1, 0]]


@pytest.mark.filterwarnings("ignore:specgrad.range is deprecated")
@pytest.mark.parametrize("name", ["arange", "linspace", "logspace", "range"])
def test_ranges_are_written_in_the_shape_of_out(name: str) -> None:
    """Where it has as many elements, a view among them, as on PyTorch."""
    base = sg.zeros(2, 3, dtype=sg.float64)
    bounds = (0, 4) if name == "arange" else (0, 3) if name == "range" else (0, 3, 4)
    result = getattr(sg, name)(*bounds, out=base[:, 1:])
    values = [[0, 1], [2, 3]] if name != "logspace" else [[1, 10], [100, 1000]]
    assert result.tolist() == values and base.tolist() == [[0, *row] for row in values]


@pytest.mark.parametrize("name", [*CALLS, *RANDOM])
def test_refused(name: str) -> None:
    """Another dtype than that of `out`, an `out` that is no tensor, a leaf that records, a layout that there is not."""
    call = RANDOM[name] if name in RANDOM else CALLS[name][0]
    with pytest.raises(RuntimeError, match="does not match dtype of out"):
        call(out=sg.empty(0), dtype=sg.float64)
    with pytest.raises(TypeError):
        call(out=[])
    with pytest.raises(RuntimeError):
        call(out=sg.empty(0, requires_grad=True))
    with pytest.raises(RuntimeError):
        call(layout="sparse")
    assert call(layout=sg.strided).ndim


def test_requires_grad() -> None:
    """What was written may be a leaf."""
    out = sg.empty(0)
    assert sg.ones(2, out=out, requires_grad=True).requires_grad and out.requires_grad
