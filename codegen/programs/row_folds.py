"""Folds that are added up where the result lies: the innermost loop goes along its rows, and outer loops are unrolled.

ROWS rows of the result get TERMS terms of the fold in one pass; threads get as many rows together, so that bits do not
depend on their number. A sum goes in blocks of BLOCK terms, in double precision from block to block.
"""

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from ..language.index_expressions import copied, fold_of, outer_folds, reads, renamed, same
from ..language.indexed_programs import Statement
from ..language.scalar_functions import is_expensive
from .cpu_code import indented
from .element_code import Function, Loop, Packed, own_element
from .index_nest import LONG_BLOCK, Nest
from .program_kinds import FLAT_INDEX, START
from .python_code import VALUE, plain

ROWS, TERMS, BLOCK = 4, 2, 128
NOTHING = ast.Constant(0)
Write = Callable[[Nest], None]


class Writer(Function, Protocol):
    """What a fold asks of the function that it stands in."""

    memory: list[str]
    unit: int
    packed: dict[str, Packed]

    def in_rows(self, outer: Nest, inner: Sequence[Loop], value: ast.expr, write: Write) -> None: ...
    def assign(self, nest: Nest, statement: Statement) -> None: ...
    def border_offsets(self, value: ast.expr, row: Loop, statement: Statement) -> list[ast.expr]: ...


def parts(writer: Writer, nest: Nest, loop: Loop, names: Sequence[str]) -> Iterator[tuple[Loop, list[str]]]:
    """A loop over as many values at a time as there are names, and one over what is left."""
    if len(names) > 1:
        aligned_end = writer.new("aligned_end")
        count = plain(f"({loop.stop} - ({loop.start})) % {len(names)}")
        nest.lines[-1].append(f"{aligned_end} = max({loop.stop} - {count}, {loop.start})")
        yield replace(loop, stop=aligned_end, copies=tuple(names[1:])), list(names)
        loop = replace(loop, start=aligned_end)
    yield loop, [names[0]]


def is_cheap(writer: Writer, fold: ast.expr, rest: ast.expr, row: Loop, statement: Statement) -> bool:
    """Whether a loop around a fold is unrolled: what it computes takes little beside what it reads."""
    operand = (fold_of(fold) or ("", (), fold))[2]
    if is_expensive(without_squares(operand)) or outer_folds(operand) or outer_folds(rest):
        return False
    return not writer.border_offsets(operand, row, statement)


def sums_side_by_side(writer: Writer, statement: Statement, loops: Sequence[Loop], fold: ast.expr) -> Iterator[str]:
    """`name[i, j] = rest(sum[k](operand))` with the sums of ROWS values of j in registers."""
    _, over, operand = fold_of(fold) or ("", (), fold)
    *before, row = loops
    names = [row.index, *(writer.new(row.index) for _ in range(ROWS - 1))]
    ranges = {**statement.ranges, **dict.fromkeys(names, statement.ranges[row.index])}
    nest = Nest(writer, replace(statement, ranges=ranges), before)
    for loop, rows in parts(writer, nest, row, names):
        own = nest.below(len(before), [loop])
        totals, sums = ([writer.new(word) for _ in rows] for word in ("total", "sum"))
        own.lines[-1] += [f"{total} = T(0)" for total in totals]
        values = [{row.index: ast.Name(name, ast.Load())} for name in rows]
        *others, last = (writer.loop(index, statement) for index in over)
        block, end = writer.new("block"), writer.new("end_of_block")
        blocks = own.below(len(loops), [*others, replace(last, index=block, step=LONG_BLOCK)])
        blocks.lines[-1].append(f"{end} = min({block} + {LONG_BLOCK}, {last.stop})")
        blocks.lines[-1] += [f"{part} = T(0)" for part in sums]
        inner = blocks.below(len(blocks.loops), [replace(last, start=block, stop=end)])
        for part, value in zip(sums, values, strict=True):
            inner.lines[-1].append(f"{part} += {plain(inner.element(renamed(operand, value))[0])}")
        blocks.lines[-1] += inner.text(len(blocks.loops))
        blocks.lines[-1] += [f"{total} += {part}" for total, part in zip(totals, sums, strict=True)]
        own.lines[-1] += blocks.text(len(loops))
        for total, value in zip(totals, values, strict=True):
            own.known[ast.dump(renamed(fold, value))] = total, VALUE, len(loops)
            subscripts = tuple(renamed(subscript, value) for subscript in statement.subscripts)
            writer.assign(own, replace(statement, subscripts=subscripts, value=renamed(statement.value, value)))
        nest.lines[-1] += own.text(len(before))
    yield from [*nest.lines[0], *nest.text(0)]


