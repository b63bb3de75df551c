"""The CUDA kernels of indexed programs: a text for each statement, with a thread for each of its independent elements.

What depends on other elements of its own array, a recurrence, or shares places, a scatter, is computed by one thread
one after the other, so the same numbers give the same bits.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..language.index_expressions import fresh, is_name, reads
from ..language.indexed_programs import IndexedProgram, Statement
from .cpu_code import indented
from .element_code import Loop
from .index_nest import Nest
from .indexed_code import Generated, StageWriter
from .program_kinds import ProgramCode
from .python_code import names_in_lines, plain


@dataclass(frozen=True)
class Source(Generated):
    """One kernel, and how many threads an example has."""

    threads: str


def sources_of(program: IndexedProgram) -> list[Source]:
    """None of a program whose kernels need memory of their own: the host computes it."""
    if any(statement.collect in ("argmax", "argmin") for statement in program.statements):
        return []
    code = ProgramCode(program, has_rows=False)
    begun: set[str] = set()
    results = []
    for number, group in enumerate(program.groups, 1):
        results.append(SourceWriter(code, group, f"stage_{number}", begun).text())
        begun |= {statement.name for statement in group}
    return results


class SourceWriter(StageWriter):
    has_rows = False

    def _parallel(self) -> str:
        return ""

    @property
    def threads(self) -> tuple[str, ...]:
        """The indices of which each value has threads of its own."""
        if len({tuple(map(ast.dump, statement.subscripts)) for statement in self.group}) > 1:
            return ()
        first = self.group[0]
        names = [
            subscript.id
            for subscript in first.subscripts
            if isinstance(subscript, ast.Name) and subscript.id in first.ranges
        ]
        return tuple(name for name in names if self._is_independent(name))

    def _is_independent(self, name: str) -> bool:
        own = {statement.name: statement for statement in self.group}
        for statement in self.group:
            for read in reads(statement.value, own):
                pairs = zip(read.subscripts, own[read.name].subscripts, strict=True)
                if any(is_name(other, name) and not is_name(subscript, name) for subscript, other in pairs):
                    return False
        return True

    def loop(self, index: str, statement: Statement) -> Loop:
        start, stop = statement.ranges[index]
        return Loop(index, ast.unparse(start), ast.unparse(stop), self.ways.get(index, 1))

    def load(self, name: str, offset: str) -> str:
        array = self._parameter(name)
        return f"get_{array}({array}, index({offset}))"

    def store(self, name: str, offset: str, text: str) -> str:
        array = self._parameter(name)
        return f"put_{array}({array}, index({offset}), {text})"

    def _parameter(self, name: str) -> str:
        """The name of an array in a text, where `index` is a function."""
        return fresh("places", self.reserved) if name == "index" else name

    def _loops(self, statement: Statement, names: Sequence[str]) -> list[Loop]:
        return [self.loop(name, statement) for name in names if name not in self.threads]

    def _assigned(self, statement: Statement, loops: list[Loop]) -> Iterator[str]:
        loops = [loop for loop in loops if loop.index not in self.threads]
        if self.is_recurrence and len(self.group) == 1 and loops:
            yield from self._in_one_loop(loops)
            return
        nest = Nest(self, statement, loops)
        self.assign(nest, statement)
        yield from [*nest.lines[0], *nest.text(0)]

    def depth_of(self, statement: Statement) -> int:
        return len([p for p in statement.subscripts if not (isinstance(p, ast.Name) and p.id in self.threads)])

    def _begun(self, statement: Statement) -> Iterator[str]:
        """A thread begins the elements that it adds to."""
        if statement.name in self.begun:
            return
        subscripts = [p for p in statement.subscripts if isinstance(p, ast.Name) and p.id in self.threads]
        loops, offset = list[str](), ""
        for k, (subscript, dim) in enumerate(zip(statement.subscripts, self.arrays[statement.name].dims, strict=True)):
            size = ast.unparse(dim)
            own = (
                subscript.id if subscript in subscripts and isinstance(subscript, ast.Name) else f"{self.word['z']}_{k}"
            )
            loops += [] if subscript in subscripts else [f"for {own} in range({size}):"]
            offset = f"({offset}) * ({size}) + {own}" if offset else own
        text = self.store(statement.name, f"{self.code.at[statement.name]} + {offset or '0'}", self.start_of(statement))
        for depth, line in enumerate([*loops, plain_call(text)]):
            yield "    " * depth + line

    def text(self) -> Source:
        self.guarded = True
        group = self.group
        body = list(self._body())
        read = [a.name for a in self.arrays.values() if self._is_read(a.name)]
        results = list(dict.fromkeys(statement.name for statement in group))
        operands = [name for name in read if name not in results]
        heads = [*self._decoded(), *self._heads(operands, results)]
        used = names_in_lines([*heads, *body])
        numbers = self.program.numbers
        floats = [name for name, kind in numbers.items() if kind == "float" and name in used]
        ints = [name for name in (*numbers, *self.program.sizes) if name in used and name not in floats]
        steps = [self.code.step[n] for n in operands if self.arrays[n].kind in ("input", "constant")]
        total = self.word["last"]
        args = [*map(self._parameter, (*operands, *results)), *floats, *ints, *steps, total]
        at = self.word["first"]
        lines = [
            f"def {self.name}({', '.join(args)}):",
            f'    """{self._doc()}"""',
            f"    {at} = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))",
            f"    if {at} < {total}:",
            *indented(2, [*heads, *body]),
        ]
        return Source(
            self.name, tuple(lines), tuple(sorted(self.functions)), tuple(operands), tuple(results), tuple(floats),
            tuple(ints), self._threads_of_example(),
        )  # fmt: skip

    def _decoded(self) -> Iterator[str]:
        """The values of a thread's indices."""
        rest = self.word["first"]
        for name in reversed(self.threads):
            start, stop = self.group[0].ranges[name]
            yield f"{name} = index({rest} % ({ast.unparse(stop)}))"
            yield f"{self.word['b']} = index({rest} // ({ast.unparse(stop)}))"
            rest = self.word["b"]
        if not self.threads:
            yield f"{self.word['b']} = {rest}"

    def _threads_of_example(self) -> str:
        sizes = [f"({ast.unparse(self.group[0].ranges[name][1])})" for name in self.threads]
        return plain(" * ".join(sizes)) if sizes else "1"


def plain_call(text: str) -> str:
    return ast.unparse(ast.parse(text))
