"""Tables of which an element depends on those above and on the left: they are computed along diagonals.

The elements of a diagonal are independent of each other, so that the loop over them is vector code. Such tables lie in
memory by diagonals: element (i, j) of n x m is at (i + j) n + i. (L. Lamport, "The parallel execution of DO loops",
Communications of the ACM 17, 1974.)
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..language.index_expressions import linear, outer_folds, reads, same
from ..language.indexed_faults import is_uniform
from ..language.indexed_programs import IndexedProgram, Statement


@dataclass(frozen=True)
class Wavefront:
    """The two indices of a table, its sizes, and whether it is computed from the front or from the end."""

    indices: tuple[str, str]
    sizes: tuple[ast.expr, ast.expr]
    step: int

    @property
    def diagonals(self) -> str:
        rows, columns = map(ast.unparse, self.sizes)
        return f"({rows}) + ({columns}) - 1"

    @property
    def total(self) -> str:
        return f"({self.diagonals}) * ({ast.unparse(self.sizes[0])})"

    def rows(self, diagonal: str) -> tuple[str, str]:
        """Where the rows of a diagonal begin and end."""
        rows, columns = map(ast.unparse, self.sizes)
        return f"max(0, {diagonal} - ({columns}) + 1)", f"min({rows}, {diagonal} + 1)"


def wavefronts(program: IndexedProgram) -> dict[str, Wavefront]:
    """The wavefronts of a program by the names of their tables, and of those that are computed of such, too."""
    results: dict[str, Wavefront] = {}
    for group in program.groups:
        reads_table = any(read.name in results for s in group for read in reads(s.value, results))
        front = None
        if program.is_recurrence(group):
            front = _of_recurrence(program, group, reads_table)
        elif reads_table and len(group) == 1:
            front = _of_table(program, group[0])
        results |= {statement.name: front for statement in group if front}
    return results


def _of_table(program: IndexedProgram, statement: Statement) -> Wavefront | None:
    """Along diagonals from the front; None for what is no table of its own."""
    names = [subscript.id for subscript in statement.subscripts if isinstance(subscript, ast.Name)]
    array = program.arrays[statement.name]
    if len(names) != 2 or len(array.dims) != 2 or array.kind != "local":
        return None
    if statement.collect or outer_folds(statement.value):
        return None
    starts, sizes = zip(*(statement.ranges[name] for name in names), strict=True)
    if any(ast.unparse(start) != "0" for start in starts) or not all(map(same, sizes, array.dims)):
        return None
    return Wavefront((names[0], names[1]), (sizes[0], sizes[1]), 1)


def _of_recurrence(program: IndexedProgram, group: Sequence[Statement], reads_table: bool) -> Wavefront | None:
    """`reads_table`: what is read lies along diagonals, so that a recurrence of one direction goes along them, too; by
    itself it goes row by row, whose loops need no more memory than the table has."""
    fronts = [_of_table(program, statement) for statement in group]
    front = fronts[0]
    if front is None or None in fronts or not is_uniform(group):
        return None
    offsets = list(_offsets(group, front.indices))
    known = [pair for pair in offsets if pair is not None and any(pair)]
    steps = {-1 if max(pair) > 0 else 1 for pair in known}
    reads_table |= {down == 0 for down, _ in known} == {True, False}
    is_ordered = None not in offsets and all(down * along >= 0 for down, along in known) and len(steps) == 1
    return replace(front, step=steps.pop()) if is_ordered and reads_table else None


def _offsets(group: Sequence[Statement], names: tuple[str, str]) -> Iterator[tuple[int, int] | None]:
    """How far from an element those lie that it depends on; None for one that is not at a constant offset."""
    own = {statement.name for statement in group}
    for statement in group:
        for read in reads(statement.value, own):
            pairs = [linear(subscript) for subscript in read.subscripts]
            are_offsets = all(terms == {name: 1} for (terms, _), name in zip(pairs, names, strict=True))
            yield (int(pairs[0][1]), int(pairs[1][1])) if are_offsets else None
