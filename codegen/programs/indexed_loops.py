"""The loops of the statements of indexed programs: their order, and what is done near borders."""

import ast
import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ..language.index_expressions import (
    Read,
    fold_of,
    folded,
    free_names,
    offset,
    outer_folds,
    reads,
    replaced,
    same,
    subscripts_of,
    without_multiples,
)
from ..language.indexed_faults import directions, is_uniform
from ..language.indexed_programs import Statement
from ..language.scalar_functions import is_expensive
from .cpu_code import indented
from .index_nest import Loop, Nest, Packed, own_element
from .intervals import Intervals
from .program_kinds import FLAT_INDEX, JOIN, START, ProgramCode
from .python_code import VALUE, plain
from .row_folds import RowFold, is_cheap, sums_side_by_side
from .wavefronts import Wavefront

VECTOR = 16  # terms that are added up at once
ACROSS = 0.5  # what a sum over the innermost loop costs, beside a read that goes across rows


def starts_at_0(start: ast.expr) -> bool:
    return isinstance(start, ast.Constant) and start.value == 0


def count_of(ends: tuple[ast.expr, ast.expr]) -> ast.expr:
    start, stop = ends
    return stop if starts_at_0(start) else ast.BinOp(stop, ast.Sub(), start)


def divided_by(value: ast.expr, count: ast.expr) -> ast.expr:
    """A range that does not begin at 0 may have an end before that."""
    if not isinstance(count, ast.Name | ast.Constant):
        count = ast.Call(ast.Name("maximum", ast.Load()), [count, ast.Constant(0)], [])
    return ast.BinOp(value, ast.Div(), count)


