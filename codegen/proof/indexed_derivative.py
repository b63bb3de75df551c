"""Gradients and tangents of indexed programs, as indexed programs: of these too, so that an op has second derivatives.

Reverse: statements in their opposite order. A statement y[I] = sum[K](E) adds adjoint_y[I] dE/dx[p] to adjoint_x[p]
for each element x[p] that E reads: a fold over what p lacks of I and K where p are indices with offsets, a scatter
otherwise. A recurrence becomes one that runs from the other end. A maximum hands its adjoint to the first element that
has it. See A. Griewank and A. Walther, Evaluating Derivatives, chapter 3.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..language.indexed_programs import (
    FOLDS,
    INT,
    PADDED,
    Array,
    IndexedProgram,
    Read,
    Statement,
    copied,
    fold_of,
    folded,
    free_names,
    fresh,
    linear,
    ordered,
    places_of,
    reads,
    rebuilt,
    renamed,
    replaced,
    same,
    simplified,
)
from ..language.scalar_functions import Functions
from ..programs.passes import is_expensive
from ..spec.formula import names_in
from .derivative import ONE, ZERO, NoDerivative, derivative, is_number, plus, times

LETTERS = "ijklmnpq"
LONG = 4  # calls of an expression of which parts that repeat are computed once
FLAT = ("any", "all", "argmax", "argmin")
EXTREMES = ("max", "min")
Ranges = Mapping[str, tuple[ast.expr, ast.expr]]


def name_of(text: str) -> ast.Name:
    return ast.Name(text, ast.Load())


def element(name: str, places: Sequence[ast.expr]) -> ast.expr:
    if not places:
        return name_of(name)
    index = places[0] if len(places) == 1 else ast.Tuple(list(places), ast.Load())
    return ast.Subscript(name_of(name), copied(index), ast.Load())


# ---- one fold a statement --------------------------------------------------------------------------------------------


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
                        pairs = zip(places_of(read), outer.arrays[name].dims, strict=True)
                        tests: list[ast.expr] = [
                            ast.Compare(ZERO, [ast.LtE(), ast.Lt()], [place, dim]) for place, dim in pairs
                        ]
                        test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
                        return ast.IfExp(test, read, visit(border))  # type: ignore[arg-type]
            return rebuilt(node, visit)

        result = visit(tree)
        assert isinstance(result, ast.expr)
        return result

    def _statement(self, statement: Statement) -> None:
        fold = fold_of(statement.value)
        if fold is not None and fold[0] in EXTREMES and not statement.collect and statement.name not in self.recurrent:
            self._extreme(statement, *fold)
            return
        if fold is not None and not statement.collect and fold[0] != "mean":
            operand = self._hoisted(fold[2], statement)
            value = folded(fold[0], fold[1], operand)
        else:
            value = self._hoisted(statement.value, statement)
            while (part := _repeated(value)) is not None:
                value = self._with_array(value, part, statement)
        self.statements.append(replace(statement, value=value))

    def _with_array(self, value: ast.expr, part: ast.expr, statement: Statement) -> ast.expr:
        """A value with an array for a part that stands in it several times."""
        tests = [test for test, _ in _common_conditions(value, ast.dump(part))]
        free = [name for tree in (part, *tests) for name in free_names(tree) if name in statement.ranges]
        free = list(dict.fromkeys(free))
        order = [p.id for p in statement.places if isinstance(p, ast.Name) and p.id in free]
        names = [*order, *(name for name in free if name not in order)]
        name = fresh("part", self.arrays)
        places = tuple(name_of(each) for each in names)
        self.arrays[name] = Array(name, "local", tuple(statement.ranges[each][1] for each in names))
        own = guarded(part, _common_conditions(value, ast.dump(part)))
        self.statements.append(Statement(name, places, own, "", statement.ranges, statement.node))
        return replaced(value, part, element(name, places))

    def _extreme(self, statement: Statement, word: str, over: Sequence[str], operand: ast.expr) -> None:
        """The place of the extreme, and then what is there: its derivative is that of one element."""
        first = fresh(f"first_{statement.name}", self.arrays)
        self.arrays[first] = Array(first, "local", self.arrays[statement.name].dims)
        own = replace(statement, name=first, value=folded(f"arg{word}", over, operand))
        self.statements.append(own)
        place = at_first(element(first, statement.places), over, statement.ranges)
        chosen = renamed(operand, place)
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
        if word in EXTREMES and statement.name not in self.recurrent:
            return self._own_extreme(word, over, operand, statement)
        operand = self._hoisted(operand, statement)
        free = [name for name in free_names(operand) if name in statement.ranges and name not in over]
        first = [p.id for p in statement.places if isinstance(p, ast.Name) and p.id in free]  # a recurrence's is first
        names = [*first, *(name for name in free if name not in first)]
        value = folded(word, over, operand)
        known = next((s for s in self.statements if same(s.value, value) and not s.collect), None)
        if known is not None and [p.id for p in known.places if isinstance(p, ast.Name)] == names:
            return element(known.name, known.places)
        name = fresh(word, (*self.arrays, *FOLDS))
        places = tuple(name_of(each) for each in names)
        self.statements.append(Statement(name, places, value, "", statement.ranges, statement.node))
        self.arrays[name] = Array(name, "local", tuple(statement.ranges[each][1] for each in names))
        return element(name, places)

    def _own_extreme(self, word: str, over: Sequence[str], operand: ast.expr, statement: Statement) -> ast.expr:
        free = [name for name in free_names(operand) if name in statement.ranges and name not in over]
        name = fresh(word, (*self.arrays, *FOLDS))
        places = tuple(name_of(each) for each in free)
        self.arrays[name] = Array(name, "local", tuple(statement.ranges[each][1] for each in free))
        own = Statement(name, places, folded(word, over, operand), "", statement.ranges, statement.node)
        self._extreme(own, word, over, operand)
        return element(name, places)


def _repeated(value: ast.expr) -> ast.expr | None:
    """A call in a long expression that is computed once, and so not in its derivatives: one that stands there several
    times, the outermost first, then one that takes long, the innermost first."""
    calls = [node for node in ast.walk(value) if isinstance(node, ast.Call) and not _is_read(node)]
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


def _common_conditions(tree: ast.expr, part: str) -> Conditions:
    """The conditions under which an expression has a part, wherever it stands: elsewhere it may be nan."""
    paths = list(_paths(tree, part, ()))
    common = paths[0]
    for path in paths[1:]:
        dumps = [(ast.dump(test), is_met) for test, is_met in path]
        common = tuple(pair for pair in common if (ast.dump(pair[0]), pair[1]) in dumps)
    return common


def _paths(tree: ast.AST, part: str, above: Conditions) -> Iterator[Conditions]:
    if ast.dump(tree) == part:
        yield above
    elif isinstance(tree, ast.IfExp):
        yield from _paths(tree.test, part, above)
        yield from _paths(tree.body, part, (*above, (tree.test, True)))
        yield from _paths(tree.orelse, part, (*above, (tree.test, False)))
    else:
        for child in ast.iter_child_nodes(tree):
            yield from _paths(child, part, above)


def _is_read(node: ast.Call) -> bool:
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


@dataclass
class Text:
    """A program that is being written; `ranges` are those of its indices, whose names differ where ranges do."""

    lines: list[str] = field(default_factory=list)
    ranges: dict[str, str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)

    def ranged(self, statement: Statement) -> dict[str, ast.expr]:
        """New names for indices of a statement that another one has with another range."""
        result: dict[str, ast.expr] = {}
        for index, (start, stop) in statement.ranges.items():
            result[index] = name_of(self.index(index, start, stop))
        return result

    def index(self, index: str, start: ast.expr, stop: ast.expr, others: Iterable[str] = ()) -> str:
        """The name of an index with a range, that or a similar one, which is none of others."""
        text = (
            f"range({ast.unparse(stop)})"
            if is_number(start, 0)
            else f"range({ast.unparse(start)}, {ast.unparse(stop)})"
        )
        name, number = index, 1
        while self.ranges.get(name, text) != text or name in self.names or name in others:
            number += 1
            name = f"{index}{number}"
        self.ranges[name] = text
        return name

    def add(self, statement: Statement) -> None:
        if not statement.places and not statement.collect:
            self.lines.append(f"{statement.name}: ()")
        names = self.ranged(statement)
        places = tuple(renamed(place, names) for place in statement.places)
        value = _all_renamed(statement.value, names)
        ranges = {n.id: statement.ranges[k] for k, n in names.items() if isinstance(n, ast.Name)}
        self.lines.append(replace(statement, places=places, value=value, ranges=ranges).text)


def _all_renamed(tree: ast.expr, names: Mapping[str, ast.expr]) -> ast.expr:
    """With other names for indices, those that folds bind included."""

    class Renamed(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return copied(names[node.id]) if node.id in names else node

    result: ast.expr = Renamed().visit(copied(tree))
    return result


@dataclass(frozen=True)
class Derived:
    """The program of an internal op: its arguments' names by kind, outputs, and lines."""

    lines: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


