"""Loops in each other, and what is computed in each of them."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..language.index_expressions import (
    INT,
    PADDED,
    Read,
    element,
    expanded_logsumexp,
    fold_of,
    free_names,
    is_name,
    offset,
    outer_folds,
    reads,
    replaced,
    same,
    subscripts_of,
)
from ..language.indexed_programs import Array, Statement
from ..language.scalar_functions import is_expensive
from .cpu_code import indented
from .program_kinds import FLAT_INDEX, JOIN, START, ProgramCode
from .python_code import ANY, INTEGER, ORDER, SIGNS, TRUTH, VALUE, plain


@dataclass(frozen=True)
class Loop:
    """`copies` are names of the values that follow the index in one pass of an unrolled loop."""

    index: str
    start: str
    stop: str
    step: int = 1
    bound: str = ""  # an index that the loop has a value of, too
    copies: tuple[str, ...] = ()

    @property
    def names(self) -> set[str]:
        return {self.index, self.bound, *self.copies} - {""}

    @property
    def heads(self) -> list[str]:
        return [f"{copy} = {self.index} + {n}" for n, copy in enumerate(self.copies, 1)]

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
    def needs_bounds_check(self, nest: "Nest", subscript: ast.expr, dim: ast.expr) -> bool: ...
    def offset_at_border(self, node: ast.expr, index: str, statement: Statement) -> ast.expr | None: ...


Value = tuple[str, str, int]  # text, kind, and the number of loops that it needs


class Nest:
    """Loops and what is computed in each: `lines[k]` stand inside of k loops."""

    def __init__(self, function: Function, statement: Statement, loops: Sequence[Loop]) -> None:
        self.function = function
        self.statement = statement
        self.loops = list(loops)
        self.lines: list[list[str]] = [[], *(loop.heads for loop in loops)]
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

    # ---- folds -------------------------------------------------------------------------------------------------------

    def _fold(self, key: str, word: str, over: tuple[str, ...], operand: ast.expr) -> Value:
        if word == "mean":
            text, _, level = self._typed(self._fold(key + "sum", "sum", over, operand))
            counts = [self._count(name) for name in over]
            count = " * ".join(each if each.isalnum() else f"max({each}, 0)" for each in counts)
            return f"({text} / T({count}))", VALUE, level
        if word == "logsumexp":
            return self.value(expanded_logsumexp(over, operand))
        depth = self._depth_of({*free_names(operand)} - {*over})
        total = self.function.new(word)
        if word in JOIN and len(over) == 1 and self.function.code.kind_of(operand) == VALUE:
            lines = list(self._extreme_of_rows(word, over[0], operand, total, depth))
            if lines:
                self.lines[depth] += lines
                self.known[key] = total, VALUE, depth
                return self.known[key]
        nest = self._flat(depth, over, operand) if word in ("sum", "prod") and len(over) > 1 else None
        nest = nest or self.below(depth, [self.function.loop(name, self.statement) for name in over])
        kind, start, lines = nest.reduced(word, over, operand, total)
        nest.lines[-1] += lines
        self.lines[depth] += [*start, *nest.text(depth)]
        if word in JOIN:
            self.lines[depth].append(f"{total} = T(np.nan) if {start[1].split()[0]} else {total}")
        if word in ("any", "all"):
            total, kind = f"({total} {'>' if word == 'any' else '=='} 0)", TRUTH
        self.known[key] = (total, kind, depth)
        return self.known[key]

    def _flat(self, depth: int, over: Sequence[str], operand: ast.expr) -> "Nest | None":
        """One loop over all elements of arrays that a fold of several indices reads as they lie."""
        read = {ast.dump(r.node): r for r in reads(operand, self.function.arrays) if r.subscripts}
        subscripts = tuple(ast.Name(name, ast.Load()) for name in over)
        rest = operand
        for each in read.values():
            dims = self.function.arrays[each.name].dims
            if not all(map(same, each.subscripts, subscripts)) or len(dims) != len(over):
                return None
            if not self._has_row_order(each.name):
                return None
            if not all(map(self._is_inside, each.subscripts, dims)):
                return None
            rest = replaced(rest, each.node, ast.Constant(0))
        if not {each.name for each in read.values()}.isdisjoint(self.function.code.wavefronts):
            return None
        if not read or {*over} & {*free_names(rest)} or any(is_name(node, PADDED) for node in ast.walk(rest)):
            return None
        index = self.function.new("element")
        nest = self.below(depth, [Loop(index, "0", " * ".join(map(self._count, over)))])
        for key, each in read.items():
            text = self.function.load(each.name, f"{self.function.code.at[each.name]} + {index}")
            nest.bound((text, self.function.code.kinds[each.name], depth + 1), each.name, key)
        return nest

    def _extreme_of_rows(self, word: str, index: str, operand: ast.expr, total: str, depth: int) -> Iterator[str]:
        """An extreme by vector code: of a row that lies in memory, or of one that is computed in blocks before."""
        which = 1 if word == "max" else 0
        if not self.function.has_rows:
            return
        start, stop = (ast.unparse(end) for end in self.statement.ranges[index])
        row = self._row_in_memory(operand, index)
        if row:
            offset = plain(self.offset(row.name, (*row.subscripts[:-1], ast.Constant(0)))[0])
            extreme = f"minmax_of(part_of({row.name}, {offset}, {stop}))[{which}]"
            yield f"{total} = {extreme} if {stop} > 0 else T({START[word]})"
            return
        if stop.isdigit() or not (is_expensive(operand) or outer_folds(operand)):
            return
        size, begin, block = (self.function.new(each) for each in ("size", "start", "block"))
        self.function.blocks.append(block)
        nest = self.below(depth, [Loop(index, begin, f"{begin} + {size}")])
        text = nest.element(operand)[0]
        nest.lines[-1].append(f"{block}[np.uint64({index} - {begin})] = {plain(text)}")
        yield f"{total} = T({START[word]})"
        yield f"for {begin} in range({start}, {stop}, BLOCK):"
        yield f"    {size} = min(BLOCK, {stop} - {begin})"
        yield from indented(1, nest.text(depth))
        extreme = f"minmax_of(part_of({block}, 0, {size}))[{which}]"
        yield f"    {block}_{word} = {extreme}"
        yield f"    {total} = {self.function.minmax_source(word, total, f'{block}_{word}')}"

    def _row_in_memory(self, operand: ast.expr, index: str) -> Read | None:
        """The read that an operand is, if the index runs along all of a row."""
        match operand:
            case ast.Subscript(value=ast.Name(id=name)) if self._has_row_order(name):
                read = Read(name, subscripts_of(operand), operand)
                last, dims = read.subscripts[-1], self.function.arrays[name].dims
                are_inside = all(map(self._is_inside, read.subscripts, dims))
                if (
                    is_name(last, index)
                    and are_inside
                    and index not in {n for p in read.subscripts[:-1] for n in free_names(p)}
                ):
                    return read
        return None

    def _has_row_order(self, name: str) -> bool:
        return name in self.function.arrays and name not in self.function.code.wavefronts

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
        if word in JOIN:
            text = self.bound((text, kind, len(self.loops)), "value")[0]
            missing = self.function.new("missing")
            sign = ">" if word == "max" else "<"
            lines = [f"{total} = {text} if {text} {sign} {total} else {total}", f"{missing} |= {text} != {text}"]
            return kind, [f"{total} = T({START[word]})", f"{missing} = False"], lines
        start = "0" if word == "sum" else "1"
        sign = "+" if word == "sum" else "*"
        return kind, [f"{total} = {start if is_count else f'T({start})'}"], [f"{total} {sign}= {plain(text)}"]

    def _first_of(
        self, word: str, over: Sequence[str], operand: ast.expr, total: str
    ) -> tuple[str, list[str], list[str]]:
        text = plain(self.element(operand)[0])
        subscript, start = (
            self.numbered(over),
            ast.unparse(self.statement.ranges[over[0]][0]) if len(over) == 1 else "0",
        )
        best, matches = f"best_{total}", f"found_{total}"
        sign = ">" if word == "argmax" else "<"
        lines = [
            f"{matches} = {text}",
            f"if {matches} {sign} {best} or ({matches} != {matches} and {best} == {best}):",
            f"    {best}, {total} = {matches}, {plain(subscript)}",
        ]
        return INTEGER, [f"{best}, {total} = T({START[word]}), {start}"], lines

    def numbered(self, over: Sequence[str]) -> str:
        """The value of an index, or the number of several in their order."""
        if len(over) == 1:
            return over[0]
        subscript = ""
        for index in over:
            start = ast.unparse(self.statement.ranges[index][0])
            own = index if start == "0" else f"({index} - ({start}))"
            subscript = f"({subscript}) * {self._count(index)} + {own}" if subscript else own
        return subscript


def own_element(statement: Statement) -> ast.expr:
    return element(statement.name, statement.subscripts)
