"""The kernels of row programs: by every kind of team and layout that the runtime launches them with."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from specgrad.runtime.cuda.launching.rows import program
from specgrad.runtime.kernels.cuda.kernel import Array
from specgrad.runtime.kernels.cuda.rows import row_kernel, wide_of

from ..library.bases import SPEC
from ..rows.functions import programs_of
from ..rows.language import COUNT, ELEMENT_AT, PLACE, Program
from ..rows.passes import Lowered
from ..rows.spelling import INTEGER, TRUTH, Spelling
from .known import Known

FLOAT32, INT64, UINT32 = (np.dtype(t) for t in (np.float32, np.int64, np.uint32))
SIZES = {"rows": 1, "columns": 2}  # how many numbers say a layout
NUMBERS = {"float": np.dtype(np.float64), "int": INT64, "bool": np.dtype(np.bool_)}
WHOLE = (("thread", "rows"), ("warp", "rows"), ("block", "rows"), ("columns", "columns"))
SPLIT = (("block", "rows"),)


def row_kernels() -> Iterator[Known]:
    """Those of specgrad's own programs, in float32."""
    for path in sorted((Path(SPEC).parent / "runtime" / "ops").glob("*/rows.py")):
        for found in programs_of(path).values():
            yield from of_program(found)


def of_program(found: Program) -> Iterator[Known]:
    """Its kernels by all teams that a launch may have."""
    for name in kernels_of(importlib.import_module(program(found.name))):
        for team, layout in WHOLE if name == "whole" else SPLIT:
            yield made(found, name, team, layout)


def kernels_of(module: Any) -> list[str]:
    """The names of a program's kernels: that of one launch, and those of rows that are split."""
    return ["whole", *(f"fold_{k + 1}" for k in range(len(module.PARTS))), "finish"]


def made(found: Program, name: str, team: str, layout: str) -> Known:
    """A kernel of a program for arrays of float32."""
    module = program(found.name)
    function = getattr(importlib.import_module(module), name)
    known: dict[str, Any] = {f"all_{key}": Array(kind) for key, kind in arrays_of(found).items()}
    known |= {f"parts_of_{key}": Array(kind) for key, kind in parts_of(module).items()}
    known |= {p.name: NUMBERS[p.type] for p in found.of_kind("number")}
    known["layout"] = (UINT32,) * SIZES[layout]
    signature = tuple(known.get(key, UINT32) for key in inspect.signature(function).parameters)
    label = f"rows of {found.name}: {name} by {team} of {layout}"
    return Known(label, row_kernel(module, name, team, layout, FLOAT32), signature, True)


def arrays_of(found: Program) -> dict[str, np.dtype]:
    """What the arrays of a program hold, and its outputs."""
    given = {p.name: INT64 if is_place(found, p.name) else FLOAT32 for p in found.arrays}
    lowered = Lowered(found)
    kinds = Spelling(lowered, lambda *_: "", "").kinds
    typed = {INTEGER: INT64, TRUTH: np.dtype(np.bool_)}
    return given | {o: FLOAT32 if o in lowered.rows else typed.get(kinds[o], FLOAT32) for o in found.outputs}


def is_place(found: Program, name: str) -> bool:
    """Whether a number of a row is a place: elements are taken there, or it is compared with one."""
    whole = {COUNT, PLACE, *(p.name for p in found.of_kind("number") if p.type == "int")}
    return any(uses_as_place(node, name, whole) for s in found.statements for node in ast.walk(s.value))


def uses_as_place(node: ast.AST, name: str, whole: set[str]) -> bool:
    """Whether a part of an expression takes an element there, or compares it with one of the `whole` numbers."""
    match node:
        case ast.Call(func=ast.Name(id=function), args=[_, ast.Name(id=place)]):
            return function == ELEMENT_AT and place == name
        case ast.Compare(left=left, comparators=comparators):
            sides = {side.id for side in (left, *comparators) if isinstance(side, ast.Name)}
            return name in sides and name.endswith("_row") and bool(sides & whole)
    return False


def parts_of(module: str) -> dict[str, np.dtype]:
    """What the arrays hold that launches leave for each other."""
    kinds = {"T": FLOAT32, "W": wide_of(FLOAT32), "int32": np.dtype(np.int32), "uint32": UINT32}
    return {name: kinds[kind] for held in importlib.import_module(module).PARTS for name, kind in held}
