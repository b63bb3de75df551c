"""Gradients and tangents of indexed programs, as indexed programs: of these too, so that an op has second derivatives.

Reverse: statements in their opposite order. A statement y[I] = sum[K](E) adds adjoint_y[I] dE/dx[p] to adjoint_x[p]
for each element x[p] that E reads: a fold over what p lacks of I and K where p are indices with offsets, a scatter
otherwise. A recurrence becomes one that runs from the other end. A maximum hands its adjoint to the first element that
has it. See A. Griewank and A. Walther, Evaluating Derivatives, chapter 3.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..language.index_expressions import Read, element, fold_of, folded, fresh, reads
from ..language.indexed_programs import IndexedProgram, Statement, ordered
from ..language.scalar_functions import Functions
from .derivative import ONE, ZERO, NoDerivative, derivative, is_number
from .index_normal_form import MIN_MAX, Normal, Ranges, name_of
from .partial_derivatives import active_reads, flat_index, named_reads, restored, tidied, with_constants
from .program_builder import ProgramBuilder, shape_source

INDEX_NAMES = "ijklmnpq"
FLAT = ("any", "all", "argmax", "argmin")


class Derivation:
    """`active` are the arguments that have derivatives; `outputs` those of the program that have."""

    def __init__(
        self, program: IndexedProgram, active: Iterable[str], outputs: Iterable[str], functions: Functions
    ) -> None:
        self.program = program
        self.functions = functions
        normal = Normal(program)
        self.arrays, self.statements = normal.arrays, ordered(normal.statements)
        self.inputs = [a.name for a in program.of_kind("input", "constant")]
        self.requested = [name for name in self.inputs if name in set(active)]
        self.differentiable = [name for name in program.outputs if name in set(outputs)]
        self.active = self._active()
        self.normal = IndexedProgram(
            program.name, self.arrays, program.numbers, self.statements, program.outputs, program.sizes
        )
        self.reserved = {*self.arrays, *program.numbers, *program.sizes}
        self.firsts: dict[str, str] = {}
        self.known_ranges: dict[str, tuple[ast.expr, ast.expr]] = {}  # of the indices of folds that were made

    def _active(self) -> set[str]:
        active = set(self.requested)
        while True:
            more = {s.name for s in self.statements if self._is_active(s, active)} - active
            if not more:
                return active
            active |= more

    def _is_active(self, statement: Statement, active: set[str]) -> bool:
        fold = fold_of(statement.value)
        if statement.collect in FLAT or (fold is not None and fold[0] in FLAT):
            return False
        return any(read.name in active for read in active_reads(statement.value, active))

    def _fresh(self, word: str) -> str:
        name = fresh(word, self.reserved)
        self.reserved.add(name)
        return name

    # ---- what both modes share ---------------------------------------------------------------------------------------

    def _begun(self, results: Mapping[str, Sequence[ast.expr]], more: Iterable[str] = ()) -> ProgramBuilder:
        text = ProgramBuilder(names={*self.arrays, *self.program.numbers, *self.program.sizes, *results, *more})
        for name in (*self.inputs, *self.program.outputs):
            text.lines.append(f"{name}: {shape_source(self.arrays[name].dims)}")
        for name, dims in results.items():
            text.lines.append(f"{name}: {shape_source(dims)}")
        return text

    def _values(self, text: ProgramBuilder) -> None:
        """The program's own arrays, computed again."""
        for statement in self.statements:
            if statement.name not in self.program.outputs:
                text.state_size(statement, statement.name, self.arrays[statement.name].dims)
                text.add(statement)

    def _operand(self, statement: Statement) -> tuple[str, tuple[str, ...], ast.expr]:
        fold = fold_of(statement.value)
        if fold is not None and not statement.collect:
            return fold
        return statement.collect, (), statement.value

    def _first(self, text: ProgramBuilder, statement: Statement) -> str:
        """An array of the places where extremes are found."""
        word, over, operand = self._operand(statement)
        if statement.name not in self.firsts:
            name = self.firsts[statement.name] = self._fresh(f"first_{statement.name}")
            text.names.add(name)
            if statement.collect:
                text.lines.append(f"{name}: {shape_source(self.arrays[statement.name].dims)}")
                text.add(replace(statement, name=name, collect=f"arg{word}"))
            else:
                text.add(replace(statement, name=name, value=folded(f"arg{word}", over, operand)))
        return self.firsts[statement.name]

    def _selected(self, text: ProgramBuilder, statement: Statement, value: ast.expr) -> ast.expr:
        """What derivatives by the operand of a fold are made of: of an extreme, at its place alone."""
        word, over, _ = self._operand(statement)
        if word in MIN_MAX:
            first = element(self._first(text, statement), statement.subscripts)
            here = flat_index(over or statement.indices, statement)
            return ast.IfExp(ast.Compare(first, [ast.Eq()], [here]), value, ZERO)
        if word not in ("", "sum", "logsumexp"):
            raise NoDerivative(f"the derivative of {word}")
        return value

    def _partials(self, operand: ast.expr) -> Iterator[tuple[Read, ast.expr]]:
        """The elements that have derivatives, and the derivative by each."""
        named, trees = named_reads(operand, self.active)
        named = with_constants(named, trees)
        for name, read in trees.items():
            if name.startswith("read_"):
                factor = tidied(derivative(named, {name: ONE}, self.functions))
                if not is_number(factor, 0):
                    yield read, restored(factor, trees)

    def _index_names(self, name: str) -> list[str]:
        """What an array's indices are called where it is assigned or read."""
        matches = [s.subscripts for s in self.statements if s.name == name]
        matches += [r.subscripts for s in self.statements for r in reads(s.value, self.arrays) if r.name == name]
        plain = (p for p in matches if all(isinstance(each, ast.Name) and each.id not in self.reserved for each in p))
        first = next((p for p in plain if len({ast.dump(each) for each in p}) == len(p)), None)
        if first is None:
            return [INDEX_NAMES[k % len(INDEX_NAMES)] for k in range(len(self.arrays[name].dims))]
        return [each.id for each in first if isinstance(each, ast.Name)]

    def _all_of(self, text: ProgramBuilder, name: str) -> tuple[tuple[ast.expr, ...], Ranges]:
        """The places of all elements of an array, and the ranges of their indices."""
        dims, indices = self.arrays[name].dims, list[str]()
        for word, dim in zip(self._index_names(name), dims, strict=True):
            indices.append(text.index(word, ZERO, dim, indices))
        subscripts = tuple(name_of(index) for index in indices)
        return subscripts, {index: (ZERO, dim) for index, dim in zip(indices, dims, strict=True)}