class LoopWriter:
    """The loops of statements. What a nest asks of the function that it stands in is a method of this class."""

    has_rows = True  # whether functions of rows in memory are at hand

    def __init__(self, code: ProgramCode, groups: Sequence[Sequence[Statement]], begun: set[str]) -> None:
        self.code = code
        self.program = code.program
        self.arrays = self.program.arrays
        self.groups = groups
        self.statements = [statement for group in groups for statement in group]
        self.is_fused = len(groups) > 1
        self.begun = set(begun)  # arrays that were assigned before
        self.functions: set[str] = set()
        self.numbers: dict[str, int] = {}
        self.blocks: list[str] = []  # memory for a part of a row
        self.packed: dict[str, Packed] = {}  # by the text of a read, in the group's loops
        self.copies: list[Packed] = []
        self.memory: list[str] = []  # lines that make room for sums
        self.unit = 1  # how many rows threads get together
        self.tests: dict[str, None] = {}
        self.guarded = False
        self.checked = {(name, ast.dump(dim)) for name, dim in self.program.checked_indices}
        self.reserved = {*code.reserved, *code.word.values(), *code.at.values(), *code.step.values()}
        self.word = code.word
        self.inside = ""  # the index that is far enough from the ends of its range
        self._go_on(groups[0])

    def _go_on(self, group: Sequence[Statement]) -> None:
        self.group = group
        self.packed = {}
        self.is_recurrence = self.program.is_recurrence(group)
        self.ways = directions(self.program, group) if self.is_recurrence else {}
        self.parallel = self._parallel()

    def _parallel(self) -> str:
        """The index whose values threads may share."""
        first = self.group[0]
        if self.is_fused or self.is_recurrence or first.collect or not first.subscripts or len(self.group) > 1:
            return ""
        if first.name in self.code.wavefronts:
            return ""
        return first.subscripts[0].id if isinstance(first.subscripts[0], ast.Name) else ""

    def _count(self) -> str:
        if not self.parallel:
            return "1"
        start, stop = self.group[0].ranges[self.parallel]
        text = ast.unparse(stop) if ast.unparse(start) == "0" else f"{ast.unparse(stop)} - ({ast.unparse(start)})"
        return text if text.isidentifier() else f"({text})"

    def total(self, name: str) -> str:
        if name in self.code.wavefronts:
            return plain(self.code.wavefronts[name].total)
        dims = [f"({ast.unparse(dim)})" for dim in self.arrays[name].dims]
        return plain(" * ".join(dims)) if dims else "1"

    def new(self, word: str) -> str:
        while True:
            self.numbers[word] = self.numbers.get(word, 0) + 1
            name = f"{word}_{self.numbers[word]}"
            if name not in self.reserved:
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
        return len(statement.subscripts)

    def needs_bounds_check(self, nest: Nest, subscript: ast.expr, dim: ast.expr) -> bool:
        """Whether a place is tested in the loop; if sizes can tell that it is inside, they are asked before."""
        name = (
            subscript.value.id if isinstance(subscript, ast.Subscript) and isinstance(subscript.value, ast.Name) else ""
        )
        if (name, ast.dump(dim)) in self.checked:
            return False
        match subscript, dim:
            case ast.Constant(value=int(number)), ast.Constant(value=int(size)):
                return not 0 <= number < size
        if self.guarded:
            return True
        intervals = Intervals(self.program, nest.statement)
        ends = intervals.of(subscript)
        if ends is None:
            return True
        self.tests |= dict.fromkeys(f"{divisor} > 0" for divisor in intervals.divisors)
        if ends == ("0", f"({nest.size(dim)} - 1)"):
            return False
        self.tests[f"0 <= {ends[0]}"] = None
        self.tests[f"{ends[1]} < {nest.size(dim)}"] = None
        return False

    def _body(self) -> Iterator[str]:
        if len(self.group) > 1:
            yield from self._fused_loop()
            return
        statement = self.group[0]
        if statement.collect:
            yield from self._collected(statement)
            return
        names = [subscript.id for subscript in statement.subscripts if isinstance(subscript, ast.Name)]
        yield from self._assigned(statement, self._loops(statement, names))

    def _fused_loop(self) -> Iterator[str]:
        """A recurrence of several statements: one loop over the index that they share, the others inside."""
        subscript = self.group[0].subscripts[0]
        assert isinstance(subscript, ast.Name)
        if is_uniform(self.group):
            names = [each.id for each in self.group[0].subscripts if isinstance(each, ast.Name)]
            yield from self._in_one_loop(self._loops(self.group[0], names))
            return
        yield self.loop(subscript.id, self.group[0]).line
        for statement in self.group:
            names = [p.id for p in statement.subscripts[1:] if isinstance(p, ast.Name)]
            yield from indented(1, self._assigned(statement, [self.loop(name, statement) for name in names]))

    def _in_one_loop(self, loops: list[Loop]) -> Iterator[str]:
        """Statements of the same indices: what one step hands to the next is kept in a register."""
        front = self.code.wavefronts.get(self.group[0].name)
        loops = self._along_diagonals(front) if front else loops
        outer = Nest(self, self.group[0], loops[:-1])
        nest = outer.below(len(loops) - 1, loops[-1:])
        if front:
            nest.lines[-1].append(f"{loops[1].bound} = {loops[0].index} - {loops[1].index}")
        for statement in self.group:
            nest.statement = statement
            self._assign(nest, statement)
        nest.lines[-1] += [f"{name} = {value}" for name, value in nest.previous_values()]
        outer.lines[-1] += nest.text(len(loops) - 1)
        yield from [*outer.lines[0], *outer.text(0)]

    def _along_diagonals(self, front: Wavefront) -> list[Loop]:
        diagonal, (row, column) = self.new("diagonal"), front.indices
        return [Loop(diagonal, "0", front.diagonals, front.step), Loop(row, *front.rows(diagonal), bound=column)]

    def _assign(self, nest: Nest, statement: Statement) -> None:
        kind = self.code.kinds[statement.name]
        text = (nest.element if kind == VALUE else nest.value)(statement.value)[0]
        offset, _, _ = nest.offset(statement.name, statement.subscripts)
        depth = len(nest.loops)
        if self.is_recurrence:
            text = nest.bound((text, kind, depth), statement.name, ast.dump(own_element(statement)))[0]
        nest.lines[-1].append(self.store(statement.name, offset, plain(text)))

    def load(self, name: str, offset: str) -> str:
        return f"{name}[np.uint64({offset})]"

    def store(self, name: str, offset: str, text: str) -> str:
        return f"{self.load(name, offset)} = {text}"

    def _assigned(self, statement: Statement, loops: list[Loop]) -> Iterator[str]:
        """One statement; of a recurrence the loops that have an order come first."""
        if statement.name in self.code.wavefronts:
            yield from self._in_one_loop(loops)
            return
        if self.is_recurrence and len(self.group) == 1 and loops:
            serial = next(k for k in range(len(loops) + 1) if self._is_parallel(statement, loops[k:]))
            if serial == len(loops) or not outer_folds(statement.value):
                yield from self._in_one_loop(loops)
                return
            for depth, loop in enumerate(loops[:serial]):
                yield from indented(depth, [loop.line])
            yield from indented(serial, self._in_any_order(statement, loops[serial:]))
            return
        yield from self._in_any_order(statement, loops)

    def _is_parallel(self, statement: Statement, loops: Sequence[Loop]) -> bool:
        """Whether loops inside of others read nothing that they write."""
        names = {loop.index for loop in loops}
        own = [(s, d) for d, s in enumerate(statement.subscripts) if not names & {*free_names(s)}]
        return all(
            any(not same(read.subscripts[d], subscript) for subscript, d in own)
            for read in reads(statement.value, {statement.name: 0})
        )

    def _in_any_order(self, statement: Statement, loops: list[Loop]) -> Iterator[str]:
        """One statement of which no element is read by another: in one nest of loops, or its fold first and then what
        is computed from it."""
        fold, rest = self._fold_and_rest(statement, loops)
        position = len(loops) if fold is None else self._position(fold, loops)
        if fold is None or position == len(loops):
            yield from self._by_elements(statement, loops, fold, rest)
            return
        rows = [*self._packing(fold, loops, position), *RowFold(self, statement, loops, position, fold, rest).lines()]
        self.packed = {}
        word, over, _ = fold_of(fold) or ("", (), fold)
        if word != "sum" or not self._reads_along(fold, loops):
            yield from rows
            return
        last = over[-1]
        of_row, of_fold = (plain(ast.unparse(count_of(statement.ranges[index]))) for index in (loops[-1].index, last))
        yield f"if {of_row} > {of_fold} or {of_fold} < {VECTOR}:"
        yield from indented(1, rows)
        yield "else:"
        yield from indented(1, self._by_elements(statement, loops, fold, rest))

    def _by_elements(
        self, statement: Statement, loops: list[Loop], fold: ast.expr | None, rest: ast.expr
    ) -> Iterator[str]:
        """A statement in one nest of loops; a fold, if there is one, is computed in a register."""
        if fold is not None and self._is_side_by_side(statement, loops, fold, rest):
            yield from sums_side_by_side(self, statement, loops, fold)
            return
        outer, inner = Nest(self, statement, loops[:-1]), loops[-1:]
        if fold is not None and is_expensive(rest):
            self._in_rows(outer, inner, fold, lambda nest: self._assign(nest, replace(statement, value=fold)))
        else:
            rest = statement.value
        if fold is None or rest is statement.value or not same(rest, own_element(statement)):
            self._in_rows(outer, inner, rest, lambda nest: self._assign(nest, replace(statement, value=rest)))
        yield from [*outer.lines[0], *outer.text(0)]

    def _is_side_by_side(self, statement: Statement, loops: Sequence[Loop], fold: ast.expr, rest: ast.expr) -> bool:
        """Whether the sums of several columns read something in common; threads share the loop around theirs."""
        word, _, operand = fold_of(fold) or ("", (), fold)
        if word != "sum" or loops[-1].index == self.parallel or not is_cheap(self, fold, rest, loops[-1], statement):
            return False
        return self._reads_along(fold, loops) and any(
            loops[-1].index not in free_names(read.node) for read in reads(operand, self.arrays)
        )

    def _reads_along(self, fold: ast.expr, loops: Sequence[Loop]) -> bool:
        """Whether a fold in a register reads all arrays along their rows."""
        _, over, operand = fold_of(fold) or ("", (), fold)
        reads_of_last = [r for r in reads(operand, self.arrays) if over[-1] in free_names(r.node) and r.subscripts]
        return all(over[-1] in free_names(read.subscripts[-1]) for read in reads_of_last)

    def _fold_and_rest(self, statement: Statement, loops: list[Loop]) -> tuple[ast.expr | None, ast.expr]:
        """The one fold of a value that has all indices, and the value with the element itself in its place."""
        value = statement.value
        if not loops or self.code.kinds[statement.name] != VALUE or not self._is_parallel(statement, loops):
            return None, value
        inner = [node for node in outer_folds(value) if loops[-1].index in free_names(node)]
        if len(inner) != 1 or self.code.kind_of(inner[0]) != VALUE:
            return None, value
        word, over, operand = fold_of(inner[0]) or ("", (), inner[0])
        if word == "mean":
            counts = [count_of(statement.ranges[index]) for index in over]
            total = folded("sum", over, operand)
            value = replaced(value, inner[0], functools.reduce(divided_by, counts, total))
            return total, replaced(value, total, own_element(statement))
        if word == "logsumexp":
            return None, value
        return inner[0], replaced(value, inner[0], own_element(statement))

    def _position(self, fold: ast.expr, loops: list[Loop]) -> int:
        """How many of the result's loops stand outside of a fold's: not all where memory is read as it lies then.
        A read costs more where the innermost of its loops is not along a row, most of all where that is the last."""
        word, over, operand = fold_of(fold) or ("", (), fold)
        if word not in ("sum", *JOIN):
            return len(loops)
        matches = [read for read in reads(operand, self.arrays) if read.subscripts]

        def cost(position: int) -> float:
            order = [loop.index for loop in loops[:position]] + list(over) + [loop.index for loop in loops[position:]]
            total = 0.1 * (len(loops) - position) if position < len(loops) else ACROSS
            for read in matches:
                if position and self._can_be_packed(read, order):
                    continue
                own = [index for index in order if any(index in free_names(subscript) for subscript in read.subscripts)]
                if own and own[-1] not in free_names(read.subscripts[-1]):
                    total += 1 if own[-1] == order[-1] else 0.05
            return total

        return min(range(len(loops), -1, -1), key=cost)

    def _packing(self, fold: ast.expr, loops: list[Loop], position: int) -> Iterator[str]:
        """Copies of what a sum would read across rows."""
        _, over, operand = fold_of(fold) or ("", (), fold)
        order = [loop.index for loop in loops[:position]] + list(over) + [loop.index for loop in loops[position:]]
        for read in reads(operand, self.arrays):
            key, names = ast.dump(read.node), [n.id for n in read.subscripts if isinstance(n, ast.Name)]
            if key in self.packed or not position or not self._can_be_packed(read, order):
                continue
            if not names or max(names, key=order.index) == names[-1]:
                continue
            ranked = sorted(range(len(names)), key=lambda d, names=names: order.index(names[d]))  # type: ignore[misc]
            dims = self.arrays[read.name].dims
            own = tuple(read.subscripts[d] for d in ranked), tuple(dims[d] for d in ranked)
            packed = Packed(self.new("packed"), self.total(read.name), *own)
            nest = Nest(self, self.group[0], [Loop(name, "0", ast.unparse(dims[d])) for d, name in enumerate(names)])
            text = nest.value(read.node)[0]
            nest.lines[-1].append(self.store(packed.name, packed.offset, text))
            yield from [*nest.lines[0], *nest.text(0)]
            self.packed[key] = packed
            self.copies.append(packed)

    def _can_be_packed(self, read: Read, order: Sequence[str]) -> bool:
        """Whether a copy of an array, with its dimensions in another order, serves all values of the outermost loop.
        What a fold inside of the operand reads has other loops."""
        array, ranges = self.arrays[read.name], self.group[0].ranges
        names = [subscript.id for subscript in read.subscripts if isinstance(subscript, ast.Name)]
        if (
            self.is_recurrence
            or self.code.kinds[read.name] != VALUE
            or order[0] in names
            or not {*names} <= {*order}
            or len({*names}) < len(read.subscripts)
        ):
            return False
        spans = [ranges.get(name, (None, None)) for name in names]
        return all(
            start is not None and stop is not None and starts_at_0(start) and same(stop, dim)
            for (start, stop), dim in zip(spans, array.dims, strict=True)
        )

    def _in_rows(self, outer: Nest, inner: Sequence[Loop], value: ast.expr, write: Callable[[Nest], None]) -> None:
        """Loops inside of others, the innermost in three parts where places are tested only near its ends."""
        if not inner:
            write(outer)
            return
        *before, row = inner
        depth = len(outer.loops)
        enclosing = outer.below(depth, before)
        offsets = self._offsets(value, row, outer.statement)
        if offsets:
            self._split_at_borders(enclosing, row, offsets, write)
        else:
            nest = enclosing.below(len(enclosing.loops), [row])
            write(nest)
            enclosing.lines[-1] += nest.text(len(enclosing.loops))
        if before:
            outer.lines[-1] += enclosing.text(depth)

    def _split_at_borders(
        self, enclosing: Nest, row: Loop, offsets: Sequence[ast.expr], write: Callable[[Nest], None]
    ) -> None:
        depth = len(enclosing.loops)
        sources = list(dict.fromkeys(plain(enclosing.value(offset)[0]) for offset in offsets))
        low, high, side = (self.new(word) for word in ("low", "high", "side"))
        stop = ast.unparse(enclosing.statement.ranges[row.index][1])
        lows, highs = (", ".join(f"{sign}({text})" for text in sources) for sign in ("-", f"{stop} - "))
        enclosing.lines[-1].append(f"{low} = min(max({row.start}, {lows}), {row.stop})")
        enclosing.lines[-1].append(f"{high} = max(min({row.stop}, {highs}), {low})")
        is_first = f"{side} == 0"
        ends = replace(row, start=f"{row.start} if {is_first} else {high}", stop=f"{low} if {is_first} else {row.stop}")
        border = enclosing.below(depth, [Loop(side, "0", "2"), ends])
        write(border)
        enclosing.lines[-1] += border.text(depth)
        self.inside = row.index
        inside = enclosing.below(depth, [replace(row, start=low, stop=high)])
        write(inside)
        self.inside = ""
        enclosing.lines[-1] += inside.text(depth)

    def _offsets(self, value: ast.expr, row: Loop, statement: Statement) -> list[ast.expr]:
        """How far from an index the places are that are tested or turned at a border."""
        if row.index not in statement.ranges or row.step < 0:
            return []
        matches = [
            offset
            for node in ast.walk(value)
            if isinstance(node, ast.expr) and (offset := self.offset_at_border(node, row.index, statement)) is not None
        ]
        matches = [offset for offset in matches if not (isinstance(offset, ast.Constant) and offset.value == 0)]
        outside = {row.index} | {name for node in ast.walk(value) for name in (fold_of(node) or ("", (), node))[1]}
        return [] if any(outside & {*free_names(offset)} for offset in matches) else matches

    def offset_at_border(self, node: ast.expr, index: str, statement: Statement) -> ast.expr | None:
        """Of (i + c) % n, minimum(i + c, n - 1), maximum(i + c, 0) and x[i + c]: c."""
        stop = statement.ranges[index][1]
        match node:
            case ast.BinOp(left=subscript, op=ast.Mod(), right=size) if same(size, stop):
                return without_multiples(size, offset(subscript, index))
            case ast.Call(func=ast.Name(id="maximum"), args=[subscript, ast.Constant(value=0)]):
                return offset(subscript, index)
            case ast.Call(
                func=ast.Name(id="minimum"), args=[subscript, ast.BinOp(size, ast.Sub(), ast.Constant(value=1))]
            ):
                return offset(subscript, index) if same(size, stop) else None
            case ast.Subscript(value=ast.Name(id=name)) if name in self.arrays:
                pairs = zip(subscripts_of(node), self.arrays[name].dims, strict=True)
                own = [
                    offset(subscript, index)
                    for subscript, dim in pairs
                    if index in free_names(subscript) and same(dim, stop)
                ]
                return own[0] if len(own) == 1 else None
        return None

    def _element(self, nest: Nest, statement: Statement) -> str:
        return f"{statement.name}[np.uint64({nest.offset(statement.name, statement.subscripts)[0]})]"

    def _collected(self, statement: Statement) -> Iterator[str]:
        nest = Nest(self, statement, self._loops(statement, statement.indices))
        kind, name, word = self.code.kinds[statement.name], statement.name, statement.collect
        total = self.total(name)
        yield from self._begun(statement)
        value = (nest.element if kind == VALUE or word in FLAT_INDEX else nest.value)(statement.value)
        offset, test, _ = nest.offset(name, statement.subscripts)
        lines = list(self._update(statement, nest, offset, plain(value[0])))
        nest.lines[-1] += [f"if {test}:", *indented(1, lines)] if test else lines
        if word in FLAT_INDEX:
            yield f"{self.word['best']} = filled(T({START[word]}), {total})"
        yield from [*nest.lines[0], *nest.text(0)]

    def start_of(self, statement: Statement) -> str:
        """What a place has to which nothing has been added yet."""
        zero = "T(0)" if self.code.kinds[statement.name] == VALUE else "0"
        starts = {"sum": zero, **dict.fromkeys(FLAT_INDEX, "-1")}
        return starts.get(statement.collect, f"T({START.get(statement.collect)})")

    def _begun(self, statement: Statement) -> Iterator[str]:
        name, z = statement.name, self.word["z"]
        if name not in self.begun:
            yield f"for {z} in range({self.total(name)}):"
            yield f"    {self.store(name, f'{self.code.at[name]} + {z}', self.start_of(statement))}"

    def _update(self, statement: Statement, nest: Nest, offset: str, text: str) -> Iterator[str]:
        name, at = statement.name, self.word["at"]
        yield f"{at} = {offset}"
        if statement.collect == "sum":
            yield self.store(name, at, plain(f"{self.load(name, at)} + ({text})"))
        elif statement.collect in JOIN:
            matches, before = self.word["found"], self.word["best"]
            yield f"{matches} = {text}"
            yield f"{before} = {self.load(name, at)}"
            yield self.store(name, at, self.minmax_source(statement.collect, before, matches))
        else:
            subscript = nest.numbered(statement.indices)
            sign = ">" if statement.collect == "argmax" else "<"
            own, matches, best = (self.word[word] for word in ("own", "found", "best"))
            yield f"{own} = np.uint64({at} - {self.code.at[name]})"
            yield f"{matches} = {text}"
            better = f"{matches} {sign} {best}[{own}] or ({matches} != {matches} and {best}[{own}] == {best}[{own}])"
            yield f"if {better} or {self.load(name, at)} < 0:"
            yield f"    {best}[{own}], {self.load(name, at)} = {matches}, {plain(subscript)}"

    def minmax_source(self, word: str, total: str, text: str) -> str:
        """The greater or the less of two, nan where one is."""
        sign = ">" if word == "max" else "<"
        return f"{text} if {text} {sign} {total} or {text} != {text} else {total}"