class Derivation:
    """`active` are the arguments that have derivatives; `outputs` those of the program that have."""

    def __init__(
        self, program: IndexedProgram, active: Iterable[str], outputs: Iterable[str], functions: Functions
    ) -> None:
        self.program = program
        self.functions = functions
        normal = Normal(program)
        self.arrays, self.statements = normal.arrays, ordered(normal.statements)
        self.inputs = [a.name for a in program.of_kind("input", "constant")]
        self.wanted = [name for name in self.inputs if name in set(active)]
        self.differentiable = [name for name in program.outputs if name in set(outputs)]
        self.active = self._active()
        self.normal = IndexedProgram(
            program.name, self.arrays, program.numbers, self.statements, program.outputs, program.sizes
        )
        self.taken = {*self.arrays, *program.numbers, *program.sizes}
        self.firsts: dict[str, str] = {}
        self.made: set[str] = set()  # the adjoints that are complete
        self.known_ranges: dict[str, tuple[ast.expr, ast.expr]] = {}  # of the indices of folds that were made

    def _active(self) -> set[str]:
        active = set(self.wanted)
        while True:
            more = {s.name for s in self.statements if self._is_active(s, active)} - active
            if not more:
                return active
            active |= more

    def _is_active(self, statement: Statement, active: set[str]) -> bool:
        fold = fold_of(statement.value)
        if statement.collect in FLAT or (fold is not None and fold[0] in FLAT):
            return False
        return any(read.name in active for read in _active_reads(statement.value, active))

    def _fresh(self, word: str) -> str:
        name = fresh(word, self.taken)
        self.taken.add(name)
        return name

    # ---- what both modes share ---------------------------------------------------------------------------------------

    def _begun(self, results: Mapping[str, Sequence[ast.expr]], more: Iterable[str] = ()) -> Text:
        text = Text(names={*self.arrays, *self.program.numbers, *self.program.sizes, *results, *more})
        for name in (*self.inputs, *self.program.outputs):
            text.lines.append(f"{name}: {_shape(self.arrays[name].dims)}")
        for name, dims in results.items():
            text.lines.append(f"{name}: {_shape(dims)}")
        return text

    def _values(self, text: Text) -> None:
        """The program's own arrays, computed again."""
        for statement in self.statements:
            if statement.name not in self.program.outputs:
                if statement.collect and not any(line.startswith(f"{statement.name}: ") for line in text.lines):
                    text.lines.append(f"{statement.name}: {_shape(self.arrays[statement.name].dims)}")
                text.add(statement)

    def _operand(self, statement: Statement) -> tuple[str, tuple[str, ...], ast.expr]:
        fold = fold_of(statement.value)
        if fold is not None and not statement.collect:
            return fold
        return statement.collect, (), statement.value

    def _first(self, text: Text, statement: Statement) -> str:
        """An array of the places where extremes are found."""
        word, over, operand = self._operand(statement)
        if statement.name not in self.firsts:
            name = self.firsts[statement.name] = self._fresh(f"first_{statement.name}")
            text.names.add(name)
            if statement.collect:
                text.lines.append(f"{name}: {_shape(self.arrays[statement.name].dims)}")
                text.add(replace(statement, name=name, collect=f"arg{word}"))
            else:
                text.add(replace(statement, name=name, value=folded(f"arg{word}", over, operand)))
        return self.firsts[statement.name]

    def _slopes(self, operand: ast.expr) -> Iterator[tuple[Read, ast.expr]]:
        """The elements that have derivatives, and the derivative by each."""
        named, trees = _named_reads(operand, self.active)
        named = _with_constants(named, trees)
        for name, read in trees.items():
            if name.startswith("read_"):
                slope = _tidied(derivative(named, {name: ONE}, self.functions))
                if not is_number(slope, 0):
                    yield read, _restored(slope, trees)

    # ---- forward -----------------------------------------------------------------------------------------------------

    def tangent(self) -> Derived:
        self.firsts.clear()
        named = {name: self._fresh(f"{name}_tangent") for name in self.differentiable}
        outputs = {named[name]: self.arrays[name].dims for name in self.differentiable}
        dots = {name: self._fresh(f"tangent_of_{name}") for name in self.wanted}
        text = self._begun({}, outputs)
        for name in self.wanted:
            text.lines.append(f"{dots[name]}: {_shape(self.arrays[name].dims)}")
        text.names |= {*dots.values()}
        self._values(text)
        for statement in self.statements:
            if statement.name in self.active:
                dots[statement.name] = named.get(statement.name) or self._fresh(f"{statement.name}_dot")
        for statement in self.statements:
            if statement.name in self.active:
                self._tangent(text, statement, dots)
        for name in self.differentiable:
            if name not in self.active:
                self._without_tangent(text, name, named[name])
        return Derived(tuple(_with_ranges(text, outputs)), tuple(dots[name] for name in self.wanted), tuple(outputs))

    def _without_tangent(self, text: Text, name: str, tangent: str) -> None:
        """The tangent of an output that depends on nothing: zeros."""
        dims, indices = self.arrays[name].dims, list[str]()
        for word, dim in zip(self._index_names(name), dims, strict=True):
            indices.append(text.index(word, ZERO, dim, indices))
        ranges = {index: (ZERO, dim) for index, dim in zip(indices, dims, strict=True)}
        text.add(Statement(tangent, tuple(map(name_of, indices)), ZERO, "", ranges))

    def _tangent(self, text: Text, statement: Statement, dots: Mapping[str, str]) -> None:
        word, over, operand = self._operand(statement)
        total: ast.expr = ZERO
        for read, slope in self._slopes(operand):
            total = plus(total, _under_conditions(slope, self._element_of(dots[read.name], read)))
        name = dots[statement.name]
        if word == "logsumexp":
            weight = _weight(operand, element(statement.name, statement.places))
            total, word = times(weight, total), "sum"
        if word in EXTREMES:
            first = self._first(text, statement)
            if statement.collect:
                chosen = ast.Compare(element(first, statement.places), [ast.Eq()], [_flat(statement)])
                total = ast.IfExp(chosen, total, ZERO)
                word = "sum"
            else:
                chosen = ast.Compare(element(first, statement.places), [ast.Eq()], [_flat_of(over, statement)])
                total = ast.IfExp(chosen, total, ZERO)
                word = "sum"
        elif word not in ("", "sum"):
            raise NoDerivative(f"the derivative of {word}")
        if statement.collect:
            text.lines.append(f"{name}: {_shape(self.arrays[statement.name].dims)}")
            text.add(replace(statement, name=name, value=total, collect="sum"))
        else:
            text.add(replace(statement, name=name, value=folded("sum", over, total)))

    def _element_of(self, name: str, read: Read) -> ast.expr:
        tree = element(name, read.places)
        return ast.Call(name_of(PADDED), [tree, ZERO], []) if read.node is not None and _is_padded(read) else tree

    # ---- reverse -----------------------------------------------------------------------------------------------------

    def reverse(self) -> Derived:
        self.firsts.clear()
        self.made.clear()
        named = {name: self._fresh(f"{name}_gradient") for name in self.wanted}
        outputs = {named[name]: self.arrays[name].dims for name in self.wanted}
        grads = {name: self._fresh(f"grad_{name}") for name in self.differentiable}
        adjoints = {name: named.get(name) or self._fresh(f"adjoint_{name}") for name in sorted(self.active)}
        text = self._begun({grads[n]: self.arrays[n].dims for n in self.differentiable}, outputs)
        self.grads, self.named = grads, {*named.values()}
        self._values(text)
        parts: dict[str, list[ast.expr]] = {}
        scatters: dict[str, list[Statement]] = {}
        own: dict[str, tuple[tuple[ast.expr, ...], Ranges]] = {}
        for name in adjoints:
            dims, indices = self.arrays[name].dims, list[str]()
            for word, dim in zip(self._index_names(name), dims, strict=True):
                indices.append(text.index(word, ZERO, dim, indices))
            places = tuple(name_of(index) for index in indices)
            own[name] = places, {index: (ZERO, dim) for index, dim in zip(indices, dims, strict=True)}
            if name in grads:
                parts.setdefault(name, []).append(element(grads[name], places))
        for group in reversed(self.normal.groups):
            self._group(text, group, adjoints, own, parts, scatters)
        for name in self.wanted:
            self._adjoint(text, name, adjoints, own, parts, scatters)
        return Derived(tuple(_with_ranges(text, outputs)), tuple(grads.values()), tuple(outputs))

    def _index_names(self, name: str) -> list[str]:
        """What an array's indices are called where it is assigned or read."""
        matches = [s.places for s in self.statements if s.name == name]
        matches += [r.places for s in self.statements for r in reads(s.value, self.arrays) if r.name == name]
        plain = (p for p in matches if all(isinstance(each, ast.Name) and each.id not in self.taken for each in p))
        first = next((p for p in plain if len({ast.dump(each) for each in p}) == len(p)), None)
        if first is None:
            return [LETTERS[k % len(LETTERS)] for k in range(len(self.arrays[name].dims))]
        return [each.id for each in first if isinstance(each, ast.Name)]

    def _group(self, text, group, adjoints, own, parts, scatters) -> None:
        is_recurrence = self.normal.is_recurrence(group)
        names = dict.fromkeys(s.name for s in reversed(group) if s.name in self.active)
        if is_recurrence:  # what statements of the group add to each other has to be known first
            for statement in reversed(group):
                if statement.name in self.active:
                    self._shares(text, statement, adjoints, own, parts, scatters)
            for name in names:
                self._adjoint(text, name, adjoints, own, parts, scatters, is_recurrence=True)
            return
        for statement in reversed(group):
            if statement.name in self.active and (statement.name in parts or statement.name in scatters):
                self._adjoint(text, statement.name, adjoints, own, parts, scatters)
                self._shares(text, statement, adjoints, own, parts, scatters)

    def _same_array(self, part: ast.expr, places: Sequence[ast.expr]) -> str:
        """The array of which an adjoint is a copy."""
        match part:
            case ast.Subscript(value=ast.Name(id=name)) if all(map(same, places_of(part), places)):
                return name if len(places_of(part)) == len(places) else ""
        return ""

    def _scattered(self, text, name, own, statements) -> ast.expr:
        """What statements outside of a recurrence scatter to an adjoint, as an array that it reads."""
        array = self._fresh(f"outer_{name}")
        text.lines.append(f"{array}: {_shape(self.arrays[name].dims)}")
        for statement in statements:
            text.add(replace(statement, name=array))
        return element(array, own[name][0])

    def _adjoint(self, text, name, adjoints, own, parts, scatters, is_recurrence=False) -> None:
        """The adjoint of an array, of which all parts are known."""
        places, ranges = own[name]
        adjoint = adjoints[name]
        if adjoint in self.made:
            return
        self.made.add(adjoint)
        own_parts = parts.get(name, [])
        if is_recurrence and name in scatters:
            own_parts = [*own_parts, self._scattered(text, name, own, scatters.pop(name))]
        if len(own_parts) == 1 and name not in scatters and adjoint not in self.named and not is_recurrence:
            other = self._same_array(own_parts[0], places)
            if other:
                adjoints[name] = other
                return
        if own_parts or not scatters.get(name):
            total: ast.expr = ZERO
            for part in own_parts:
                total = plus(total, part)
            used = _ranges_of(total, self.known_ranges)
            text.add(Statement(adjoint, places, total, "", {**used, **ranges}))
        else:
            text.lines.append(f"{adjoint}: {_shape(self.arrays[name].dims)}")
        for statement in scatters.get(name, []):
            text.add(replace(statement, name=adjoint))

    def _shares(self, text, statement, adjoints, own, parts, scatters) -> None:
        word, over, operand = self._operand(statement)
        adjoint = element(adjoints[statement.name], statement.places)
        if statement.collect:
            adjoint = ast.Call(name_of(PADDED), [adjoint, ZERO], []) if statement.places else adjoint
        indices = (*statement.indices, *over)
        if word == "logsumexp":
            adjoint = times(adjoint, _weight(operand, element(statement.name, statement.places)))
        elif word in EXTREMES:
            first = element(self._first(text, statement), statement.places)
            if statement.collect:
                adjoint = ast.IfExp(ast.Compare(first, [ast.Eq()], [_flat(statement)]), adjoint, ZERO)
            else:
                adjoint = ast.IfExp(ast.Compare(first, [ast.Eq()], [_flat_of(over, statement)]), adjoint, ZERO)
        elif word not in ("", "sum"):
            raise NoDerivative(f"the derivative of {word}")
        for read, slope in self._slopes(operand):
            self._share(text, read, times(adjoint, slope), indices, statement, own, parts, scatters)

    def _share(self, text, read, value, indices, statement, own, parts, scatters) -> None:
        """What the adjoint of an element gets from one place where it is read."""
        places, ranges = own[read.name]
        gathered = _gathered(read, value, indices, statement, places, ranges, text, self)
        if gathered is not None:
            parts.setdefault(read.name, []).append(gathered)
            return
        named = {name for tree in (value, *read.places) for name in free_names(tree)}
        value = folded("sum", [index for index in indices if index not in named], value)
        ranges = {index: statement.ranges[index] for index in indices}
        scatters.setdefault(read.name, []).append(Statement(read.name, read.places, value, "sum", ranges))


