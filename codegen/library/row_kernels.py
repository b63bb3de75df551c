"""The kernels that are generated from row programs, as parts that a spec may name: an op's, by the op's name."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from ..spec.model import Entry, Spec
from ..spec.row_program import NO_PART, check_of_rows
from .homes import RULE_FILES, Known, OpLibrary, Part
from .modules import parameters_of

FOLDER = ("kernels", "rows")  # in a generated package
KINDS = ("kernel", "check")


class RowPart(Part):
    """The kernel of a row program, in a module of the generated package."""

    @property
    def op(self) -> str:
        return self.name if self.kind == "kernel" else self.name.removesuffix("_rows")

    @property
    def module(self) -> tuple[str, ...]:
        return (*FOLDER, f"cpu_{self.op}") if self.kind == "kernel" else ("checks", self.op)

    @property
    def shown(self) -> str:
        return f"{'/'.join(self.module)}.py"

    @property
    def alias(self) -> str:
        return f"_{'rows' if self.kind == 'kernel' else 'check'}_{self.op}"

    def import_line(self, depth: int) -> str:
        *folder, last = self.module
        return f"from {'.' * depth}{'.'.join(folder)} import {last} as {self.alias}"


def row_parts(entries: Iterable[Entry]) -> tuple[Part, ...]:
    """The kernels of the entries that have row programs, and the checks of those that name none of their own."""
    op_library = OpLibrary(Path(), "", relative=True, locations=dict.fromkeys(RULE_FILES, ()))
    matches: list[Part] = []
    for entry in entries:
        if entry.rows is not None:
            args = [a.name for a in entry.schema.arguments]
            passed = [a.name for a in entry.schema.arguments if a.type.base not in NO_PART]
            where, check = Path(entry.where.file), check_of_rows(entry.schema)
            matches.append(
                RowPart(op_library, "kernel", entry.identifier, where, _stub(entry, entry.identifier, passed))
            )
            matches.append(RowPart(op_library, "check", check, where, _stub(entry, check, ["name", *args])))
    return tuple(matches)


def _stub(entry: Entry, name: str, arguments: Sequence[str]) -> ast.FunctionDef:
    """A function of the name and arguments of one that has not been written yet."""
    listed = ", ".join(arguments)
    doc = f'"""{demand_of(entry)}"""' if name != entry.identifier else "pass"
    tree = ast.parse(f"def {name}({listed}):\n    {doc}\n    return compute({listed})")
    value = tree.body[0]
    assert isinstance(value, ast.FunctionDef)
    value.lineno = entry.where.line
    return value


def demand_of(entry: Entry) -> str:
    """What the generated check of a program's arguments demands, in words."""
    assert entry.rows is not None
    phrases = ["`dim` in range"] if any(a.name == "dim" for a in entry.schema.arguments) else []
    phrases += [f"`{p.array}` of one row" for p in entry.rows.of_kind("shared")]
    phrases += [f"`{p.array}` of one number a row" for p in entry.rows.of_kind("each")]
    rows = [f"`{p.array}`" for p in entry.rows.of_kind("row")]
    phrases += [f"{' and '.join(rows)} of one shape"] if len(rows) > 1 else []
    return ", ".join(phrases) + "."


def with_row_kernels(known: Known, spec: Spec) -> Known:
    parts = row_parts(spec.entries)
    if not parts:
        return known
    names = {kind: frozenset(part.name for part in parts if part.kind == kind) for kind in KINDS}
    own = {kind: parameters_of(part.node for part in parts if part.kind == kind) for kind in KINDS}
    parameters = {**known.parameters, **{kind: {**known.parameters.get(kind, {}), **own[kind]} for kind in KINDS}}
    return replace(
        known,
        kernels=names["kernel"] | (known.kernels or frozenset()),
        checks=names["check"] | (known.checks or frozenset()),
        parameters=parameters,
        by_hand=known.kernels or frozenset(),
    )
