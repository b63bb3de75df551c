"""The dtypes that the ops of the tree give, as a golden file: a line an op, read as a change of behaviour in a diff.

`python -m codegen dtypes` writes the file. Each line has the dtypes of the tensors of a sample, one after the other,
then `int` or `float` for its numbers of Python; behind the colon those of the outputs, or `refused`.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..library.bases import SPEC
from .calls.findings import Report
from .calls.interpreted import all_plain, has_loops, plain
from .calls.point import TypedCall, typed_calls
from .checks.dtypes import answer

PATH = SPEC.parent / "tests" / "golden" / "dtypes.txt"
ONE_DTYPE = ("bool", "int32", "float16", "float32", "complex64")
TWO_DTYPES = ("int32 float32", "float32 float64")
WITH_NUMBERS = ("bool int", "int32 int", "int32 float")
HEADER = "# The dtypes that ops give, made by `python -m codegen dtypes`: see codegen/verify/dtype_tables.py.\n"


def cases(call: TypedCall) -> Iterator[str]:
    yield from ONE_DTYPE
    if len(call.tensors) > 1:
        yield from TWO_DTYPES
    if call.scalars:
        yield from WITH_NUMBERS


def dtype_table(op: Any) -> dict[str, str]:
    """The outputs' dtypes for those of the tensors, in the first of the op's samples with the most of them."""
    call = next(iter(typed_calls(op)), None)
    if call is None or not call.tensors:
        return {}
    with plain(op) if has_loops(op) else all_plain(op), np.errstate(all="ignore"):
        return {case: " ".join(answer(call, case)) for case in cases(call)}


def line_of(name: str, table: Mapping[str, str]) -> str:
    return f"{name} | {', '.join(f'{case}: {result}' for case, result in table.items())}\n"


@cache
def golden_tables() -> dict[str, dict[str, str]]:
    lines = PATH.read_text(encoding="utf-8").splitlines() if PATH.is_file() else []
    pairs = [line.split(" | ") for line in lines if not line.startswith("#")]
    return {name: dict(case.split(": ") for case in cases.split(", ")) for name, cases in pairs}


def check_golden(op: Any, report: Report) -> None:
    """What an op of the tree gives is what the golden file says."""
    golden = golden_tables().get(op.name) if Path(op.spec).resolve() == SPEC else None
    if golden is None:
        return
    report.checks += len(golden)
    table = dtype_table(op)
    for case in (*golden, *(case for case in table if case not in golden)):
        if golden.get(case) != table.get(case):
            text = f"tensors of {case} give {table.get(case)}, where {PATH.name} says {golden.get(case)}"
            report.find(op, "dtype", f"{text} (meant? python -m codegen dtypes)", "dtypes")


def dtypes_command(argv: Sequence[str]) -> int:
    from specgrad.generated.registry import OPS

    parser = argparse.ArgumentParser(prog="python -m codegen dtypes", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where the file is stale")
    options = parser.parse_args(argv)
    tables = {op.name: dtype_table(op) for op in OPS}
    text = HEADER + "".join(line_of(name, table) for name, table in tables.items() if table)
    if options.check:
        return int(not PATH.is_file() or PATH.read_text(encoding="utf-8") != text)
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_text(text, encoding="utf-8")
    return 0
