"""The kernels of texts that are written by hand, for the signatures with which the samples of the spec launch them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from specgrad.runtime.kernels.cuda.element import source_kernel
from specgrad.runtime.kernels.cuda.indexed import indexed_kernel
from specgrad.runtime.kernels.cuda.kernel import Array

from .known import Known
from .launched import dtype_of, launched

RUNTIME = "specgrad.runtime."
FLOAT32 = np.dtype(np.float32)
INT32 = np.dtype(np.int32)
INT64 = np.dtype(np.int64)


def source_kernels() -> Iterator[Known]:
    for line, (name, dtype), signature in launched("element"):
        function = source_of(name)
        if function is not None:
            yield Known(f"text {line}", source_kernel(function, dtype_of(dtype)), signature, dtype_of(dtype) == FLOAT32)
    for line, (name, dtype), signature in launched("indexed"):
        function, computed = source_of(name), dtype_of(dtype)
        if function is not None:
            yield Known(f"text {line}", indexed_kernel(function, computed, False), signature, computed == FLOAT32)
            if computed == FLOAT32:
                yield Known(f"far text {line}", indexed_kernel(function, computed, True), int64_part(signature))


def source_of(name: str) -> Any:
    """The text of a name; None where it is gone."""
    module, _, text = name.rpartition(".")
    return getattr(importlib.import_module(RUNTIME + module), text, None)


def int64_part(part: Any) -> Any:
    """A signature for arrays of which 32 bits do not reach all places."""
    if isinstance(part, tuple) and not isinstance(part, Array):
        return tuple(map(int64_part, part))
    return INT64 if part == INT32 else part
