"""Loops over long functions are interleaved, others are not, and no result depends on it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numba import njit, types

from specgrad.runtime.compiler.passes import code_library
from specgrad.runtime.compiler.passes.loops import ADVICE, LONG, SIDE_BY_SIDE, interleaved
from specgrad.runtime.compiler.passes.pipelines import NoAlias
from specgrad.runtime.compiler.passes.scalar_library import cpu_library
from specgrad.runtime.compiler.passes.target import fuses

BODY = re.compile(r"^vector\.body\w*:.*?^$", re.MULTILINE | re.DOTALL)
pytestmark = pytest.mark.skipif(not fuses(), reason="without such an instruction there is none to count")


def kernel_of(function: Any) -> Any:
    """A kernel that is one loop over a function."""

    def forward(x: Any, result: Any) -> None:
        for i in range(result.size):
            result[i] = function(x[i])

    return njit(error_model="numpy", pipeline_class=NoAlias)(forward)


def stores(name: str, dtype: Any) -> int:
    """How many vectors the loop of a kernel stores in an iteration."""
    kernel = kernel_of(cpu_library(False, linked=True).get(name))
    array = types.Array(dtype, 1, "C")
    kernel.compile((array, array))
    (text,) = kernel.inspect_llvm().values()
    (body,) = [block for block in BODY.findall(text) if " store <" in block][:1]
    return len(re.findall(r"^  store <", body, re.MULTILINE))


@pytest.mark.parametrize("name", ["erf", "erfc", "sin"])
@pytest.mark.parametrize("dtype", [types.float32, types.float64])
def test_long_functions(name: str, dtype: Any) -> None:
    """Four iterations are side by side."""
    assert stores(name, dtype) == SIDE_BY_SIDE


@pytest.mark.parametrize("name", ["exp", "log", "sigmoid"])
def test_short_functions(name: str) -> None:
    """These are left to the processor."""
    assert stores(name, types.float32) < SIDE_BY_SIDE


@pytest.mark.parametrize(("name", "advised"), [("erf", True), ("digamma", False), ("bessel_j0", False)])
def test_branches_are_recognized(name: str, advised: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function of numba's that takes branches between long polynomials is none whose loop is advised."""
    seen: list[bool] = []

    def noted(text: str) -> str:
        changed = interleaved(text)
        seen.append(changed != text)
        return changed

    monkeypatch.setattr(code_library, "interleaved", noted)
    array = types.Array(types.float64, 1, "C")
    kernel_of(cpu_library(False, linked=True).get(name)).compile((array, array))
    assert seen[-1] == advised  # the kernel, after the functions that it calls


def module(steps: int, jump: str = "", flags: str = " ") -> str:
    """A module whose loop calls a function of so many products with sums."""
    product = "  %x = call float @llvm.fma.f32(float %a, float %b, float %c)\n"
    return (
        f"define float @long(float %a, float %b, float %c) {{\nentry:\n{product * steps}{jump}  ret float %a\n}}\n\n"
        "define void @kernel() {\nentry:\n  br label %B4\n\n"
        f"B4:\n  %y = fadd{flags}float %a, %a\n  br label %B4\n}}\n\n"
        "define ptr @_ZN7cpython6kernel() {\nentry:\n  br label %B4\n\nB4:\n  br label %B4\n}\n"
    )


def test_only_the_jump_back_is_advised() -> None:
    """Not the one into the loop, nor what Python calls; the advice is said once."""
    text = interleaved(module(LONG))
    assert text.count(f"!llvm.loop !{ADVICE}\n") == 1
    assert f"B4:\n  %y = fadd float %a, %a\n  br label %B4, !llvm.loop !{ADVICE}\n" in text
    assert text.count("llvm.loop.interleave.count") == 1


@pytest.mark.parametrize(
    "text",
    [module(LONG - 1), module(LONG, flags=" reassoc "), module(LONG, "  br i1 %k, label %B10, label %B20\n")],
    ids=["short", "reordered sums", "branches"],
)
def test_none_is_advised(text: str) -> None:
    """The text stays what it is."""
    assert interleaved(text) == text


@pytest.mark.parametrize("size", [0, 1, 7, 31, 33, 1000])
def test_results_are_the_same(size: int) -> None:
    """Whatever is left over after the last four iterations, numbers are those of the function itself."""
    function = cpu_library(False).get("erf")
    x = np.random.default_rng(0).normal(size=size).astype(np.float32)
    result = np.empty_like(x)
    kernel_of(function)(x, result)
    alone = np.array([function(value) for value in x], np.float32)
    np.testing.assert_array_equal(result, alone)
