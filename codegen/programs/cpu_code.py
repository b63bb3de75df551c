"""The CPU's loop of a row program: Python that numba compiles, one row after the other.

A sum goes in blocks of BLOCK elements, in double precision from block to block, as in runtime/kernels/cpu/sums.py. What
takes long and several passes need is written where an output will be, or to a row in the cache. A loop that sums writes
nothing: LLVM would make two versions of it, and which one runs would depend on where arrays lie.
"""

import ast
import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import groupby

from ..language.row_programs import ARG_REDUCTIONS, COUNT, MIN_MAX, Program
from ..language.scalar_functions import is_expensive
from .fast_ranges import FastRanges, bounds_of
from .passes import COUNTS, Fold, Lowered, Number, Pass, names_read
from .python_code import INTEGER, TRUTH, WIDE, Spelling, names_in_lines

MAX_CHOICES = 5  # of which loops are made for each side
MINMAX_FOLDS = (*MIN_MAX, *ARG_REDUCTIONS)
LIKE = {INTEGER: "0", TRUTH: "False", WIDE: "0.0"}  # what an array of numbers of a kind is made like
# What loops call besides scalar functions, with the module of runtime/ that has it.
HELPERS = {
    "WRITTEN": "compiler.jit",
    "jit": "compiler.jit",
    **dict.fromkeys(("BLOCK", "COLLECTED", "COLUMNS", "REORDER", "SUMMED", "WIDE"), "kernels.cpu.row_programs"),
    **dict.fromkeys(
        (
            "collect",
            "columns_for",
            "element_at",
            "filled",
            "first_index",
            "has_true",
            "merged_lines",
            "repeat",
            "repeated",
            "round_to",
            "row_buffer",
            "rows_side_by_side",
        ),
        "kernels.cpu.row_programs",
    ),
    "fill": "kernels.cpu.sums",
    **dict.fromkeys(("clear", "empty_row", "part_of", "row_at"), "kernels.llvm.addresses"),
    **dict.fromkeys(("buffer_for", "reading", "row_to_read", "row_to_write", "write_row"), "kernels.llvm.float16_rows"),
    **dict.fromkeys(("fence", "minmax_of"), "kernels.llvm.reduce"),
}


@dataclass(frozen=True)
class Code:
    """The text of a function, and the scalar functions and helpers that it calls."""

    lines: tuple[str, ...]
    functions: tuple[str, ...]
    helpers: tuple[str, ...]


def modules_of(codes: Sequence[Code]) -> dict[str, list[str]]:
    """The helpers of functions by the module that has them."""
    used = {name for code in codes for name in code.helpers}
    return {module: list(names) for module, names in groupby((h for h in HELPERS if h in used), HELPERS.__getitem__)}


def cpu_code(program: Program, name: str = "loop") -> Code:
    return _Rows(program, name).code()


