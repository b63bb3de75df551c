"""Loops in each other, and the folds that are computed in them."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..language.index_expressions import (
    PADDED,
    expanded_logsumexp,
    fold_of,
    free_names,
    is_name,
    outer_folds,
    reads,
    replaced,
    same,
    subscripts_of,
)
from ..language.indexed_programs import Statement
from ..language.scalar_functions import is_expensive
from .cpu_code import indented
from .element_code import ElementCode, Loop, Value
from .program_kinds import FLAT_INDEX, JOIN, START
from .python_code import INTEGER, TRUTH, VALUE, plain

SUMS = ("sum", "prod")
LONG_BLOCK = 4096  # terms that are added up in the elements' dtype
TOTAL_OF_MEAN = "sum"  # behind the text of a mean: the text of the sum in it


class Nest(ElementCode):
    """Loops and what is computed in each, folds included."""

    def _fold(self, key: str, word: str, over: tuple[str, ...], operand: ast.expr) -> Value:
        if word == "mean":
            own = key + TOTAL_OF_MEAN
            text, _, level = self._typed(self.known.get(own) or self._fold(own, "sum", over, operand))
            counts = [self._count(name) for name in over]
            count = " * ".join(each if each.isidentifier() or each.isdigit() else f"max({each}, 0)" for each in counts)
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
        if word in FLAT_INDEX and (text := self._argminmax_of_row(word, over, operand)):
            self.lines[depth].append(f"{total} = {text}")
            self.known[key] = total, INTEGER, depth
            return self.known[key]
        in_blocks = self._is_of_all([word], over, [operand])
        nest = self._flat(depth, over, operand, in_blocks) if word in SUMS and len(over) > 1 else None
        nest = nest or self.below(depth, self._loops_of(over, in_blocks))
        kind, start, lines = nest.reduced(word, over, operand, total)
        nest.lines[-1] += lines
        if in_blocks:
            start = nest.add_blocks(total, start)
        self.lines[depth] += [*start, *nest.text(depth)]
        if in_blocks:
            self.lines[depth].append(f"{total} = T({total}_of_blocks)")
        if word in JOIN:
            self.lines[depth].append(f"{total} = T(np.nan) if {start[1].split()[0]} else {total}")
        if word in ("any", "all"):
            total, kind = f"({total} {'>' if word == 'any' else '=='} 0)", TRUTH
        self.known[key] = (total, kind, depth)
        return self.known[key]

    def _is_of_all(self, kinds: Sequence[str], over: Sequence[str], operands: Sequence[ast.expr]) -> bool:
        """Whether sums go in blocks, in double precision from block to block: those that are no rows' sums. Of a few
        elements a block would take as long as its sum."""
        indices = self.statement.ranges.keys() - {*over}
        if any(indices & {*free_names(operand)} for operand in operands):
            return False
        if {*kinds} - {"sum", "mean"} or self.function.is_recurrence or not self.function.has_rows:
            return False
        is_short = ast.unparse(self.statement.ranges[over[-1]][1]).isdigit()
        return not is_short and all(self.function.code.kind_of(operand) == VALUE for operand in operands)

    def _loops_of(self, over: Sequence[str], in_blocks: bool) -> list[Loop]:
        loops = [self.function.loop(name, self.statement) for name in over]
        return [*loops[:-1], *self._blocks_of(loops[-1])] if in_blocks else loops

    def _blocks_of(self, loop: Loop) -> list[Loop]:
        block, end = self.function.new("block"), self.function.new("end_of_block")
        head = f"{end} = min({block} + {LONG_BLOCK}, {loop.stop})"
        return [replace(loop, index=block, step=LONG_BLOCK, head=head), replace(loop, start=block, stop=end)]

    def add_blocks(self, total: str, start: Sequence[str]) -> list[str]:
        """The sum of a block begins with it, and is added to that of blocks, whose beginning this gives."""
        self.lines[-2] += start
        self.lines_after[-2].append(f"{total}_of_blocks += {total}")
        return [f"{total}_of_blocks = 0.0"]

    def sums_in_one_loop(self, statements: Sequence[Statement], folds: Sequence[ast.expr]) -> None:
        """The sum of each statement, all over the same range: memory is read once."""
        parts = [fold_of(fold) or ("", (), fold) for fold in folds]
        over, operands = parts[0][1], [operand for _, _, operand in parts]
        depth = max(self._depth_of({*free_names(operand)} - {*over}) for operand in operands)
        in_blocks = self._is_of_all([word for word, _, _ in parts], over, operands)
        nest = self._flat(depth, over, ast.Tuple(operands, ast.Load()), in_blocks) if len(over) > 1 else None
        nest = nest or self.below(depth, self._loops_of(over, in_blocks))
        starts: list[str] = []
        ends: list[str] = []
        for statement, fold, (word, _, operand) in zip(statements, folds, parts, strict=True):
            total, nest.statement = self.function.new("sum" if word == "mean" else word), statement
            kind, start, lines = nest.reduced("sum" if word == "mean" else word, over, operand, total)
            nest.lines[-1] += lines
            if in_blocks:
                start = nest.add_blocks(total, start)
                ends.append(f"{total} = T({total}_of_blocks)")
            starts += start
            key = ast.dump(fold)
            self.known[key + TOTAL_OF_MEAN if word == "mean" else key] = total, kind, depth
        self.lines[depth] += [*starts, *nest.text(depth), *ends]

    def _flat(self, depth: int, over: Sequence[str], operand: ast.expr, in_blocks: bool) -> "Nest | None":
        """One loop over all elements of arrays that folds of several indices read as they lie."""
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
        loop = Loop(index, "0", " * ".join(map(self._count, over)))
        nest = self.below(depth, self._blocks_of(loop) if in_blocks else [loop])
        for key, each in read.items():
            text = self.function.load(each.name, f"{self.function.code.at[each.name]} + {index}")
            nest.bound((text, self.function.code.kinds[each.name], len(nest.loops)), each.name, key)
        return nest

    def _extreme_of_rows(self, word: str, index: str, operand: ast.expr, total: str, depth: int) -> Iterator[str]:
        """An extreme by vector code: of a row that lies in memory, or of one that is computed in blocks before."""
        if not self.function.has_rows:
            return
        which = 1 if word == "max" else 0
        start, stop = (ast.unparse(end) for end in self.statement.ranges[index])
        row = self._row_in_memory(operand, index)
        if row:
            yield f"{total} = minmax_of({row})[{which}] if {stop} > 0 else T({START[word]})"
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

    def _argminmax_of_row(self, word: str, over: Sequence[str], operand: ast.expr) -> str:
        """The first place of an extreme of a row that lies in memory."""
        row = self._row_in_memory(operand, over[0]) if len(over) == 1 and self.function.has_rows else ""
        return f"first_index({row}, minmax_of({row})[{1 if word == 'argmax' else 0}])" if row else ""

    def _row_in_memory(self, operand: ast.expr, index: str) -> str:
        """The row that an operand is an element of, if the index runs along all of it."""
        match operand:
            case ast.Subscript(value=ast.Name(id=name)) if self._has_row_order(name):
                *others, last = subscripts_of(operand)
                if self.function.code.kinds[name] != VALUE or not is_name(last, index):
                    return ""
                if not all(map(self._is_inside, (*others, last), self.function.arrays[name].dims)):
                    return ""
                if index not in {name for subscript in others for name in free_names(subscript)}:
                    offset = plain(self.offset(name, (*others, ast.Constant(0)))[0])
                    return f"part_of({name}, {offset}, {ast.unparse(self.statement.ranges[index][1])})"
        return ""

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
        start, best = ast.unparse(self.statement.ranges[over[0]][0]) if len(over) == 1 else "0", f"best_{total}"
        lines = list(self.update_argminmax(word, over, operand, best, total))
        return INTEGER, [f"{best}, {total} = T({START[word]}), {start}"], lines

    def update_argminmax(
        self, word: str, over: Sequence[str], operand: ast.expr, best: str, result: str
    ) -> Iterator[str]:
        """The greatest or least number so far and its place, where an operand is more extreme or the first nan."""
        matches = self.function.new("found")
        yield f"{matches} = {plain(self.element(operand)[0])}"
        sign = ">" if word == "argmax" else "<"
        yield f"if {matches} {sign} {best} or ({matches} != {matches} and {best} == {best}):"
        yield f"    {best}, {result} = {matches}, {plain(self.numbered(over))}"

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
