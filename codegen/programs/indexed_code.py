"""The CPU's loops of indexed programs: one function for each statement, or for each recurrence of several.

A subexpression is computed in the outermost loop that has all its indices. A sum over an index is added up in a
register, or in the row of the result where that lets the innermost loop go through memory as it lies (`_by_rows`).
"""

import ast
import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..language.indexed_programs import (
    INT,
    PADDED,
    IndexedProgram,
    Read,
    Statement,
    directions,
    fold_of,
    folded,
    free_names,
    fresh,
    is_name,
    is_uniform,
    linear,
    places_of,
    reads,
    renamed,
    replaced,
    same,
    simplified,
)
from .cpu_code import indented
from .intervals import Intervals
from .passes import is_expensive
from .python_code import ANY, INTEGER, SIGNS, TRUTH, VALUE, plain

_ORDER: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_JOIN = ("max", "min")
_START = {"max": "-np.inf", "min": "np.inf", "argmax": "-np.inf", "argmin": "np.inf"}
FLAT_INDEX = ("argmax", "argmin")


@dataclass(frozen=True)
class Stage:
    """One compiled function: what it reads and writes, and how its rows are counted."""

    name: str
    lines: tuple[str, ...]
    functions: tuple[str, ...]
    operands: tuple[str, ...]
    results: tuple[str, ...]
    floats: tuple[str, ...]
    ints: tuple[str, ...]
    rows: str  # how many rows threads may share, beside those of the batch
    work: str
    tests: tuple[str, ...]  # what sizes must fulfil so that no place needs a test
    is_guarded: bool = False


WORDS = ("b", "begin", "end", "first", "last", "at", "own", "found", "best", "z")  # names that loops have of their own


class ProgramCode:
    """What is known of a program's arrays, for all its stages."""

    def __init__(self, program: IndexedProgram) -> None:
        self.program = program
        self.taken = {*program.arrays, *program.numbers, *program.sizes}
        self.taken |= {index for statement in program.statements for index in statement.ranges}
        self.word = {word: fresh(word, self.taken) for word in WORDS}
        self.at = {name: fresh(f"at_{name}", self.taken) for name in program.arrays}
        self.step = {name: fresh(f"step_{name}", self.taken) for name in program.arrays}
        self.kinds: dict[str, str] = {}
        for array in program.arrays.values():
            self.kinds[array.name] = {"input": VALUE, "constant": ANY}.get(array.kind, VALUE)
        assigned: set[str] = set()
        for statement in program.statements:
            kind = INTEGER if statement.collect in FLAT_INDEX else self.kind_of(statement.value)
            kind = VALUE if kind == INTEGER and _is_constant(statement.value) else kind
            kind = kind if kind in (INTEGER, TRUTH) else VALUE
            known = self.kinds[statement.name] if statement.name in assigned else kind
            self.kinds[statement.name] = kind if kind == known else VALUE
            assigned.add(statement.name)

    def kind_of(self, tree: ast.expr) -> str:
        fold = fold_of(tree)
        if fold is not None:
            if fold[0] in FLAT_INDEX:
                return INTEGER
            if fold[0] in ("any", "all"):
                return TRUTH
            inner = self.kind_of(fold[2])
            return VALUE if fold[0] in ("mean", "logsumexp") or inner == VALUE else INTEGER
        match tree:
            case ast.Name(id=name) if name in ("inf", "nan", "pi"):
                return VALUE
            case ast.Name(id=name):
                if name in self.program.arrays:
                    return self.kinds[name]
                return {"float": VALUE, "bool": TRUTH}.get(self.program.numbers.get(name, ""), INTEGER)
            case ast.Subscript(value=ast.Name(id=name)):
                return self.kinds.get(name, VALUE)
            case ast.Constant(value=bool()) | ast.Compare() | ast.UnaryOp(op=ast.Not()) | ast.BoolOp():
                return TRUTH
            case ast.Constant(value=value):
                return INTEGER if isinstance(value, int) else VALUE
            case ast.UnaryOp(operand=operand):
                return self.kind_of(operand)
            case ast.BinOp(left=left, op=op, right=right) if not isinstance(op, ast.Div | ast.Pow):
                kinds = {self.kind_of(left), self.kind_of(right)}
                return INTEGER if kinds <= {INTEGER, TRUTH} else ANY if kinds <= {INTEGER, ANY} else VALUE
            case ast.IfExp(body=body, orelse=orelse):
                kinds = {self.kind_of(body), self.kind_of(orelse)}
                return kinds.pop() if len(kinds) == 1 else INTEGER if kinds <= {INTEGER, ANY} else VALUE
            case ast.Call(func=ast.Name(id=name), args=args):
                if name == INT:
                    return INTEGER
                if name == PADDED:
                    return self.kind_of(args[0])
                if name in ("minimum", "maximum", "abs") and {self.kind_of(a) for a in args} <= {INTEGER, ANY}:
                    return INTEGER
                return TRUTH if name.startswith("is") else VALUE
        return VALUE


def _is_constant(tree: ast.expr) -> bool:
    """Whether an expression is numbers alone, whatever conditions choose: these are elements like others."""
    if isinstance(tree, ast.IfExp):
        return _is_constant(tree.body) and _is_constant(tree.orelse)
    return not any(isinstance(node, ast.Name) for node in ast.walk(tree))


def stages_of(program: IndexedProgram) -> list[Stage]:
    """The functions of a program, those with tested places too."""
    code = ProgramCode(program)
    begun: set[str] = set()
    results: list[Stage] = []
    for number, group in enumerate(program.groups, 1):
        name = f"stage_{number}"
        results += _both_forms(code, [group], name, begun)
        begun |= {statement.name for statement in group}
    return results


def whole_of(program: IndexedProgram) -> list[Stage]:
    """One function for all statements, with memory of its own for the program's arrays: for many examples."""
    if len(program.groups) < 2:
        return []
    return list(_both_forms(ProgramCode(program), program.groups, WHOLE, set()))


