"""What is wrong with an indexed program, and in which order the indices of its recurrences run."""

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence

from .index_expressions import FOLDS, INT, PADDED, Read, fold_of, free_names, linear, reads, same
from .indexed_programs import Array, Fault, IndexedProgram, Statement
from .syntax import did_you_mean


def program_faults(program: IndexedProgram) -> Iterator[Fault]:
    yield from _name_faults(program)
    known = {*program.sizes, *program.numbers}
    for array in program.arrays.values():
        for name in (name for dim in array.dims for name in free_names(dim) if name not in known):
            node = next((s.node for s in program.statements if s.name == array.name), program.statements[0].node)
            yield node, f"unknown name '{name}' in the sizes of {array.name}{did_you_mean(name, known)}"
    for statement in program.statements:
        yield from _range_faults(statement, known)
        yield from _index_faults(statement, known)
        if not statement.collect:
            yield from _coverage_faults(statement, program.arrays[statement.name])
    for group in program.groups:
        if program.is_recurrence(group):
            yield from _recurrence_faults(program, group)


RESERVED = frozenset(
    ("T", "np", "stage", "run", "sizes", "shapes", "plan", "given", "planner", "is_inside", "launches")
    + (
        "min",
        "max",
        "abs",
        "int",
        "range",
        "padded",
        "inf",
        "nan",
        "pi",
        "Sizes",
        "Planner",
        "Launches",
        "check_indices",
    )
)


def _name_faults(program: IndexedProgram) -> Iterator[Fault]:
    for name in (*program.arrays, *program.numbers, *program.sizes):
        if name in RESERVED or name in FOLDS:
            text = f"'{name}' is a word of indexed programs: choose another name (docs/spec.md, Names)"
            yield program.statements[0].node, text


def _index_faults(statement: Statement, known: Collection[str]) -> Iterator[Fault]:
    for name in statement.ranges:
        if name in known:
            yield statement.node, f"the index '{name}' is a size or a number as well: choose another name"
    inside: set[str] = set(statement.indices)
    for name in free_names(statement.value):
        if name in statement.ranges and name not in inside:
            yield statement.node, f"the index '{name}' is neither one of {statement.name} nor of a fold"


def _range_faults(statement: Statement, known: Collection[str]) -> Iterator[Fault]:
    for index, ends in statement.ranges.items():
        for name in (name for end in ends for name in free_names(end) if name not in known):
            text = f"the range of the index '{index}' depends on '{name}': expected sizes and numbers"
            yield statement.node, f"{text}, and a condition for the rest"
    for tree in (statement.value, *statement.subscripts):
        for node in ast.walk(tree):
            fold = fold_of(node)
            for name in fold[1] if fold else ():
                if name not in statement.ranges:
                    yield (
                        statement.node,
                        f"{fold[0] if fold else ''}[{name}]: expected an index, and '{name}' is another name",
                    )
                if fold and fold[1].count(name) > 1:
                    yield statement.node, f"{fold[0]}[{', '.join(fold[1])}]: an index stands there twice"


def _coverage_faults(statement: Statement, array: Array) -> Iterator[Fault]:
    """All elements of an array are computed, unless it is one that is added up."""
    if len(array.dims) != len(statement.subscripts):
        yield statement.node, f"'{array.name}' has {len(array.dims)} dimensions, not {len(statement.subscripts)}"
        return
    for subscript, dim in zip(statement.subscripts, array.dims, strict=True):
        start, stop = statement.ranges.get(subscript.id) if isinstance(subscript, ast.Name) else (dim, dim)  # type: ignore[misc]
        if not (isinstance(start, ast.Constant) and start.value == 0 and same(stop, dim)):
            span = f"range({ast.unparse(start)}, {ast.unparse(stop)})"
            text = (
                f"{ast.unparse(subscript)} in {span} computes a part of {array.name}, whose size is {ast.unparse(dim)}"
            )
            yield statement.node, f"{text}: expected all of it, with a condition where elements differ"


def _recurrence_faults(program: IndexedProgram, group: Sequence[Statement]) -> Iterator[Fault]:
    try:
        directions(program, group)
    except NoOrder as error:
        yield error.node, str(error)


class NoOrder(ValueError):
    """A recurrence that has no order in which what it reads is known."""

    def __init__(self, node: ast.AST, message: str) -> None:
        super().__init__(message)
        self.node = node


