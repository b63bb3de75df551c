"""The kernels of indexed programs, as data for the templates of programs/."""

import ast
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

from ..language.indexed_programs import IndexedProgram
from ..library.op_library import Library
from ..programs.cpu_code import HELPERS, indented
from ..programs.indexed_code import Stage, fused_stages, stages_of
from ..programs.indexed_cuda import Source, sources_of
from ..programs.program_kinds import ProgramCode
from ..programs.python_code import INTEGER, TRUTH, names_in_lines
from ..spec.model import Entry
from ..spec.row_program import NO_PART, check_of_rows, is_output_mask
from .calls import tuple_of

DTYPES = {INTEGER: "int64", TRUTH: "bool"}


@dataclass(frozen=True)
class IndexedCode:
    """An indexed program and the entry that it computes."""

    program: IndexedProgram
    library: Library
    entry: Entry

    @cached_property
    def code(self) -> ProgramCode:
        return ProgramCode(self.program)

    @cached_property
    def stages(self) -> list[Stage]:
        return stages_of(self.program)

    @cached_property
    def fused(self) -> list[Stage]:
        return fused_stages(self.program, self.stages)

    @property
    def written(self) -> Sequence[str]:
        """The lines of the program before loops were unrolled."""
        return (self.entry.indexed or self.program).lines

    @property
    def arguments(self) -> list[str]:
        return [a.name for a in self.entry.schema.arguments if a.type.base not in NO_PART]

    def cpu(self) -> dict[str, Any]:
        stages = [*self.stages, *self.fused]
        functions = sorted({name for stage in stages for name in stage.functions})
        names = names_in_lines(line for stage in stages for line in stage.lines)
        op_library = self.library.op_libraries[0].module_path((), depth=3)
        return {
            "name": self.program.name,
            "listing": "\n".join(f"    {line}" for line in self.written),
            "imports": self.library.scalar_imports(functions),
            "helpers": list(_helpers(op_library, names)),
            "runtime_library": op_library,
            "stages": stages,
            "calls": [
                lines for lines in (self.sizes(), self.shapes(), self.indices(), self.plan(), self.call()) if lines
            ],
        }

    def cuda(self) -> dict[str, Any] | None:
        """None where there are no kernels: the host computes."""
        sources = sources_of(self.program)
        if not sources:
            return None
        names = names_in_lines(line for text in sources for line in text.lines)
        return {
            "name": self.entry.identifier,
            "listing": "\n".join(f"    {line}" for line in self.written),
            "imports": self.library.scalar_imports(sorted({f for text in sources for f in text.functions})),
            "runtime_library": self.library.op_libraries[0].module_path((), depth=3),
            "accessors": sorted(name for name in names if name.startswith(("get_", "put_"))),
            "sources": sources,
            "call": self._launched(sources),
        }

    def _launched(self, sources: Sequence[Source]) -> list[str]:
        arguments = ", ".join(self.arguments)
        arrays = ", ".join(f'"{array.name}": {array.name}' for array in self._inputs)
        lines = [f"    launches = Launches(given, {{{arrays}}})"]
        for text in sources:
            made = ", ".join(self._made(name, False) for name in text.results)
            numbers = f"{tuple_of(text.floats)}, {tuple_of(text.ints)}, {text.threads}"
            lines.append(f"    launches.add({text.name}, {_strings(text.operands)}, {{{made}}}, {numbers})")
        names = _strings(self.program.outputs)
        return [
            f"def {self.entry.identifier}({arguments}):",
            f'    """{self.entry.doc.strip() or "The program."}"""',
            f"    given = sizes({arguments})",
            *self._unpacked(lines),
            *lines,
            f"    return launches.results({f'{names}, {self._mask}' if self._mask else names})",
        ]

    def sizes(self) -> list[str]:
        """The function that binds sizes to shapes, which the check and the plan call."""
        arrays = [f'("{a.name}", {a.name}, {self._dims(a.name)}),' for a in self._inputs]
        lines = [
            f"def sizes({', '.join(self.arguments)}):",
            '    """The sizes of a call; a RuntimeError for shapes that do not agree."""',
            f'    given = Sizes("{self.entry.schema.name}", ({" ".join(arrays)}))',
        ]
        checks = [f"    given.agree({check})" for check in self._agreements()]
        checks += [f'    given.check_size("{size}", lambda: {size})' for size in self._computed_sizes()]
        checks += [f'    given.check_number("{size}", lambda: {size})' for size in self._quotients()]
        checks += [f'    given.check_number("{name}", lambda: 1 // {name})' for name in self._divisors()]
        lines += [*self._unpacked(checks), *checks]
        return [*lines, "    return given"]

    @property
    def _inputs(self) -> Sequence[Any]:
        by_name = {a.name: a for a in self.program.of_kind("input", "constant")}
        return [by_name[name] for name in self.arguments if name in by_name]

    def _dims(self, name: str) -> str:
        dims = self.program.arrays[name].dims
        sources = [f'"{d.id}"' if isinstance(d, ast.Name) and d.id in self.program.sizes else "None" for d in dims]
        return f"({', '.join(sources)}{',' * (len(sources) == 1)})"

    def _computed_sizes(self) -> list[str]:
        """Sizes that shapes do not give, which may be negative."""
        dims = [dim for array in self.program.of_kind("output", "local") for dim in array.dims]
        dims = [d for d in dims if not (isinstance(d, ast.Name) and d.id in self.program.sizes)]
        return list(dict.fromkeys(ast.unparse(dim) for dim in dims if not isinstance(dim, ast.Constant)))

    def _quotients(self) -> list[str]:
        """Ends of ranges that may divide by 0."""
        ends = [end for s in self.program.statements for span in s.ranges.values() for end in span]
        divided = [end for end in ends if any(isinstance(n, ast.FloorDiv | ast.Mod) for n in ast.walk(end))]
        known = self._computed_sizes()
        return list(dict.fromkeys(text for end in divided if (text := ast.unparse(end)) not in known))

    def _divisors(self) -> list[str]:
        """Number arguments that integers are divided by."""
        trees = [tree for s in self.program.statements for tree in (s.value, *s.subscripts)]
        nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.BinOp)]
        divided = [node.right for node in nodes if isinstance(node.op, ast.FloorDiv | ast.Mod)]
        names = [node.id for node in divided if isinstance(node, ast.Name)]
        return [name for name in dict.fromkeys(names) if self.program.numbers.get(name) == "int"]

    def _agreements(self) -> Iterator[str]:
        for array in self._inputs:
            for d, dim in enumerate(array.dims):
                if not (isinstance(dim, ast.Name) and dim.id in self.program.sizes):
                    text = f'"dimension {d} of {array.name}"'
                    yield f'{text}, given.core("{array.name}")[{d}], {ast.unparse(dim)}'
        for one, other, text in self.program.equal:
            yield f'"{text}", {ast.unparse(other)}, {ast.unparse(one)}'

    def _unpacked(self, lines: Sequence[str]) -> list[str]:
        """The sizes that lines name."""
        tree = ast.parse(textwrap.dedent("\n".join(lines)))
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        names = [name for name in self.program.sizes if name in used]
        if not names:
            return []
        listed = ", ".join(f'given.values["{name}"]' for name in names)
        return [f"    {', '.join(names)} = {listed}"]

    def shapes(self) -> list[str]:
        """The function that gives the shapes of the outputs."""
        arguments = ", ".join(self.arguments)
        dims = (self.program.arrays[name].dims for name in self.program.outputs)
        shapes = [f"(*given.batch, {', '.join(map(ast.unparse, each))})" if each else "given.batch" for each in dims]
        lines = [f"def shapes({arguments}):", '    """The shapes of the results."""', f"    given = sizes({arguments})"]
        result = shapes[0] if len(shapes) == 1 else f"[{', '.join(shapes)}]"
        return [*lines, *self._unpacked([result]), f"    return {result}"]

    def plan(self) -> list[str]:
        """The function that makes the plan of a call."""
        arguments = ", ".join(self.arguments)
        layouts = tuple_of([a.name for a in self._inputs])
        steps = [line for stage in self.stages for line in self._added(stage, self.stages)]
        if self.fused:
            fused = [line for stage in self.fused for line in self._added(stage, self.fused)]
            steps = ["    if given.is_batched:", *indented(1, fused), "    else:", *indented(1, steps)]
        steps = [*(f'    planner.check("{name}", {ast.unparse(dim)})' for name, dim in self.subscripts), *steps]
        return [
            f"def plan({arguments}):",
            '    """Which loops compute a call of arrays in row order, and their sizes."""',
            f"    given = sizes({arguments})",
            *self._unpacked(steps),
            f"    planner = Planner(given, {_strings(self.arguments)}, {_strings(self.program.outputs)}, {layouts})",
            *steps,
            f"    return planner.plan({self._mask})",
        ]

    @property
    def _mask(self) -> str:
        return next((a.name for a in self.entry.schema.arguments if is_output_mask(a)), "")

    def _added(self, stage: Stage, stages: Sequence[Stage]) -> Iterator[str]:
        if stage.is_guarded:
            return
        is_tested = any(other.is_guarded and other.name == f"{stage.name}_tested" for other in stages)
        made = ", ".join(self._made(name) for name in stage.results)
        name = stage.name
        if is_tested:
            yield f"    is_inside = {' and '.join(stage.tests)}"
            name = f"{stage.name} if is_inside else {stage.name}_tested"
        yield "    planner.add("
        yield f"        {name},"
        yield f"        {_strings(stage.operands)},"
        yield f"        {{{made}}},"
        yield f"        {tuple_of(stage.floats)},"
        yield f"        {tuple_of(stage.ints)},"
        yield f"        {stage.rows},"
        yield f"        {stage.work},"
        if stage.unit > 1:
            yield f"        {stage.unit},"
        yield "    )"

    def _made(self, name: str, on_host: bool = True) -> str:
        sizes = [ast.unparse(dim) for dim in self.program.arrays[name].dims]
        if on_host and name in self.code.wavefronts:
            sizes = [f"max({self.code.wavefronts[name].diagonals}, 0)", sizes[0]]
        shape = tuple_of(sizes)
        return f'"{name}": ({shape}, "{DTYPES.get(self.code.kinds[name], "")}")'

    def call(self) -> list[str]:
        arguments = ", ".join(self.arguments)
        more = ", indices" if self.subscripts else ""
        return [
            f"def {self.entry.identifier}({arguments}):",
            f'    """{self.entry.doc.strip() or "The program."}"""',
            f"    return run(sizes, plan, ({', '.join(self.arguments)},), {len(self.program.outputs)}{more})",
            "",
            "",
            f"{self.entry.identifier}.shapes = shapes",
        ]

    def indices(self) -> list[str]:
        """The function that lists what are indices of dimensions, of which a call may have wrong ones."""
        if not self.subscripts:
            return []
        arguments = ", ".join(self.arguments)
        listed = [f'("{name}", {name}, {ast.unparse(dim)})' for name, dim in self.subscripts]
        return [
            f"def indices({arguments}):",
            '    """The arguments that are indices, and the sizes that they are below."""',
            f"    given = sizes({arguments})",
            *self._unpacked(listed),
            f"    return {tuple_of(listed)}",
        ]

    @cached_property
    def subscripts(self) -> list[tuple[str, ast.expr]]:
        """Arguments whose elements are places of a dimension, and its size."""
        return [(name, dim) for name, dim in self.program.checked_indices]

    @property
    def _checked(self) -> str:
        """What the page of the op says of its arguments."""
        integers = "".join(f", `{name}` of integers" for name in self.program.integers)
        return f"shapes that agree{integers}"

    def check(self) -> list[str]:
        names = [a.name for a in self.entry.schema.arguments]
        arguments = ", ".join(self.arguments)
        parameters = ", ".join(["name: str", *(f"{name}: Any" for name in names)])
        return [
            f"def {check_of_rows(self.entry.schema)}({parameters}) -> Any:",
            f'    """{self._checked}."""',
            *(f'    require_integers(name, "{each}", {each})' for each in self.program.integers),
            f"    sizes({arguments})",
            f"    return {tuple_of(names)}",
        ]


def _helpers(op_library: str, used: set[str]) -> Iterator[str]:
    modules = groupby(sorted(used & HELPERS.keys(), key=HELPERS.__getitem__), HELPERS.__getitem__)
    yield from (f"from {op_library}.{module} import {', '.join(sorted(names))}" for module, names in modules)


def _strings(names: Sequence[str]) -> str:
    return tuple_of([f'"{name}"' for name in names])
