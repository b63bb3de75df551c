"""The loops of scatters: several values may meet in one element, where they are folded one after the other."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..language.indexed_programs import Statement
from ..language.scalar_functions import is_expensive
from .border_loops import BorderLoops
from .cpu_code import indented
from .element_code import Loop
from .index_nest import Nest
from .program_kinds import FLAT_INDEX, JOIN, START
from .python_code import VALUE, plain


class ScatterLoops(BorderLoops):
    def _collected(self, statement: Statement) -> Iterator[str]:
        loops = self._loops(statement, statement.indices)
        kind, name, word = self.code.kinds[statement.name], statement.name, statement.collect
        total = self.code.total(name)
        yield from self._begun(statement)
        if loops and self.has_rows and kind == VALUE and word not in FLAT_INDEX and is_expensive(statement.value):
            yield from self._in_blocks(statement, loops)
            return
        nest = Nest(self, statement, loops)
        value = (nest.element if kind == VALUE or word in FLAT_INDEX else nest.value)(statement.value)
        offset, test, _ = nest.offset(name, statement.subscripts)
        lines = list(self._update(statement, nest, offset, plain(value[0])))
        nest.lines[-1] += [f"if {test}:", *indented(1, lines)] if test else lines
        if word in FLAT_INDEX:
            yield f"{self.word['best']} = filled(T({START[word]}), {total})"
        yield from [*nest.lines[0], *nest.text(0)]

    def _in_blocks(self, statement: Statement, loops: Sequence[Loop]) -> Iterator[str]:
        """BLOCK values are computed in vectors, then folded one after the other."""
        *before, row = loops
        depth, outer = len(before), Nest(self, statement, before)
        begin, size, block = (self.new(word) for word in ("start", "size", "block"))
        self.blocks.append(block)
        part, element = replace(row, start=begin, stop=f"{begin} + {size}"), self.load(block, f"{row.index} - {begin}")
        values, updates = outer.below(depth, [part]), outer.below(depth, [part])
        values.lines[-1].append(f"{element} = {plain(values.element(statement.value)[0])}")
        offset, test, _ = updates.offset(statement.name, statement.subscripts)
        lines = list(self._update(statement, updates, offset, element))
        updates.lines[-1] += [f"if {test}:", *indented(1, lines)] if test else lines
        outer.lines[-1] += [
            f"for {begin} in range({row.start}, {row.stop}, BLOCK):",
            f"    {size} = min(BLOCK, {row.stop} - {begin})",
            *indented(1, [*values.text(depth), *updates.text(depth)]),
        ]
        yield from [*outer.lines[0], *outer.text(0)]

    def start_of(self, statement: Statement) -> str:
        """What a place has to which nothing has been added yet."""
        zero = "T(0)" if self.code.kinds[statement.name] == VALUE else "0"
        starts = {"sum": zero, **dict.fromkeys(FLAT_INDEX, "-1")}
        return starts.get(statement.collect, f"T({START.get(statement.collect)})")

    def _begun(self, statement: Statement) -> Iterator[str]:
        name, z = statement.name, self.word["z"]
        if name not in self.begun:
            yield f"for {z} in range({self.code.total(name)}):"
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
