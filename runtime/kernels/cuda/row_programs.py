"""The kernels of row programs: generated text for a kind of thread group, a layout, and dtypes. A layout is a tuple of
sizes and the functions that read it: of an array seen as (before, along, after), a row lies along; of (outer, rows,
inner), a row is the first and the last. The words below `language.py`'s are stand-ins that generated text imports."""

import importlib
from functools import cache
from typing import Any

import numpy as np

from ...compiler.passes.scalar_library import names_in
from .kernel import Array, Kernel, Signature, Target
from .language import uint32, uint64
from .storage import getter, in_registers, putter
from .thread_groups import names_of_group

# Texts name it; a kernel has its own in its place: the type of places in memory.
index: Any = None


def index32(x: Any) -> Any:
    return uint32(x)


def index64(x: Any) -> Any:
    return uint64(x)


def begin_rows(layout: Any, r: Any) -> Any:
    return index(r * layout[0])


def row_offset(layout: Any, start: Any, i: Any) -> Any:
    return index(start + i)


def begin_columns(layout: Any, r: Any) -> Any:
    q = index(r // layout[1])
    return index(index(index(q * layout[0]) * layout[1]) + index(r - index(q * layout[1])))


def column_offset(layout: Any, start: Any, i: Any) -> Any:
    return index(start + index(i * layout[1]))


def begin_segments(layout: Any, r: Any) -> Any:
    return index(r * layout[0])


def segment_offset(layout: Any, start: Any, i: Any) -> Any:
    q = index(i // layout[0])
    return index(start + index(index(q * layout[1]) + index(i - index(q * layout[0]))))


def shared_by_all(layout: Any, r: Any, i: Any) -> Any:
    return i


def shared_in_groups(layout: Any, r: Any, i: Any) -> Any:
    q = index(r // layout[1])
    return index(index(index(r - index(q * layout[1])) * layout[2]) + index(i // layout[3]))


def shared_by_samples(layout: Any, r: Any, i: Any) -> Any:
    return index(index(index(i // layout[0]) * layout[2]) + index(r // layout[3]))


LAYOUTS = {
    "rows": (begin_rows, row_offset, shared_by_all),  # (n,)
    "columns": (begin_columns, column_offset, shared_by_all),  # (n, after)
    "segments": (begin_segments, segment_offset, shared_by_all),  # (inner, rows * inner)
    "channels": (begin_segments, segment_offset, shared_by_samples),  # (..., groups, channels of a group)
    "groups": (begin_rows, row_offset, shared_in_groups),  # (n, groups, channels of a group, elements of a channel)
}


def names_of_layout(target: Target, kind: str, needs_int64: bool) -> dict[str, Any]:
    offset_type = target.device(index64 if needs_int64 else index32)
    begin, element_offset, shared = (target.device(function, index=offset_type) for function in LAYOUTS[kind])
    return {"begin": begin, "element_offset": element_offset, "shared_offset": shared}


BLOCK_ELEMENTS = 8  # elements that a lane reads at once, and adds in their own dtype
UINT32 = np.dtype(np.uint32)
FLOAT64, INT64 = np.dtype(np.float64), np.dtype(np.int64)


@cache
def row_kernel(
    module: str, name: str, thread_group: str, layout: str, computed: np.dtype, needs_int64: bool = False
) -> Kernel:
    """The kernel `name` ("held", "full", "fold_1", ..., "finish") of a row program; `needs_int64`: of places."""

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
    return FLOAT64 if computed.kind == "f" else INT64


def limits(computed: np.dtype) -> dict[str, Any]:
    if computed.kind == "f":
        return {"MIN_VALUE": computed.type(-np.inf), "MAX_VALUE": computed.type(np.inf)}
    if computed.kind == "b":
        return {"MIN_VALUE": computed.type(False), "MAX_VALUE": computed.type(True)}
    known = np.iinfo(computed)
    return {"MIN_VALUE": computed.type(known.min), "MAX_VALUE": computed.type(known.max)}


W: Any = None  # the type that sums and products are computed in
BLOCK: Any = None  # elements of a lane that are added in T before they are added in W
MIN_VALUE: Any = None  # what no element is below: -inf, or the least integer
MAX_VALUE: Any = None
thread_group: Any = None  # (): the number of this thread's team, which is that of its row
split_group: Any = None  # (parts): the row, and which part of it, that this thread's team has
split_range: Any = None  # (part, size, n): the first element of a part, and that after the last
lane: Any = None  # (): which thread of the team this is
lanes: Any = None  # (): how many threads the team has
begin: Any = None  # (layout, row): where a row begins in memory
element_offset: Any = None  # (layout, start, i): where element i of a row lies
shared_offset: Any = None  # (layout, row, i): where the number for element i lies that rows share
# (x): what all lanes have, put together; every lane gets it.
across_sum: Any = None
across_prod: Any = None
across_count: Any = None
across_max: Any = None
across_min: Any = None
across_argmax: Any = None  # (value, place)
across_argmin: Any = None
comes_first: Any = None  # (value, place, best, at): whether the first of the greatest is this one
comes_last: Any = None
