"""The kernels of row programs: generated text for a kind of team, a layout, and dtypes."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

import numpy as np

from ..compile.scalar_library import names_in
from .kernel import Array, Kernel, Signature, Target
from .row_layouts import names_of_layout
from .storage import getter, in_registers, putter
from .teams import names_of_group

BLOCK_ELEMENTS = 8  # elements that a lane reads at once, and adds in their own dtype
UINT32 = np.dtype(np.uint32)
FLOAT64, INT64 = np.dtype(np.float64), np.dtype(np.int64)


@cache
def row_kernel(
    module: str, name: str, thread_group: str, layout: str, computed: np.dtype, needs_int64: bool = False
) -> Kernel:
    """One kernel of a row program.

    Args:
        module: the generated module with the program's kernels.
        name: of the kernel: "held", "whole", "fold_1", ..., "finish".
        team: a kind of teams.KINDS.
        layout: a kind of row_layouts.LAYOUTS.
        computed: the dtype that elements are computed in.
        needs_int64: whether places in memory take 64 bits; the rows, and the elements of one, are counted with 32.
    """

    def make(target: Target, signature: Signature) -> Any:
        function = getattr(importlib.import_module(module), name)
        wide = wide_of(computed)
        names = target.scalars(function, False)
        names |= {"T": computed.type, "W": wide.type, "BLOCK": BLOCK_ELEMENTS, **limits(computed)}
        names |= names_of_group(target, thread_group, computed.type, wide.type) | names_of_layout(
            target, layout, needs_int64
        )
        names |= accessors(target, function, signature, computed)
        used = names_in(function.__code__)
        return target.kernel(function, **{name: value for name, value in names.items() if name in used})

    program = module.rpartition(".")[2].removeprefix("cuda_")
    return Kernel(f"{program}.{name} of rows by {thread_group}", make)


def accessors(target: Target, function: Any, signature: Signature, computed: np.dtype) -> dict[str, Any]:
    """How a kernel reads and writes the elements of its arrays, by name."""
    code = function.__code__
    results = {}
    for parameter, part in zip(code.co_varnames[: code.co_argcount], signature, strict=True):
        name = parameter.removeprefix("all_")
        if isinstance(part, Array) and f"get_{name}" in names_in(code):
            results[f"get_{name}"] = getter(target, part.dtype, target_dtype_of(name, part.dtype, computed))
        elif isinstance(part, Array) and f"put_{name}" in names_in(code):
            results[f"put_{name}"] = putter(target, part.dtype)
    return results


def target_dtype_of(name: str, stored: np.dtype, computed: np.dtype) -> np.dtype:
    """The dtype in which an element is read: integers of which there is one a row are places, and stay such."""
    is_index = name.endswith("_row") and stored.kind in "iub" and computed.kind == "f"
    return in_registers(stored) if is_index else computed


def wide_of(computed: np.dtype) -> np.dtype:
    """The dtype of sums and products."""
    return FLOAT64 if computed.kind == "f" else INT64


def limits(computed: np.dtype) -> dict[str, Any]:
    """What no element is below, and none above."""
    if computed.kind == "f":
        return {"MIN_VALUE": computed.type(-np.inf), "MAX_VALUE": computed.type(np.inf)}
    if computed.kind == "b":
        return {"MIN_VALUE": computed.type(False), "MAX_VALUE": computed.type(True)}
    known = np.iinfo(computed)
    return {"MIN_VALUE": computed.type(known.min), "MAX_VALUE": computed.type(known.max)}