WHOLE = "whole"


def _both_forms(
    code: ProgramCode, groups: Sequence[Sequence[Statement]], name: str, begun: set[str]
) -> Iterator[Stage]:
    stage = StageWriter(code, groups, name, begun).stage(False)
    if not stage.tests:
        yield stage
        return
    tested = StageWriter(code, groups, f"{name}_tested", begun).stage(True, stage.ints)
    yield StageWriter(code, groups, name, begun).stage(False, tested.ints)
    yield replace(tested, is_guarded=True)


@dataclass(frozen=True)
class Loop:
    index: str
    start: str
    stop: str
    step: int = 1

    @property
    def line(self) -> str:
        if self.step < 0:
            return f"for {self.index} in range({self.stop} - 1, {self.start} - 1, -1):"
        return f"for {self.index} in range({self.stop if self.start == '0' else f'{self.start}, {self.stop}'}):"


Value = tuple[str, str, int]  # text, kind, and the number of loops that it needs


class Nest:
    """Loops and what is computed in each: `lines[k]` stand inside of k loops."""

    def __init__(self, function: "StageWriter", statement: Statement, loops: Sequence[Loop]) -> None:
        self.function = function
        self.statement = statement
        self.loops = list(loops)
        self.lines: list[list[str]] = [[] for _ in range(len(loops) + 1)]
        self.known: dict[str, Value] = {}
        self.steps: dict[str, tuple[str, str]] = {}  # what a step of a recurrence hands on, by the element's text

    def below(self, depth: int, loops: Sequence[Loop]) -> "Nest":
        """A nest of other loops inside of the first `depth` ones, whose lines it continues."""
        nest = Nest(self.function, self.statement, [*self.loops[:depth], *loops])
        nest.lines[: depth + 1] = self.lines[: depth + 1]
        nest.known = {text: value for text, value in self.known.items() if value[2] <= depth}
        return nest

    def text(self, depth: int) -> list[str]:
        """The lines of the loops inside of the first `depth` ones."""
        lines: list[str] = []
        for k in range(len(self.loops), depth, -1):
            lines = [self.loops[k - 1].line, *indented(1, [*self.lines[k], *lines])]
        return lines

    def level_of(self, tree: ast.AST) -> int:
        names = set(free_names(tree))
        return max((k for k, loop in enumerate(self.loops, 1) if loop.index in names), default=0)

    def bound(self, value: Value, word: str, key: str = "") -> Value:
        """A name for a value, in the outermost loop that it can stand in."""
        text, kind, level = value
        name = self.function.new(word)
        self.lines[level].append(f"{name} = {plain(text)}")
        if key:
            self.known[key] = (name, kind, level)
        return name, kind, level

    def carried(self) -> Iterator[tuple[str, str]]:
        """The names of what the step before has computed, and what this one hands on."""
        for name, own in self.steps.values():
            yield name, self.known[own][0]

    def _from_step_before(self, key: str, read: Read, border: ast.expr | None) -> Value | None:
        """The element that the step before of the innermost loop has computed."""
        if not self.loops or read.name not in {s.name for s in self.function.group} or not self.function.is_recurrence:
            return None
        loop, own = self.loops[-1], next(s for s in self.function.group if s.name == read.name)
        if not own.places or not is_name(own.places[-1], loop.index) or loop.start != "0":
            return None
        before = ast.BinOp(own.places[-1], ast.Sub() if loop.step > 0 else ast.Add(), ast.Constant(1))
        if not all(map(same, read.places, (*own.places[:-1], before))) or self.function.depth_of(own) != len(
            self.loops
        ):
            return None
        kind = self.function.code.kinds[read.name]
        first = "T(np.nan)" if kind == VALUE else "0"
        if border is not None:
            first, _, level = self.element(border) if kind == VALUE else self.value(border)
            if level == len(self.loops):
                return None
        name = self.function.new("before")
        self.lines[-2].append(f"{name} = {plain(first)}")
        self.steps[key] = name, ast.dump(_own_element(own))
        self.known[key] = name, kind, len(self.loops)
        return self.known[key]

    # ---- expressions -------------------------------------------------------------------------------------------------

    def element(self, tree: ast.expr) -> Value:
        """A value in the dtype of the elements."""
        return self._typed(self.value(tree))

    def _typed(self, value: Value) -> Value:
        text, kind, level = value
        return (f"T({text})", VALUE, level) if kind in (INTEGER, ANY) else value

    def value(self, tree: ast.expr) -> Value:
        key = ast.dump(tree)
        if key in self.known:
            return self.known[key]
        fold = fold_of(tree)
        if fold is not None:
            return self._fold(key, *fold)
        if self._is_far_from_border(tree):
            assert isinstance(tree, ast.BinOp | ast.Call)
            return self.value(tree.left if isinstance(tree, ast.BinOp) else tree.args[0])
        match tree:
            case ast.Name(id=name) if name in self.function.arrays:
                return self._read(key, Read(name, (), tree), None)
            case ast.Name(id="inf" | "nan" | "pi" as name):
                return f"T(np.{name})", VALUE, 0
            case ast.Name(id=name):
                return name, self.function.code.kind_of(tree), self.level_of(tree)
            case ast.Constant(value=value):
                kind = self.function.code.kind_of(tree)
                return (repr(value) if kind != VALUE else f"T({value!r})"), kind, 0
            case ast.Subscript(value=ast.Name(id=name)):
                return self._read(key, Read(name, places_of(tree), tree), None)
            case ast.UnaryOp(op=op, operand=operand):
                text, kind, level = self.value(operand)
                sign = {ast.Not: "not ", ast.USub: "-"}.get(type(op), "+")
                return f"({sign}{text})", TRUTH if isinstance(op, ast.Not) else kind, level
            case ast.BinOp(op=ast.Pow(), left=left, right=right):
                return self._power(key, left, right)
            case ast.BinOp(left=left, op=op, right=right):
                one, two, kind, level = self._alike(left, right, isinstance(op, ast.Div))
                return f"({one} {SIGNS[type(op)]} {two})", kind, level
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                return self._comparison(left, ops, comparators)
            case ast.BoolOp(op=op, values=values):
                parts = [self.value(value) for value in values]
                word = " and " if isinstance(op, ast.And) else " or "
                return f"({word.join(part[0] for part in parts)})", TRUTH, max(part[2] for part in parts)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                condition, _, depth = self.value(test)
                one, two, kind, level = self._alike(body, orelse)
                return f"({one} if {condition} else {two})", kind, max(level, depth)
            case ast.Call(func=ast.Name(id=name), args=args):
                return self._call(key, tree, name, args)
        raise AssertionError(ast.dump(tree))

    def _is_far_from_border(self, tree: ast.expr) -> bool:
        """Whether a place that is turned or held at a border is not near it."""
        index, function = self.function.inside, self.function
        if not index or isinstance(tree, ast.Subscript):
            return False
        return function.offset_at_border(tree, index, self.statement) is not None

    def _alike(self, left: ast.expr, right: ast.expr, divided: bool = False) -> tuple[str, str, str, int]:
        one, two = self.value(left), self.value(right)
        kinds, level = {one[1], two[1]}, max(one[2], two[2])
        if kinds <= {INTEGER, ANY, TRUTH} and kinds != {TRUTH} and not divided:
            return one[0], two[0], INTEGER if ANY not in kinds else ANY, level
        if kinds == {TRUTH} and not divided:
            return one[0], two[0], TRUTH, level
        return self._typed(one)[0], self._typed(two)[0], VALUE, level

    def _comparison(self, left: ast.expr, ops: list[ast.cmpop], comparators: list[ast.expr]) -> Value:
        parts, level = [], 0
        for op, one, two in zip(ops, (left, *comparators), comparators, strict=False):
            first, second, _, depth = self._alike(one, two)
            parts.append(f"({first} {_ORDER[type(op)]} {second})")
            level = max(level, depth)
        return parts[0] if len(parts) == 1 else f"({' and '.join(parts)})", TRUTH, level

    def _power(self, key: str, base: ast.expr, exponent: ast.expr) -> Value:
        if isinstance(exponent, ast.Constant) and exponent.value == 2:
            text, kind, level = self.bound(self.element(base), "value", ast.dump(base) + "T")
            return f"({text} * {text})", kind, level
        one, two = self.element(base), self.element(exponent)
        name = "pow" if two[2] else "pow_number"
        self.function.functions.add(name)
        return self.bound((f"{name}({one[0]}, {two[0]})", VALUE, max(one[2], two[2])), "value", key)

    def _call(self, key: str, tree: ast.expr, name: str, args: list[ast.expr]) -> Value:
        if name == INT:
            text, _, level = self.value(args[0])
            return self.bound((f"np.int64({text})", INTEGER, level), "place", key)
        if name == PADDED:
            assert isinstance(args[0], ast.Subscript) and isinstance(args[0].value, ast.Name)
            return self._read(key, Read(args[0].value.id, places_of(args[0]), args[0]), args[1])
        kind = self.function.code.kind_of(tree)
        first = 1 if name in ("where", "either") else 0
        parts = [self.value(a) if k < first or kind == INTEGER else self.element(a) for k, a in enumerate(args)]
        level = max(part[2] for part in parts)
        if kind == INTEGER:
            name = {"minimum": "min", "maximum": "max"}.get(name, name)
        else:
            self.function.functions.add(name)
        return self.bound((f"{name}({', '.join(part[0] for part in parts)})", kind, level), "value", key)

    def _read(self, key: str, read: Read, border: ast.expr | None) -> Value:
        kind = self.function.code.kinds[read.name]
        if (value := self._from_step_before(key, read, border)) is not None:
            return value
        outside = "T(np.nan)" if kind == VALUE else "0"
        if border is not None:
            border_value = self.element(border) if kind == VALUE else self.value(border)
            outside = border_value[0]
        offset, test, level = self.offset(read.name, read.places, border is not None)
        text = self.function.load(read.name, offset)
        return self.bound((f"({text} if {test} else {outside})" if test else text, kind, level), read.name, key)

    def offset(self, name: str, places: Sequence[ast.expr], is_tested: bool = False) -> tuple[str, str, int]:
        """Where an element lies, what must hold so that there is one, and the loops that this needs."""
        dims = self.function.arrays[name].dims
        texts, tests, level = [], [], 0
        for place, dim in zip(places, dims, strict=True):
            text, kind, depth = self.value(place)
            if depth < len(self.loops) and not isinstance(place, ast.Name | ast.Constant) and not text.isidentifier():
                text, _, depth = self.bound((text, kind, depth), "place", ast.dump(place))
            level = max(level, depth)
            texts.append(text)
            is_far = self.function.inside and self._is_far(place, dim)
            if is_far or self._is_inside(place, dim):
                continue
            if is_tested or self.function.tests_places(self, place, dim):
                tests.append(f"(0 <= {text} < {self.size(dim)})")
        total = ""
        for text, dim in zip(texts, dims, strict=True):
            outer = total if total.isidentifier() else f"({total})"
            total = f"{outer} * {self.size(dim)} + {text}" if total else text
        base = self.function.code.at[name]
        return f"{base} + {total}" if total else base, " and ".join(tests), level

    def _is_far(self, place: ast.expr, dim: ast.expr) -> bool:
        index = self.function.inside
        return same(dim, self.statement.ranges[index][1]) and _offset(place, index) is not None

    def size(self, dim: ast.expr) -> str:
        text = ast.unparse(dim)
        return text if isinstance(dim, ast.Name | ast.Constant) else f"({text})"

    def _is_inside(self, place: ast.expr, dim: ast.expr) -> bool:
        if not isinstance(place, ast.Name) or place.id not in self.statement.ranges:
            return False
        start, stop = self.statement.ranges[place.id]
        return same(stop, dim) and isinstance(start, ast.Constant) and start.value == 0

    # ---- folds -------------------------------------------------------------------------------------------------------

    def _fold(self, key: str, word: str, over: tuple[str, ...], operand: ast.expr) -> Value:
        if word == "mean":
            text, _, level = self._typed(self._fold(key + "sum", "sum", over, operand))
            return f"({text} / T({' * '.join(self._count(name) for name in over)}))", VALUE, level
        if word == "logsumexp":
            return self.value(_logsumexp(over, operand))
        names = [name for name in free_names(operand) if name not in over]
        depth = max((k for k, loop in enumerate(self.loops, 1) if loop.index in names), default=0)
        total = self.function.new(word)
        if word in _JOIN and len(over) == 1 and self.function.code.kind_of(operand) == VALUE:
            lines = list(self._extreme_of_rows(word, over[0], operand, total, depth))
            if lines:
                self.lines[depth] += lines
                self.known[key] = total, VALUE, depth
                return self.known[key]
        nest = self.below(depth, [self.function.loop(name, self.statement) for name in over])
        kind, start, lines = nest.reduced(word, over, operand, total)
        nest.lines[-1] += lines
        self.lines[depth] += [*start, *nest.text(depth)]
        if word in _JOIN:
            self.lines[depth].append(f"{total} = T(np.nan) if {start[1].split()[0]} else {total}")
        if word in ("any", "all"):
            total, kind = f"({total} {'>' if word == 'any' else '=='} 0)", TRUTH
        self.known[key] = (total, kind, depth)
        return self.known[key]

    def _extreme_of_rows(self, word: str, index: str, operand: ast.expr, total: str, depth: int) -> Iterator[str]:
        """An extreme by vector code: of a row that lies in memory, or of one that is computed in blocks before."""
        which = 1 if word == "max" else 0
        if not self.function.has_rows:
            return
        start, stop = (ast.unparse(end) for end in self.statement.ranges[index])
        row = self._row_in_memory(operand, index)
        if row:
            offset = plain(self.offset(row.name, (*row.places[:-1], ast.Constant(0)))[0])
            extreme = f"minmax_of(part_of({row.name}, {offset}, {stop}))[{which}]"
            yield f"{total} = {extreme} if {stop} > 0 else T({_START[word]})"
            return
        if stop.isdigit() or not (is_expensive(operand) or _outer_folds(operand)):
            return
        size, begin, block = (self.function.new(each) for each in ("size", "start", "block"))
        self.function.blocks.append(block)
        nest = self.below(depth, [Loop(index, begin, f"{begin} + {size}")])
        text = nest.element(operand)[0]
        nest.lines[-1].append(f"{block}[np.uint64({index} - {begin})] = {plain(text)}")
        yield f"{total} = T({_START[word]})"
        yield f"for {begin} in range({start}, {stop}, BLOCK):"
        yield f"    {size} = min(BLOCK, {stop} - {begin})"
        yield from indented(1, nest.text(depth))
        extreme = f"minmax_of(part_of({block}, 0, {size}))[{which}]"
        yield f"    {block}_{word} = {extreme}"
        yield f"    {total} = {self.function.joined(word, total, f'{block}_{word}')}"

    def _row_in_memory(self, operand: ast.expr, index: str) -> Read | None:
        """The read that an operand is, if the index runs along all of a row."""
        match operand:
            case ast.Subscript(value=ast.Name(id=name)) if name in self.function.arrays:
                read = Read(name, places_of(operand), operand)
                last, dims = read.places[-1], self.function.arrays[name].dims
                plain_places = all(map(self._is_inside, read.places, dims))
                if (
                    is_name(last, index)
                    and plain_places
                    and index not in {n for p in read.places[:-1] for n in free_names(p)}
                ):
                    return read
        return None

    def _count(self, index: str) -> str:
        start, stop = self.statement.ranges[index]
        return self.size(stop) if ast.unparse(start) == "0" else f"({ast.unparse(stop)} - {ast.unparse(start)})"

    def reduced(
        self, word: str, over: Sequence[str], operand: ast.expr, total: str
    ) -> tuple[str, list[str], list[str]]:
        """The kind of a fold, how it begins, and what each element does to it."""
        if word in ("any", "all"):
            text = self.value(operand)[0]
            return INTEGER, [f"{total} = 0"], [f"{total} += 1 if {text if word == 'any' else f'not {text}'} else 0"]
        if word in FLAT_INDEX:
            return self._first_of(word, over, operand, total)
        value = self.value(operand)
        is_count = value[1] in (INTEGER, TRUTH) and word in ("sum", "prod")
        text, kind = (value[0], INTEGER) if is_count else (self._typed(value)[0], VALUE)
        if word in _JOIN:
            text = self.bound((text, kind, len(self.loops)), "value")[0]
            missing = self.function.new("missing")
            sign = ">" if word == "max" else "<"
            lines = [f"{total} = {text} if {text} {sign} {total} else {total}", f"{missing} |= {text} != {text}"]
            return kind, [f"{total} = T({_START[word]})", f"{missing} = False"], lines
        start = "0" if word == "sum" else "1"
        sign = "+" if word == "sum" else "*"
        return kind, [f"{total} = {start if is_count else f'T({start})'}"], [f"{total} {sign}= {plain(text)}"]

    def _first_of(
        self, word: str, over: Sequence[str], operand: ast.expr, total: str
    ) -> tuple[str, list[str], list[str]]:
        text = plain(self.element(operand)[0])
        place, start = self.numbered(over), ast.unparse(self.statement.ranges[over[0]][0]) if len(over) == 1 else "0"
        best, found = f"best_{total}", f"found_{total}"
        sign = ">" if word == "argmax" else "<"
        lines = [
            f"{found} = {text}",
            f"if {found} {sign} {best} or ({found} != {found} and {best} == {best}):",
            f"    {best}, {total} = {found}, {plain(place)}",
        ]
        return INTEGER, [f"{best}, {total} = T({_START[word]}), {start}"], lines

    def numbered(self, over: Sequence[str]) -> str:
        """The value of an index, or the number of several in their order."""
        if len(over) == 1:
            return over[0]
        place = ""
        for index in over:
            start = ast.unparse(self.statement.ranges[index][0])
            own = index if start == "0" else f"({index} - ({start}))"
            place = f"({place}) * {self._count(index)} + {own}" if place else own
        return place


