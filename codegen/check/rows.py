"""Checks of row programs: names, folds and calls, and what the op's schema and dtypes leave to them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..rows.language import program_faults
from ..rows.passes import Lowered
from ..rows.spelling import INTEGER, TRUTH, Spelling
from ..spec.model import Problem
from ..spec.row_program import LAYOUT
from .scope import Context

DTYPES_OF_KIND = {INTEGER: ("int64", "int32"), TRUTH: ("bool",)}  # of `result_dtype` for outputs that are no floats


def check_rows(context: Context) -> Iterator[Problem]:
    """A program that computes all outputs from all arguments, in floats."""
    entry, program = context.entry, context.entry.rows
    if program is None:
        return
    location = entry.key_locations["rows"]
    faults = list(program_faults(program, context.known.scalars))
    for node, message in faults:
        yield context.problem(node, message, "rows")
    if entry.identifier in context.known.by_hand:
        message = f"there is a kernel '{entry.identifier}' already: give the op another name"
        yield context.problem(location, message, "rows")
    if set(entry.dtypes) != {"float"}:
        yield context.problem(
            entry.key_locations.get("dtypes", location), "row programs are for floats: dtypes: [float]", "rows"
        )
    read = {n.id for s in program.statements for n in ast.walk(s.value) if isinstance(n, ast.Name)}
    for parameter in program.parameters:
        if parameter.name not in read:
            yield context.problem(location, f"the program does not read '{parameter.array}'", "rows")
    for argument in entry.schema.arguments:
        if argument.name in LAYOUT and argument.type.base != LAYOUT[argument.name]:
            message = f"expected '{argument.name}' to be {LAYOUT[argument.name]}: it says what a row is"
            yield context.problem(entry.where, message, "rows")
    if not faults:
        yield from _check_dtypes(context)


def _check_dtypes(context: Context) -> Iterator[Problem]:
    """Outputs that are places or truths have the dtype that `result_dtype` says."""
    entry, program = context.entry, context.entry.rows
    assert program is not None
    kinds = Spelling(Lowered(program), lambda *_: "", "").kinds
    for output, word in zip(program.outputs, entry.result_dtype, strict=True):
        allowed = DTYPES_OF_KIND.get(kinds[output], ("same",))
        if word not in allowed:
            message = f"'{output}' is {allowed[0] if allowed != ('same',) else 'of the dtype of the elements'}, "
            yield context.problem(
                entry.key_locations.get("result_dtype", entry.key_locations["rows"]),
                message + f"but result_dtype says {word}",
                "rows",
            )