def _gathered(
    read: Read, value: ast.expr, indices: Sequence[str], statement: Statement, places: Sequence[ast.expr],
    ranges: Ranges, text: Text, derivation: Derivation,
) -> ast.expr | None:  # fmt: skip
    """The share as a fold over the indices that an element's places lack; None where they are not indices + offsets."""
    known: dict[str, ast.expr] = {}
    tests: list[ast.expr] = []
    for place, own in zip(read.places, places, strict=True):
        terms, constant = linear(place)
        varying = [name for name in terms if name in indices]
        if not terms.keys() & {*indices} and not any(name.startswith("?") for name in terms):  # one element
            tests.append(ast.Compare(own, [ast.Eq()], [place]))
            continue
        if len(varying) != 1 or terms[varying[0]] != 1 or varying[0] in known:
            return None
        if any(name.startswith("?") for name in terms):
            return None
        index = varying[0]
        offset = renamed(place, {index: ZERO})
        shifted = simplified(ast.BinOp(own, ast.Sub(), offset))
        known[index] = shifted
        start, stop = statement.ranges[index]
        assert isinstance(own, ast.Name)
        full = is_number(start, 0) and same(stop, ranges[own.id][1]) and same(shifted, own)
        if not full:
            test = ast.Compare(start, [ast.LtE(), ast.Lt()], [shifted, stop])
            tests.append(test)
    rest = [name for name in indices if name not in known]
    others = [own.id for own in places if isinstance(own, ast.Name)]
    new: dict[str, str] = {}
    for name in rest:
        new[name] = text.index(name, *statement.ranges[name], [*others, *new.values()])
        derivation.known_ranges[new[name]] = statement.ranges[name]
    named = {name: name_of(each) for name, each in new.items()}
    tree = folded("sum", [new[name] for name in rest], renamed(value, {**known, **named}))
    if not tests:
        return tree
    condition = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
    return ast.IfExp(condition, tree, ZERO)


