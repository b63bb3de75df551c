"""The loops of the statements of indexed programs, and their order."""

import ast
import functools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..language.index_expressions import (
    Read,
    bound_names,
    fold_of,
    folded,
    free_names,
    outer_folds,
    reads,
    replaced,
    same,
)
from ..language.indexed_faults import is_uniform
from ..language.indexed_programs import Statement
from ..language.scalar_functions import is_expensive
from .cpu_code import indented
from .element_code import Loop, Packed, own_element
from .index_nest import SUMS, Nest
from .program_kinds import FLAT_INDEX, JOIN
from .python_code import INTEGER, VALUE, plain
from .row_folds import NOTHING, RowFold, is_cheap, sums_side_by_side
from .scatter_loops import ScatterLoops
from .small_rows import by_element
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


class LoopWriter(ScatterLoops):
    """The loops of statements."""

    def _body(self) -> Iterator[str]:
        if len(self.group) > 1 and self.is_recurrence:
            yield from self._fused_loop()
            return
        statement = self.group[0]
        if statement.collect:
            yield from self._collected(statement)
            return
        parts: list[list[Statement]] = []
        for each in self.group:
            if parts and self.have_one_sum(parts[-1], each):
                parts[-1].append(each)
            else:
                parts.append([each])
        if len(parts) == 1:
            yield from self._side_by_side(self.group, self.result_loops(statement))
            return
        row = self.result_loops(statement)[0]
        own = [each.name for each in self.group if self.is_of_group(each.name)]
        if elements := by_element(self.group, own):
            yield from self._in_registers(row, elements, own)
            return
        yield row.line
        self.own_rows = own
        yield from (f"    {self.code.at[name]} = -{row.index} * {self.row_size(name)}" for name in self.own_rows)
        for part in parts:
            yield from indented(1, self._side_by_side(part, self.result_loops(part[0])[1:]))

    def _in_registers(self, row: Loop, elements: Sequence[Statement], own: Sequence[str]) -> Iterator[str]:
        """One element of a row after the other; only those of other arrays than `own` are stored."""
        self.in_registers += own
        nest = Nest(self, elements[0], [row])
        for statement in elements:
            nest.statement = statement
            kind = self.code.kinds[statement.name]
            text, _, level = (nest.element if kind == VALUE else nest.value)(statement.value)
            value = nest.bound((text, kind, level), statement.name, ast.dump(own_element(statement)))[0]
            if statement.name not in own:
                offset, _, _ = nest.offset(statement.name, statement.subscripts)
                nest.lines[-1].append(self.store(statement.name, offset, value))
        yield from [*nest.lines[0], *nest.text(0)]

    def is_of_group(self, name: str) -> bool:
        """Whether nobody else computes or reads an array."""
        others = [statement for statement in self.program.statements if statement not in self.group]
        trees = [tree for statement in others for tree in (statement.value, *statement.subscripts)]
        named = {statement.name for statement in others} | {read.name for tree in trees for read in reads(tree, [name])}
        return name not in self.program.outputs and name not in named

    def have_one_sum(self, statements: Sequence[Statement], other: Statement) -> bool:
        """Whether another statement has the same loops as statements, those of its sum as well, and no array of
        theirs."""
        names = {statement.name for statement in statements}
        read = {each.name for statement in statements for each in reads(statement.value, [other.name])}
        if other.name in names | read or any(reads(other.value, names)):
            return False
        return self.loops_of(statements[-1]) == self.loops_of(other)

    def result_loops(self, statement: Statement) -> list[Loop]:
        return self._loops(statement, [each.id for each in statement.subscripts if isinstance(each, ast.Name)])

    def loops_of(self, statement: Statement) -> str:
        """The loops of a statement and of the sum that it has, as text; of others than sums in registers its name."""
        fold = self.sum_in_register(statement)
        if fold is None:
            return statement.name
        indices, (_, over, _) = [ast.unparse(each) for each in statement.subscripts], fold_of(fold) or ("", (), fold)
        ranges = [[ast.unparse(end) for end in statement.ranges[name]] for name in (*indices, *over)]
        return f"{indices} {over} {ranges}"

    def sum_in_register(self, statement: Statement) -> ast.expr | None:
        """The one sum or product of a statement, if its terms are added up in a register, one after the other."""
        folds = outer_folds(statement.value)
        if self.is_recurrence or statement.collect or len(folds) != 1:
            return None
        word, _, operand = fold_of(folds[0]) or ("", (), folds[0])
        if word not in (*SUMS, "mean") or outer_folds(operand) or self.code.kinds[statement.name] != VALUE:
            return None
        return folds[0] if self.is_by_elements(statement, self.result_loops(statement)) else None

    def is_by_elements(self, statement: Statement, loops: list[Loop]) -> bool:
        """Whether each element is computed alone, in loops of the result around all others."""
        fold, rest = self._fold_and_rest(statement, loops)
        if fold is None:
            return True
        return self._position(fold, loops) == len(loops) and not self._is_side_by_side(statement, loops, fold, rest)

    def is_of_rows(self, statement: Statement) -> bool:
        """Whether a statement can be computed row by row, no slower than in loops of its own."""
        if self.is_recurrence or statement.collect or not self.parallel or statement.name in self.code.wavefronts:
            return False
        loops, folds = self.result_loops(statement), outer_folds(statement.value)
        rest = functools.reduce(lambda tree, fold: replaced(tree, fold, NOTHING), folds, statement.value)
        if len(loops) == 1 and is_expensive(rest) or any(self.parallel not in free_names(fold) for fold in folds):
            return False
        return self.is_by_elements(statement, loops) and self.is_by_elements(statement, loops[1:])

    def _side_by_side(self, statements: Sequence[Statement], loops: list[Loop]) -> Iterator[str]:
        """Statements of the same indices, several of which have sums over the same range."""
        if len(statements) == 1:
            yield from self._assigned(statements[0], loops)
            return
        nest = Nest(self, statements[0], loops)
        nest.sums_in_one_loop(statements, [outer_folds(statement.value)[0] for statement in statements])
        for statement in statements:
            nest.statement = statement
            self.assign(nest, statement)
        yield from [*nest.lines[0], *nest.text(0)]

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
            self.assign(nest, statement)
        nest.lines[-1] += [f"{name} = {value}" for name, value in nest.previous_values()]
        outer.lines[-1] += nest.text(len(loops) - 1)
        yield from [*outer.lines[0], *outer.text(0)]

    def _along_diagonals(self, front: Wavefront) -> list[Loop]:
        diagonal, (row, column) = self.new("diagonal"), front.indices
        return [Loop(diagonal, "0", front.diagonals, front.step), Loop(row, *front.rows(diagonal), bound=column)]

    def assign(self, nest: Nest, statement: Statement) -> None:
        kind = self.code.kinds[statement.name]
        text = (nest.element if kind == VALUE else nest.value)(statement.value)[0]
        offset, _, _ = nest.offset(statement.name, statement.subscripts)
        depth = len(nest.loops)
        if self.is_recurrence:
            text = nest.bound((text, kind, depth), statement.name, ast.dump(own_element(statement)))[0]
        nest.lines[-1].append(self.store(statement.name, offset, plain(text)))

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
            self.in_rows(outer, inner, fold, lambda nest: self.assign(nest, replace(statement, value=fold)))
        else:
            rest = statement.value
        if fold is None or rest is statement.value or not same(rest, own_element(statement)):
            self.in_rows(outer, inner, rest, lambda nest: self.assign(nest, replace(statement, value=rest)))
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
        if not loops or not self._is_parallel(statement, loops):
            return None, value
        inner = [node for node in outer_folds(value) if loops[-1].index in free_names(node)]
        word, over, operand = fold_of(inner[0]) or ("", (), value) if len(inner) == 1 else ("", (), value)
        kinds = {self.code.kinds[statement.name], self.code.kind_of(inner[0])} if word else set()
        if kinds != ({INTEGER} if word in FLAT_INDEX else {VALUE}):
            return None, value
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
        if word not in ("sum", *JOIN, *FLAT_INDEX):
            return len(loops)
        inside = {*bound_names(operand)}
        across = 0 if inside else ACROSS
        matches = [read for read in reads(operand, self.arrays) if read.subscripts]
        matches = [read for read in matches if inside.isdisjoint(free_names(read.subscripts[-1]))]

        def cost(position: int) -> float:
            order = [loop.index for loop in loops[:position]] + list(over) + [loop.index for loop in loops[position:]]
            total = 0.1 * (len(loops) - position) if position < len(loops) else across
            for read in matches:
                if position and self._can_be_packed(read, order):
                    continue
                own = [index for index in order if any(index in free_names(subscript) for subscript in read.subscripts)]
                if own and own[-1] not in free_names(read.subscripts[-1]):
                    total += 1 if own[-1] == order[-1] else 0.05
            return total

        return min(range(len(loops), -1, -1), key=cost)

    def order_around(self, statement: Statement, fold: ast.expr) -> tuple[str, ...]:
        """The indices of the loops that a fold's operand is computed in; none where the fold is no row's."""
        loops = self.result_loops(statement)
        own, _ = self._fold_and_rest(statement, loops)
        if own is None or not same(own, fold):
            return ()
        word, over, _ = fold_of(own) or ("", (), own)
        names, position = [loop.index for loop in loops], self._position(own, loops)
        if word == "sum" and self._reads_along(own, loops):  # so it is computed by elements where these are few
            position = len(names)
        return (*names[:position], *over, *names[position:])

    def goes_in_rows(self, fold: ast.expr, loops: list[Loop]) -> bool:
        """Whether the loops of a fold stand outside of some of the result's."""
        return self._position(fold, loops) < len(loops)

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
            packed = Packed(self.new("packed"), self.code.total(read.name), *own)
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
