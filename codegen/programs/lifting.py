"""Arrays for parts of expressions, so that nothing expensive is computed more often than it has elements.

    result[c, i] = sum[j](exp(score[i, j]) * value[j, c])

is, where loops over `i` and `j` would compute each exponential for every `c`,

    part[i, j] = exp(score[i, j])
    result[c, i] = sum[j](part[i, j] * value[j, c])

An array is made where it takes no more memory than one that there is, or where a row of it is enough at a time.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..language.index_expressions import (
    bound_names,
    element,
    fold_of,
    free_names,
    fresh,
    outer_folds,
    reads,
    replaced,
    same,
)
from ..language.indexed_programs import Array, IndexedProgram, Statement
from .fold_order import expensive_parts, is_expensive_part, with_ordered_folds
from .indexed_loops import LoopWriter
from .program_kinds import FLAT_INDEX, ProgramCode
from .python_code import VALUE
from .shared_loops import with_shared_loops

FOLDS = ("sum", "mean", "prod", "max", "min")  # that are computed in rows
FEW = 4  # values of an index for which a part may be computed again
Ranges = Mapping[str, tuple[ast.expr, ast.expr]]


def rearranged(program: IndexedProgram) -> IndexedProgram:
    """A program with the same results, whose loops have less to do."""
    program = with_split_folds(with_ordered_folds(program))
    refused: set[str] = set()
    while (part := next(_parts(program, refused), None)) is not None:
        lifted = _lifted(program, part)
        if not _has_its_memory(program, part):
            name = lifted.statements[part.position].name
            lifted = replace(lifted, in_rows=program.in_rows | {name})
            if not _is_a_row(lifted, name):
                refused.add(part.key)
                continue
        program = lifted
    return program


def with_split_folds(program: IndexedProgram) -> IndexedProgram:
    """A statement for each of several folds that loops go through in different orders."""
    code = ProgramCode(program)
    statements: list[Statement] = []
    arrays = dict(program.arrays)
    for statement in program.statements:
        for fold in _folds_to_split(code, statement):
            part = _Part(fold, 0, statement)
            names = [name for name in statement.indices if name in part.indices]
            own = _assigned(arrays, program, part, names)
            statements.append(own)
            value = replaced(statement.value, fold, element(own.name, own.subscripts))
            statement = replace(statement, value=value)
        statements.append(statement)
    return replace(program, statements=tuple(statements), arrays=arrays)


def _folds_to_split(code: ProgramCode, statement: Statement) -> list[ast.expr]:
    writer = LoopWriter(code, (statement,), set())
    if writer.is_recurrence or statement.collect or code.kinds[statement.name] != VALUE:
        return []
    folds = list({ast.dump(fold): fold for fold in outer_folds(statement.value)}.values())
    loops = writer.result_loops(statement)
    inner = [fold for fold in folds if loops and loops[-1].index in free_names(fold)]
    if len(inner) < 2 or not all((fold_of(fold) or ("",))[0] in FOLDS for fold in inner):
        return []
    if any(code.kind_of(fold) != VALUE for fold in inner):
        return []
    return inner if any(writer.goes_in_rows(fold, loops) for fold in inner) else []


@dataclass(frozen=True)
class _Part:
    """A part of the value of the statement at `position` or behind, inside of loops over `order` and under `tests`.

    `fold` is the outermost one around it; `is_searched` says that a fold looks for an extreme among its elements."""

    node: ast.expr
    position: int
    statement: Statement
    order: tuple[str, ...] = ()
    tests: tuple[ast.expr, ...] = ()
    fold: ast.expr | None = None
    is_searched: bool = False

    @property
    def indices(self) -> tuple[str, ...]:
        """Those of the part, in the order of the subscripts of an element that it reads, one with most of them."""
        ranges = self.statement.ranges
        read = [node for node in ast.walk(self.node) if isinstance(node, ast.Subscript)]
        longest = max(
            [free_names(node.slice) for node in read], key=lambda names: sum(n in ranges for n in names), default=[]
        )
        names = (*longest, *(name for tree in (self.node, *self.tests) for name in free_names(tree)))
        own = {name for tree in (self.node, *self.tests) for name in free_names(tree)}
        return tuple(dict.fromkeys(name for name in names if name in ranges and name in own))

    @property
    def key(self) -> str:
        """Equal parts have the same."""
        names = (*self.indices, *bound_names(self.node))
        ends = [ast.unparse(end) for name in names for end in self.statement.ranges[name]]
        return " ".join([*map(ast.dump, (self.node, *self.tests)), *ends])

    @property
    def is_repeated(self) -> bool:
        """Whether a loop around the last that the part needs is over an index that it does not have."""
        own = [self.order.index(name) for name in self.indices]
        missing = {*self.order[: max(own, default=0)]} - {*self.indices}
        return any(not _is_few(self.statement.ranges[name]) for name in missing)


def _is_few(ends: tuple[ast.expr, ast.expr]) -> bool:
    match ends:
        case ast.Constant(value=int(start)), ast.Constant(value=int(stop)):
            return stop - start <= FEW
    return False


def _parts(program: IndexedProgram, refused: set[str]) -> Iterator[_Part]:
    """Those that an array could be made for, and that loops compute again and again, or several statements."""
    code = ProgramCode(program)
    known = [part for part in _expensive_parts(code) if _can_be_an_array(code, part)]
    owners: dict[str, set[tuple[int, str]]] = {}
    for part in known:
        owners.setdefault(part.key, set()).add((id(part.statement), ast.dump(part.fold) if part.fold else ""))
    for part in known:
        is_wanted = part.is_repeated or part.is_searched or len(owners[part.key]) > 1
        if is_wanted and part.key not in refused:
            yield part


def _expensive_parts(code: ProgramCode) -> Iterator[_Part]:
    position = 0
    for group in code.program.groups:
        for statement in group:
            writer = LoopWriter(code, (statement,), set())
            start = _Part(statement.value, position, statement, statement.indices)
            if statement.name not in code.wavefronts:
                yield from _parts_of(start, writer)
        position += len(group)


def _parts_of(part: _Part, writer: LoopWriter) -> Iterator[_Part]:
    """An expression itself, if it is expensive, and its parts, but for places."""
    node = part.node
    fold = fold_of(node)
    if is_expensive_part(node):
        yield part
    if isinstance(node, ast.Subscript):
        return
    if fold is not None:
        order = (*part.order, *fold[1])
        if not part.tests and part.order == part.statement.indices:
            order = writer.order_around(part.statement, node) or order
        operand = replace(part, node=fold[2], order=order, fold=part.fold or node)
        if fold[0] in FLAT_INDEX and any(expensive_parts(fold[2])):
            yield replace(operand, is_searched=True)
        yield from _parts_of(operand, writer)
        return
    tests = part.tests
    for name, child in ast.iter_fields(node):
        if isinstance(node, ast.IfExp) and name != "test":
            own = node.test if name == "body" else ast.UnaryOp(ast.Not(), node.test)
            tests = (*part.tests, own)
        for each in child if isinstance(child, list) else [child]:
            if isinstance(each, ast.expr) and not isinstance(each, ast.Name):
                yield from _parts_of(replace(part, node=each, tests=tests), writer)


def _can_be_an_array(code: ProgramCode, part: _Part) -> bool:
    """Whether all that a part reads is there before, and the array's sizes are known ones."""
    program, indices = code.program, part.indices
    if not indices or code.kind_of(part.node) != VALUE or _is_the_whole(part):
        return False
    if not {name for test in part.tests for name in free_names(test)} & {*part.order} <= {*free_names(part.node)}:
        return False
    read = {read.name for tree in (part.node, *part.tests) for read in reads(tree, program.arrays)}
    if any(statement.name in read for statement in program.statements[part.position :]):
        return False
    known = {ast.unparse(dim) for array in program.arrays.values() for dim in array.dims}
    sizes = [part.statement.ranges[name][1] for name in indices]
    return all(ast.unparse(size) in known or isinstance(size, ast.Constant) for size in sizes)