def _under_conditions(slope: ast.expr, tangent: ast.expr) -> ast.expr:
    """A slope times a tangent, which is not read where a condition makes the slope 0: it may lie outside."""
    product = times(slope, tangent)
    for test, is_met in _conditions(slope):
        product = ast.IfExp(test, product, ZERO) if is_met else ast.IfExp(test, ZERO, product)
    return product


def _conditions(tree: ast.expr) -> Iterator[tuple[ast.expr, bool]]:
    match tree:
        case ast.IfExp(test=test, body=body, orelse=orelse):
            if is_number(orelse, 0):
                yield test, True
                yield from _conditions(body)
            elif is_number(body, 0):
                yield test, False
                yield from _conditions(orelse)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            yield from _conditions(left)
            yield from _conditions(right)
        case ast.BinOp(left=operand, op=ast.Div()) | ast.UnaryOp(operand=operand):
            yield from _conditions(operand)


def _ranges_of(tree: ast.expr, known: Ranges) -> dict[str, tuple[ast.expr, ast.expr]]:
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return {name: ends for name, ends in known.items() if name in names}


def _tidied(tree: ast.expr) -> ast.expr:
    """Without powers of 1, and with differences of numbers computed."""

    class Tidied(ast.NodeTransformer):
        def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
            self.generic_visit(node)
            match node:
                case ast.BinOp(ast.Constant(value=int() as left), ast.Sub(), ast.Constant(value=int() as right)):
                    return ast.Constant(left - right)
            return node

        def visit_Call(self, node: ast.Call) -> ast.AST:
            self.generic_visit(node)
            match node:
                case ast.Call(func=ast.Name(id="pow" | "pow_number"), args=[base, ast.Constant(value=1)]):
                    return base
                case ast.Call(func=ast.Name(id="pow" | "pow_number"), args=[base, exponent]):
                    return ast.BinOp(base, ast.Pow(), exponent)
                case ast.Call(func=ast.Name(id="divide"), args=[left, right]):
                    return ast.BinOp(left, ast.Div(), right)
            return node

    result: ast.expr = Tidied().visit(copied(tree))
    return result