class RowFold:
    """`name[i, j] = rest(fold[k](operand))`; `position` of the result's loops stand outside of the fold's."""

    def __init__(
        self, writer: Writer, statement: Statement, loops: Sequence[Loop], position: int, fold: ast.expr, rest: ast.expr
    ) -> None:
        self.writer = writer
        self.loops, self.inner = loops[:position], loops[position:]
        self.word, self.over, self.operand = fold_of(fold) or ("", (), fold)
        self.rest = rest
        self.is_unrolled = self.word not in FLAT_INDEX and is_cheap(writer, fold, rest, self.inner[-1], statement)
        self.rows = self._copies(loops[position - 1].index, ROWS) if self.is_unrolled and position else [""]
        self.terms = self._copies(self.over[-1], TERMS if self.is_unrolled else 1)
        writer.unit = max(writer.unit, len(self.rows))
        copies = {name: statement.ranges[names[0]] for names in (self.rows, self.terms) for name in names if name}
        self.statement = replace(statement, ranges={**statement.ranges, **copies})

    def _copies(self, index: str, count: int) -> list[str]:
        return [index, *(self.writer.new(index) for _ in range(count - 1))]

    def lines(self) -> Iterator[str]:
        depth = len(self.loops) - (len(self.rows) > 1)
        nest = Nest(self.writer, self.statement, self.loops[:depth])
        if len(self.rows) > 1:
            for loop, rows in parts(self.writer, nest, self.loops[-1], self.rows):
                own = nest.below(depth, [loop])
                self._fold(own, rows)
                nest.lines[-1] += own.text(depth)
        else:
            self._fold(nest, self.rows)
        yield from [*nest.lines[0], *nest.text(0)]

    def _fold(self, nest: Nest, rows: Sequence[str]) -> None:
        """Rows of the result inside of the loops of a nest: the fold, and what is computed from it."""
        start, stop = (ast.unparse(end) for end in self.statement.ranges[self.over[0]])
        first = f"T({START[self.word]})" if self.word in START else "T(0)"
        if self.word in FLAT_INDEX:
            self._begin_argminmax(nest, first, start if len(self.over) == 1 else "0")
        else:
            self._each(nest, rows, lambda row, element, number: [f"{element} = {first}"])
        if self.word == "sum" and len(self.over) == 1 and not (stop.isdigit() and int(stop) <= BLOCK):
            self._in_blocks(nest, rows, start, stop)
        else:
            self._add(nest, rows, self.writer.loop(self.over[-1], self.statement))
        if same(self.rest, own_element(self.statement)):
            return
        for row in rows:
            self._finish(nest, replace(self._of_row(row), value=self._in_row(self.rest, row)))

    def _begin_argminmax(self, nest: Nest, first: str, start: str) -> None:
        """The elements are places of extremes, which have a row of their own."""
        columns, self.column = self._columns(nest)
        self.best = self.writer.new("best")
        self.writer.memory.append(f"{self.best} = empty_row(T(0), {columns})")
        best = f"{self.best}[np.uint64({self.column})]"
        self._each(nest, [""], lambda row, element, number: [f"{best} = {first}", f"{element} = {start}"])

    def _columns(self, nest: Nest) -> tuple[str, str]:
        """How many elements of the result lie inside of the fold's loops, and the number of one of them."""
        columns = " * ".join(nest._count(loop.index) for loop in self.inner)
        return columns, nest.numbered([loop.index for loop in self.inner])

    def _finish(self, nest: Nest, of_row: Statement) -> None:
        self.writer.in_rows(nest, self.inner, of_row.value, lambda inner: self.writer.assign(inner, of_row))

    def _in_row(self, tree: ast.expr, row: str) -> ast.expr:
        return renamed(tree, {self.rows[0]: ast.Name(row, ast.Load())}) if row else tree

    def _of_row(self, row: str) -> Statement:
        subscripts = tuple(self._in_row(subscript, row) for subscript in self.statement.subscripts)
        return replace(self.statement, subscripts=subscripts)

    def _element(self, nest: Nest, row: str) -> str:
        name = self.statement.name
        return self.writer.load(name, nest.offset(name, self._of_row(row).subscripts)[0])

    def _each(self, nest: Nest, rows: Sequence[str], lines: Callable[[str, str, int], Sequence[str]]) -> None:
        """Lines for each element of the rows."""

        def write(inner: Nest) -> None:
            for number, row in enumerate(rows):
                inner.lines[-1] += lines(row, self._element(inner, row), number)

        self.writer.in_rows(nest, self.inner, NOTHING, write)

    def _in_blocks(self, nest: Nest, rows: Sequence[str], start: str, stop: str) -> None:
        """A sum of terms from `start` to `stop`."""
        depth = len(nest.loops)
        block, end, totals = (self.writer.new(word) for word in ("block", "end_of_block", "totals"))
        count = nest._count(self.over[0])
        columns, column = self._columns(nest)

        def accumulated(row: str, element: str, number: int) -> Sequence[str]:
            total = f"{totals}[np.uint64({number} * {columns} + {column})]"
            return [f"{total} = {element} + ({total} if {block} > {start} else 0.0)", f"{element} = T(0)"]

        def finished(row: str, element: str, number: int) -> Sequence[str]:
            return [f"{element} = T({totals}[np.uint64({number} * {columns} + {column})])"]

        self.writer.memory.append(
            f"{totals} = empty_row(0.0, {len(self.rows)} * {columns}) if {count} > {BLOCK} else row_at(0.0, 0, 0)"
        )
        own = nest.below(depth, [Loop(block, start, stop, BLOCK)])
        own.lines[-1].append(f"{end} = min({block} + {BLOCK}, {stop})")
        self._add(own, rows, Loop(self.over[0], block, end))
        self._when(f"{count} > {BLOCK}", own, lambda: self._each(own, rows, accumulated))
        nest.lines[-1] += own.text(depth)
        self._when(f"{count} > {BLOCK}", nest, lambda: self._each(nest, rows, finished))

    def _when(self, test: str, nest: Nest, write: Callable[[], None]) -> None:
        lines = nest.lines[-1]
        begin = len(lines)
        write()
        lines[begin:] = [f"if {test}:", *indented(1, lines[begin:])]

    def _add(self, nest: Nest, rows: Sequence[str], last: Loop) -> None:
        """All terms of a loop are folded into the elements of rows."""
        before = [self.writer.loop(index, self.statement) for index in self.over[:-1]]
        for loop, terms in parts(self.writer, nest, last, self.terms):

            def write(inner: Nest, terms: Sequence[str] = terms) -> None:
                for row in rows:
                    inner.lines[-1] += self._update(inner, row, terms)

            self.writer.in_rows(nest, [*before, loop, *self.inner], self.operand, write)

    def _update(self, nest: Nest, row: str, terms: Sequence[str]) -> Iterator[str]:
        element = self._element(nest, row)
        trees = [self._of_term(self.operand, row, term) for term in terms]
        for term in terms:
            self._rename_copies(row, term)
        if self.word == "sum":
            added = " + ".join(f"({nest.element(tree)[0]})" for tree in trees)
            yield f"{element} = {plain(f'{element} + {added}')}"
            return
        if self.word in FLAT_INDEX:
            yield from nest.update_argminmax(
                self.word, self.over, trees[0], f"{self.best}[np.uint64({self.column})]", element
            )
            return
        best = self.writer.new("best")
        yield f"{best} = {element}"
        for tree in trees:
            text = nest.bound(nest.element(tree), "value")[0]
            yield f"{best} = {self.writer.minmax_source(self.word, best, text)}"
        yield f"{element} = {best}"

    def _of_term(self, tree: ast.expr, row: str, term: str) -> ast.expr:
        return self._in_row(renamed(tree, {self.terms[0]: ast.Name(term, ast.Load())}), row)

    def _rename_copies(self, row: str, term: str) -> None:
        """Elements of a row and a term are read from the copies as well."""
        packed = self.writer.packed
        for read in reads(self.operand, self.writer.arrays):
            if (copy := packed.get(ast.dump(read.node))) is not None:
                subscripts = tuple(self._of_term(subscript, row, term) for subscript in copy.subscripts)
                packed[ast.dump(self._of_term(read.node, row, term))] = replace(copy, subscripts=subscripts)


def without_squares(tree: ast.expr) -> ast.expr:
    """An expression in which squares are products: these take no function."""

    class Squares(ast.NodeTransformer):
        def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
            self.generic_visit(node)
            match node:
                case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=2)):
                    return ast.BinOp(base, ast.Mult(), base)
            return node

    result: ast.expr = Squares().visit(copied(tree))
    return result