class RowWriter:
    """Writes one function. What takes long and several passes need is written to memory by the first loop that computes
    it: `written` has these statements."""

    spelling: Spelling

    def __init__(self, program: Program, name: str) -> None:
        self.program = program
        self.name = name
        self.lowered = Lowered(program, guarded=True)
        self.written: set[str] = set()
        self.in_guard = False

    def code(self) -> Code:
        lines = tuple(self._lines())
        used = names_in_lines(lines)
        return Code(lines, tuple(sorted(self.spelling.functions & used)), tuple(h for h in HELPERS if h in used))

    def _lines(self) -> Iterator[str]:
        raise NotImplementedError

    def _computed(self, trees: list[ast.expr]) -> list[str]:
        return [name for name in self._needed(trees) if name not in self.written]

    def _unwritten(self, trees: list[ast.expr]) -> list[str]:
        """What a loop has to write: nothing where it is not always run."""
        return [] if self.in_guard else [name for name in self._computed(trees) if name in self.lowered.retained]

    def _needed(self, trees: list[ast.expr]) -> list[str]:
        """The statements that expressions need, but for those that only rows which are written were made of."""
        reached = set[str]()

        def visit(tree: ast.expr) -> None:
            for node in ast.walk(self._chosen(tree)):
                if isinstance(node, ast.Name) and node.id in self.lowered.elements and node.id not in reached:
                    reached.add(node.id)
                    if node.id not in self.written:
                        visit(self.lowered.statements[node.id])

        for tree in trees:
            visit(tree)
        return [name for name in self.lowered.statements if name in reached]

    def _chosen(self, tree: ast.expr) -> ast.expr:
        """An expression without the choices that are known to be made one way."""
        chosen, denied = self.spelling.chosen, self.spelling.denied

        class Choose(ast.NodeTransformer):
            def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
                name = node.test.id if isinstance(node.test, ast.Name) else ""
                side = node.body if name in chosen else node.orelse if name in denied else None
                return self.generic_visit(node) if side is None else self.visit(side)

        return Choose().visit(copy.deepcopy(tree)) if chosen or denied else tree

    def _tests(self, trees: list[ast.expr]) -> tuple[str, ...]:
        """The numbers of the row that choices of elements ask."""
        known = {*self.spelling.chosen, *self.spelling.denied}
        values = [self.lowered.statements[name] for name in reversed(self._computed(trees))]
        nodes = (node for tree in (*trees, *values) for node in ast.walk(self._chosen(tree)))
        names = (node.test.id for node in nodes if isinstance(node, ast.IfExp) and isinstance(node.test, ast.Name))
        return tuple(dict.fromkeys(n for n in names if self.spelling.kinds.get(n) == TRUTH and n not in known))

    def _choices(self, trees: list[ast.expr]) -> tuple[str, ...]:
        """The tests that have one answer for all elements of a loop."""
        return self._tests(trees)

    def _by_choice(
        self, trees: list[ast.expr], loop: Callable[[], Iterable[str]], ways: list[set[str]], depth: int = 0
    ) -> Iterator[str]:
        """A loop for each way that choices between expressions go, which numbers of the row make; `ways` gets what each
        writes."""
        tests = self._choices(trees)
        if not tests or depth == MAX_CHOICES:
            yield from loop()
            ways.append(set(self._unwritten(trees)))
            return
        chosen, denied = self.spelling.chosen, self.spelling.denied
        yield f"if {tests[0]}:"
        self.spelling.chosen = (*chosen, tests[0])
        yield from indented(1, self._by_choice(trees, loop, ways, depth + 1))
        yield "else:"
        self.spelling.chosen, self.spelling.denied = chosen, (*denied, tests[0])
        yield from indented(1, self._by_choice(trees, loop, ways, depth + 1))
        self.spelling.denied = denied

    @cached_property
    def uniform(self) -> tuple[Number, ...]:
        """The numbers that are the same for all rows."""
        names = {p.name for p in self.program.of_kind("number")} | {COUNT}
        numbers: list[Number] = []
        for name, value in self.lowered.numbers.items():
            if names_read(value) <= names:
                names.add(name)
                numbers.append(Number(name, value))
        return tuple(numbers)

    def _value(self, number: Number, value: str) -> str:
        """What a number gets: nothing is computed of it where nobody reads it."""
        return f"{value} if {number.guard} else {self._like(number.name)}" if number.guard else value

    def _like(self, name: str) -> str:
        return LIKE.get(self.spelling.kinds.get(name, ""), "T(0)")

    def _guarded(self, folds: Sequence[Fold]) -> Iterator[tuple[str, list[Fold]]]:
        guards = dict.fromkeys(self.lowered.guards.get(fold.name, "") for fold in folds)
        yield from ((guard, [f for f in folds if self.lowered.guards.get(f.name, "") == guard]) for guard in guards)


@dataclass(frozen=True)
class _Segment:
    """Numbers that take long, and what is done with a row once it has them."""

    numbers: tuple[Number, ...]
    lines: tuple[str, ...]

    @cached_property
    def named(self) -> set[str]:
        """The names in its lines."""
        return names_in_lines(self.lines)

    @cached_property
    def read(self) -> set[str]:
        """Those, and the names that its numbers are computed of."""
        return self.named.union(*(number.read for number in self.numbers))


