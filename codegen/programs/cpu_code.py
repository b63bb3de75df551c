"""The CPU's loop of a row program: Python that numba compiles, one row after the other.

A sum goes in blocks of BLOCK elements, in double precision from block to block, as in runtime/kernels/cpu/sums.py. What
takes long and several passes need is written to a row of its own, in the cache, by the first loop that computes it.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from ..language.row_programs import ARG_REDUCTIONS, COUNT, MIN_MAX, Program
from .fast_ranges import FastRanges, bounds_of
from .passes import COUNTS, Fold, Lowered, Number, Pass
from .python_code import Spelling

EXTREMES = (*MIN_MAX, *ARG_REDUCTIONS)
# What loops call besides scalar functions, with the module of runtime/ that has it.
HELPERS = {
    "WRITTEN": "compiler.jit",
    "jit": "compiler.jit",
    **dict.fromkeys(("BLOCK", "COLLECTED", "COLUMNS", "REORDER"), "kernels.cpu.row_programs"),
    **dict.fromkeys(
        ("collect", "columns_for", "element_at", "filled", "first_index", "has_true", "rounded"),
        "kernels.cpu.row_programs",
    ),
    **dict.fromkeys(("empty_row", "part_of"), "kernels.llvm.addresses"),
    **dict.fromkeys(("buffer_for", "reading", "writing", "written"), "kernels.llvm.float16_rows"),
    "extremes_of": "kernels.llvm.reduce",
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


class LoopWriter:
    """Writes one function. What takes long and several passes need is written to memory by the first loop that computes
    it: `written` has these statements."""

    spelling: Spelling

    def __init__(self, program: Program, name: str) -> None:
        self.program = program
        self.name = name
        self.lowered = Lowered(program)
        self.written: set[str] = set()

    def code(self) -> Code:
        lines = tuple(self._lines())
        used = {node.id for node in ast.walk(ast.parse("\n".join(lines))) if isinstance(node, ast.Name)}
        return Code(lines, tuple(sorted(self.spelling.functions & used)), tuple(h for h in HELPERS if h in used))

    def _lines(self) -> Iterator[str]:
        raise NotImplementedError

    def _computed(self, trees: list[ast.expr]) -> list[str]:
        return [name for name in self._needed(trees) if name not in self.written]

    def _unwritten(self, trees: list[ast.expr]) -> list[str]:
        return [name for name in self._computed(trees) if name in self.lowered.retained]

    def _needed(self, trees: list[ast.expr]) -> list[str]:
        """The statements that expressions need, but for those that only rows which are written were made of."""
        names, reached = self.lowered.needed(trees), set[str]()

        def visit(tree: ast.expr) -> None:
            for node in ast.walk(tree):
                if isinstance(node, ast.Name) and node.id in names and node.id not in reached:
                    reached.add(node.id)
                    if node.id not in self.written:
                        visit(self.lowered.statements[node.id])

        for tree in trees:
            visit(tree)
        return [name for name in self.lowered.statements if name in reached]


class _Rows(LoopWriter):
    def __init__(self, program: Program, name: str) -> None:
        super().__init__(program, name)
        self.spelling = Spelling(self.lowered, lambda array, at: f"T(element_at(of_{array}, {at}))", "float")
        self.ranges = FastRanges(self.lowered, self.spelling)
        self.bounding = self.ranges.bounding()

    def _lines(self) -> Iterator[str]:
        program, outputs = self.program, self.program.outputs
        arrays = [f"all_{p.name}" for p in program.arrays]
        numbers = [p.name for p in program.of_kind("number")]
        args = [*arrays, *(f"all_{name}" for name in outputs), *numbers, COUNT, "first", "last"]
        yield "@jit(fastmath=REORDER, halves=WRITTEN)"
        yield f"def {self.name}({', '.join(args)}):"
        doc = program.doc.splitlines()[0] if program.doc else "; ".join(outputs) + " of each row."
        yield f'    """{doc}"""'
        yield f"    T = all_{program.of_kind('row')[0].name}.dtype.type"
        yield from indented(1, self._buffers())
        yield "    for r in range(first, last):"
        yield from indented(2, self._row())

    def _buffers(self) -> Iterator[str]:
        """Rows in the cache: for 16-bit floats as float32, and for what takes long and is needed again."""
        rows = [p.name for p in self.program.of_kind("row", "shared")]
        yield from (f"buffer_{name} = buffer_for(all_{name}, n)" for name in (*rows, *self.lowered.rows))
        for p in self.program.of_kind("shared"):
            yield f"of_{p.name} = reading(all_{p.name}, 0, n, buffer_{p.name})"
        own = [fold.name for fold in self.lowered.folds.values() if self._wants(fold)]
        yield from (f"of_{name} = empty_row(T(0), n)" for name in sorted({*self.lowered.retained, *own}))

    def _wants(self, fold: Fold) -> bool:
        """Whether it is an extreme of what no row holds yet."""
        rows = {p.name for p in self.program.of_kind("row", "shared")} | {*self.lowered.retained}
        return fold.op in EXTREMES and not (isinstance(fold.operand, ast.Name) and fold.operand.id in rows)

    def _row(self) -> Iterator[str]:
        for p in self.program.of_kind("row"):
            yield f"of_{p.name} = reading(all_{p.name}, r * n, n, buffer_{p.name})"
        yield from (f"{p.name} = all_{p.name}[r]" for p in self.program.of_kind("each"))
        yield from (f"to_{name} = writing(all_{name}, r * n, n, buffer_{name})" for name in self.lowered.rows)
        for each in self.lowered.passes:
            yield from self._numbers(each.numbers)
            yield from self._pass(each)
        yield from self._numbers(self.lowered.last)
        yield from (f"all_{name}[r] = {name}" for name in self.lowered.each)
        if self.lowered.rows:
            yield from self._outputs()

    def _numbers(self, numbers: Iterable[Number]) -> Iterator[str]:
        yield from (f"{number.name} = {self.spelling.number(number.value)}" for number in numbers)

    def _pass(self, each: Pass) -> Iterator[str]:
        extremes = [fold for fold in each.folds if fold.op in EXTREMES]
        summed = [fold for fold in each.folds if fold.op not in EXTREMES]
        for fold in extremes:
            yield from self._extreme(fold)
        if summed:
            yield from self._sums(summed)

    def _extreme(self, fold: Fold) -> Iterator[str]:
        own = f"of_{fold.name}" if self._wants(fold) else ""
        if own:
            yield from self._loop([fold.operand], lambda at: [f"{own}[{at}] = {self.spelling.element(fold.operand)}"])
        elif self._unwritten([fold.operand]):
            yield from self._loop([fold.operand], lambda at: [])
        array = own or f"of_{ast.unparse(fold.operand)}"
        which = 1 if fold.op.endswith("max") else 0
        if fold.op in ARG_REDUCTIONS:
            yield f"{fold.name} = first_index({array}, extremes_of({array})[{which}])"
        elif fold.name in self.bounding:
            yield f"{', '.join(bounds_of(fold))} = extremes_of({array})"
            self.ranges.known.add(fold.name)
        else:
            yield f"{fold.name} = extremes_of({array})[{which}]"

    def _sums(self, folds: list[Fold]) -> Iterator[str]:
        trees = [fold.operand for fold in folds]
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
        names = self.lowered.rows
        yield from self._loop([ast.Name(n) for n in names], lambda at: [f"to_{n}[{at}] = {n}" for n in names])
        yield from (f"written(all_{name}, r * n, to_{name})" for name in names)

    def _loop(self, trees: list[ast.expr], body: Callable[[str], list[str]], span: str = COUNT) -> Iterator[str]:
        """A loop over elements, with what `trees` need. Two where numbers of the row can tell that a function's version
        for a narrower range is enough."""

        def lines() -> Iterator[str]:
            yield f"for i in range({span}):"
            at = "i" if span == COUNT else "at"
            if at == "at":
                yield "    at = np.uint64(i)  # no place that Python would count from the end"
            yield from indented(1, self._elements(trees, at))
            yield from indented(1, body(at))

        tests = self.ranges.narrowed([*trees, *(self.lowered.statements[name] for name in self._computed(trees))])
        if tests:
            yield f"if {' and '.join(dict.fromkeys(tests.values()))}:"
            self.spelling.narrowed = tests
            yield from indented(1, lines())
            self.spelling.narrowed = {}
            yield "else:"
        yield from indented(1 if tests else 0, lines())
        self.written.update(self._unwritten(trees))

    def _elements(self, trees: list[ast.expr], at: str) -> Iterator[str]:
        """The arrays' elements and the statements that expressions need; a row of its own is written, or read."""
        computed = [self.lowered.statements[name] for name in self._computed(trees)]
        yield from (f"{array} = of_{array}[{at}]" for array in self.lowered.read([*trees, *computed]))
        for name in self._needed(trees):
            if name in self.written:
                yield f"{name} = of_{name}[{at}]"
            else:
                yield f"{name} = {self.spelling.element(self.lowered.statements[name])}"
            if name in self._unwritten([ast.Name(name)]):
                yield f"of_{name}[{at}] = {name}"


_BEGIN = {"sum": "0.0", "prod": "1.0", COUNTS: "0"}


def indented(depth: int, lines: Iterable[str]) -> Iterator[str]:
    yield from ("    " * depth + line for line in lines)
