"""The CPU's loops of indexed programs: one function for each statement, or for each recurrence of several.

A subexpression is computed in the outermost loop that has all its indices. A sum over an index is added up in a
register, or in the row of the result where that lets the innermost loop go through memory as it lies (`_position`).
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..language.index_expressions import (
    reads,
)
from ..language.indexed_programs import IndexedProgram, Statement
from .cpu_code import indented
from .indexed_loops import LoopWriter
from .program_kinds import ProgramCode
from .python_code import INTEGER, TRUTH, VALUE, plain
from .shared_loops import with_shared_loops


@dataclass(frozen=True)
class Generated:
    """The text of one function, and its arrays, numbers and sizes in the order of its parameters."""

    name: str
    lines: tuple[str, ...]
    functions: tuple[str, ...]
    operands: tuple[str, ...]
    results: tuple[str, ...]
    floats: tuple[str, ...]
    ints: tuple[str, ...]


@dataclass(frozen=True)
class Stage(Generated):
    """One function of the CPU, and how its rows are counted."""

    rows: str  # how many rows threads may share, beside those of the batch
    work: str
    tests: tuple[str, ...]  # what sizes must fulfil so that no place needs a test
    is_guarded: bool = False
    unit: int = 1  # how many of the rows have to be computed together


def stages_of(program: IndexedProgram) -> list[Stage]:
    """The functions of a program, those with tested places too."""
    code = ProgramCode(program)
    begun: set[str] = set()
    results: list[Stage] = []
    for number, group in enumerate(with_shared_loops(code), 1):
        name = f"stage_{number}"
        results += both_forms(code, [group], name, begun)
        begun |= {statement.name for statement in group}
    return results


def fused_stages(program: IndexedProgram) -> list[Stage]:
    """One function for all statements, with memory of its own for the program's arrays: for many examples."""
    code = ProgramCode(program)
    groups = with_shared_loops(code)
    return list(both_forms(code, groups, FUSED, set())) if len(groups) > 1 else []


FUSED = "fused"


def both_forms(code: ProgramCode, groups: Sequence[Sequence[Statement]], name: str, begun: set[str]) -> Iterator[Stage]:
    stage = StageWriter(code, groups, name, begun).stage(False)
    if not stage.tests:
        yield stage
        return
    tested = StageWriter(code, groups, f"{name}_tested", begun).stage(True, stage.ints)
    yield StageWriter(code, groups, name, begun).stage(False, tested.ints)
    yield replace(tested, is_guarded=True)


def like_of(kind: str) -> str:
    return {INTEGER: "0", TRUTH: "False"}.get(kind, "T(0)")


class StageWriter(LoopWriter):
    """Writes the function of one group of statements, or of all of a program."""

    def __init__(self, code: ProgramCode, groups: Sequence[Sequence[Statement]], name: str, begun: set[str]) -> None:
        super().__init__(code, groups, begun)
        self.name = name

    def stage(self, guarded: bool, more_ints: Sequence[str] = ()) -> Stage:
        """`more_ints`: of the form with tests, which is called in the same way."""
        self.guarded = guarded
        body: list[str] = []
        for group in self.groups:
            self._go_on(group)
            body += self._body()
            self.begun |= {statement.name for statement in group}
        read = [a.name for a in self.arrays.values() if self._is_read(a.name)]
        results = list(dict.fromkeys(statement.name for statement in self.statements))
        results = [name for name in results if name not in self.in_registers]
        own = [n for n in results if n not in self.program.outputs] if self.is_fused else self.own_rows
        results = [name for name in results if name not in own]
        operands = [name for name in read if name not in (*results, *own, *self.in_registers)]
        used = {node.id for node in ast.walk(ast.parse("\n".join(body))) if isinstance(node, ast.Name)}
        first = next((a.name for a in self.program.of_kind("input")), "")
        if first not in operands and not any(self.code.kinds[n] == VALUE for n in (*operands, *results)):
            operands.insert(0, first)
        typed = next(n for n in (*operands, *results) if self.code.kinds[n] == VALUE)
        floats = [n for n, kind in self.program.numbers.items() if kind == "float" and n in used]
        lines = [*self._heads(operands, results, own), *body]
        size = self.total if self.is_fused else self.row_size
        memory = [f"{n} = empty_row({like_of(self.code.kinds[n])}, {size(n)})" for n in own]
        memory += [f"{name} = empty_row(T(0), BLOCK)" for name in self.blocks]
        memory += [f"{copy.name} = empty_row(T(0), {copy.size})" for copy in self.copies]
        memory += self.memory
        text = "\n".join([*memory, *lines])
        used |= {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
        ints = [n for n, kind in self.program.numbers.items() if kind != "float" and n in used]
        ints += [n for n in self.program.sizes if n in used and n not in ints]
        ints = [*more_ints, *(name for name in ints if name not in more_ints)]
        steps = [self.code.step[n] for n in operands if self.arrays[n].kind in ("input", "constant")]
        args = [*operands, *results, *floats, *ints, *steps, self.word["first"], self.word["last"]]
        head = ["@stage", f"def {self.name}({', '.join(args)}):"]
        head.append(f'    """{self._doc()}"""')
        head += [f"    T = {typed}.dtype.type"] if floats or "T" in used else []
        head += [f"    {name} = T({name})" for name in floats]
        head += indented(1, memory)
        lines = [*head, *indented(1, self._rows(lines))]
        return Stage(
            self.name, tuple(lines), tuple(sorted(self.functions)), tuple(operands), tuple(results), tuple(floats),
            tuple(ints), self._count(), self._work(), tuple(self.tests), unit=1 if self.is_fused else self.unit,
        )  # fmt: skip

    def _doc(self) -> str:
        if self.is_fused:
            return "All of the program, one example after the other."
        return "; ".join(statement.text for statement in self.group).replace("\\", "")[:100]

    def _is_read(self, name: str) -> bool:
        trees = [tree for s in self.statements for tree in (s.value, *(s.subscripts if s.collect else ()))]
        return any(read.name == name for tree in trees for read in reads(tree, self.arrays))

    def _work(self) -> str:
        counts = []
        for statement in self.statements:
            sizes = [f"({ast.unparse(stop)} - {ast.unparse(start)})" for start, stop in statement.ranges.values()]
            counts.append(plain(" * ".join(sizes)) if sizes else "1")
        return " + ".join(counts)

    def _rows(self, lines: Sequence[str]) -> Iterator[str]:
        """The loop over what a thread has: examples of the batch, or values of the first index in each."""
        b, begin, end, first, last = (self.word[word] for word in ("b", "begin", "end", "first", "last"))
        if not self.parallel:
            yield f"for {b} in range({first}, {last}):"
            yield from indented(1, lines)
            return
        count = self._count()
        yield f"{begin} = {first}"
        yield f"while {begin} < {last}:"
        yield f"    {b} = {begin} // {count}"
        yield f"    {end} = min({last}, ({b} + 1) * {count})"
        yield from indented(1, lines)
        yield f"    {begin} = {end}"

    def _heads(self, operands: Sequence[str], results: Sequence[str], own: Sequence[str]) -> Iterator[str]:
        b = self.word["b"]
        for name in operands:
            if self.arrays[name].kind in ("input", "constant"):
                yield f"{self.code.at[name]} = {b} * {self.code.step[name]}"
            else:
                yield f"{self.code.at[name]} = {b} * ({self.total(name)})"
        yield from (f"{self.code.at[name]} = {b} * ({self.total(name)})" for name in results)
        yield from (f"{self.code.at[name]} = 0" for name in own if name not in self.own_rows)
