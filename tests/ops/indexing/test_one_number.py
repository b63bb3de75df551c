"""Tensors of no dimensions read and written by index: each counts as a vector of one element.

Each call is made twice: what the first one found is what native code goes by in the second.
"""

from __future__ import annotations

from typing import Any

import pytest

import specgrad as sg

DTYPES = [sg.float32, sg.float64, sg.bfloat16, sg.complex64, sg.int64, sg.uint8]
SHAPES = [((), ()), ((), (1,)), ((1,), ())]  # of the tensor and of the index


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("own", "given"), SHAPES)
def test_values(own: tuple[int, ...], given: tuple[int, ...], dtype: Any) -> None:
    x, index = sg.full(own, 3, dtype=dtype), sg.zeros(given, dtype=sg.int64)
    source, rows = sg.full(given, 4, dtype=dtype), sg.full(own, 4, dtype=dtype)
    calls: dict[str, tuple[tuple[Any, ...], Any, tuple[int, ...]]] = {
        "gather": ((0, index), 3, given),
        "scatter": ((0, index, source), 4, own),
        "scatter_add": ((-1, index, source), 7, own),
        "index_add": ((0, index, rows), 7, own),
        "index_copy": ((0, index, rows), 4, own),
        "index_fill": ((-1, index, 5), 5, own),
        "put": ((index, source, True), 7, own),
        "take": ((index,), 3, given),
    }
    if not dtype.is_complex:
        calls["scatter_reduce"] = (0, index, source, "amax"), 4, own
    for name, (arguments, requested, shape) in calls.items():
        for _ in range(2):
            found = getattr(x, name)(*arguments)
            assert found.shape == shape and found.dtype is dtype and found.sum().item() == requested, name
            if name not in ("gather", "take"):
                y = x.clone()
                assert getattr(y, f"{name}_")(*arguments) is y and y.sum().item() == requested, name
            assert x.sum().item() == 3


@pytest.mark.parametrize("name", ["gather", "scatter", "scatter_add", "index_add", "index_copy", "put"])
def test_outside(name: str) -> None:
    x = sg.ones(())
    for value in (0, 1, 1):
        index = sg.tensor(value)
        arguments = {"gather": (0, index), "put": (index, x)}.get(name, (0, index, x))
        if value:
            with pytest.raises((IndexError, RuntimeError), match=f"{name}.*out of bounds"):
                getattr(x, name)(*arguments)
        else:
            getattr(x, name)(*arguments)


def test_gradients() -> None:
    index = sg.tensor([0])
    for _ in range(2):
        x, source = sg.tensor(2.0, requires_grad=True), sg.tensor([3.0], requires_grad=True)
        (x.gather(0, index) * 5).sum().backward()
        assert x.grad.item() == 5
        (x.scatter_add(0, index, source) * 7).backward()
        assert x.grad.item() == 12 and source.grad.tolist() == [7]
