"""Which statements of a program are computed in one loop: those whose sums go over the same range, and those that
compute rows of one number from rows of that number, which are in cache then."""

import ast

from ..language.index_expressions import is_name, reads
from ..language.indexed_programs import Statement
from .indexed_loops import LoopWriter
from .program_kinds import ProgramCode

Group = tuple[Statement, ...]


def with_shared_loops(code: ProgramCode) -> list[Group]:
    """The groups of a program; neighbours that can share a loop are one."""
    groups: list[Group] = []
    for group in code.program.groups:
        if groups and (_have_one_sum(code, groups[-1], group) or _have_the_same_rows(code, groups[-1], group)):
            groups[-1] = (*groups[-1], *group)
        else:
            groups.append(group)
    return groups


def _have_one_sum(code: ProgramCode, one: Group, other: Group) -> bool:
    """Whether all have the same loops, those of their sums as well."""
    if len(other) > 1 or code.program.is_recurrence(one) or code.program.is_recurrence(other):
        return False
    writer = LoopWriter(code, one, set())
    return all(writer.have_one_sum(one[:k], each) for k, each in enumerate((*one, *other)) if k)


def _have_the_same_rows(code: ProgramCode, one: Group, other: Group) -> bool:
    """Whether statements have the same first index, and read rows of that index alone of each other."""
    if len(other) > 1 or code.program.is_recurrence(one) or code.program.is_recurrence(other):
        return False
    if len({statement.name for statement in (*one, *other)}) < len(one) + 1:
        return False
    if not all(_is_of_rows(code, statement) for statement in (*one, *other)):
        return False
    index = one[0].subscripts[0]
    assert isinstance(index, ast.Name)
    if not all(is_name(statement.subscripts[0], index.id) for statement in other):
        return False
    ranges = {tuple(map(ast.unparse, statement.ranges[index.id])) for statement in (*one, *other)}
    own = {statement.name for statement in (*one, *other)}
    of_others = [read for statement in (*one, *other) for read in reads(statement.value, own)]
    return len(ranges) == 1 and all(is_name(read.subscripts[0], index.id) for read in of_others)


def _is_of_rows(code: ProgramCode, statement: Statement) -> bool:
    """Whether a statement can be computed row by row, no slower than otherwise, or has to be."""
    writer = LoopWriter(code, (statement,), set())
    read = {read.name for read in reads(statement.value, code.program.arrays)}
    if not code.program.in_rows.isdisjoint({statement.name, *read}):
        return bool(writer.parallel)
    return writer.is_of_rows(statement)
