"""Tables of which an element depends on those above and on the left: they are computed along diagonals.

The elements of a diagonal are independent of each other, so that the loop over them is vector code. Such tables lie in
memory by diagonals: element (i, j) of n x m is at (i + j) n + i. (L. Lamport, "The parallel execution of DO loops",
Communications of the ACM 17, 1974.)
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
    """The wavefronts of a program by the names of their tables."""
    pairs = [(group, wavefront_of(program, group)) for group in program.groups]
    return {statement.name: front for group, front in pairs if front for statement in group}


def wavefront_of(program: IndexedProgram, group: Sequence[Statement]) -> Wavefront | None:
    first = group[0]
    names = [subscript.id for subscript in first.subscripts if isinstance(subscript, ast.Name)]
    own = {statement.name for statement in group}
    if len(names) != 2 or len(first.subscripts) != 2 or not is_uniform(group) or not program.is_recurrence(group):
        return None
    if any(outer_folds(s.value) or program.arrays[s.name].kind != "local" or s.collect for s in group):
        return None
    spans = [first.ranges[name] for name in names]
    starts, sizes = zip(*spans, strict=True)
    are_full = all(same(size, dim) for name in own for size, dim in zip(sizes, program.arrays[name].dims, strict=True))
    offsets = list(_offsets(group, names, own))
    known = [pair for pair in offsets if pair is not None and any(pair)]
    steps = {-1 if max(pair) > 0 else 1 for pair in known}
    is_ordered = None not in offsets and all(down * along >= 0 for down, along in known) and len(steps) == 1
    in_a_row = any(down == 0 for down, _ in known)
    if not (are_full and is_ordered and in_a_row) or any(ast.unparse(start) != "0" for start in starts):
        return None
    return Wavefront((names[0], names[1]), (sizes[0], sizes[1]), steps.pop())


def _offsets(group: Sequence[Statement], names: Sequence[str], own: set[str]) -> Iterator[tuple[int, int] | None]:
    """How far from an element those lie that it depends on; None for one that is not at a constant offset."""
    for statement in group:
        for read in reads(statement.value, own):
            pairs = [linear(subscript) for subscript in read.subscripts]
            are_near = all(terms == {name: 1} for (terms, _), name in zip(pairs, names, strict=True))
            yield (int(pairs[0][1]), int(pairs[1][1])) if are_near else None
