"""The width of vectors: half of it for short loops, where a processor takes the halves one after the other."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numba import njit, types

from specgrad.runtime.compiler.passes import code_library, target
from specgrad.runtime.compiler.passes.pipelines import NoAlias
from specgrad.runtime.compiler.passes.scalar_library import cpu_library

WIDE = target.vector_registers()[0] == 64 and target.fuses()
pytestmark = pytest.mark.skipif(not WIDE, reason="vectors of this processor have no half")


def doubled(x: Any) -> Any:
    return x + x


def kernel_of(function: Any) -> Any:
    """A kernel that is one loop over a function."""

    def forward(x: Any, result: Any) -> None:
        for i in range(result.size):
            result[i] = function(x[i])

    array = types.Array(types.float32, 1, "C")
    kernel = njit(error_model="numpy", pipeline_class=NoAlias)(forward)
    kernel.compile((array, array))
    return kernel


@pytest.mark.parametrize(("halves", "lanes"), [(True, 8), (False, 16)])
def test_short_loops(halves: bool, lanes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop that waits for memory has the vectors that such a processor need not halve; others keep the widest."""
    monkeypatch.setattr(code_library, "halves_vectors", lambda: halves)
    short, long = (kernel_of(each) for each in (njit(doubled), cpu_library(False, linked=True).get("exp")))
    assert widest(short) == lanes
    assert widest(long) == 16
    x, result = np.arange(100, dtype=np.float32), np.empty(100, np.float32)
    short(x, result)
    np.testing.assert_array_equal(result, 2 * x)


def widest(kernel: Any) -> int:
    """The lanes of the widest vector that a kernel stores."""
    (text,) = kernel.inspect_llvm().values()
    return max(map(int, re.findall(r"store <(\d+) x float>", text)))
