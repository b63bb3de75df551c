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
