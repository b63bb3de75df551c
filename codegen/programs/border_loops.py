"""Loops whose innermost is in three parts, where subscripts are tested or turned only near the ends of its range."""

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..language.index_expressions import fold_of, free_names, offset, same, subscripts_of, without_multiples
from ..language.indexed_programs import Statement
from .element_code import Loop
from .index_nest import Nest
from .loop_function import LoopFunction
from .python_code import plain

SHORT = 8  # values for which the compiler writes a loop out, tests included


def _is_short(row: Loop) -> bool:
    return row.start.isdigit() and row.stop.isdigit() and int(row.stop) - int(row.start) <= SHORT


class BorderLoops(LoopFunction):
    def in_rows(self, outer: Nest, inner: Sequence[Loop], value: ast.expr, write: Callable[[Nest], None]) -> None:
        """Loops inside of others, the innermost in three parts where places are tested only near its ends."""
        if not inner:
            write(outer)
            return
        *before, row = inner
        depth = len(outer.loops)
        enclosing = outer.below(depth, before)
        offsets = self.border_offsets(value, row, outer.statement)
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

    def border_offsets(self, value: ast.expr, row: Loop, statement: Statement) -> list[ast.expr]:
        """How far from an index the places are that are tested or turned at a border."""
        if row.index not in statement.ranges or row.step < 0 or _is_short(row):
            return []
        nodes = [node for node in ast.walk(value) if isinstance(node, ast.expr)]
        at_ends = [self.offset_at_border(node, row.index, statement) for node in nodes]
        read = [offset for node in nodes for offset in self._offsets_of_read(node, row.index, statement)]
        offsets = [each for each in (*at_ends, *read) if each is not None]
        matches = [each for each in offsets if not (isinstance(each, ast.Constant) and each.value == 0)]
        outside = {row.index} | {name for node in ast.walk(value) for name in (fold_of(node) or ("", (), node))[1]}
        return [] if any(outside & {*free_names(offset)} for offset in matches) else matches

    def offset_at_border(self, node: ast.expr, index: str, statement: Statement) -> ast.expr | None:
        """Of (i + c) % n, minimum(i + c, n - 1) and maximum(i + c, 0): c."""
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
        return None

    def _offsets_of_read(self, node: ast.expr, index: str, statement: Statement) -> list[ast.expr]:
        """Of x[i + c, i + d]: c and d, where both dimensions are as long as the range of i."""
        match node:
            case ast.Subscript(value=ast.Name(id=name)) if name in self.arrays:
                stop, dims = statement.ranges[index][1], self.arrays[name].dims
                pairs = zip(subscripts_of(node), dims, strict=True)
                own = [offset(subscript, index) for subscript, dim in pairs if same(dim, stop)]
                return [each for each in own if each is not None]
        return []
