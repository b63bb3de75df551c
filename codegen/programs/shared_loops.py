"""Which statements of a program are computed in the same loops: those whose sums go over the same range."""

import ast
from collections.abc import Sequence

from ..language.index_expressions import fold_of, reads
from ..language.indexed_programs import Statement
from .indexed_loops import LoopWriter
from .program_kinds import ProgramCode

Group = tuple[Statement, ...]


def with_shared_loops(code: ProgramCode) -> list[Group]:
    """The groups of a program; neighbours that have the same loops, and read nothing of each other, are one."""
    groups: list[Group] = []
    before: str | None = None
    for group in code.program.groups:
        loops = _loops_of(code, group)
        if loops is not None and loops == before and _are_apart(code, (*groups[-1], *group)):
            groups[-1] = (*groups[-1], *group)
        else:
            groups.append(group)
        before = loops
    return groups


def _loops_of(code: ProgramCode, group: Group) -> str | None:
    """The loops of a statement and of the sum that it has, as text."""
    fold = LoopWriter(code, [group], set()).sum_in_register()
    if fold is None:
        return None
    statement, (_, over, _) = group[0], fold_of(fold) or ("", (), fold)
    indices = [ast.unparse(subscript) for subscript in statement.subscripts]
    ranges = [[ast.unparse(end) for end in statement.ranges[name]] for name in (*indices, *over)]
    return f"{indices} {over} {ranges}"


def _are_apart(code: ProgramCode, statements: Sequence[Statement]) -> bool:
    names = {statement.name for statement in statements}
    read = {read.name for statement in statements for read in reads(statement.value, code.program.arrays)}
    return names.isdisjoint(read) and len(names) == len(statements)
