"""Indexed programs with one fold a statement, and with arrays for parts that take long."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..language.index_expressions import (
    FOLDS,
    INT,
    PADDED,
    element,
    fold_of,
    folded,
    free_names,
    fresh,
    reads,
    rebuilt,
    renamed,
    replaced,
    same,
    subscripts_of,
)
from ..language.indexed_programs import Array, IndexedProgram, Statement
from ..language.scalar_functions import is_expensive
from .derivative import ONE, ZERO, is_number, times

LONG = 4  # calls of an expression of which parts that repeat are computed once
MIN_MAX = ("max", "min")
Ranges = Mapping[str, tuple[ast.expr, ast.expr]]


def name_of(text: str) -> ast.Name:
    return ast.Name(text, ast.Load())


class Normal:
    """The statements with a statement of its own for each fold that is not the whole of one."""

    def __init__(self, program: IndexedProgram) -> None:
        self.program = program
        self.arrays = dict(program.arrays)
        self.statements: list[Statement] = []
        groups = [group for group in program.groups if program.is_recurrence(group)]
        self.recurrent = {statement.name for group in groups for statement in group}
        for statement in program.statements:
            self._statement(replace(statement, value=self._with_tests(statement.value)))

    def _with_tests(self, tree: ast.expr) -> ast.expr:
        """With conditions for elements that have others in their place outside: these have derivatives as well."""
        outer = self

        def visit(node: ast.AST) -> ast.AST:
            match node:
                case ast.Call(
                    func=ast.Name(id="padded"), args=[ast.Subscript(value=ast.Name(id=name)) as read, border]
                ):
                    if any(reads(border, outer.arrays)):
                        pairs = zip(subscripts_of(read), outer.arrays[name].dims, strict=True)
                        tests: list[ast.expr] = [
                            ast.Compare(ZERO, [ast.LtE(), ast.Lt()], [subscript, dim]) for subscript, dim in pairs
                        ]
                        test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
                        return ast.IfExp(test, read, visit(border))  # type: ignore[arg-type]
            return rebuilt(node, visit)

        result = visit(tree)
        assert isinstance(result, ast.expr)
        return result

    def _statement(self, statement: Statement) -> None:
        fold = fold_of(statement.value)
        if fold is not None and fold[0] in MIN_MAX and not statement.collect and statement.name not in self.recurrent:
            self._extreme(statement, *fold)
            return
        if fold is not None and not statement.collect and fold[0] != "mean":
            operand = self._hoisted(fold[2], statement)
            value = folded(fold[0], fold[1], operand)
        else:
            value = self._hoisted(statement.value, statement)
            while (part := repeated(value)) is not None:
                value = self._with_array(value, part, statement)
        self.statements.append(replace(statement, value=value))

    def _with_array(self, value: ast.expr, part: ast.expr, statement: Statement) -> ast.expr:
        """A value with an array for a part that stands in it several times."""
        tests = [test for test, _ in common_conditions(value, ast.dump(part))]
        free = [name for tree in (part, *tests) for name in free_names(tree) if name in statement.ranges]
        free = list(dict.fromkeys(free))
        order = [name for name in own_indices(statement) if name in free]
        names = [*order, *(name for name in free if name not in order)]
        name = fresh("part", self.arrays)
        subscripts = tuple(name_of(each) for each in names)
        self.arrays[name] = Array(name, "local", tuple(statement.ranges[each][1] for each in names))
        own = guarded(part, common_conditions(value, ast.dump(part)))
        self.statements.append(Statement(name, subscripts, own, "", statement.ranges, statement.node))
        return replaced(value, part, element(name, subscripts))

    def _extreme(self, statement: Statement, word: str, over: Sequence[str], operand: ast.expr) -> None:
        """The place of the extreme, and then what is there: its derivative is that of one element."""
        first = fresh(f"first_{statement.name}", self.arrays)
        self.arrays[first] = Array(first, "local", self.arrays[statement.name].dims)
        own = replace(statement, name=first, value=folded(f"arg{word}", over, operand))
        self.statements.append(own)
        subscript = at_first(element(first, statement.subscripts), over, statement.ranges)
        chosen = renamed(operand, subscript)
        self.statements.append(replace(statement, value=self._hoisted(chosen, statement)))

    def _hoisted(self, tree: ast.expr, statement: Statement) -> ast.expr:
        """An expression with arrays for its folds."""

        def visit(node: ast.AST, above: Conditions) -> ast.AST:
            fold = fold_of(node)
            if fold is not None:
                return self._own(fold[0], fold[1], guarded(fold[2], above), statement)
            if isinstance(node, ast.IfExp):
                test = visit(node.test, above)
                body = visit(node.body, (*above, (node.test, True)))
                orelse = visit(node.orelse, (*above, (node.test, False)))
                return ast.IfExp(test, body, orelse)  # type: ignore[arg-type]
            return rebuilt(node, lambda child: visit(child, above))

        result = visit(tree, ())
        assert isinstance(result, ast.expr)
        return result

    def _sizes(self, over: Sequence[str], statement: Statement) -> ast.expr:
        total: ast.expr = ONE
        for name in over:
            start, stop = statement.ranges[name]
            total = times(total, stop if is_number(start, 0) else ast.BinOp(stop, ast.Sub(), start))
        return total

    def _own(self, word: str, over: Sequence[str], operand: ast.expr, statement: Statement) -> ast.expr:
        if word == "mean":
            return ast.BinOp(self._own("sum", over, operand, statement), ast.Div(), self._sizes(over, statement))
        if word in MIN_MAX and statement.name not in self.recurrent:
            return self._own_extreme(word, over, operand, statement)
        operand = self._hoisted(operand, statement)
        free = [name for name in free_names(operand) if name in statement.ranges and name not in over]
        own = own_indices(statement)  # a recurrence runs along the first
        names = [*(name for name in own if name in free), *(name for name in free if name not in own)]
        value = folded(word, over, operand)
        known = next((s for s in self.statements if same(s.value, value) and not s.collect), None)
        if known is not None and [p.id for p in known.subscripts if isinstance(p, ast.Name)] == names:
            return element(known.name, known.subscripts)
        name = fresh(word, (*self.arrays, *FOLDS))
        subscripts = tuple(name_of(each) for each in names)
        self.statements.append(Statement(name, subscripts, value, "", statement.ranges, statement.node))
        self.arrays[name] = Array(name, "local", tuple(statement.ranges[each][1] for each in names))
        return element(name, subscripts)

    def _own_extreme(self, word: str, over: Sequence[str], operand: ast.expr, statement: Statement) -> ast.expr:
        free = [name for name in free_names(operand) if name in statement.ranges and name not in over]
        name = fresh(word, (*self.arrays, *FOLDS))
        subscripts = tuple(name_of(each) for each in free)
        self.arrays[name] = Array(name, "local", tuple(statement.ranges[each][1] for each in free))
        own = Statement(name, subscripts, folded(word, over, operand), "", statement.ranges, statement.node)
        self._extreme(own, word, over, operand)
        return element(name, subscripts)


def own_indices(statement: Statement) -> list[str]:
    """The indices that are subscripts of a statement, each once: a scatter to a diagonal has one twice."""
    return list(dict.fromkeys(each.id for each in statement.subscripts if isinstance(each, ast.Name)))


def repeated(value: ast.expr) -> ast.expr | None:
    """A call in a long expression that is computed once, and so not in its derivatives: one that stands there several
    times, the outermost first, then one that takes long, the innermost first."""
    calls = [node for node in ast.walk(value) if isinstance(node, ast.Call) and not is_read(node)]
    if len(calls) < LONG:
        return None
    counts = Counter(ast.dump(node) for node in calls)
    repeated = next((node for node in calls if counts[ast.dump(node)] > 1), None)
    return repeated or next((node for node in reversed(calls) if is_expensive(node)), None)


Conditions = tuple[tuple[ast.expr, bool], ...]


def guarded(tree: ast.expr, conditions: Conditions) -> ast.expr:
    """An expression where conditions hold, 0 elsewhere: there it may be nan."""
    for test, is_met in reversed(conditions):
        tree = ast.IfExp(test, tree, ZERO) if is_met else ast.IfExp(test, ZERO, tree)
    return tree


def common_conditions(tree: ast.expr, part: str) -> Conditions:
    """The conditions under which an expression has a part, wherever it stands: elsewhere it may be nan."""
    first, *others = paths(tree, part, ())
    common = first
    for path in others:
        dumps = [(ast.dump(test), is_met) for test, is_met in path]
        common = tuple(pair for pair in common if (ast.dump(pair[0]), pair[1]) in dumps)
    return common


def paths(tree: ast.AST, part: str, above: Conditions) -> Iterator[Conditions]:
    if ast.dump(tree) == part:
        yield above
    elif isinstance(tree, ast.IfExp):
        yield from paths(tree.test, part, above)
        yield from paths(tree.body, part, (*above, (tree.test, True)))
        yield from paths(tree.orelse, part, (*above, (tree.test, False)))
    else:
        for child in ast.iter_child_nodes(tree):
            yield from paths(child, part, above)


def is_read(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id in (PADDED, INT)


def at_first(first: ast.expr, over: Sequence[str], ranges: Ranges) -> dict[str, ast.expr]:
    """The indices of a fold where its extreme is: argmax of one is its value, of several their number in order."""
    if len(over) == 1:
        return {over[0]: first}
    result: dict[str, ast.expr] = {}
    rest = first
    for name in reversed(over):
        start, stop = ranges[name]
        count = stop if is_number(start, 0) else ast.BinOp(stop, ast.Sub(), start)
        own: ast.expr = rest if name == over[0] else ast.BinOp(rest, ast.Mod(), count)
        result[name] = own if is_number(start, 0) else ast.BinOp(own, ast.Add(), start)
        rest = ast.BinOp(rest, ast.FloorDiv(), count)
    return result
