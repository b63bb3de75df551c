"""What is computed in each of several loops inside of each other: expressions and the elements that they read."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

from ..language.index_expressions import (
    INT,
    PADDED,
    Read,
    element,
    fold_of,
    free_names,
    is_name,
    offset,
    same,
    subscripts_of,
)
from ..language.indexed_programs import Array, Statement
from .cpu_code import indented
from .program_kinds import ProgramCode
from .python_code import ANY, INTEGER, ORDER, SIGNS, TRUTH, VALUE, plain


@dataclass(frozen=True)
class Loop:
    """`copies` are names of the values that follow the index in one pass of an unrolled loop; `head` is a line."""

    index: str
    start: str
    stop: str
    step: int = 1
    bound: str = ""  # an index that the loop has a value of, too
    copies: tuple[str, ...] = ()
    head: str = ""

    @property
    def names(self) -> set[str]:
        return {self.index, self.bound, *self.copies} - {""}

    @property
    def heads(self) -> list[str]:
        return [*filter(None, [self.head]), *(f"{copy} = {self.index} + {n}" for n, copy in enumerate(self.copies, 1))]

    @property
    def line(self) -> str:
        step = max(self.step, len(self.copies) + 1)
        if step > 1:
            return f"for {self.index} in range({self.start}, {self.stop}, {step}):"
        if self.step < 0:
            return f"for {self.index} in range({self.stop} - 1, {self.start} - 1, -1):"
        return f"for {self.index} in range({self.stop if self.start == '0' else f'{self.start}, {self.stop}'}):"


@dataclass(frozen=True)
class Packed:
    """A copy of an array whose dimensions stand in the order of loops."""

    name: str
    size: str
    subscripts: tuple[ast.expr, ...]
    dims: tuple[ast.expr, ...]

    @property
    def offset(self) -> str:
        total = ""
        for subscript, dim in zip(self.subscripts, self.dims, strict=True):
            total = f"({total}) * ({ast.unparse(dim)}) + {ast.unparse(subscript)}" if total else ast.unparse(subscript)
        return plain(total)


class Function(Protocol):
    """What a nest asks of the function that it stands in."""

    code: ProgramCode
    arrays: Mapping[str, Array]
    group: Sequence[Statement]
    is_recurrence: bool
    inside: str
    has_rows: bool
    functions: set[str]
    blocks: list[str]
    packed: dict[str, Packed]

    def new(self, word: str) -> str: ...
    def load(self, name: str, offset: str) -> str: ...
    def loop(self, index: str, statement: Statement) -> Loop: ...
    def depth_of(self, statement: Statement) -> int: ...
    def minmax_source(self, word: str, total: str, text: str) -> str: ...
    def needs_bounds_check(self, nest: "ElementCode", subscript: ast.expr, dim: ast.expr) -> bool: ...
    def offset_at_border(self, node: ast.expr, index: str, statement: Statement) -> ast.expr | None: ...


Value = tuple[str, str, int]  # text, kind, and the number of loops that it needs


class ElementCode:
    """Loops and what is computed in each: `lines[k]` stand inside of k loops."""

    def __init__(self, function: Function, statement: Statement, loops: Sequence[Loop]) -> None:
        self.function = function
        self.statement = statement
        self.loops = list(loops)
        self.lines: list[list[str]] = [[], *(loop.heads for loop in loops)]
        self.lines_after: list[list[str]] = [[] for _ in self.lines]  # behind the loops inside
        self.known: dict[str, Value] = {}
        self.steps: dict[str, tuple[str, str]] = {}  # what a step of a recurrence hands on, by the element's text

    def below(self, depth: int, loops: Sequence[Loop]) -> Self:
        """A nest of other loops inside of the first `depth` ones, whose lines it continues."""
        nest = type(self)(self.function, self.statement, [*self.loops[:depth], *loops])
        nest.lines[: depth + 1] = self.lines[: depth + 1]
        nest.known = {text: value for text, value in self.known.items() if value[2] <= depth}
        return nest

    def text(self, depth: int) -> list[str]:
        """The lines of the loops inside of the first `depth` ones."""
        lines: list[str] = []
        for k in range(len(self.loops), depth, -1):
            lines = [self.loops[k - 1].line, *indented(1, [*self.lines[k], *lines, *self.lines_after[k]])]
        return lines

    def level_of(self, tree: ast.AST) -> int:
        return self._depth_of({*free_names(tree)})

    def _depth_of(self, names: set[str]) -> int:
        return max((k for k, loop in enumerate(self.loops, 1) if not loop.names.isdisjoint(names)), default=0)

    def bound(self, value: Value, word: str, key: str = "") -> Value:
        """A name for a value, in the outermost loop that it can stand in."""
        text, kind, level = value
        name = self.function.new(word)
        self.lines[level].append(f"{name} = {plain(text)}")
        if key:
            self.known[key] = (name, kind, level)
        return name, kind, level

    def previous_values(self) -> Iterator[tuple[str, str]]:
        """The names of what the step before has computed, and what this one hands on."""
        for name, own in self.steps.values():
            yield name, self.known[own][0]

    def _from_step_before(self, key: str, read: Read, border: ast.expr | None) -> Value | None:
        """The element that the step before of the innermost loop has computed."""
        if not self.loops or read.name not in {s.name for s in self.function.group} or not self.function.is_recurrence:
            return None
        loop, own = self.loops[-1], next(s for s in self.function.group if s.name == read.name)
        if not own.subscripts or not is_name(own.subscripts[-1], loop.index) or loop.start != "0":
            return None
        before = ast.BinOp(own.subscripts[-1], ast.Sub() if loop.step > 0 else ast.Add(), ast.Constant(1))
        if not all(map(same, read.subscripts, (*own.subscripts[:-1], before))) or self.function.depth_of(own) != len(
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
        self.steps[key] = name, ast.dump(own_element(own))
        self.known[key] = name, kind, len(self.loops)
        return self.known[key]

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
        if self._is_interior_index(tree):
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
                return self._read(key, Read(name, subscripts_of(tree), tree), None)
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

    def _is_interior_index(self, tree: ast.expr) -> bool:
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
            parts.append(f"({first} {ORDER[type(op)]} {second})")
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
            return self._read(key, Read(args[0].value.id, subscripts_of(args[0]), args[0]), args[1])
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
        if border is None and (copy := self.function.packed.get(key)) is not None:
            text = self.function.load(copy.name, copy.offset)
            return self.bound((text, kind, max(map(self.level_of, read.subscripts))), read.name, key)
        outside = "T(np.nan)" if kind == VALUE else "0"
        if border is not None:
            border_value = self.element(border) if kind == VALUE else self.value(border)
            outside = border_value[0]
        offset, test, level = self.offset(read.name, read.subscripts, border is not None)
        text = self.function.load(read.name, offset)
        return self.bound((f"({text} if {test} else {outside})" if test else text, kind, level), read.name, key)

    def offset(self, name: str, subscripts: Sequence[ast.expr], is_tested: bool = False) -> tuple[str, str, int]:
        """Where an element lies, what must hold so that there is one, and the loops that this needs."""
        dims = self.function.arrays[name].dims
        sources, tests, level = [], [], 0
        for subscript, dim in zip(subscripts, dims, strict=True):
            text, kind, depth = self.value(subscript)
            if (
                depth < len(self.loops)
                and not isinstance(subscript, ast.Name | ast.Constant)
                and not text.isidentifier()
            ):
                text, _, depth = self.bound((text, kind, depth), "place", ast.dump(subscript))
            level = max(level, depth)
            sources.append(text)
            is_interior = self.function.inside and self._is_interior(subscript, dim)
            if is_interior or self._is_inside(subscript, dim):
                continue
            if is_tested or self.function.needs_bounds_check(self, subscript, dim):
                tests.append(f"(0 <= {text} < {self.size(dim)})")
        total = ""
        if name in self.function.code.wavefronts:
            sources, dims = [f"({sources[0]} + {sources[1]})", sources[0]], (dims[1], dims[0])
        for text, dim in zip(sources, dims, strict=True):
            outer = total if total.isidentifier() else f"({total})"
            total = f"{outer} * {self.size(dim)} + {text}" if total else text
        base = self.function.code.at[name]
        return f"{base} + {total}" if total else base, " and ".join(tests), level

    def _is_interior(self, subscript: ast.expr, dim: ast.expr) -> bool:
        index = self.function.inside
        return same(dim, self.statement.ranges[index][1]) and offset(subscript, index) is not None

    def size(self, dim: ast.expr) -> str:
        text = ast.unparse(dim)
        return text if isinstance(dim, ast.Name | ast.Constant) else f"({text})"

    def _is_inside(self, subscript: ast.expr, dim: ast.expr) -> bool:
        if not isinstance(subscript, ast.Name) or subscript.id not in self.statement.ranges:
            return False
        start, stop = self.statement.ranges[subscript.id]
        return same(stop, dim) and isinstance(start, ast.Constant) and start.value == 0

    def _fold(self, key: str, word: str, over: tuple[str, ...], operand: ast.expr) -> Value:
        raise NotImplementedError


def own_element(statement: Statement) -> ast.expr:
    return element(statement.name, statement.subscripts)
