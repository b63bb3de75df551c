"""Arrays for parts of expressions, so that nothing expensive is computed more often than it has elements.

    result[c, i] = sum[j](exp(score[i, j]) * value[j, c])

is, where loops over `i` and `j` would compute each exponential for every `c`,

    part[i, j] = exp(score[i, j])
    result[c, i] = sum[j](part[i, j] * value[j, c])

An array is made where it takes no more memory than one that there is, or where a row of it is enough at a time.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

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
MAX_REPEATED = 4  # values of an index for which a part may be computed again


def rearranged(program: IndexedProgram) -> IndexedProgram:
    """A program with the same results, whose loops have less to do."""
    program = with_split_folds(with_ordered_folds(program))
    refused: set[tuple[str, str, str]] = set()
    known = list(_expensive_parts(ProgramCode(program)))
    while (part := next(_parts(program, known, refused), None)) is not None:
        lifted = _lifted(program, part, known)
        if lifted is None:
            refused.add(part.identity)
        else:
            program = lifted
            known = list(_expensive_parts(ProgramCode(program)))
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

    @cached_property
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

    @cached_property
    def key(self) -> str:
        """Equal parts have the same."""
        names = (*self.indices, *bound_names(self.node))
        ends = [ast.unparse(end) for name in names for end in self.statement.ranges[name]]
        return " ".join([*map(ast.dump, (self.node, *self.tests)), *ends])

    @property
    def owner(self) -> tuple[int, str]:
        """The statement and the fold that compute it."""
        return id(self.statement), ast.dump(self.fold) if self.fold else ""

    @property
    def identity(self) -> tuple[str, str, str]:
        """What tells parts from each other, those of other programs with more arrays as well."""
        return self.key, self.statement.name, ast.dump(self.fold) if self.fold else ""

    @property
    def costs_less_alone(self) -> bool:
        """Whether an array is worth it for one fold."""
        return self.is_repeated or self.is_outside or self.is_searched

    @property
    def row(self) -> str:
        """The first index of the statement, of which each value has a row."""
        match self.statement.subscripts:
            case (ast.Name(id=name), *_):
                return name
        return ""

    @property
    def is_repeated(self) -> bool:
        """Whether a loop around the last that the part needs is over an index that it does not have."""
        own = [self.order.index(name) for name in self.indices]
        missing = {*self.order[: max(own, default=0)]} - {*self.indices}
        return any(not _is_short_range(self.statement.ranges[name]) for name in missing)

    @property
    def is_outside(self) -> bool:
        """Whether a function is called outside of the innermost loop, where loops are no vector code."""
        return (
            fold_of(self.node) is None
            and self.order[-1:] != self.indices[-1:]
            and self.order[-1] not in self.indices
            and not _is_short_range(self.statement.ranges[self.order[-1]])
        )


def _is_short_range(ends: tuple[ast.expr, ast.expr]) -> bool:
    match ends:
        case ast.Constant(value=int(start)), ast.Constant(value=int(stop)):
            return stop - start <= MAX_REPEATED
    return False


def _parts(program: IndexedProgram, known: Sequence[_Part], refused: set[tuple[str, str, str]]) -> Iterator[_Part]:
    """Those that an array could be made for, and that loops compute again and again, or several of them."""
    code = ProgramCode(program)
    known = [part for part in known if _can_be_an_array(code, part)]
    owners: dict[str, set[tuple[int, str]]] = {}
    for part in known:
        owners.setdefault(part.key, set()).add(part.owner)
    for part in known:
        if (part.costs_less_alone or len(owners[part.key]) > 1) and part.identity not in refused:
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
    if not indices or code.kind_of(part.node) != VALUE or _is_entire_value(part):
        return False
    if not {name for test in part.tests for name in free_names(test)} & {*part.order} <= {*free_names(part.node)}:
        return False
    read = {read.name for tree in (part.node, *part.tests) for read in reads(tree, program.arrays)}
    if any(statement.name in read for statement in program.statements[part.position :]):
        return False
    known = {ast.unparse(dim) for array in program.arrays.values() for dim in array.dims}
    sizes = [part.statement.ranges[name][1] for name in indices]
    return all(ast.unparse(size) in known or isinstance(size, ast.Constant) for size in sizes)


def _is_entire_value(part: _Part) -> bool:
    """Whether a part is all that a statement computes, for each of its elements that fulfils conditions."""
    value = part.statement.value
    while isinstance(value, ast.IfExp) and same(value.orelse, ast.Constant(0)):
        value = value.body
    return part.node is value and {*part.indices} == {*part.statement.indices}


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


def _lifted(program: IndexedProgram, part: _Part, known: Sequence[_Part]) -> IndexedProgram | None:
    """The program with an array for a part; None where that would take too much memory."""
    owners = _owners(program, part, known)
    if part.statement not in owners:
        return None
    if _has_its_memory(program, part):
        return _with_array(program, part, part.indices, owners)
    first = part.row
    if first not in part.indices:
        return None
    indices = (first, *(name for name in part.indices if name != first))
    same_rows = [owner for owner in owners if _Part(owner.value, 0, owner).row == first]
    for some in (same_rows, [part.statement]):
        if not (part.costs_less_alone or _is_shared(part, some, known)):
            continue
        lifted = _with_array(program, part, indices, some)
        name = lifted.statements[part.position].name
        lifted = replace(lifted, in_rows=program.in_rows | {name})
        if _is_a_row(lifted, name):
            return lifted
    return None


def _is_shared(part: _Part, owners: Sequence[Statement], known: Sequence[_Part]) -> bool:
    """Whether several folds or statements among some compute a part."""
    same_parts = [each for each in known if each.key == part.key]
    return len({each.owner for each in same_parts if any(each.statement is owner for owner in owners)}) > 1


def _owners(program: IndexedProgram, part: _Part, known: Sequence[_Part]) -> list[Statement]:
    """The statements in which a part stands under the same conditions, and nowhere else."""
    text = ast.dump(part.node)
    counts: dict[int, int] = {}
    for each in known:
        if each.key == part.key and not each.is_searched:
            counts[id(each.statement)] = counts.get(id(each.statement), 0) + 1
    statements = [s for s in program.statements[part.position :] if id(s) in counts]
    return [s for s in statements if sum(ast.dump(n) == text for n in ast.walk(s.value)) == counts[id(s)]]


def _is_a_row(program: IndexedProgram, name: str) -> bool:
    """Whether there is one row of an array at a time."""
    code = ProgramCode(program)
    group = next(group for group in with_shared_loops(code) if any(each.name == name for each in group))
    return len(group) > 1 and LoopWriter(code, group, set()).is_of_group(name)


def _with_array(
    program: IndexedProgram, part: _Part, indices: Sequence[str], owners: Sequence[Statement]
) -> IndexedProgram:
    """The program with an array for a part of some statements."""
    arrays = dict(program.arrays)
    own = _assigned(arrays, program, part, indices)
    to = element(own.name, own.subscripts)
    statements = [
        replace(s, value=replaced(s.value, part.node, to)) if any(s is owner for owner in owners) else s
        for s in program.statements
    ]
    statements.insert(part.position, own)
    return replace(program, statements=tuple(statements), arrays=arrays)


def _assigned(arrays: dict[str, Array], program: IndexedProgram, part: _Part, indices: Sequence[str]) -> Statement:
    """The statement of a new array, which is added to others."""
    reserved = {*arrays, *program.numbers, *program.sizes, *(i for s in program.statements for i in s.ranges)}
    name, ranges = fresh("part", reserved), part.statement.ranges
    arrays[name] = Array(name, "local", tuple(ranges[index][1] for index in indices))
    value = part.node
    for test in part.tests:
        value = ast.IfExp(test, value, ast.Constant(0))
    own = {index: ranges[index] for index in (*indices, *bound_names(value))}
    subscripts = tuple(ast.Name(index, ast.Load()) for index in indices)
    return Statement(name, subscripts, value, "", own, part.statement.node)