def _is_the_whole(part: _Part) -> bool:
    """Whether a part is all that a statement computes, for each of its elements."""
    return part.node is part.statement.value and {*part.indices} == {*part.statement.indices}


def _has_its_memory(program: IndexedProgram, part: _Part) -> bool:
    """Whether an array of a part has no more dimensions than one of the program's."""
    sizes = [ast.unparse(part.statement.ranges[name][1]) for name in part.indices]
    if len(sizes) == 1:
        return True
    for array in program.of_kind("input", "constant", "output"):
        left = [ast.unparse(dim) for dim in array.dims]
        if all(size in left and not left.remove(size) for size in sizes):  # type: ignore[func-returns-value]
            return True
    return False


def _is_a_row(program: IndexedProgram, name: str) -> bool:
    """Whether there is one row of an array at a time."""
    code = ProgramCode(program)
    group = next(group for group in with_shared_loops(code) if any(each.name == name for each in group))
    return len(group) > 1 and LoopWriter(code, group, set()).is_of_group(name)


def _lifted(program: IndexedProgram, part: _Part) -> IndexedProgram:
    """The program with an array for a part, wherever that stands."""
    arrays = dict(program.arrays)
    own = _assigned(arrays, program, part, part.indices)
    statements = list(program.statements)
    for k in range(part.position, len(statements)):
        if {*own.ranges} <= {*statements[k].ranges} and all(
            same(one, other)
            for name in own.ranges
            for one, other in zip(own.ranges[name], statements[k].ranges[name], strict=True)
        ):
            value = replaced(statements[k].value, part.node, element(own.name, own.subscripts))
            statements[k] = replace(statements[k], value=value)
    statements.insert(part.position, own)
    return replace(program, statements=tuple(statements), arrays=arrays)


def _assigned(arrays: dict[str, Array], program: IndexedProgram, part: _Part, indices: Sequence[str]) -> Statement:
    """The statement of a new array, which is added to others."""
    taken = {*arrays, *program.numbers, *program.sizes, *(i for s in program.statements for i in s.ranges)}
    name, ranges = fresh("part", taken), part.statement.ranges
    arrays[name] = Array(name, "local", tuple(ranges[index][1] for index in indices))
    value = part.node
    for test in part.tests:
        value = ast.IfExp(test, value, ast.Constant(0))
    own = {index: ranges[index] for index in (*indices, *bound_names(value))}
    subscripts = tuple(ast.Name(index, ast.Load()) for index in indices)
    return Statement(name, subscripts, value, "", own, part.statement.node)
