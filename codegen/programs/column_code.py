"""The CPU's loop of a row program whose rows do not lie along the last dimension: neighbouring columns side by side.

A row is a column of (n, after): memory is read as it lies, and what is one number a row is an array with one for each
column. Sums are collected in double precision after every COLLECTED elements.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from ..language.row_programs import ARG_REDUCTIONS, COUNT, ELEMENT_AT, INDEX_NAME, Program
from .cpu_code import Code, RowWriter, indented
from .passes import COUNTS, Fold, Number, Pass, names_of, names_read
from .python_code import INTEGER, WIDE, Spelling, names_in_lines

_BEGIN = {"sum": "0", "prod": "1", COUNTS: "0", "max": "-np.inf", "min": "np.inf"}
_JOIN = {"max": "maximum", "min": "minimum"}


def column_code(program: Program, name: str = "columns") -> Code:
    return _Columns(program, name).code()


class _Columns(RowWriter):
    def __init__(self, program: Program, name: str) -> None:
        super().__init__(program, name)
        self.spelling = Spelling(self.lowered, self._element_at, "float")
        self.numbers = self.lowered.numbers
        self.memory: dict[str, str] = {}  # what is kept of some columns: names, and what their elements are like
        self.rows = dict(zip(self.lowered.retained, (f"to_{name}" for name in self.lowered.rows), strict=False))
        varying = (*(name for name in self.numbers if name not in {n.name for n in self.uniform}), *self.lowered.folds)
        self.kinds = {name: self.spelling.kinds[name] for name in varying}

    def _element_at(self, array: str, at: str) -> str:
        inside = f"0 <= {at} < n"
        if any(p.name == array for p in self.program.of_kind("shared")):
            return f"(all_{array}[{at}] if {inside} else T(np.nan))"
        return f"(all_{array}[start + {at} * after + k] if {inside} else T(np.nan))"

    @cached_property
    def _of_elements(self) -> set[str]:
        """The numbers that elements are computed with."""
        return self._read_by_elements & self.kinds.keys()

    @cached_property
    def _read_by_elements(self) -> set[str]:
        trees = [self.lowered.statements[name] for name in self.lowered.elements]
        trees += [fold.operand for fold in self.lowered.folds.values()]
        return {name for tree in trees for name in names_of(tree)}

    @cached_property
    def _of_numbers(self) -> set[str]:
        """The numbers that numbers are computed with, or that are results."""
        read = {name for tree in self.numbers.values() for name in names_read(tree)}
        return (read | {*self.lowered.each, *self.lowered.guards.values()}) & self.kinds.keys()

    def _lines(self) -> Iterator[str]:
        arrays = [f"all_{p.name}" for p in self.program.arrays]
        numbers = [p.name for p in self.program.of_kind("number")]
        outputs = [f"all_{name}" for name in self.program.outputs]
        yield "@jit(fastmath=REORDER)"
        yield f"def {self.name}({', '.join([*arrays, *outputs, *numbers, COUNT, 'after', 'first', 'last'])}):"
        yield '    """The same for rows that are columns of (n, after): so many of them side by side."""'
        yield f"    T = all_{self.program.of_kind('row')[0].name}.dtype.type"
        yield from (f"    {n.name} = {self.spelling.number(n.value)}" for n in self.uniform)
        block = list(self._block())
        yield f"    side, line = {'columns_for(n)' if self._own else 'COLUMNS'}, first"
        if self.memory or self._own:
            yield "    capacity = min(side, after, last - first)"
        yield from (f"    of_{name} = empty_row(T(0), n * capacity{' + WIDE' * self._merges})" for name in self._own)
        if self._merges and (self.memory or self._own):
            yield "    capacity = max(capacity, merged_lines(n, after, after)[1])"
        yield from (f"    {name} = empty_row({like}, capacity)" for name, like in self.memory.items())
        yield "    while line < last:"
        yield "        size = min(side, after - line % after, last - line)"
        yield "        start = line // after * n * after + line % after"
        if self._merges:
            yield "        lines, line_width = merged_lines(n, size, after)"
        yield from indented(2, block)
        yield "        line += size"

    @cached_property
    def _merges(self) -> bool:
        """Whether lines of few columns are read several at a time, as one: no element depends on its index."""
        ops = {fold.op for fold in self.lowered.folds.values()}
        trees = [*self.lowered.statements.values(), *(fold.operand for fold in self.lowered.folds.values())]
        read = {name for tree in trees for name in names_of(tree)}
        return not (self.program.of_kind("shared") or ops & {*ARG_REDUCTIONS} or read & {INDEX_NAME, ELEMENT_AT})

    def _repeated(self, arrays: Iterable[str]) -> Iterator[str]:
        """What elements are computed with, once for each of the lines that are read as one."""
        if self._merges:
            yield from (f"repeat({array}, size, line_width)" for array in arrays)

    @property
    def _own(self) -> list[str]:
        """The statements that are kept in memory of their own, not where an output will be."""
        return [name for name in self.lowered.retained if name not in self.rows]

    def _block(self) -> Iterator[str]:
        for p in self.program.of_kind("each"):
            yield f"of_{p.name} = part_of(all_{p.name}, line, size)"
            if self._merges and p.name in self._read_by_elements:
                self.memory[f"each_{p.name}"] = f"all_{p.name}.dtype.type(0)"
                yield f"row_of_{p.name} = repeated(of_{p.name}, each_{p.name}, line_width)"
        for each in self.lowered.passes:
            yield from self._numbers(each.numbers)
            yield from self._pass(each)
        yield from self._numbers(self.lowered.last)
        yield from self._results()
        if self.lowered.rows:
            yield from self._outputs()

    def _numbers(self, each: Iterable[Number]) -> Iterator[str]:
        """Numbers of all columns; those that few columns need, and no other number here, where one does."""
        numbers = [number for number in each if number.name in self.kinds]
        rare = {number.name: number.guard for number in numbers if number.guard}
        for number in reversed(numbers):
            for name in number.read & rare.keys() if rare.get(number.name) is None else ():
                del rare[name]
        yield from self._computed_numbers([number for number in numbers if number.name not in rare])
        for guard in dict.fromkeys(rare.values()):
            yield f"if {self._holds(guard)}:"
            yield from indented(1, self._computed_numbers([n for n in numbers if rare.get(n.name) == guard]))

    def _computed_numbers(self, numbers: Sequence[Number]) -> Iterator[str]:
        if not numbers:
            return
        lines = []
        for number in numbers:
            lines.append(f"{number.name} = {self._value(number, self.spelling.number(number.value))}")
            self._keep(number.name)
            lines += self._stored(number.name)
        yield "for k in range(size):"
        read = set().union(*(number.read for number in numbers))
        yield from indented(1, self._read_numbers(read - {n.name for n in numbers}))
        yield from indented(1, lines)
        yield from self._repeated(self._array_of(n.name) for n in numbers if n.name in self._of_elements)

    def _keep(self, name: str) -> None:
        """An array of the number's own kind for numbers, one in the elements' dtype for these."""
        if name in self._of_numbers or (self.kinds[name] != WIDE and name in self._of_elements):
            self.memory[f"of_{name}"] = self._like(name)
        if self.kinds[name] == WIDE and name in self._of_elements:
            self.memory[f"rounded_{name}"] = "T(0)"

    def _array_of(self, name: str) -> str:
        """Where elements find a number of their column."""
        return f"{'rounded' if self.kinds[name] == WIDE else 'of'}_{name}"

    def _stored(self, name: str) -> Iterator[str]:
        if name in self._of_numbers or (self.kinds[name] != WIDE and name in self._of_elements):
            yield f"of_{name}[k] = {name}"
        if self.kinds[name] == WIDE and name in self._of_elements:
            yield f"rounded_{name}[k] = {name}"

    def _read_numbers(self, names: set[str]) -> Iterator[str]:
        yield from (f"{name} = of_{name}[k]" for name in self.kinds if name in names)
        yield from (f"{p.name} = of_{p.name}[k]" for p in self.program.of_kind("each") if p.name in names)

    def _pass(self, each: Pass) -> Iterator[str]:
        for guard, folds in self._guarded(each.folds):
            for fold in folds:
                yield from self._begun(fold)
            if guard:
                yield f"if {self._holds(guard)}:"
                self.in_guard = True
            yield from indented(1 if guard else 0, self._folds(folds))
            self.in_guard = False
            wide = [f.name for f in folds if self.kinds[f.name] == WIDE and f.name in self._of_elements]
            self.memory |= {f"rounded_{name}": "T(0)" for name in wide}
            yield from (f"round_to(of_{name}, rounded_{name})" for name in wide)
            yield from self._repeated(self._array_of(f.name) for f in folds if f.name in self._of_elements)

    def _holds(self, test: str) -> str:
        return f"has_true(part_of(of_{test}, 0, size))" if test in self.kinds else test

    def _choices(self, trees: list[ast.expr]) -> tuple[str, ...]:
        return tuple(name for name in self._tests(trees) if name not in self.kinds)

    def _folds(self, folds: Sequence[Fold]) -> Iterator[str]:
        summed = [fold for fold in folds if fold.op == "sum"]

        def fold_all() -> list[str]:
            return [line for fold in folds for line in self._folded(fold)]

        trees, lines = [fold.operand for fold in folds], "lines" if self._merges else COUNT
        if summed:
            yield f"for begin in range(0, {lines}, COLLECTED):"
            yield from indented(1, self._loop(trees, fold_all, f"begin, min(begin + COLLECTED, {lines})"))
            yield from indented(1, (f"collect(part_of_{fold.name}, of_{fold.name})" for fold in summed))
        else:
            yield from self._loop(trees, fold_all)
        if self._merges:
            yield "for j in range(size, line_width, size):"
            yield "    for k in range(size):"
            yield from (f"        {self._combined(fold.op, f'of_{fold.name}', '[j + k]')}" for fold in folds)

    def _combined(self, op: str, array: str, other: str) -> str:
        """What one line has for a column, and what others have."""
        if op in _JOIN:
            return f"{array}[k] = {_JOIN[op]}({array}{other}, {array}[k])"
        return f"{array}[k] {'*' if op == 'prod' else '+'}= {array}{other}"

    def _begun(self, fold: Fold) -> Iterator[str]:
        if fold.op in ARG_REDUCTIONS:
            best = "-np.inf" if fold.op == "argmax" else "np.inf"
            yield from self._filled(f"best_{fold.name}", f"T({best})")
            yield from self._filled(f"of_{fold.name}", "0")
            return
        kind = self.kinds[fold.name]
        begin = _BEGIN[fold.op]
        like = {WIDE: f"{begin}.0", INTEGER: begin}.get(kind, f"T({begin})")
        yield from self._filled(f"of_{fold.name}", like)
        if fold.op == "sum":
            yield from self._filled(f"part_of_{fold.name}", "T(0)")

    def _filled(self, name: str, value: str) -> Iterator[str]:
        self.memory[name] = value
        yield f"fill({name}, {value})"

    def _folded(self, fold: Fold) -> list[str]:
        operand, name = self.spelling.element(fold.operand), fold.name
        if fold.op in ARG_REDUCTIONS:
            sign = ">" if fold.op == "argmax" else "<"
            return [
                f"better = {operand}",
                f"if better {sign} best_{name}[k] or (better != better and best_{name}[k] == best_{name}[k]):",
                f"    best_{name}[k], of_{name}[k] = better, i",
            ]
        if fold.op in _JOIN:
            self.spelling.functions.add(_JOIN[fold.op])
            return [f"of_{name}[k] = {_JOIN[fold.op]}({operand}, of_{name}[k])"]
        if fold.op == COUNTS:
            return [f"of_{name}[k] += 1 if {operand} else 0"]
        return [f"part_of_{name}[k] += {operand}" if fold.op == "sum" else f"of_{name}[k] *= {operand}"]

    def _results(self) -> Iterator[str]:
        if self.lowered.each:
            yield "for k in range(size):"
            yield from (f"    all_{name}[line + k] = of_{name}[k]" for name in self.lowered.each)

    def _outputs(self) -> Iterator[str]:
        names = self.lowered.rows
        yield from self._loop(
            [ast.Name(n) for n in names], lambda: [f"to_{name}[k] = {name}" for name in names], to=names
        )

    def _loop(
        self, trees: list[ast.expr], body: Callable[[], list[str]], span: str = "", to: Sequence[str] = ()
    ) -> Iterator[str]:
        """A loop over elements, and in it one over columns, with what `trees` need of each; another one for columns of
        which none has what a number is asked for."""
        ways: list[set[str]] = []

        def loop() -> Iterator[str]:
            tests, denied = self._tests(trees), self.spelling.denied
            if tests:
                yield f"if {' or '.join(map(self._holds, tests))}:"
                yield from indented(1, self._elements(trees, body, span, to))
                yield "else:"
                ways.append(set(self._unwritten(trees)))
                self.spelling.denied = (*denied, *tests)
            yield from indented(1 if tests else 0, self._elements(trees, body, span, to))
            ways.append(set(self._unwritten(trees)))
            self.spelling.denied = denied

        yield from self._by_choice(trees, loop, ways)
        self.written.update(set.intersection(*ways))

    def _elements(
        self, trees: list[ast.expr], body: Callable[[], list[str]], span: str, to: Sequence[str]
    ) -> Iterator[str]:
        needed = self._needed(trees)
        own = [name for name in needed if name in self._own]
        outputs = dict.fromkeys([*to, *(self.rows[name].removeprefix("to_") for name in needed if name in self.rows)])
        lines = [line for name in needed for line in self._statement(name)] + body()
        used = names_in_lines(lines)
        rows = [p.name for p in self.program.of_kind("row") if p.name in used]
        yield f"for i in range({span or ('lines' if self._merges else COUNT)}):"
        count, step = "size", "after"
        if self._merges:
            count, step = "line_size", "max(after, line_width)"
            yield "    line_size = min(line_width, n * size - i * line_width) if line_width > size else size"
        yield from (f"    row_of_{name} = part_of(all_{name}, start + i * {step}, {count})" for name in rows)
        yield from (f"    {p.name} = all_{p.name}[i]" for p in self.program.of_kind("shared") if p.name in used)
        yield from (
            f"    row_of_{name} = part_of(of_{name}, i * {'line_width' if self._merges else 'size'}, {count})"
            for name in own
        )
        yield from (f"    to_{name} = part_of(all_{name}, start + i * {step}, {count})" for name in outputs)
        yield f"    for k in range({count}):"
        yield from (f"        {name} = row_of_{name}[k]" for name in rows)
        yield from (f"        {name} = {self._array_of(name)}[k]" for name in self.kinds if name in used)
        each = (p.name for p in self.program.of_kind("each") if p.name in used)
        yield from (f"        {name} = {'row_of' if self._merges else 'of'}_{name}[k]" for name in each)
        yield from indented(2, lines)

    def _statement(self, name: str) -> Iterator[str]:
        if name in self.written:
            yield f"{name} = {self._row(name)}[k]"
            return
        yield f"{name} = {self.spelling.element(self.lowered.statements[name])}"
        if name in self.lowered.retained and not self.in_guard:
            yield f"{self._row(name)}[k] = {name}"

    def _row(self, name: str) -> str:
        return self.rows.get(name, f"row_of_{name}")