def _logsumexp(over: Sequence[str], operand: ast.expr) -> ast.expr:
    def fold(word: str, tree: ast.expr) -> ast.expr:
        places = [ast.Name(name, ast.Load()) for name in over]
        index = places[0] if len(places) == 1 else ast.Tuple(list(places), ast.Load())
        return ast.Call(ast.Subscript(ast.Name(word, ast.Load()), index, ast.Load()), [tree], [])

    def call(name: str, tree: ast.expr) -> ast.expr:
        return ast.Call(ast.Name(name, ast.Load()), [tree], [])

    top = fold("max", operand)
    total = fold("sum", call("exp", ast.BinOp(operand, ast.Sub(), top)))
    return ast.IfExp(call("isinf", top), top, ast.BinOp(call("log", total), ast.Add(), top))


def _offset(place: ast.expr, index: str) -> ast.expr | None:
    """c of i + c."""
    terms, _ = linear(place)
    if terms.get(index) != 1 or any(index in name for name in terms if name.startswith("?")):
        return None
    return simplified(renamed(place, {index: ast.Constant(0)}))


def _without(size: ast.expr, offset: ast.expr | None) -> ast.expr | None:
    """An offset without multiples of the size that a place is turned by."""
    if offset is None or not isinstance(size, ast.Name):
        return offset
    return simplified(renamed(offset, {size.id: ast.Constant(0)}))