class _Rows(RowWriter):
    def __init__(self, program: Program, name: str) -> None:
        super().__init__(program, name)
        self.spelling = Spelling(self.lowered, lambda array, at: f"T(element_at(of_{array}, {at}))", "float")
        self.ranges = FastRanges(self.lowered, self.spelling)
        self.bounding = self.ranges.bounding()
        later = [*(each.numbers for each in self.lowered.passes[1:]), self.lowered.last]
        outputs = [] if any(map(_take_long, later)) else [f"to_{name}" for name in self.lowered.rows]
        self.arrays = {name: f"of_{name}" for name in self.lowered.retained}
        self.arrays |= dict(zip(self.lowered.retained, outputs, strict=False))  # an output is written last: till then

    def _lines(self) -> Iterator[str]:
        program, outputs = self.program, self.program.outputs
        arrays = [f"all_{p.name}" for p in program.arrays]
        numbers = [p.name for p in program.of_kind("number")]
        args = [*arrays, *(f"all_{name}" for name in outputs), *numbers, COUNT, "pieces", "beside", "first", "last"]
        yield "@jit(fastmath=REORDER, halves=WRITTEN)"
        yield f"def {self.name}({', '.join(args)}):"
        doc = program.doc.splitlines()[0] if program.doc else "; ".join(outputs) + " of each row."
        yield f'    """{doc}"""'
        yield f"    T = all_{program.of_kind('row')[0].name}.dtype.type"
        segments = self._segments()
        if len(segments) == 1:
            yield from indented(1, self._buffers("of_", "n"))
            yield "    for r in range(first, last):"
            yield from indented(2, self._arrays(segments[0]))
            yield from indented(2, segments[0].lines)
        else:
            yield from indented(1, self._grouped(segments))

    def _segments(self) -> list[_Segment]:
        """What is done with a row, cut where numbers take long: these are computed for several rows at a time."""
        parts: list[tuple[tuple[Number, ...], Callable[[], Iterator[str]]]]
        parts = [(each.numbers, partial(self._pass, each)) for each in self.lowered.passes]
        segments = [_Segment((), ())]
        for number, (numbers, write) in enumerate([*parts, (self.lowered.last, self._results)]):
            if number and _take_long(numbers):
                segments.append(_Segment(numbers, tuple(write())))
            else:
                lines = *self._numbers(numbers), *write()
                segments[-1] = replace(segments[-1], lines=(*segments[-1].lines, *lines))
        return segments

    def _buffers(self, retained: str, size: str) -> Iterator[str]:
        """Rows in the cache: for 16-bit floats as float32, and for what takes long and is needed again."""
        rows = [p.name for p in self.program.of_kind("row")]
        yield from (f"buffer_{name} = row_buffer(all_{name}, n, pieces)" for name in (*rows, *self.lowered.rows))
        for p in self.program.of_kind("shared"):
            yield f"buffer_{p.name} = buffer_for(all_{p.name}, n)"
            yield f"of_{p.name} = reading(all_{p.name}, 0, n, buffer_{p.name})"
        own_rows = [name for name, array in self.arrays.items() if array == f"of_{name}"]
        yield from (f"{retained}{name} = empty_row(T(0), {size})" for name in own_rows)
        own = [fold.name for fold in self.lowered.folds.values() if self._wants(fold)]
        yield from (f"of_{name} = empty_row(T(0), n)" for name in own)

    def _wants(self, fold: Fold) -> bool:
        """Whether it is an extreme of what no row holds yet."""
        rows = {p.name for p in self.program.of_kind("row", "shared")} | {*self.lowered.retained}
        return fold.op in MINMAX_FOLDS and not (isinstance(fold.operand, ast.Name) and fold.operand.id in rows)

    def _arrays(self, segment: _Segment) -> Iterator[str]:
        """The row's part of the arrays that a segment reads and writes."""
        for p in self.program.of_kind("row"):
            if f"of_{p.name}" in segment.named:
                yield f"of_{p.name} = row_to_read(all_{p.name}, r, n, pieces, beside, buffer_{p.name})"
        yield from (f"{p.name} = all_{p.name}[r]" for p in self.program.of_kind("each") if p.name in segment.named)
        for name in self.lowered.rows:
            if f"to_{name}" in segment.named:
                yield f"to_{name} = row_to_write(all_{name}, r, n, pieces, beside, buffer_{name})"
        totals = [name for name in self.program.totals if f"to_{name}" in segment.named]
        yield from (f"to_{name} = part_of(all_{name}, r // SUMMED * n, n)" for name in totals)
        if totals:
            yield "if r % SUMMED == 0:"
            yield from (f"    clear(to_{name})" for name in totals)

    def _grouped(self, segments: Sequence[_Segment]) -> Iterator[str]:
        """`side` rows at a time, so that functions of numbers are called a vector at a time."""
        later = [set().union(*(each.read for each in segments[k:])) for k in range(1, len(segments) + 1)]
        made = [names_in_lines(each.lines, stored=True) for each in segments]
        known = set().union(*made, *({n.name for n in each.numbers} for each in segments))
        held = [name for name in self._all_numbers() if name in known and any(name in names for names in later)]
        yield "side = rows_side_by_side(n)"
        yield from self._buffers("rows_of_", "n * side")
        yield from (f"each_{name} = empty_row({self._like(name)}, side)" for name in held)
        yield "for start in range(first, last, side):"
        yield "    size = min(side, last - start)"
        for segment, names, rest in zip(segments, made, later, strict=True):
            if segment.numbers:
                yield from indented(1, self._computed_numbers(segment, held))
            yield "    for k in range(size):"
            yield "        r = start + k"
            yield from indented(2, self._arrays(segment))
            for name in self.lowered.retained:
                yield f"        of_{name} = part_of(rows_of_{name}, k * n, n)"
            yield from (f"        {name} = each_{name}[k]" for name in held if name in segment.named - names)
            yield from indented(2, segment.lines)
            yield from (f"        each_{name}[k] = {name}" for name in held if name in names & rest)

    def _computed_numbers(self, segment: _Segment, held: Sequence[str]) -> Iterator[str]:
        names = {number.name for number in segment.numbers}
        read = set().union(*(number.read for number in segment.numbers)) - names
        yield "for k in range(size):"
        yield from (f"    {name} = each_{name}[k]" for name in held if name in read)
        yield from (f"    {p.name} = all_{p.name}[start + k]" for p in self.program.of_kind("each") if p.name in read)
        yield from indented(1, self._numbers(segment.numbers))
        yield from (f"    each_{name}[k] = {name}" for name in held if name in names)

    def _all_numbers(self) -> list[str]:
        minmax = [name for f in self.lowered.folds.values() if f.op in MIN_MAX for name in bounds_of(f)]
        return list(dict.fromkeys([*minmax, *self.lowered.folds, *self.lowered.numbers]))

    def _numbers(self, numbers: Iterable[Number]) -> Iterator[str]:
        for number in numbers:
            value = fenced(self.spelling.number(number.value), number.value)
            yield f"{number.name} = {self._value(number, value)}"

    def _results(self) -> Iterator[str]:
        yield from (f"all_{name}[r] = {name}" for name in self.lowered.each)
        if self.lowered.rows or self.program.totals:
            yield from self._outputs()

    def _pass(self, each: Pass) -> Iterator[str]:
        for guard, folds in self._guarded(each.folds):
            lines = self._folds(folds)
            if guard:
                yield from (f"{fold.name} = {self._like(fold.name)}" for fold in folds)
                yield f"if {guard}:"
                self.spelling.chosen, self.in_guard = (guard,), True
            yield from indented(1 if guard else 0, lines)
            self.spelling.chosen, self.in_guard = (), False

    def _folds(self, folds: Sequence[Fold]) -> Iterator[str]:
        minmax = [fold for fold in folds if fold.op in MINMAX_FOLDS]
        summed = [fold for fold in folds if fold.op not in MINMAX_FOLDS]
        for fold in minmax:
            yield from self._extreme(fold)
        if summed:
            yield from self._sums(summed)

    def _extreme(self, fold: Fold) -> Iterator[str]:
        own = f"of_{fold.name}" if self._wants(fold) else ""
        if own:
            yield from self._loop([fold.operand], lambda at: [f"{own}[{at}] = {self.spelling.element(fold.operand)}"])
        elif self._unwritten([fold.operand]):
            yield from self._loop([fold.operand], lambda at: [])
        operand = ast.unparse(fold.operand)
        array = own or self.arrays.get(operand, f"of_{operand}")
        which = 1 if fold.op.endswith("max") else 0
        if fold.op in ARG_REDUCTIONS:
            yield f"{fold.name} = first_index({array}, minmax_of({array})[{which}])"
        elif fold.name in self.bounding:
            yield f"{', '.join(bounds_of(fold))} = minmax_of({array})"
            self.ranges.known.add(fold.name)
        else:
            yield f"{fold.name} = minmax_of({array})[{which}]"

    def _sums(self, folds: list[Fold]) -> Iterator[str]:
        trees = [fold.operand for fold in folds]
        if unwritten := self._unwritten(trees):
            yield from self._loop([ast.Name(name) for name in unwritten], lambda at: [])
        yield from (f"{fold.name} = {_BEGIN[fold.op]}" for fold in folds)
        in_blocks = {fold: f"part_of_{fold.name}" for fold in folds if fold.op == "sum"}

        def add(at: str) -> list[str]:
            return [self._reduced(fold, in_blocks.get(fold, fold.name)) for fold in folds]

        if not in_blocks:
            yield from self._loop(trees, add)
            return
        yield "for begin in range(0, n, BLOCK):"
        yield from (f"    {part} = T(0)" for part in in_blocks.values())
        yield from indented(1, self._loop(trees, add, "begin, min(begin + BLOCK, n)"))
        yield from (f"    {fold.name} += {part}" for fold, part in in_blocks.items())

    def _reduced(self, fold: Fold, total: str) -> str:
        operand = self.spelling.element(fold.operand)
        if fold.op == COUNTS:
            return f"{total} += 1 if {operand} else 0"
        return f"{total} {'*' if fold.op == 'prod' else '+'}= {operand}"

    def _outputs(self) -> Iterator[str]:
        names, totals = self.lowered.rows, self.program.totals

        def written(part: Sequence[str]) -> list[str]:
            return [f"to_{n}[i] {'+=' if n in totals else '='} {n}" for n in part]

        for part in ((*names, *totals[:1]), *((name,) for name in totals[1:])):  # few elements fill the vectors of few
            yield from self._loop([ast.Name(n) for n in part], lambda _, part=part: written(part))  # type: ignore[misc]
        yield from (f"write_row(all_{name}, r, to_{name}, pieces, beside)" for name in names)

    def _loop(self, trees: list[ast.expr], body: Callable[[str], list[str]], span: str = COUNT) -> Iterator[str]:
        """A loop over elements, with what `trees` need. Two where numbers of the row can tell that a function's version
        for a narrower range is enough."""

        def loop() -> Iterator[str]:
            yield f"for i in range({span}):"
            at = "i" if span == COUNT else "at"
            if at == "at":
                yield "    at = np.uint64(i)  # no place that Python would count from the end"
            yield from indented(1, self._elements(trees, at))
            yield from indented(1, body(at))

        tests = self.ranges.narrowed([*trees, *(self.lowered.statements[name] for name in self._computed(trees))])
        if tests:
            yield f"if {' and '.join(dict.fromkeys(tests.values()))}:"
            self.spelling.narrowed, self.spelling.denied = tests, tuple(self.ranges.denied)
            yield from indented(1, loop())
            self.spelling.narrowed, self.spelling.denied = {}, ()
            yield "else:"
            yield from indented(1, loop())
            self.written.update(self._unwritten(trees))
        else:
            ways: list[set[str]] = []
            yield from self._by_choice(trees, loop, ways)
            self.written.update(set.intersection(*ways))

    def _elements(self, trees: list[ast.expr], at: str) -> Iterator[str]:
        """The arrays' elements and the statements that expressions need; a row of its own is written, or read."""
        computed = [self._chosen(self.lowered.statements[name]) for name in self._computed(trees)]
        yield from (f"{array} = of_{array}[{at}]" for array in self.lowered.read([*trees, *computed]))
        for name in self._needed(trees):
            if name in self.written:
                yield f"{name} = {self.arrays[name]}[{at}]"
            else:
                yield f"{name} = {self.spelling.element(self.lowered.statements[name])}"
            if name in self._unwritten([ast.Name(name)]):
                yield f"{self.arrays[name]}[{at}] = {name}"


def _take_long(numbers: Iterable[Number]) -> bool:
    return any(is_expensive(number.value) and not number.guard for number in numbers)


_BEGIN = {"sum": "0.0", "prod": "1.0", COUNTS: "0"}


def fenced(text: str, number: ast.expr) -> str:
    """A quotient as it is: LLVM, which may reorder sums, would divide by it where an element is multiplied."""
    return f"fence({text})" if isinstance(number, ast.BinOp) and isinstance(number.op, ast.Div) else text


def indented(depth: int, lines: Iterable[str]) -> Iterator[str]:
    yield from ("    " * depth + line for line in lines)