def _weight(operand: ast.expr, result: ast.expr) -> ast.expr:
    """The derivative of logsumexp by one of its terms."""
    raised = ast.Call(name_of("exp"), [ast.BinOp(operand, ast.Sub(), result)], [])
    none = ast.Compare(result, [ast.Eq()], [ast.UnaryOp(ast.USub(), name_of("inf"))])
    return ast.IfExp(none, ZERO, raised)


def _flat(statement: Statement) -> ast.expr:
    return _flat_of(statement.indices, statement)


def _flat_of(indices: Sequence[str], statement: Statement) -> ast.expr:
    if len(indices) == 1:
        return name_of(indices[0])
    place: ast.expr = ZERO
    for index in indices:
        start, stop = statement.ranges[index]
        is_from_0 = is_number(start, 0)
        count = stop if is_from_0 else ast.BinOp(stop, ast.Sub(), start)
        own: ast.expr = name_of(index) if is_from_0 else ast.BinOp(name_of(index), ast.Sub(), start)
        place = plus(times(place, count), own)
    return place


def _is_padded(read: Read) -> bool:
    return isinstance(read.node, ast.Call)


def _active_reads(tree: ast.expr, active: Iterable[str]) -> list[Read]:
    return [read for name, read in _named_reads(tree, set(active))[1].items() if name.startswith("read_")]


