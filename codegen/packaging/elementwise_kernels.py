"""The kernels of row programs, of element-wise ops, copies and fills, and of hand-written texts, as samples launch."""

import ast
import importlib
import inspect
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from specgrad.generated.registry import OPS
from specgrad.runtime.kernels.cuda.elementwise import copy_kernel, element_kernel, element_signature, source_kernel
from specgrad.runtime.kernels.cuda.kernel import Array
from specgrad.runtime.kernels.cuda.per_element import indexed_kernel
from specgrad.runtime.kernels.cuda.row_programs import row_kernel, wide_of
from specgrad.runtime.kernels.cuda.storage import in_registers
from specgrad.runtime.kernels.cuda_launch.elementwise import between
from specgrad.runtime.kernels.cuda_launch.row_programs import program

from ..language.row_programs import COUNT, ELEMENT_AT, INDEX_NAME, Program, programs_of
from ..library.bases import SPEC
from ..programs.passes import Lowered
from ..programs.python_code import INTEGER, TRUTH, Spelling
from ..proof.derive import load_on_demand
from ..spec.model import identifier_of
from ..verify.checks.kernels import RESULTS
from ..verify.checks.kernels import Kernel as Generated
from ..verify.checks.kernels import kernels as generated
from .known_kernels import Known, dtype_of, launched

FLOAT32 = np.dtype(np.float32)
FLOAT64 = np.dtype(np.float64)
INT64 = np.dtype(np.int64)
UINT32, UINT64 = np.dtype(np.uint32), np.dtype(np.uint64)
SIZES = {"rows": 1, "columns": 2, "segments": 2, "channels": 4, "groups": 4}  # how many numbers say a layout
NUMBERS = {"float": FLOAT64, "int": INT64, "bool": np.dtype(np.bool_)}
OF_ROWS = (("held", "warp"), ("held", "block"), ("full", "block"))
OF_COLUMNS = (("held", "thread"), ("held", "columns"), ("full", "columns"))
# the kernels of rows, and who has one, by the layout
THREAD_GROUPS = dict.fromkeys(SIZES, OF_ROWS) | {"columns": OF_COLUMNS}
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
        plain = Stored(FLOAT32, tuple(arrays_of(result).items()))
        recorded = launches_of(result)
        layouts = dict.fromkeys(layout for layout, _ in recorded)
        for layout in dict.fromkeys((*GROUPED_LAYOUTS, *layouts)):
            for needs_int64 in (False, True):
                yield from in_layout(result, plain, layout, needs_int64)
        for stored in dict.fromkeys(stored for _, stored in recorded):
            for layout in layouts if stored != plain else ():
                yield from in_layout(result, stored, layout)


@cache
def own_programs() -> dict[str, Program]:
    """Those of modules, and of the spec's entries, whose sums over rows are programs apart."""
    root = Path(SPEC).parent
    modules = sorted((root / "runtime" / "ops").glob("*/rows.py"))
    made = {path.stem.removeprefix("cpu_") for path in (root / "generated" / "kernels" / "programs").glob("cpu_*.py")}
    entries = load_on_demand(Path(SPEC))
    programs = [rows for name in entries if identifier_of(name) in made and (rows := entries[name].rows) is not None]
    sums = [each.columns_summed(f"{each.name}_sums") for each in programs if each.totals]
    own = {name: result for path in modules for name, result in programs_of(path).items()}
    return own | {each.name: each for each in (*(rows.without_totals for rows in programs), *sums)}


def launches_of(result: Program) -> list[tuple[str, Stored]]:
    parameters = list(inspect.signature(importlib.import_module(program(result.name)).full).parameters)
    known = []
    for _, (name, layout, computed), signature in launched("rows"):
        if name == result.name and len(signature) == len(parameters):
            parts = zip(parameters, signature, strict=True)
            kinds = tuple((key.removeprefix("all_"), part.dtype) for key, part in parts if isinstance(part, Array))
            known.append((layout, Stored(dtype_of(computed), kinds)))
    return known


def in_layout(result: Program, stored: Stored, layout: str, needs_int64: bool = False) -> Iterator[Known]:
    module, kinds = program(result.name), dict(stored.kinds)
    kernels = importlib.import_module(module)
    parts = [*(f"fold_{k + 1}" for k in range(len(kernels.PARTS))), "finish"]
    for name, thread_group in (*THREAD_GROUPS[layout], *((part, SPLIT[layout]) for part in parts)):
        function = getattr(kernels, name)
        known: dict[str, Any] = {f"all_{key}": Array(kind) for key, kind in kinds.items()}
        known |= {f"parts_of_{key}": Array(kind) for key, kind in parts_of(module, stored.computed).items()}
        known |= {p.name: NUMBERS[p.type] for p in result.of_kind("number")}
        known["layout"] = (UINT64 if needs_int64 else UINT32,) * SIZES[layout]
        signature = tuple(known.get(key, UINT32) for key in inspect.signature(function).parameters)
        dtypes = "" if kinds == arrays_of(result) else stored.label
        label = f"rows of {result.name}: {name} by {thread_group} of {'far ' * needs_int64}{layout}{dtypes}"
        kernel = row_kernel(module, name, thread_group, layout, stored.computed, needs_int64)
        yield Known(label, kernel, signature, not needs_int64 and stored.computed != FLOAT64)