def _own_element(statement: Statement) -> ast.expr:
    return ast.Subscript(ast.Name(statement.name, ast.Load()), _index(statement.places), ast.Load())


def _count_of(ends: tuple[ast.expr, ast.expr]) -> ast.expr:
    start, stop = ends
    return stop if isinstance(start, ast.Constant) and start.value == 0 else ast.BinOp(stop, ast.Sub(), start)


def _quotient(value: ast.expr, count: ast.expr) -> ast.expr:
    return ast.BinOp(value, ast.Div(), count)


def _like(kind: str) -> str:
    return {INTEGER: "0", TRUTH: "False"}.get(kind, "T(0)")


def _index(places: Sequence[ast.expr]) -> ast.expr:
    return places[0] if len(places) == 1 else ast.Tuple(list(places), ast.Load())


def _outer_folds(tree: ast.expr) -> list[ast.expr]:
    """The folds in an expression that lie in no other one."""
    if fold_of(tree) is not None:
        return [tree]
    children = (child for child in ast.iter_child_nodes(tree) if isinstance(child, ast.expr))
    return [node for child in children for node in _outer_folds(child)]


class StageWriter:
    """Writes the function of one group of statements, or of all of a program."""

    has_rows = True  # whether functions of rows in memory are at hand

    def __init__(self, code: ProgramCode, groups: Sequence[Sequence[Statement]], name: str, begun: set[str]) -> None:
        self.code = code
        self.program = code.program
        self.arrays = self.program.arrays
        self.groups = groups
        self.statements = [statement for group in groups for statement in group]
        self.is_whole = len(groups) > 1
        self.name = name
        self.begun = set(begun)  # arrays that were assigned before
        self.functions: set[str] = set()
        self.numbers: dict[str, int] = {}
        self.blocks: list[str] = []  # memory for a part of a row
        self.tests: dict[str, None] = {}
        self.guarded = False
        self.checked = {(name, ast.dump(dim)) for name, dim in self.program.checked_places}
        self.taken = {*code.taken, *code.word.values(), *code.at.values(), *code.step.values()}
        self.word = code.word
        self.inside = ""  # the index that is far enough from the ends of its range
        self._go_on(groups[0])

    def _go_on(self, group: Sequence[Statement]) -> None:
        self.group = group
        self.is_recurrence = self.program.is_recurrence(group)
        self.ways = directions(self.program, group) if self.is_recurrence else {}
        self.parallel = self._parallel()

    def _parallel(self) -> str:
        """The index whose values threads may share."""
        first = self.group[0]
        if self.is_whole or self.is_recurrence or first.collect or not first.places or len(self.group) > 1:
            return ""
        return first.places[0].id if isinstance(first.places[0], ast.Name) else ""

    def new(self, word: str) -> str:
        while True:
            self.numbers[word] = self.numbers.get(word, 0) + 1
            name = f"{word}_{self.numbers[word]}"
            if name not in self.taken:
                return name

    def loop(self, index: str, statement: Statement) -> Loop:
        start, stop = statement.ranges[index]
        if index == self.parallel:  # the part of a thread, in one example
            b, begin, end = (self.word[word] for word in ("b", "begin", "end"))
            own = f"{b} * {self._count()}"
            own = own if ast.unparse(start) == "0" else f"({own} - ({ast.unparse(start)}))"
            return Loop(index, f"{begin} - {own}", f"{end} - {own}")
        return Loop(index, ast.unparse(start), ast.unparse(stop), self.ways.get(index, 1))

    def _loops(self, statement: Statement, names: Sequence[str]) -> list[Loop]:
        return [self.loop(name, statement) for name in names]

    def depth_of(self, statement: Statement) -> int:
        """How many loops stand around a statement."""
        return len(statement.places)

    def tests_places(self, nest: Nest, place: ast.expr, dim: ast.expr) -> bool:
        """Whether a place is tested in the loop; if sizes can tell that it is inside, they are asked before."""
        name = place.value.id if isinstance(place, ast.Subscript) and isinstance(place.value, ast.Name) else ""
        if (name, ast.dump(dim)) in self.checked:
            return False
        if self.guarded:
            return True
        intervals = Intervals(self.program, nest.statement)
        ends = intervals.of(place)
        if ends is None:
            return True
        self.tests |= dict.fromkeys(f"{divisor} > 0" for divisor in intervals.divisors)
        if ends == ("0", f"({nest.size(dim)} - 1)"):
            return False
        self.tests[f"0 <= {ends[0]}"] = None
        self.tests[f"{ends[1]} < {nest.size(dim)}"] = None
        return False

    def stage(self, guarded: bool, more_ints: Sequence[str] = ()) -> Stage:
        """`more_ints`: of the form with tests, which is called in the same way."""
        self.guarded = guarded
        body: list[str] = []
        for group in self.groups:
            self._go_on(group)
            body += self._body()
            self.begun |= {statement.name for statement in group}
        read = [a.name for a in self.arrays.values() if self._is_read(a.name)]
        results = list(dict.fromkeys(statement.name for statement in self.statements))
        own = [n for n in results if n not in self.program.outputs] if self.is_whole else []
        results = [name for name in results if name not in own]
        operands = [name for name in read if name not in (*results, *own)]
        used = {node.id for node in ast.walk(ast.parse("\n".join(body))) if isinstance(node, ast.Name)}
        first = next((a.name for a in self.program.of_kind("input")), "")
        if first not in operands and not any(self.code.kinds[n] == VALUE for n in (*operands, *results)):
            operands.insert(0, first)
        typed = next(n for n in (*operands, *results) if self.code.kinds[n] == VALUE)
        floats = [n for n, kind in self.program.numbers.items() if kind == "float" and n in used]
        lines = [*self._heads(operands, results, own), *body]
        memory = [f"{n} = empty_row({_like(self.code.kinds[n])}, {self.total(n)})" for n in own]
        memory += [f"{name} = empty_row(T(0), BLOCK)" for name in self.blocks]
        text = "\n".join([*memory, *lines])
        used |= {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
        ints = [n for n, kind in self.program.numbers.items() if kind != "float" and n in used]
        ints += [n for n in self.program.sizes if n in used and n not in ints]
        ints = [*more_ints, *(name for name in ints if name not in more_ints)]
        steps = [self.code.step[n] for n in operands if self.arrays[n].kind in ("input", "constant")]
        args = [*operands, *results, *floats, *ints, *steps, self.word["first"], self.word["last"]]
        head = ["@jit(fastmath=REORDER, no_alias=True)", f"def {self.name}({', '.join(args)}):"]
        head += [f'    """{self._doc()}"""', f"    T = {typed}.dtype.type"]
        head += [f"    {name} = T({name})" for name in floats]
        head += indented(1, memory)
        lines = [*head, *indented(1, self._rows(lines))]
        return Stage(
            self.name, tuple(lines), tuple(sorted(self.functions)), tuple(operands), tuple(results), tuple(floats),
            tuple(ints), self._count(), self._work(), tuple(self.tests),
        )  # fmt: skip

    def _doc(self) -> str:
        if self.is_whole:
            return "All of the program, one example after the other."
        return "; ".join(statement.text for statement in self.group).replace("\\", "")[:100]

    def _is_read(self, name: str) -> bool:
        trees = [tree for s in self.statements for tree in (s.value, *(s.places if s.collect else ()))]
        return any(read.name == name for tree in trees for read in reads(tree, self.arrays))

    def _count(self) -> str:
        if not self.parallel:
            return "1"
        start, stop = self.group[0].ranges[self.parallel]
        text = ast.unparse(stop) if ast.unparse(start) == "0" else f"{ast.unparse(stop)} - ({ast.unparse(start)})"
        return text if text.isidentifier() else f"({text})"

    def _work(self) -> str:
        counts = []
        for statement in self.statements:
            sizes = [f"({ast.unparse(stop)} - {ast.unparse(start)})" for start, stop in statement.ranges.values()]
            counts.append(plain(" * ".join(sizes)) if sizes else "1")
        return " + ".join(counts)

    def _rows(self, lines: Sequence[str]) -> Iterator[str]:
        """The loop over what a thread has: examples of the batch, or values of the first index in each."""
        b, begin, end, first, last = (self.word[word] for word in ("b", "begin", "end", "first", "last"))
        if not self.parallel:
            yield f"for {b} in range({first}, {last}):"
            yield from indented(1, lines)
            return
        count = self._count()
        yield f"{begin} = {first}"
        yield f"while {begin} < {last}:"
        yield f"    {b} = {begin} // {count}"
        yield f"    {end} = min({last}, ({b} + 1) * {count})"
        yield from indented(1, lines)
        yield f"    {begin} = {end}"

    def _heads(self, operands: Sequence[str], results: Sequence[str], own: Sequence[str]) -> Iterator[str]:
        b = self.word["b"]
        for name in operands:
            if self.arrays[name].kind in ("input", "constant"):
                yield f"{self.code.at[name]} = {b} * {self.code.step[name]}"
            else:
                yield f"{self.code.at[name]} = {b} * ({self.total(name)})"
        yield from (f"{self.code.at[name]} = {b} * ({self.total(name)})" for name in results)
        yield from (f"{self.code.at[name]} = 0" for name in own)

    def total(self, name: str) -> str:
        dims = [f"({ast.unparse(dim)})" for dim in self.arrays[name].dims]
        return plain(" * ".join(dims)) if dims else "1"

    def _body(self) -> Iterator[str]:
        if len(self.group) > 1:
            yield from self._together()
            return
        statement = self.group[0]
        if statement.collect:
            yield from self._collected(statement)
            return
        names = [place.id for place in statement.places if isinstance(place, ast.Name)]
        yield from self._assigned(statement, self._loops(statement, names))

    def _together(self) -> Iterator[str]:
        """A recurrence of several statements: one loop over the index that they share, the others inside."""
        place = self.group[0].places[0]
        assert isinstance(place, ast.Name)
        if is_uniform(self.group):
            names = [each.id for each in self.group[0].places if isinstance(each, ast.Name)]
            yield from self._in_one_loop(self._loops(self.group[0], names))
            return
        yield self.loop(place.id, self.group[0]).line
        for statement in self.group:
            names = [p.id for p in statement.places[1:] if isinstance(p, ast.Name)]
            yield from indented(1, self._assigned(statement, [self.loop(name, statement) for name in names]))

    def _in_one_loop(self, loops: list[Loop]) -> Iterator[str]:
        """Statements of the same indices: what one step hands to the next is kept in a register."""
        outer = Nest(self, self.group[0], loops[:-1])
        nest = outer.below(len(loops) - 1, loops[-1:])
        for statement in self.group:
            nest.statement = statement
            self._assign(nest, statement)
        nest.lines[-1] += [f"{name} = {value}" for name, value in nest.carried()]
        outer.lines[-1] += nest.text(len(loops) - 1)
        yield from [*outer.lines[0], *outer.text(0)]

    def _assign(self, nest: Nest, statement: Statement) -> None:
        kind = self.code.kinds[statement.name]
        text = (nest.element if kind == VALUE else nest.value)(statement.value)[0]
        offset, _, _ = nest.offset(statement.name, statement.places)
        depth = len(nest.loops)
        if self.is_recurrence:
            text = nest.bound((text, kind, depth), statement.name, ast.dump(_own_element(statement)))[0]
        nest.lines[-1].append(self.store(statement.name, offset, plain(text)))

    def load(self, name: str, offset: str) -> str:
        return f"{name}[np.uint64({offset})]"

    def store(self, name: str, offset: str, text: str) -> str:
        return f"{self.load(name, offset)} = {text}"

    def _assigned(self, statement: Statement, loops: list[Loop]) -> Iterator[str]:
        """One statement: in one nest of loops, or its fold first and then what is computed from it."""
        if self.is_recurrence and len(self.group) == 1 and loops:
            yield from self._in_one_loop(loops)
            return
        fold, rest = self._fold_and_rest(statement, loops)
        position = len(loops) if fold is None else self._position(fold, loops)
        outer = Nest(self, statement, loops[: position if position < len(loops) else max(len(loops) - 1, 0)])
        inner = loops[len(outer.loops) :]
        if fold is not None and position < len(loops):
            self._accumulated(outer, inner, statement, fold)
        elif fold is not None and is_expensive(rest):
            self._in_rows(outer, inner, fold, lambda nest: self._assign(nest, replace(statement, value=fold)))
        else:
            rest = statement.value
        if fold is None or rest is statement.value or not same(rest, _own_element(statement)):
            self._in_rows(outer, inner, rest, lambda nest: self._assign(nest, replace(statement, value=rest)))
        yield from [*outer.lines[0], *outer.text(0)]

    def _fold_and_rest(self, statement: Statement, loops: list[Loop]) -> tuple[ast.expr | None, ast.expr]:
        """The one fold of a value that has all indices, and the value with the element itself in its place."""
        value = statement.value
        if self.is_recurrence or not loops or self.code.kinds[statement.name] != VALUE:
            return None, value
        inner = [node for node in _outer_folds(value) if loops[-1].index in free_names(node)]
        if len(inner) != 1 or self.code.kind_of(inner[0]) != VALUE:
            return None, value
        word, over, operand = fold_of(inner[0]) or ("", (), inner[0])
        if word == "mean":
            counts = [_count_of(statement.ranges[index]) for index in over]
            total = folded("sum", over, operand)
            value = replaced(value, inner[0], functools.reduce(_quotient, counts, total))
            return total, replaced(value, total, _own_element(statement))
        if word == "logsumexp":
            return None, value
        return inner[0], replaced(value, inner[0], _own_element(statement))

    def _position(self, fold: ast.expr, loops: list[Loop]) -> int:
        """How many of the result's loops stand outside of a sum's: fewer than all where memory is read as it lies then.
        A read costs more where the innermost of its loops is not along a row."""
        word, over, operand = fold_of(fold) or ("", (), fold)
        if word != "sum":
            return len(loops)
        matches = [read for read in reads(operand, self.arrays) if read.places]

        def cost(position: int) -> float:
            order = [loop.index for loop in loops[:position]] + list(over) + [loop.index for loop in loops[position:]]
            total = 0.1 * (len(loops) - position)
            for read in matches:
                own = [index for index in order if any(index in free_names(place) for place in read.places)]
                total += bool(own) and own[-1] not in free_names(read.places[-1])
            return total

        return min(range(len(loops), -1, -1), key=cost)

    def _accumulated(self, outer: Nest, inner: Sequence[Loop], statement: Statement, fold: ast.expr) -> None:
        """A sum that is added up where the result lies."""
        _, over, operand = fold_of(fold) or ("", (), fold)

        def begin(nest: Nest) -> None:
            nest.lines[-1].append(f"{self._element(nest, statement)} = T(0)")

        def add(nest: Nest) -> None:
            text = plain(nest.element(operand)[0])
            nest.lines[-1].append(f"{self._element(nest, statement)} += {text}")

        self._in_rows(outer, inner, ast.Constant(0), begin)
        self._in_rows(outer, [*(self.loop(name, statement) for name in over), *inner], operand, add)

    def _in_rows(self, outer: Nest, inner: Sequence[Loop], value: ast.expr, write: Callable[[Nest], None]) -> None:
        """Loops inside of others, the innermost in three parts where places are tested only near its ends."""
        if not inner:
            write(outer)
            return
        *before, row = inner
        depth = len(outer.loops)
        middle = outer.below(depth, before)
        offsets = self._offsets(value, row, outer.statement)
        if offsets:
            self._near_and_inside(middle, row, offsets, write)
        else:
            nest = middle.below(len(middle.loops), [row])
            write(nest)
            middle.lines[-1] += nest.text(len(middle.loops))
        if before:
            outer.lines[-1] += middle.text(depth)

    def _near_and_inside(
        self, middle: Nest, row: Loop, offsets: Sequence[ast.expr], write: Callable[[Nest], None]
    ) -> None:
        depth = len(middle.loops)
        texts = list(dict.fromkeys(plain(middle.value(offset)[0]) for offset in offsets))
        low, high, side = (self.new(word) for word in ("low", "high", "side"))
        stop = ast.unparse(middle.statement.ranges[row.index][1])
        lows, highs = (", ".join(f"{sign}({text})" for text in texts) for sign in ("-", f"{stop} - "))
        middle.lines[-1].append(f"{low} = min(max({row.start}, {lows}), {row.stop})")
        middle.lines[-1].append(f"{high} = max(min({row.stop}, {highs}), {low})")
        is_first = f"{side} == 0"
        ends = replace(row, start=f"{row.start} if {is_first} else {high}", stop=f"{low} if {is_first} else {row.stop}")
        near = middle.below(depth, [Loop(side, "0", "2"), ends])
        write(near)
        middle.lines[-1] += near.text(depth)
        self.inside = row.index
        inside = middle.below(depth, [replace(row, start=low, stop=high)])
        write(inside)
        self.inside = ""
        middle.lines[-1] += inside.text(depth)

    def _offsets(self, value: ast.expr, row: Loop, statement: Statement) -> list[ast.expr]:
        """How far from an index the places are that are tested or turned at a border."""
        if row.index not in statement.ranges or row.step < 0:
            return []
        found = [
            offset
            for node in ast.walk(value)
            if isinstance(node, ast.expr) and (offset := self.offset_at_border(node, row.index, statement)) is not None
        ]
        found = [offset for offset in found if not (isinstance(offset, ast.Constant) and offset.value == 0)]
        outside = {row.index} | {name for node in ast.walk(value) for name in (fold_of(node) or ("", (), node))[1]}
        return [] if any(outside & {*free_names(offset)} for offset in found) else found

    def offset_at_border(self, node: ast.expr, index: str, statement: Statement) -> ast.expr | None:
        """Of (i + c) % n, minimum(i + c, n - 1), maximum(i + c, 0) and x[i + c]: c."""
        stop = statement.ranges[index][1]
        match node:
            case ast.BinOp(left=place, op=ast.Mod(), right=size) if same(size, stop):
                return _without(size, _offset(place, index))
            case ast.Call(func=ast.Name(id="maximum"), args=[place, ast.Constant(value=0)]):
                return _offset(place, index)
            case ast.Call(func=ast.Name(id="minimum"), args=[place, ast.BinOp(size, ast.Sub(), ast.Constant(value=1))]):
                return _offset(place, index) if same(size, stop) else None
            case ast.Subscript(value=ast.Name(id=name)) if name in self.arrays:
                pairs = zip(places_of(node), self.arrays[name].dims, strict=True)
                own = [_offset(place, index) for place, dim in pairs if index in free_names(place) and same(dim, stop)]
                return own[0] if len(own) == 1 else None
        return None

    def _element(self, nest: Nest, statement: Statement) -> str:
        return f"{statement.name}[np.uint64({nest.offset(statement.name, statement.places)[0]})]"

    def _collected(self, statement: Statement) -> Iterator[str]:
        nest = Nest(self, statement, self._loops(statement, statement.indices))
        kind, name, word = self.code.kinds[statement.name], statement.name, statement.collect
        total = self.total(name)
        yield from self._begun(statement)
        value = (nest.element if kind == VALUE or word in FLAT_INDEX else nest.value)(statement.value)
        offset, test, _ = nest.offset(name, statement.places)
        lines = list(self._joined(statement, nest, offset, plain(value[0])))
        nest.lines[-1] += [f"if {test}:", *indented(1, lines)] if test else lines
        if word in FLAT_INDEX:
            yield f"{self.word['best']} = filled(T({_START[word]}), {total})"
        yield from [*nest.lines[0], *nest.text(0)]

    def start_of(self, statement: Statement) -> str:
        """What a place has to which nothing has been added yet."""
        zero = "T(0)" if self.code.kinds[statement.name] == VALUE else "0"
        starts = {"sum": zero, **dict.fromkeys(FLAT_INDEX, "-1")}
        return starts.get(statement.collect, f"T({_START.get(statement.collect)})")

    def _begun(self, statement: Statement) -> Iterator[str]:
        name, z = statement.name, self.word["z"]
        if name not in self.begun:
            yield f"for {z} in range({self.total(name)}):"
            yield f"    {self.store(name, f'{self.code.at[name]} + {z}', self.start_of(statement))}"

    def _joined(self, statement: Statement, nest: Nest, offset: str, text: str) -> Iterator[str]:
        name, at = statement.name, self.word["at"]
        yield f"{at} = {offset}"
        if statement.collect == "sum":
            yield self.store(name, at, plain(f"{self.load(name, at)} + ({text})"))
        elif statement.collect in _JOIN:
            found, before = self.word["found"], self.word["best"]
            yield f"{found} = {text}"
            yield f"{before} = {self.load(name, at)}"
            yield self.store(name, at, self.joined(statement.collect, before, found))
        else:
            place = nest.numbered(statement.indices)
            sign = ">" if statement.collect == "argmax" else "<"
            own, found, best = (self.word[word] for word in ("own", "found", "best"))
            yield f"{own} = np.uint64({at} - {self.code.at[name]})"
            yield f"{found} = {text}"
            better = f"{found} {sign} {best}[{own}] or ({found} != {found} and {best}[{own}] == {best}[{own}])"
            yield f"if {better} or {self.load(name, at)} < 0:"
            yield f"    {best}[{own}], {self.load(name, at)} = {found}, {plain(place)}"

    def joined(self, word: str, total: str, text: str) -> str:
        """The greater or the less of two, nan where one is."""
        sign = ">" if word == "max" else "<"
        return f"{text} if {text} {sign} {total} or {text} != {text} else {total}"
