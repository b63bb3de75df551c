"""The CPU's loop of a row program: Python that numba compiles, one row after the other.

A sum goes in blocks of BLOCK elements, in double precision from block to block, as in runtime/kernels/cpu/sums.py. No
loop that folds writes as well. What takes long and several passes need is written to a row of its own, in the cache.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..language.row_programs import ARG_REDUCTIONS, COUNT, MIN_MAX, Program
from .passes import COUNTS, Fold, Lowered, Number, Pass, is_expensive
from .python_code import Spelling

HELPERS = ("BLOCK", "REORDER", "element_at", "first_index", "row_max", "row_min")  # of kernels/cpu/row_programs.py


@dataclass(frozen=True)
class Code:
    """The text of a function, and the scalar functions and helpers that it calls."""

    lines: tuple[str, ...]
    functions: tuple[str, ...]
    helpers: tuple[str, ...]


def cpu_code(program: Program, name: str = "loop") -> Code:
    return _Writer(program, name).code()


class _Writer:
    def __init__(self, program: Program, name: str) -> None:
        self.program = program
        self.name = name
        self.lowered = Lowered(program)
        self.spelling = Spelling(self.lowered, lambda array, at: f"T(element_at(of_{array}, {at}))", "float")
        self.written: set[str] = set()  # the rows of their own that have been written
        own = [f"of_{fold.name}" for fold in self.lowered.folds.values() if self._wants(fold)]
        self.buffers = {*self.lowered.retained, *own}

    def _wants(self, fold: Fold) -> bool:
        rows = {p.name for p in self.program.of_kind("row", "shared")} | {*self.lowered.retained}
        is_row = isinstance(fold.operand, ast.Name) and fold.operand.id in rows
        if fold.op == "sum":  # a loop that computes what takes long is vector code where it adds nothing as well
            needed = [self.lowered.statements[name] for name in self.lowered.needed([fold.operand])]
            return not is_row and any(map(is_expensive, [fold.operand, *needed]))
        return fold.op in (*MIN_MAX, *ARG_REDUCTIONS) and not is_row

    def code(self) -> Code:
        lines = tuple(self._body())
        helpers = tuple(name for name in HELPERS if name in "\n".join(lines))
        return Code(lines, tuple(sorted(self.spelling.functions)), helpers)

    def _body(self) -> Iterator[str]:
        program, outputs = self.program, self.program.outputs
        arrays = [f"of_{p.name}" if p.kind == "shared" else f"all_{p.name}" for p in program.arrays]
        numbers = [p.name for p in program.of_kind("number")]
        args = [*arrays, *(f"all_{name}" for name in outputs), *numbers, COUNT, "first", "last"]
        yield "@jit(fastmath=REORDER)"
        yield f"def {self.name}({', '.join(args)}):"
        doc = program.doc.splitlines()[0] if program.doc else "; ".join(outputs) + " of each row."
        yield f'    """{doc}"""'
        yield f"    T = all_{program.of_kind('row')[0].name}.dtype.type"
        for name in sorted(self.buffers):
            kind = f"all_{program.of_kind('row')[0].name}.dtype"
            yield f"    of_{name.removeprefix('of_')} = np.empty(n, {kind})"
        yield "    for r in range(first, last):"
        yield from _indented(2, self._row())

    def _row(self) -> Iterator[str]:
        yield from (f"of_{p.name} = part_of(all_{p.name}, r * n, n)" for p in self.program.of_kind("row"))
        yield from (f"{p.name} = all_{p.name}[r]" for p in self.program.of_kind("each"))
        yield from (f"to_{name} = part_of(all_{name}, r * n, n)" for name in self.lowered.rows)
        for each in self.lowered.passes:
            yield from self._numbers(each.numbers)
            yield from self._keep([fold.operand for fold in each.folds])
            yield from self._pass(each)
        yield from self._numbers(self.lowered.last)
        yield from (f"all_{name}[r] = {name}" for name in self.lowered.each)
        if self.lowered.rows:
            yield from self._keep([ast.Name(name) for name in self.lowered.rows])
            yield from self._outputs()

    def _numbers(self, numbers: Iterable[Number]) -> Iterator[str]:
        yield from (f"{number.name} = {self.spelling.number(number.value)}" for number in numbers)

    def _keep(self, trees: list[ast.expr]) -> Iterator[str]:
        for name in self.lowered.needed(trees):
            if name in self.lowered.retained and name not in self.written:
                value = self.lowered.statements[name]
                yield "for i in range(n):"
                yield from _indented(1, self._elements([value]))
                yield f"    of_{name}[i] = {self.spelling.element(value)}"
                self.written.add(name)

    def _elements(self, trees: list[ast.expr]) -> Iterator[str]:
        needed = self._needed(trees)
        own = [self.lowered.statements[name] for name in needed if name not in self.written]
        yield from (f"{array} = of_{array}[i]" for array in self.lowered.read([*trees, *own]))
        for name in needed:
            value = self.lowered.statements[name]
            yield f"{name} = of_{name}[i]" if name in self.written else f"{name} = {self.spelling.element(value)}"

    def _needed(self, trees: list[ast.expr]) -> list[str]:
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

    def _pass(self, each: Pass) -> Iterator[str]:
        summed = [fold for fold in each.folds if fold.op not in (*MIN_MAX, *ARG_REDUCTIONS)]
        if summed:
            yield from self._sums(summed)
        for fold in each.folds:
            if fold not in summed:
                yield from self._extreme(fold)

    def _sums(self, folds: list[Fold]) -> Iterator[str]:
        for fold in folds:
            if self._wants(fold):
                yield from self._written(fold)
        trees = [fold.operand for fold in folds if not self._wants(fold)]
        yield from (f"{fold.name} = {_BEGIN[fold.op]}" for fold in folds)
        in_blocks = [fold for fold in folds if fold.op == "sum"]
        if not in_blocks:
            yield "for i in range(n):"
            yield from _indented(1, self._elements(trees))
            yield from _indented(1, (self._reduced(fold, fold.name) for fold in folds))
            return
        yield "for begin in range(0, n, BLOCK):"
        yield from (f"    part_of_{fold.name} = T(0)" for fold in in_blocks)
        yield "    for i in range(begin, min(begin + BLOCK, n)):"
        yield from _indented(2, self._elements(trees))
        for fold in folds:
            yield f"        {self._reduced(fold, f'part_of_{fold.name}' if fold in in_blocks else fold.name)}"
        yield from (f"    {fold.name} += part_of_{fold.name}" for fold in in_blocks)

    def _reduced(self, fold: Fold, total: str) -> str:
        operand = f"of_{fold.name}[i]" if self._wants(fold) else self.spelling.element(fold.operand)
        if fold.op == COUNTS:
            return f"{total} += 1 if {operand} else 0"
        return f"{total} {'*' if fold.op == 'prod' else '+'}= {operand}"

    def _extreme(self, fold: Fold) -> Iterator[str]:
        array = f"of_{fold.operand.id}" if isinstance(fold.operand, ast.Name) else f"of_{fold.name}"
        if self._wants(fold):
            array = f"of_{fold.name}"
            yield from self._written(fold)
        extreme = "row_max" if fold.op.endswith("max") else "row_min"
        result = f"{extreme}({array})"
        yield f"{fold.name} = " + (f"first_index({array}, {result})" if fold.op in ARG_REDUCTIONS else f"T({result})")

    def _written(self, fold: Fold) -> Iterator[str]:
        yield "for i in range(n):"
        yield from _indented(1, self._elements([fold.operand]))
        yield f"    of_{fold.name}[i] = {self.spelling.element(fold.operand)}"

    def _outputs(self) -> Iterator[str]:
        rows = [ast.Name(name) for name in self.lowered.rows]
        yield "for i in range(n):"
        yield from _indented(1, self._elements(rows))  # type: ignore[arg-type]
        yield from (f"    to_{name}[i] = {name}" for name in self.lowered.rows)


_BEGIN = {"sum": "0.0", "prod": "1.0", COUNTS: "0"}


def _indented(depth: int, lines: Iterable[str]) -> Iterator[str]:
    yield from ("    " * depth + line for line in lines)
