"""Loops over bfloat16 that take elements by pairs: the values of NumPy in their places, and what is left alone."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numba import njit

import specgrad as sg
from specgrad.runtime.compiler.passes.bfloat16_pairs import in_pairs
from specgrad.runtime.compiler.passes.float16 import HalfArray
from specgrad.runtime.compiler.passes.pipelines import NoAlias

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
OPS = [np.add, np.multiply, np.subtract, np.maximum]
# A loop as LLVM writes one: a vector of 16-bit floats is read, squared and written.
LOOP = """\
vector.body:                                      ; preds = %vector.body, %vector.ph
  %index = phi i64 [ 0, %vector.ph ], [ %index.next, %vector.body ]
  %wide.load = load <4 x i16>, ptr %x, align 2
  %1 = zext <4 x i16> %wide.load to <4 x i32>
  %2 = shl nuw <4 x i32> %1, splat (i32 16)
  %3 = bitcast <4 x i32> %2 to <4 x float>
  %4 = fmul <4 x float> %3, %3
  %5 = bitcast <4 x float> %4 to <4 x i32>
  %6 = lshr <4 x i32> %5, splat (i32 16)
  %7 = trunc nuw <4 x i32> %6 to <4 x i16>
  store <4 x i16> %7, ptr %y, align 2
  br i1 %8, label %middle.block, label %vector.body, !llvm.loop !0

"""


def numbers(size: int, seed: int) -> np.ndarray:
    """Numbers of many magnitudes, subnormal ones, infinities and nan."""
    samples = np.random.default_rng(seed)
    found = samples.standard_normal(size) * 2.0 ** samples.integers(-60, 60, size)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-39, -1e-40, 3e38]
    found[:: max(size // 16, 1)][:8] = special[: len(found[:: max(size // 16, 1)][:8])]
    return found.astype(BFLOAT16)


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.__name__)
@pytest.mark.parametrize("size", [1, 2, 31, 64, 67, 128, 1001, 9000])
def test_values(op: Any, size: int) -> None:
    """One rounding of the result in float32, from an element on that has an odd place, and in place."""
    x, y = numbers(size + 1, 1), numbers(size + 1, 2)
    wide = x.astype(np.float32), y.astype(np.float32)
    with np.errstate(all="ignore"):
        requested = op(*wide).astype(BFLOAT16).astype(np.float32)
    left, right = (sg.from_numpy(each.astype(np.float32)).bfloat16() for each in (x, y))
    function = getattr(sg, {"add": "add", "multiply": "mul", "subtract": "sub", "maximum": "maximum"}[op.__name__])
    np.testing.assert_array_equal(function(left, right).float().numpy(), requested)
    np.testing.assert_array_equal(function(left[1:], right[1:]).float().numpy(), requested[1:])
    if op is np.add:
        left[1:] += right[1:]
        np.testing.assert_array_equal(left[1:].float().numpy(), requested[1:])


def test_loops_take_pairs() -> None:
    """The machine code of such a loop widens no vector of halves, and that with another operand does."""

    def product(x: Any, y: Any, result: Any) -> None:
        for i in range(result.size):
            result[i] = x[i] * y[i]

    halves = HalfArray("bfloat16")
    kernel = njit(error_model="numpy", pipeline_class=NoAlias)(product)
    kernel.compile((halves, halves, halves))
    (text,) = kernel.inspect_llvm().values()
    body = text[text.index("\nvector.body") : text.index("\nmiddle.block")]
    assert body.count(".odd = lshr") == 2 and body.count(".odd = shufflevector") == 1
    assert " zext <" not in body and " trunc " not in body


@pytest.mark.parametrize(
    "line",
    [
        "  %9 = load <4 x float>, ptr %z, align 4",
        "  %9 = phi <4 x i32> [ %a, %b ]",
        "  store <4 x float> %4, ptr %z, align 4",
        "  %9 = add <4 x i32> %2, <i32 0, i32 1, i32 2, i32 3>",
        "  %9 = extractelement <4 x float> %4, i64 0",
        "  %9 = tail call float @llvm.vector.reduce.fadd.v4f32(float %a, <4 x float> %4)",
        "  %9 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %z, i32 4, <4 x i1> %m, <4 x float> poison)",
        "  %9 = add <4 x i16> %wide.load, splat (i16 1)",
    ],
)
def test_what_knows_the_order_keeps_it(line: str) -> None:
    """Other operands and results, places, sums of a vector, and 16-bit integers."""
    assert in_pairs(LOOP) != LOOP
    head, tail = LOOP.split("  %5 = ")
    changed = f"{head}{line}\n  %5 = {tail}"
    assert in_pairs(changed) == changed
