"""What a row program comes to: passes over a row, and the numbers that are computed between them.

Folds that need nothing of each other share a pass; the outputs that are rows are the last one.
"""

import ast
import copy
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ..language.row_programs import COUNT, ELEMENT_AT, FOLDS, SUM_ROWS, Program, Statement, depends
from ..language.scalar_functions import is_expensive

COUNTS = "count"  # the fold that any and all are made of


@dataclass(frozen=True)
class Fold:
    """One fold over a row: `name` gets the fold `op` of `operand`."""

    name: str
    op: str  # sum prod max min argmax argmin count
    operand: ast.expr


@dataclass(frozen=True)
class Number:
    name: str
    value: ast.expr
    guard: str = ""  # the number that says whether anybody reads it

    @property
    def read(self) -> set[str]:
        """The names that it is computed with."""
        return names_read(self.value) | {self.guard} - {""}


@dataclass(frozen=True)
class Pass:
    """One pass over a row for some folds, with the numbers that are computed before it."""

    numbers: tuple[Number, ...]
    folds: tuple[Fold, ...]


class Lowered:
    """A program by its folds and statements. With `guarded`, what one side of a choice alone reads is computed where
    that side is chosen."""

    def __init__(self, program: Program, guarded: bool = False) -> None:
        self.program = program
        self.guarded = guarded
        self.folds: dict[str, Fold] = {}
        self.statements: dict[str, ast.expr] = {}
        for statement in program.statements:
            self.statements[statement.name] = self._hoisted(statement)

    def _hoisted(self, statement: Statement) -> ast.expr:
        outer = self

        class Hoist(ast.NodeTransformer):
            def visit_Call(self, node: ast.Call) -> ast.expr:
                node.args = [self.visit(argument) for argument in node.args]
                assert isinstance(node.func, ast.Name)
                if node.func.id == SUM_ROWS:
                    return node.args[0]
                return outer._fold(node.func.id, node.args[0]) if node.func.id in FOLDS else node

            def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
                node.test, node.body, node.orelse = map(self.visit, (node.test, node.body, node.orelse))
                is_number = not isinstance(node.test, ast.Name) and names_of(node.test) and not outer.depends(node.test)
                node.test = outer._number(node.test) if is_number else node.test
                return node

        result: ast.expr = Hoist().visit(copy.deepcopy(statement.value))
        return self._without_numbers(result) if self.depends(result) else result

    def _without_numbers(self, tree: ast.expr) -> ast.expr:
        outer = self

        class Part(ast.NodeTransformer):
            def visit(self, node: ast.AST) -> ast.AST:
                is_part = isinstance(node, ast.BinOp | ast.Call | ast.UnaryOp | ast.Compare | ast.BoolOp | ast.IfExp)
                if is_part and names_of(node) and not outer.depends(node):  # type: ignore[arg-type]
                    return outer._number(node)  # type: ignore[arg-type]
                return self.generic_visit(node)

        result: ast.expr = Part().visit(tree)  # type: ignore[assignment]
        return result

    def _number(self, tree: ast.expr) -> ast.expr:
        same = (n for n, value in self.statements.items() if ast.dump(value) == ast.dump(tree))
        name = next(same, None) or f"number_{len(self.statements) + 1}"
        self.statements.setdefault(name, tree)
        return _name(name)

    def _fold(self, op: str, operand: ast.expr) -> ast.expr:
        if op == "mean":
            return ast.BinOp(self._fold("sum", operand), ast.Div(), _name(COUNT))
        if op == "any":
            return ast.Compare(self._fold(COUNTS, operand), [ast.Gt()], [ast.Constant(0)])
        if op == "all":
            return ast.Compare(self._fold(COUNTS, _denied(operand)), [ast.Eq()], [ast.Constant(0)])
        operand = self._without_numbers(operand)
        same = (f.name for f in self.folds.values() if f.op == op and ast.dump(f.operand) == ast.dump(operand))
        name = next(same, None) or f"{op}_{len(self.folds) + 1}"
        self.folds.setdefault(name, Fold(name, op, operand))
        return _name(name)

    @cached_property
    def elements(self) -> tuple[str, ...]:
        return tuple(name for name, value in self.statements.items() if self.depends(value))

    def depends(self, tree: ast.expr) -> bool:
        return depends(tree, self.program)

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """The outputs that are rows of their own."""
        return tuple(n for n in self.program.outputs if n in self.elements and n not in self.program.totals)

    @property
    def each(self) -> tuple[str, ...]:
        return tuple(name for name in self.program.outputs if name not in self.elements)

    @cached_property
    def guards(self) -> dict[str, str]:
        """The numbers and folds that are read behind `if` alone, as `a` in `a if test else b`, with the name of the
        test, a number of the row."""
        results: dict[str, str | None] = {}
        users: dict[str, list[tuple[str, str | None]]] = {}
        for user, tree in {**self.statements, **{f.name: f.operand for f in self.folds.values()}}.items():
            for name, test in self._reads(tree, None):
                users.setdefault(name, []).append((user, test))

        def guard(name: str) -> str | None:
            if name not in results:
                tests = {test or guard(user) for user, test in users.get(name, [])}
                results[name] = tests.pop() if len(tests) == 1 and name not in self.program.outputs else None
            return results[name]

        tests = {test for each in users.values() for _, test in each}
        names = [name for name in (*self.statements, *self.folds) if self.guarded and name not in tests]
        results |= {test: None for test in tests if test}
        return {name: test for name in names if (test := guard(name)) is not None}

    def _reads(self, tree: ast.AST, test: str | None) -> Iterator[tuple[str, str | None]]:
        match tree:
            case ast.Name(id=name):
                yield name, test
            case ast.IfExp(test=ast.Name(id=name), body=body, orelse=orelse) if name in self.numbers:
                yield name, test
                yield from self._reads(body, name)
                yield from self._reads(orelse, test)
            case _:
                for child in ast.iter_child_nodes(tree):
                    yield from self._reads(child, test)

    @cached_property
    def levels(self) -> dict[str, int]:
        results: dict[str, int] = {}

        def level(tree: ast.expr) -> int:
            return max((of(name) for name in names_of(tree)), default=0)

        def of(name: str) -> int:
            if name not in results:
                known = of(self.guards[name]) if name in self.guards else 0
                if name in self.folds:
                    results[name] = 1 + max(level(self.folds[name].operand), known)
                else:
                    results[name] = max(level(self.statements[name]), known) if name in self.statements else 0
            return results[name]

        for name in (*self.statements, *self.folds):
            of(name)
        return results

    @cached_property
    def passes(self) -> tuple[Pass, ...]:
        last = max((self.levels[name] for name in self.folds), default=0)
        return tuple(
            Pass(self._numbers(level - 1), tuple(f for f in self.folds.values() if self.levels[f.name] == level))
            for level in range(1, last + 1)
        )

    @cached_property
    def last(self) -> tuple[Number, ...]:
        return self._numbers(len(self.passes))

    @property
    def numbers(self) -> dict[str, ast.expr]:
        return {name: value for name, value in self.statements.items() if name not in self.elements}

    def _numbers(self, level: int) -> tuple[Number, ...]:
        """The numbers of a level, those first that others are computed of or guarded by."""
        results: dict[str, Number] = {}

        def add(name: str) -> None:
            if name in results or name not in self.numbers or self.levels[name] != level:
                return
            number = Number(name, self.numbers[name], self.guards.get(name, ""))
            for other in self.numbers:
                if other in number.read:
                    add(other)
            results[name] = number

        for name in self.numbers:
            add(name)
        return tuple(results.values())

    def needed(self, trees: Iterable[ast.expr], known: Collection[str] = ()) -> tuple[str, ...]:
        matches: set[str] = set()
        todo = list(trees)
        while todo:
            names = (names_of(todo.pop()) & set(self.elements)) - matches
            matches |= names
            todo += [self.statements[name] for name in names.difference(known)]
        return tuple(name for name in self.statements if name in matches)

    def read(self, trees: Iterable[ast.expr]) -> tuple[str, ...]:
        matches = set().union(*(names_of(tree) for tree in trees))
        return tuple(p.name for p in self.program.of_kind("row", "shared") if p.name in matches)

    @cached_property
    def users(self) -> list[list[ast.expr]]:
        """What each pass reads, but for those that few rows need."""
        passes = [[f.operand for f in each.folds if f.name not in self.guards] for each in self.passes]
        return [*passes, [self.statements[name] for name in (*self.rows, *self.program.totals)]]

    @cached_property
    def retained(self) -> tuple[str, ...]:
        *passes, outputs = self.users
        needed = [
            self.needed(trees) for trees in (*passes, [*outputs, *map(_name, (*self.rows, *self.program.totals))])
        ]
        multi_use = [n for n in self.elements if sum(n in each for each in needed) > 1]
        return tuple(n for n in multi_use if is_expensive(self.statements[n]))


def _denied(tree: ast.expr) -> ast.expr:
    """The opposite of a test; that of an order is none, where nan is."""
    match tree:
        case ast.Compare(left=left, ops=[ast.NotEq()], comparators=[right]):
            return ast.Compare(left, [ast.Eq()], [right])
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            return ast.Compare(left, [ast.NotEq()], [right])
    return ast.UnaryOp(ast.Not(), tree)


def names_of(tree: ast.AST) -> set[str]:
    return set(_names(tree))


def _names(tree: ast.AST) -> Iterator[str]:
    if isinstance(tree, ast.Name):
        yield tree.id
        return
    parts: Iterable[ast.AST] = ast.iter_child_nodes(tree)
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
        parts = tree.args[1:] if tree.func.id == ELEMENT_AT else tree.args
    for part in parts:
        yield from _names(part)


def names_read(tree: ast.expr) -> set[str]:
    """The names in an expression, also in the places of at(x, place)."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return names_of(tree).union(*(names_of(argument) for call in calls for argument in call.args[1:]))


def _name(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())
