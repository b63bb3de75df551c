"""The kernels of row programs: by every kind of team, layout and dtype that the runtime launches them with."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from specgrad.runtime.cuda.launching.rows import program
from specgrad.runtime.kernels.cuda.kernel import Array
from specgrad.runtime.kernels.cuda.rows import row_kernel, wide_of

from ..library.bases import SPEC
from ..rows.functions import programs_of
from ..rows.language import COUNT, ELEMENT_AT, INDEX_NAME, Program
from ..rows.passes import Lowered
from ..rows.spelling import INTEGER, TRUTH, Spelling
from .known import Known
from .launched import dtype_of, launched

FLOAT32 = np.dtype(np.float32)
FLOAT64 = np.dtype(np.float64)
INT64 = np.dtype(np.int64)
UINT32, UINT64 = np.dtype(np.uint32), np.dtype(np.uint64)
SIZES = {"rows": 1, "columns": 2, "segments": 2, "channels": 4, "groups": 4}  # how many numbers say a layout
NUMBERS = {"float": FLOAT64, "int": INT64, "bool": np.dtype(np.bool_)}
OF_ROWS = (("held", "warp"), ("held", "block"), ("full", "block"))
OF_COLUMNS = (("held", "thread"), ("held", "columns"), ("full", "columns"))
THREAD_GROUPS = dict.fromkeys(SIZES, OF_ROWS) | {
    "columns": OF_COLUMNS
}  # the kernels of rows, and who has one, by the layout
SPLIT = dict.fromkeys(SIZES, "block") | {"columns": "columns"}  # who has a part of one
GROUPED_LAYOUTS = ("rows", "columns")


class Stored(NamedTuple):
    """What the arrays of a program and its outputs hold, by name, and the dtype that is computed in."""

    computed: np.dtype
    kinds: tuple[tuple[str, np.dtype], ...]

    @property
    def label(self) -> str:
        held = ", ".join(kind.name for _, kind in self.kinds)
        return f" in {self.computed.name} of {held}"


def row_kernels() -> Iterator[Known]:
    for result in own_programs().values():
        yield from of_program(result)


@cache
def own_programs() -> dict[str, Program]:
    """The programs of runtime/ops/<family>/rows.py by name."""
    paths = sorted((Path(SPEC).parent / "runtime" / "ops").glob("*/rows.py"))
    return {name: result for path in paths for name, result in programs_of(path).items()}


def of_program(result: Program) -> Iterator[Known]:
    """Its kernels for float32, near and far, in all layouts; and for what else samples launch it with, in theirs."""
    plain = Stored(FLOAT32, tuple(arrays_of(result).items()))
    recorded = launches_of(result)
    layouts = dict.fromkeys(layout for layout, _ in recorded)
    for layout in dict.fromkeys((*GROUPED_LAYOUTS, *layouts)):
        for needs_int64 in (False, True):
            yield from in_layout(result, plain, layout, needs_int64)
    for stored in dict.fromkeys(stored for _, stored in recorded):
        for layout in layouts if stored != plain else ():
            yield from in_layout(result, stored, layout)


def launches_of(result: Program) -> list[tuple[str, Stored]]:
    """The layouts and dtypes with which samples launch a program."""
    parameters = list(inspect.signature(importlib.import_module(program(result.name)).full).parameters)
    known = []
    for _, (name, layout, computed), signature in launched("rows"):
        if name == result.name and len(signature) == len(parameters):
            parts = zip(parameters, signature, strict=True)
            kinds = tuple((key.removeprefix("all_"), part.dtype) for key, part in parts if isinstance(part, Array))
            known.append((layout, Stored(dtype_of(computed), kinds)))
    return known


def in_layout(result: Program, stored: Stored, layout: str, needs_int64: bool = False) -> Iterator[Known]:
    """The kernels of one launch by each team that a row may have, and those of rows that are split."""
    parts = [(name, SPLIT[layout]) for name in kernels_of_parts(importlib.import_module(program(result.name)))]
    for name, thread_group in (*THREAD_GROUPS[layout], *parts):
        yield known_of_program(result, name, thread_group, layout, stored, needs_int64)


def kernels_of_parts(module: Any) -> list[str]:
    return [*(f"fold_{k + 1}" for k in range(len(module.PARTS))), "finish"]


def known_of_program(
    result: Program, name: str, thread_group: str, layout: str, stored: Stored, needs_int64: bool
) -> Known:
    """A kernel of a program."""
    module, kinds = program(result.name), dict(stored.kinds)
    function = getattr(importlib.import_module(module), name)
    known: dict[str, Any] = {f"all_{key}": Array(kind) for key, kind in kinds.items()}
    known |= {f"parts_of_{key}": Array(kind) for key, kind in parts_of(module, stored.computed).items()}
    known |= {p.name: NUMBERS[p.type] for p in result.of_kind("number")}
    known["layout"] = (UINT64 if needs_int64 else UINT32,) * SIZES[layout]
    signature = tuple(known.get(key, UINT32) for key in inspect.signature(function).parameters)
    dtypes = "" if kinds == arrays_of(result) else stored.label
    label = f"rows of {result.name}: {name} by {thread_group} of {'far ' * needs_int64}{layout}{dtypes}"
    kernel = row_kernel(module, name, thread_group, layout, stored.computed, needs_int64)
    return Known(label, kernel, signature, not needs_int64 and stored.computed != FLOAT64)


def arrays_of(result: Program) -> dict[str, np.dtype]:
    """What the arrays of a program hold, and its outputs, where it computes in float32."""
    arguments = {p.name: INT64 if is_index(result, p.name) else FLOAT32 for p in result.arrays}
    lowered = Lowered(result)
    kinds = Spelling(lowered, lambda *_: "", "").kinds
    typed = {INTEGER: INT64, TRUTH: np.dtype(np.bool_)}
    return arguments | {o: FLOAT32 if o in lowered.rows else typed.get(kinds[o], FLOAT32) for o in result.outputs}


def is_index(result: Program, name: str) -> bool:
    """Whether a number of a row is a place: elements are taken there, or it is compared with one."""
    full = {COUNT, INDEX_NAME, *(p.name for p in result.of_kind("number") if p.type == "int")}
    return any(uses_as_index(node, name, full) for s in result.statements for node in ast.walk(s.value))


def uses_as_index(node: ast.AST, name: str, full: set[str]) -> bool:
    """Whether a part of an expression takes an element there, or compares it with one of the `whole` numbers."""
    match node:
        case ast.Call(func=ast.Name(id=function), args=[_, ast.Name(id=position)]):
            return function == ELEMENT_AT and position == name
        case ast.Compare(left=left, comparators=comparators):
            sides = {side.id for side in (left, *comparators) if isinstance(side, ast.Name)}
            return name in sides and name.endswith("_row") and bool(sides & full)
    return False


def parts_of(module: str, computed: np.dtype) -> dict[str, np.dtype]:
    kinds = {"T": computed, "W": wide_of(computed), "int32": np.dtype(np.int32), "uint32": UINT32}
    return {name: kinds[kind] for held in importlib.import_module(module).PARTS for name, kind in held}
