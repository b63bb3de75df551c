"""Kernels as Python: what the simulator of threads runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from .. import scalar
from ..compile.scalar_library import ScalarCompiler, ScalarLibrary, rebuilt
from ..scalar import complex as scalar_complex
from ..scalar import primitives


def bfloat16_bits(x: Any) -> Any:
    return np.float32(x).astype(ml_dtypes.bfloat16).view(np.uint16)


def unchanged(function: Any) -> Any:
    return function


class Interpreted:
    """The target whose functions are the texts themselves; `cuda` is put in by the simulator.

    Conversions of integers are Python's: an index that overflowed would be out of bounds there, not wrapped.
    """

    names: dict[str, Any] = {
        "uint32": int,
        "uint64": int,
        "int32": np.int32,
        "int64": np.int64,
        "float16": np.float16,
        "float32": np.float32,
        "float64": np.float64,
        "from_bits": primitives.from_bits,
        "bfloat16_bits": bfloat16_bits,
    }

    def __init__(self) -> None:
        compiler = ScalarCompiler(unchanged, unchanged, vars(primitives))
        self.libraries = (ScalarLibrary(scalar, compiler), ScalarLibrary(scalar_complex, compiler))

    def kernel(self, function: Any, **names: Any) -> Callable[..., Any]:
        made: Callable[..., Any] = rebuilt(function, self.names | names)
        return made

    device = kernel

    def scalars(self, function: Any, is_complex: bool) -> dict[str, Any]:
        return self.libraries[is_complex].used_by(function)


INTERPRETED = Interpreted()
