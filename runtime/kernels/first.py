"""Compiles the kernels that training begins with: `python -m specgrad.runtime.kernels.first K COUNT`, one of COUNT.

A line of the list says where a kernel is and what it takes: `runtime.ops.loss.cpu_loops finish float32[] int64`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from .cache import ahead
from .table import ElementKernels

OWN = __package__.partition(".runtime.")[0]
ELEMENTWISE = "generated.kernels.cpu."


def main(k: int, count: int) -> None:
    """Go through the list, from another place in each process."""
    lines, mark = ahead.kernels(), ahead.progress_file()
    begin = k * len(lines) // count
    for i, line in enumerate(lines[begin:] + lines[:begin]):
        with suppress(Exception):  # who needs the kernel will hear of it
            compile_line(line)
        if k == 0 and mark is not None:
            with suppress(OSError):
                mark.write_text(str(i + 1), encoding="ascii")


def compile_line(line: str) -> None:
    """Compile the kernel that a line of the list names, or find it compiled."""
    module, name, *kinds = line.split(" ")
    dispatcher_of(module, name).compile(tuple(map(kind_of, kinds)))


def dispatcher_of(module: str, name: str) -> Any:
    """numba's dispatcher of a kernel: of an element-wise op's, or of one written by hand."""
    if module.startswith(ELEMENTWISE):
        return getattr(ElementKernels(f"{OWN}.generated", module.removeprefix(ELEMENTWISE)), name)
    kernel = getattr(importlib.import_module(f"{OWN}.{module}"), name)
    return kernel.compile() if hasattr(kernel, "function") else kernel


def kind_of(name: str) -> Any:
    """numba's type: `float32`, or `float32[]` for a flat array."""
    from numba import types

    kind = getattr(types, name.removesuffix("[]"))
    return types.Array(kind, 1, "C") if name.endswith("[]") else kind


def line_of(module: str, name: str, kinds: Sequence[Any]) -> str | None:
    """The line for a kernel and types; None where one is not written so."""
    from numba import types

    words = []
    for kind in kinds:
        flat = isinstance(kind, types.Array) and (kind.ndim, kind.layout, kind.mutable) == (1, "C", True)
        element = kind.dtype if flat else kind
        if not isinstance(element, types.Number | types.Boolean):
            return None
        words.append(f"{element.name.removesuffix('ean')}{'[]' if flat else ''}")
    return " ".join([module.removeprefix(f"{OWN}."), name, *words])


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
