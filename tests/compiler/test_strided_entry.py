"""The entry of a kernel that is a loop over rows: what it computes, and what LLVM makes of it."""

from __future__ import annotations

import ctypes
import re
from typing import Any

import numpy as np
import pytest
from numba import njit, types

from specgrad.runtime.compiler.language.call_abi import RowCall, Walk
from specgrad.runtime.compiler.passes.pipelines import InRows
from specgrad.runtime.compiler.passes.scalar_library import cpu_library
from specgrad.runtime.compiler.passes.strided_entry import SUFFIX
from specgrad.runtime.device.threads.call_record import kernel_address

SINGLE = types.Array(types.float32, 1, "C")


def added(x: Any, y: Any, scale: Any, result: Any) -> None:
    for i in range(result.size):
        result[i] = np.float32(x[i] + scale * y[i])


def run_rows(kernel: Any, kinds: list[Any], size: int, rows: int, arrays: Any, numbers: Any) -> None:
    """Call the entry with (array or number, bytes from row to row) pairs."""
    call = RowCall.pack(
        size=size,
        rows=rows,
        arrays=np.concatenate([Walk.pack(start=array.ctypes.data, step=step) for array, step in arrays]),
        numbers=np.concatenate([Walk.pack(start=array.ctypes.data, step=step) for array, step in numbers]),
    )
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(kernel_address(kernel, kinds, SUFFIX))(call.ctypes.data)


@pytest.mark.parametrize("size", [0, 1, 3, 8, 50, 200])
@pytest.mark.parametrize("rows", [0, 1, 7])
def test_values(rows: int, size: int) -> None:
    """Rows that lie apart, one row for all, and a number that is another for each row or the same; nothing else is
    written."""
    kernel, kinds = njit(added, error_model="numpy", pipeline_class=InRows), [SINGLE, SINGLE, types.float64, SINGLE]
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((9, 210), np.float32), rng.standard_normal(210, np.float32)
    scales, result = rng.standard_normal(9), np.full((9, 205), 7, np.float32)
    for step in (0, 8):
        given = [(x, x.strides[0]), (y, 0), (result, result.strides[0])]
        run_rows(kernel, kinds, size, rows, given, [(scales, step)])
        each = scales[:rows, None] if step else scales[0]
        expected = x[:rows, :size] + each * y[:size]
        np.testing.assert_allclose(result[:rows, :size], expected, rtol=1e-6, atol=1e-6)
        assert (result[rows:] == 7).all() and (result[:, size:] == 7).all()


def entry_of(kernel: Any, kinds: list[Any]) -> str:
    """The optimised text of a kernel's entry for rows."""
    kernel_address(kernel, kinds)
    (text,) = kernel.inspect_llvm().values()
    found = re.search(rf"^define [^\n]*{re.escape(SUFFIX)}\"?\(.*?^}}", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found.group()


def test_short_kernels_are_inlined() -> None:
    """A row of such a kernel costs no call, and is computed by vectors without a look at where its operands lie."""
    kernel = njit(added, error_model="numpy", pipeline_class=InRows)
    text = entry_of(kernel, [SINGLE, SINGLE, types.float64, SINGLE])
    assert "vector.body" in text and not re.search(r"diff\.check|memcheck|found\.conflict", text)
    assert not re.search(r"\bcall [^\n]*added", text)


def test_long_kernels_are_called() -> None:
    """There is one copy of what computes much."""
    lgamma = cpu_library(False, linked=True).get("lgamma")

    def forward(x: Any, result: Any) -> None:
        for i in range(result.size):
            result[i] = lgamma(x[i])

    text = entry_of(njit(forward, error_model="numpy", pipeline_class=InRows), [SINGLE, SINGLE])
    assert "vector.body" not in text and re.search(r"\bcall [^\n]*forward", text)
