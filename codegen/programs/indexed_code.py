"""The CPU's loops of indexed programs: one function for each statement, or for each recurrence of several; and one that
calls them all for example after example of a batch.

A subexpression is computed in the outermost loop that has all its indices. A sum over an index is added up in a
register, or in the row of the result where that lets the innermost loop go through memory as it lies (`_position`).
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..language.index_expressions import (
    reads,
)
from ..language.indexed_programs import IndexedProgram, Statement
from .cpu_code import indented
from .indexed_loops import LoopWriter
from .program_kinds import ProgramCode
from .python_code import INTEGER, TRUTH, VALUE, names_in_lines, plain
from .shared_loops import with_shared_loops

INPUTS = ("input", "constant")  # kinds of arrays that callers have


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
        results += both_forms(code, group, name, begun)
        begun |= {statement.name for statement in group}
    return results


def fused_stages(program: IndexedProgram, stages: Sequence[Stage]) -> list[Stage]:
    """One function that calls those of all stages, with memory of its own for the arrays between them."""
    plain_forms = [stage for stage in stages if not stage.is_guarded]
    tested = {stage.name.removesuffix(TESTED): stage for stage in stages if stage.is_guarded}
    if len(plain_forms) < 2:
        return []
    code = ProgramCode(program)
    tests = tuple(dict.fromkeys(test for stage in plain_forms for test in stage.tests if stage.name in tested))
    forms = [fused(code, FUSED, plain_forms, tests)]
    if tested:
        guarded = [tested.get(stage.name, stage) for stage in plain_forms]
        forms.append(replace(fused(code, FUSED + TESTED, guarded, tests), is_guarded=True))
    return forms


FUSED, TESTED = "fused", "_tested"


def fused(code: ProgramCode, name: str, stages: Sequence[Stage], tests: tuple[str, ...]) -> Stage:
    program, b = code.program, code.word["b"]
    operands = list(dict.fromkeys(n for s in stages for n in s.operands if program.arrays[n].kind in INPUTS))
    results = list(dict.fromkeys(n for s in stages for n in s.results))
    outputs = [n for n in results if n in program.outputs]
    own = [n for n in results if n not in program.outputs]
    floats = list(dict.fromkeys(n for s in stages for n in s.floats))
    memory = [f"{n} = empty_row({like_of(code.kinds[n])}, {code.total(n)})" for n in own]
    parts = {n: f"part_of({n}, {b} * {code.step[n]}, {code.total(n)})" for n in operands}
    parts |= {n: f"part_of({n}, {b} * ({code.total(n)}), {code.total(n)})" for n in outputs}
    calls = [_call(stage, parts, program) for stage in stages]
    used = names_in_lines([*memory, *calls])
    ints = [n for n, kind in program.numbers.items() if kind != "float" and n in used]
    ints += [n for n in program.sizes if n in used and n not in ints]
    steps = [code.step[n] for n in operands]
    args = [*operands, *outputs, *floats, *ints, *steps, code.word["first"], code.word["last"]]
    typed = next((n for n in (*operands, *outputs) if code.kinds[n] == VALUE), None)
    dtype = f"{typed}.dtype.type" if typed else "np.float64"
    lines = [
        "@stage",
        f"def {name}({', '.join(args)}):",
        '    """All of the program, one example after the other."""',
        *([f"    T = {dtype}"] if "T" in used else []),
        *indented(1, memory),
        f"    for {b} in range({code.word['first']}, {code.word['last']}):",
        *indented(2, calls),
    ]
    work = " + ".join(stage.work for stage in stages)
    parameters = tuple(operands), tuple(outputs), tuple(floats), tuple(ints)
    return Stage(name, tuple(lines), (), *parameters, "1", work, tests)


def _call(stage: Stage, parts: Mapping[str, str], program: IndexedProgram) -> str:
    """The call of a stage for one example, whose arrays are parts of those of all."""
    arrays = [parts.get(name, name) for name in (*stage.operands, *stage.results)]
    steps = ["0" for name in stage.operands if program.arrays[name].kind in INPUTS]
    return f"{stage.name}({', '.join([*arrays, *stage.floats, *stage.ints, *steps, '0', stage.rows])})"


def both_forms(code: ProgramCode, group: Sequence[Statement], name: str, begun: set[str]) -> Iterator[Stage]:
    stage = StageWriter(code, group, name, begun).stage(False)
    if not stage.tests:
        yield stage
        return
    tested = StageWriter(code, group, name + TESTED, begun).stage(True, stage.ints)
    yield StageWriter(code, group, name, begun).stage(False, tested.ints)
    yield replace(tested, is_guarded=True)


def like_of(kind: str) -> str:
    return {INTEGER: "0", TRUTH: "False"}.get(kind, "T(0)")


class StageWriter(LoopWriter):
    """Writes the function of one group of statements."""

    def __init__(self, code: ProgramCode, group: Sequence[Statement], name: str, begun: set[str]) -> None:
        super().__init__(code, group, begun)
        self.name = name

    def stage(self, guarded: bool, more_ints: Sequence[str] = ()) -> Stage:
        """`more_ints`: of the form with tests, which is called in the same way."""
        self.guarded = guarded
        body = [*self._body()]
        read = [a.name for a in self.arrays.values() if self._is_read(a.name)]
        results = list(dict.fromkeys(statement.name for statement in self.group))
        results = [name for name in results if name not in self.in_registers]
        own = self.own_rows
        results = [name for name in results if name not in own]
        operands = [name for name in read if name not in (*results, *own, *self.in_registers)]
        used = names_in_lines(body)
        inputs = [a.name for a in self.program.of_kind("input")]
        if inputs and not any(self.code.kinds[n] == VALUE for n in (*operands, *results)):
            operands.insert(0, inputs[0])
        typed = next((n for n in (*operands, *results) if self.code.kinds[n] == VALUE), None)
        floats = [n for n, kind in self.program.numbers.items() if kind == "float" and n in used]
        lines = [*self._heads(operands, results), *body]
        memory = [f"{n} = empty_row({like_of(self.code.kinds[n])}, {self.row_size(n)})" for n in own]
        memory += [f"{name} = empty_row(T(0), BLOCK)" for name in self.blocks]
        memory += [f"{copy.name} = empty_row(T(0), {copy.size})" for copy in self.copies]
        memory += self.memory
        text = "\n".join([*memory, *lines])
        used |= names_in_lines([text])
        ints = [n for n, kind in self.program.numbers.items() if kind != "float" and n in used]
        ints += [n for n in self.program.sizes if n in used and n not in ints]
        ints = [*more_ints, *(name for name in ints if name not in more_ints)]
        steps = [self.code.step[n] for n in operands if self.arrays[n].kind in INPUTS]
        args = [*operands, *results, *floats, *ints, *steps, self.word["first"], self.word["last"]]
        head = ["@stage", f"def {self.name}({', '.join(args)}):"]
        head.append(f'    """{self._doc()}"""')
        dtype = f"{typed}.dtype.type" if typed else "np.float64"
        head += [f"    T = {dtype}"] if floats or "T" in used else []
        head += [f"    {name} = T({name})" for name in floats]
        head += indented(1, memory)
        lines = [*head, *indented(1, self._rows(lines))]
        return Stage(
            self.name, tuple(lines), tuple(sorted(self.functions)), tuple(operands), tuple(results), tuple(floats),
            tuple(ints), self._count(), self._work(), tuple(self.tests), unit=self.unit,
        )  # fmt: skip

    def _doc(self) -> str:
        return "; ".join(statement.text for statement in self.group).replace("\\", "")[:100]

    def _is_read(self, name: str) -> bool:
        trees = [tree for s in self.group for tree in (s.value, *(s.subscripts if s.collect else ()))]
        return any(read.name == name for tree in trees for read in reads(tree, self.arrays))

    def _work(self) -> str:
        counts = []
        for statement in self.group:
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

    def _heads(self, operands: Sequence[str], results: Sequence[str]) -> Iterator[str]:
        b = self.word["b"]
        for name in operands:
            if self.arrays[name].kind in INPUTS:
                yield f"{self.code.at[name]} = {b} * {self.code.step[name]}"
            else:
                yield f"{self.code.at[name]} = {b} * ({self.code.total(name)})"
        yield from (f"{self.code.at[name]} = {b} * ({self.code.total(name)})" for name in results)