def directions(program: IndexedProgram, group: Sequence[Statement]) -> dict[str, int]:
    """1 for an index of a recurrence that runs from the front, -1 for one from the end. A NoOrder where there is none.

    All statements of a group share their first index, unless one alone is a recurrence in several.
    """
    result: dict[str, int] = {}
    number = {statement.name: k for k, statement in enumerate(group)}
    shared = {s.subscripts[0].id if s.subscripts and isinstance(s.subscripts[0], ast.Name) else "" for s in group}
    if any(statement.collect for statement in group) or len(shared) != 1 or "" in shared:
        names = ", ".join(number)
        raise NoOrder(group[0].node, f"a recurrence of {names}: expected one first index, and no scatter")
    for k, statement in enumerate(group):
        for read in reads(statement.value, number):
            target = group[number[read.name]]
            depth = len(target.subscripts) if is_uniform(group) else 1
            ordered = _is_ordered(read, statement, target, depth, result, program.sizes)
            if not ordered and number[read.name] >= k:
                text = f"{ast.unparse(read.node)} is not known yet where {statement.name} needs it"
                raise NoOrder(statement.node, f"{text}: expected an offset, as in {read.name}[i - 1]")
    return result


def is_uniform(group: Sequence[Statement]) -> bool:
    """Whether all statements have the same indices, so that their loops are the same."""
    return len({tuple(map(ast.dump, statement.subscripts)) for statement in group}) == 1


def _is_ordered(
    read: Read, statement: Statement, target: Statement, depth: int, ways: dict[str, int], sizes: Collection[str]
) -> bool:
    """Whether an earlier step of the loops has what is read; False where it is read in the same step."""
    for subscript, own in list(zip(read.subscripts, statement.subscripts, strict=False))[:depth]:
        assert isinstance(own, ast.Name)
        sign = sign_of(ast.BinOp(subscript, ast.Sub(), own), statement, sizes)
        if sign == 0 and same(subscript, own):
            continue
        if not sign:
            raise NoOrder(statement.node, f"{ast.unparse(read.node)}: expected {own.id} less or more a positive number")
        if ways.setdefault(own.id, -sign) != -sign:
            raise NoOrder(statement.node, f"a recurrence reads on both sides of {own.id}: {ast.unparse(read.node)}")
        return True
    return False


def sign_of(tree: ast.expr, statement: Statement, sizes: Collection[str]) -> int:
    """1 or -1 where an integer expression is positive or negative for certain, else 0."""
    terms, constant = linear(tree)
    signs = set()
    for name, factor in terms.items():
        lowest = _lowest(name, statement, sizes)
        if factor == 0:
            continue
        if lowest is None:
            return 0
        constant += factor * lowest
        signs.add(factor > 0)
    if constant > 0 and signs <= {True}:
        return 1
    return -1 if constant < 0 and signs <= {False} else 0


def _lowest(name: str, statement: Statement, sizes: Collection[str]) -> int | None:
    if name in sizes:
        return 1  # where a size is 0, no loop runs
    start = statement.ranges[name][0] if name in statement.ranges else None
    return start.value if isinstance(start, ast.Constant) and isinstance(start.value, int) else None


def call_faults(program: IndexedProgram, functions: Mapping[str, tuple[int, float]] | None) -> Iterator[Fault]:
    """Calls of unknown functions, and of known ones with too few or too many arguments."""
    trees = [tree for s in program.statements for tree in (s.value, *s.subscripts)]
    for node in (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if fold_of(node):
            continue
        if not name:
            yield node, f"expected a fold with its indices, sum[k](...), one of {', '.join(FOLDS)}"
        elif name in FOLDS:
            yield node, f"{name}() needs the indices that it folds: {name}[k](...)"
        elif name == PADDED:
            if len(node.args) != 2 or not isinstance(node.args[0], ast.Subscript):
                yield node, "padded() takes an element and what stands for one outside, padded(x[i - 1], 0)"
        elif name == INT:
            if len(node.args) != 1:
                yield node, f"int() takes 1 argument, got {len(node.args)}"
        elif functions is not None and name not in functions:
            yield node, f"unknown function '{name}'{did_you_mean(name, [*functions, *FOLDS, PADDED])}"
        elif functions is not None and not functions[name][0] <= len(node.args) <= functions[name][1]:
            yield node, f"{name}() takes {functions[name][0]} arguments, got {len(node.args)}"