def arrays_of(result: Program) -> dict[str, np.dtype]:
    arguments = {p.name: INT64 if is_index(result, p.name) else FLOAT32 for p in result.arrays}
    lowered = Lowered(result)
    kinds = Spelling(lowered, lambda *_: "", "").kinds
    typed = {INTEGER: INT64, TRUTH: np.dtype(np.bool_)}
    return arguments | {o: FLOAT32 if o in lowered.rows else typed.get(kinds[o], FLOAT32) for o in result.outputs}


def is_index(result: Program, name: str) -> bool:
    full = {COUNT, INDEX_NAME, *(p.name for p in result.of_kind("number") if p.type == "int")}
    return any(uses_as_index(node, name, full) for s in result.statements for node in ast.walk(s.value))


def uses_as_index(node: ast.AST, name: str, full: set[str]) -> bool:
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


PASSED = {"int": FLOAT64, "bool": np.dtype(np.bool_)}  # numbers by their types; `as_number` makes floats of whole ones
LAYOUTS = {0: "flat", 3: "strided"}
OTHERS = [np.dtype(t) for t in (np.float16, ml_dtypes.bfloat16, np.float64)]
COPIED = [np.dtype(t) for t in (np.bool_, np.int32, np.int64, np.float16, ml_dtypes.bfloat16, np.float32, np.float64)]


def element_kernels() -> Iterator[Known]:
    for op in OPS:
        for kernel in generated(op, "specgrad.generated"):
            if not kernel.is_complex:
                yield from (known_elementwise(kernel, kernel.inputs, dims) for dims in LAYOUTS)
                yield from with_number(kernel)
                yield from of_other_dtypes(kernel)
    yield from copies()


def of_other_dtypes(kernel: Generated) -> Iterator[Known]:
    if kernel.name == "forward":
        for stored in OTHERS if "float" in kernel.op.dtypes else ():
            yield known_elementwise(kernel, kernel.inputs, 0, stored=stored)
        if "int" in kernel.op.dtypes and kernel.op.result_dtype[0] in ("same", "bool"):
            yield known_elementwise(kernel, kernel.inputs, 0, stored=INT64)


def with_number(kernel: Generated) -> Iterator[Known]:
    arrays = [name for name in kernel.inputs if kernel.is_array(name) and not kernel.is_mask(name)]
    if kernel.op.takes_number:
        operands = [name for name in arrays if kernel.type_of(name) != "Tensor" or name in ("self", "other")]
        for number in operands if len(arrays) > 1 else ():
            yield known_elementwise(kernel, [name for name in kernel.inputs if name != number], 0, f" number {number}")


def known_elementwise(kernel: Generated, arrays: list[str], dims: int, text: str = "", stored: Any = FLOAT32) -> Known:
    own = tuple(not kernel.is_array(name) or kernel.is_mask(name) for name in kernel.inputs)
    operands = tuple(operand(kernel, name, name in arrays, stored) for name in kernel.inputs)
    single = element_kernel(kernel.package, kernel.family, kernel.function, in_registers(stored), own)
    signature = element_signature(operands, results(kernel, stored), dims)
    dtype = "" if stored == FLOAT32 else f" {stored}"
    label = f"{kernel.function}{text}{dtype} {LAYOUTS[dims]}"
    return Known(label, single, signature, stored == FLOAT32)


def operand(kernel: Generated, name: str, is_array: bool, stored: np.dtype) -> Any:
    if not kernel.is_array(name):
        return PASSED.get(kernel.type_of(name), FLOAT64)
    if kernel.is_mask(name):
        return Array(np.dtype(np.bool_))
    return Array(stored) if is_array else stored


def results(kernel: Generated, stored: np.dtype) -> tuple[Array, ...]:
    if kernel.name == "forward":
        kind = RESULTS.get(kernel.op.result_dtype[0], stored)
        return (Array(stored if kind == np.float64 else np.dtype(kind)),)
    return (Array(stored),) * len(kernel.results())


def copies() -> Iterator[Known]:
    for source, to, dims in product(COPIED, COPIED, LAYOUTS):
        signature = element_signature((Array(source),), (Array(to),), dims)
        yield Known(f"copy {source} to {to} {LAYOUTS[dims]}", copy_kernel(between(source, to)), signature, True)
    for to, dims in product(COPIED, LAYOUTS):
        computed = in_registers(to)
        signature = element_signature((computed,), (Array(to),), dims)
        yield Known(f"fill {to} {LAYOUTS[dims]}", copy_kernel(computed), signature, True)


PACKAGE = "specgrad."
INT32 = np.dtype(np.int32)


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
    module, _, text = name.rpartition(".")
    return getattr(importlib.import_module(PACKAGE + module), text, None)


def int64_part(part: Any) -> Any:
    if isinstance(part, tuple) and not isinstance(part, Array):
        return tuple(map(int64_part, part))
    return INT64 if part == INT32 else part
