"""Rows of arrays that 32 bits do not reach: where elements lie, by arithmetic; the kernels for that on small arrays."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.device.cuda.array import DeviceArray
from specgrad.runtime.device.device import device
from specgrad.runtime.extensions.simulator.rebuild_kernels import INTERPRETED
from specgrad.runtime.kernels.cuda.row_programs import names_of_layout
from specgrad.runtime.kernels.cuda_launch import row_programs
from tests.places import simulated_device

F = sg.nn.functional


@pytest.fixture(autouse=True)
def on_device() -> Iterator[None]:
    with simulated_device():
        yield


def with_layout(kind: str, sizes: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """A layout, the shape of the rows, and the steps in memory of a row's number and of a place in it."""
    before, along, after = sizes
    if kind == "rows":
        return (along,), (before * after, along), (along, 1)
    if kind == "columns":
        return (along, after), (before, after, along), (along * after, 1, after)
    return (after, along * after), (along, before, after), (after, along * after, 1)  # segments: rows inside


@pytest.mark.parametrize("kind", ["rows", "columns", "segments"])
@pytest.mark.parametrize("sizes", [(3, 1 << 30, 2), (70_000, 70_001, 3), (1 << 20, 5, 1 << 11), (2, 3, 1 << 31)])
def test_places_beyond_32_bits(kind: str, sizes: tuple[int, ...]) -> None:
    """They are those of NumPy's index arithmetic, at both ends and between."""
    layout, shape, steps = with_layout(kind, sizes)
    names = names_of_layout(INTERPRETED, kind, True)
    given = tuple(np.uint64(n) for n in layout)
    own = 1 if kind in ("rows", "segments") else 2  # the dims that number the rows
    amount, along = prod(shape[:own]), prod(shape[own:])
    for r in (0, 1, amount // 2, amount - 1):
        for i in (0, 1, along // 3, along - 1):
            index = (*np.unravel_index(r, shape[:own]), *np.unravel_index(i, shape[own:]))
            requested = sum(int(k) * step for k, step in zip(index, steps, strict=True))
            assert int(names["element_offset"](given, names["begin"](given, r), i)) == requested < prod(sizes)


FUNCTIONS: dict[str, tuple[Any, tuple[int, ...]]] = {
    "softmax": (lambda x: sg.softmax(x, 1), (3, 70)),
    "softmax of columns": (lambda x: sg.softmax(x, 0), (40, 3)),
    "sum": (lambda x: x.sum(1), (3, 5)),
    "argmax": (lambda x: x.argmax(1), (2, 1100)),
    "layer_norm": (lambda x: F.layer_norm(x, (17,), sg.arange(17.0, device=x.device)), (5, 17)),
    "batch_norm": (lambda x: F.batch_norm(x, None, None, sg.arange(3.0, device=x.device), None, True), (4, 3, 5)),
    "group_norm": (lambda x: F.group_norm(x, 2, sg.arange(4.0, device=x.device)), (3, 4, 5)),
    "of few long rows": (lambda x: x.std(1), (1, 4000)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_kernels_with_places_of_64_bits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All teams and layouts give what they give with 32 bits."""
    monkeypatch.setattr(row_programs, "INT32_ELEMENTS", 0)
    monkeypatch.setattr(row_programs, "SPLIT", 1000)
    function, shape = FUNCTIONS[name]
    x = sg.randn(*shape)
    found, requested = function(x.to("cuda")), function(x)
    np.testing.assert_allclose(found.cpu().numpy(), requested.numpy(), rtol=2e-5, atol=2e-5)


def test_more_than_can_be_counted_is_refused() -> None:
    """The error says how many rows and elements there may be; no memory is asked for."""
    target_device = device("cuda", 0)
    x = DeviceArray(1 << 40, (1, 1 << 33), np.dtype(np.float32), None, target_device)
    with pytest.raises(
        RuntimeError, match=f"at most {row_programs.MAX_ROW_ELEMENTS} elements, but got .*along={1 << 33}"
    ):
        row_programs.compute(row_programs.program("total"), row_programs.rows_of(1, 1 << 33, 1), (x,), (x,))


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("shape", [(1, 3), (1, 40), (40, 2)])
def test_norms_do_not_overflow_sooner_than_on_the_cpu(p: float, shape: tuple[int, ...]) -> None:
    """What is finite there is the same here, up to the greatest numbers and down to the least."""
    for exponent in (-40, -30, -21, -19, 0, 18, 19, 25, 37, 38):
        x = sg.full(shape, 10.0**exponent)
        found, requested = (each.norm(p, 0 if shape[0] > 1 else 1).cpu().numpy() for each in (x.to("cuda"), x))
        finite = np.isfinite(requested) & (requested > 0)
        np.testing.assert_allclose(found[finite], requested[finite], rtol=2e-5)