def _named_reads(tree: ast.expr, active: set[str]) -> tuple[ast.expr, dict[str, Read]]:
    """An expression with names for elements: read_1 of one that has a derivative, given_1 of what has none."""
    found: dict[str, Read] = {}
    names: dict[str, str] = {}

    def named(word: str, read: Read) -> ast.expr:
        key = ast.dump(read.node)
        if key not in names:
            names[key] = f"{word}_{len(names) + 1}"
            found[names[key]] = read
        return name_of(names[key])

    class Named(ast.NodeTransformer):
        def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
            assert isinstance(node.value, ast.Name)
            name = node.value.id
            return named("read" if name in active else "given", Read(name, places_of(node), node))

        def visit_Name(self, node: ast.Name) -> ast.AST:
            return named("read", Read(node.id, (), node)) if node.id in active else node

        def visit_Call(self, node: ast.Call) -> ast.AST:
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            if name == PADDED and isinstance(node.args[0], ast.Subscript):
                inner = node.args[0]
                assert isinstance(inner.value, ast.Name)
                word = "read" if inner.value.id in active else "given"
                return named(word, Read(inner.value.id, places_of(inner), node))
            if name == INT:
                return named("given", Read("", (), node))
            node.args = [self.visit(argument) for argument in node.args]
            return node

    result: ast.expr = Named().visit(copied(tree))
    return result, found


