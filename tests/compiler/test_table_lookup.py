"""Entries of tables in registers: any index, vectors and what is left over, and every named processor."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from numba import njit, types

from specgrad.runtime.compiler.passes.pipelines import Kernel
from specgrad.runtime.compiler.passes.primitives import pick
from specgrad.runtime.compiler.passes.scalar_library import cpu_library, rebuilt
from specgrad.runtime.compiler.passes.table_lookup import KINDS
from tests.kernels.scalar.targets import TARGETS, Target, assembly, lowered

DTYPES = {16: np.float32, 32: np.float32, 8: np.float64}
TABLES = {n: tuple(np.random.default_rng(n).normal(size=n).astype(dtype)) for n, dtype in DTYPES.items()}


def entry(x: Any) -> Any:
    """The entry of a place."""
    return pick(table, x)


def written(length: int) -> Any:
    """A loop over entries of a table."""
    # As a function of `scalar` it is compiled with what it calls.
    function = rebuilt(entry, {"table": TABLES[length]})
    function.__module__ = "specgrad.runtime.kernels.scalar.lookups_of_tests"
    found = cpu_library(False, linked=True).compiler.get(function)

    def loop(index: Any, result: Any) -> None:
        for i in range(result.size):
            result[i] = found(index[i])

    return njit(error_model="numpy", pipeline_class=Kernel)(loop)


compiled = functools.cache(written)  # for whoever runs it


@pytest.mark.parametrize("size", [1, 7, 8, 15, 16, 63, 64, 1000])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("length", TABLES)
def test_places_count_modulo_the_length(length: int, dtype: type, size: int) -> None:
    """Negative ones too, as Python counts; the same numbers as in Python, bit for bit."""
    index = np.random.default_rng(size).integers(-(2**31), 2**31, size).astype(dtype)
    result = np.empty(size, DTYPES[length])
    compiled(length)(index, result)
    np.testing.assert_array_equal(result, np.array(TABLES[length])[index % length])
    assert [pick(TABLES[length], k) for k in index] == [*result]


@pytest.mark.parametrize("length", TABLES)
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_nothing_is_called(target: Target, length: int) -> None:
    """Vectors permute registers where the processor has such instructions; no function is left."""
    numbers = types.float64 if DTYPES[length] is np.float64 else types.float32
    text = lowered(written(length), (types.Array(types.int32, 1, "C"), types.Array(numbers, 1, "C")))
    found = "\n".join(assembly(text, "loop", target))
    permutation = {"avx512": "vperm", "avx2": "vperm", "neon": "tbl"}.get(target.lookups()[0])
    assert "specgrad.lookup" not in found and (permutation is None or permutation in found)


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_named_processors(kind: str) -> None:
    """Each way to look up is some named processor's."""
    assert any(kind in target.lookups() for target in TARGETS)


table: tuple[np.floating[Any], ...] = ()