def _with_constants(tree: ast.expr, found: dict[str, Read]) -> ast.expr:
    """With a name for each part that has no derivative, whatever it is made of; `found` gets these."""
    if isinstance(tree, ast.Name | ast.Constant):
        return tree
    if not any(name.startswith("read_") for name in names_in(tree)):
        name = f"given_{len(found) + 1}"
        found[name] = Read("", (), _restored(tree, found))
        return name_of(name)

    def of(node: ast.AST) -> ast.AST:
        return _with_constants(node, found) if isinstance(node, ast.expr) else node

    if isinstance(tree, ast.Call):
        return ast.Call(tree.func, [_with_constants(argument, found) for argument in tree.args], [])
    if isinstance(tree, ast.Compare | ast.BoolOp):
        return tree
    result = rebuilt(tree, of)
    assert isinstance(result, ast.expr)
    return result


def _restored(tree: ast.expr, found: Mapping[str, Read]) -> ast.expr:
    return renamed(tree, {name: read.node for name, read in found.items()})


def _shape(dims: Sequence[ast.expr]) -> str:
    texts = [ast.unparse(dim) for dim in dims]
    return f"({', '.join(texts)}{',' * (len(texts) == 1)})"


def _pruned(text: Text, outputs: Iterable[str]) -> list[str]:
    """The lines that outputs need."""
    nodes = [ast.parse(line).body[0] for line in text.lines]
    targets = [_target(n.targets[0] if isinstance(n, ast.Assign) else n.target) for n in nodes]  # type: ignore[attr-defined]
    needed, before = {*outputs}, set[str]()
    while needed != before:
        before = set(needed)
        for node, target in zip(nodes, targets, strict=True):
            if target in needed and not isinstance(node, ast.AnnAssign):
                needed |= {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return [line for line, target in zip(text.lines, targets, strict=True) if target in needed]


def _target(node: ast.expr) -> str:
    named = node.value if isinstance(node, ast.Subscript) else node
    assert isinstance(named, ast.Name)
    return named.id


def _with_ranges(text: Text, outputs: Iterable[str]) -> Iterator[str]:
    lines = _pruned(text, outputs)
    used = {node.id for line in lines for node in ast.walk(ast.parse(line)) if isinstance(node, ast.Name)}
    yield from (f"{name}: {span}" for name, span in text.ranges.items() if name in used)
    yield from lines
