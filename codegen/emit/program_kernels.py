"""The kernels of row programs, as data for the templates of programs/."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..language.row_programs import Parameter, Program
from ..library.kernels import demand_of
from ..library.op_library import Library
from ..programs.column_code import column_code
from ..programs.cpu_code import Code, cpu_code, modules_of
from ..programs.cuda_code import VARIANT, cuda_code, parts_of
from ..programs.passes import Lowered
from ..programs.python_code import INTEGER, TRUTH, Spelling, names_in_lines
from ..spec.model import Entry
from ..spec.row_program import LAYOUT, check_of_rows
from .calls import tuple_of

COMMON = ("T", "cuda", "int32", "uint32")  # of runtime/kernels/cuda/language.py
DTYPES = {INTEGER: "int64", TRUTH: "bool"}  # of outputs that are not of the dtype of the elements


@dataclass(frozen=True)
class RowCode:
    """A program, and the entry that it computes, if it is one of the spec."""

    program: Program
    library: Library
    entry: Entry | None = None

    @cached_property
    def lowered(self) -> Lowered:
        return Lowered(self.program)

    @property
    def listing(self) -> str:
        return "\n".join(f"    {line}" for line in self.program.lines)

    @property
    def outputs(self) -> list[tuple[str, str]]:
        kinds = Spelling(self.lowered, lambda *_: "", "").kinds
        rows, totals = self.lowered.rows, self.program.totals
        of_rows = [("row", "") if o in rows else ("each", DTYPES.get(kinds[o], "")) for o in self.program.outputs]
        return [("shared", "") if o in totals else k for o, k in zip(self.program.outputs, of_rows, strict=True)]

    def cpu(self) -> dict[str, Any]:
        alone = self.program.without_totals
        loops = [cpu_code(self.program, "sums")] if self.program.totals else []
        loops += [cpu_code(alone), column_code(alone)]
        calls = [self.call(self._loops)]
        calls += [self.plan()] if self.program.is_planned else []
        calls += [self.shapes()] if self.entry is not None else []
        return self._common(loops) | {"loops": loops, "modules": modules_of(loops), "calls": calls}

    @property
    def _loops(self) -> str:
        return "Loops(sums, alone=Loops(loop, columns))" if self.program.totals else "Loops(loop, columns)"

    def cuda(self) -> dict[str, Any]:
        program = self.program.without_totals
        kernels = list(cuda_code(program).values())
        used = {name for kernel in kernels for name in kernel.helpers}
        names = names_in_lines(line for kernel in kernels for line in kernel.lines)
        return self._common(kernels) | {
            "kernels": kernels,
            "own": [name for name in VARIANT if name in used and name not in COMMON],
            "common": [name for name in COMMON if name in names],
            "accessors": sorted(name for name in used if name.startswith(("get_", "put_"))),
            "uses_numpy": "np" in names,
            "parts": parts_of(Lowered(program)),
            "call": self.call("__name__"),
        }

    def _common(self, kernels: Sequence[Code]) -> dict[str, Any]:
        functions = sorted({name for kernel in kernels for name in kernel.functions})
        imports = self.library.scalar_imports(functions)
        op_library = self.library.op_libraries[0].module_path((), depth=3)
        return {"name": self.program.name, "listing": self.listing, "imports": imports, "runtime_library": op_library}

    def check(self) -> list[str]:
        entry = self.entry
        if entry is None or entry.check != check_of_rows(entry.schema):
            return []
        names = [a.name for a in entry.schema.arguments]
        args = [self._input(p) for p in sorted(self.program.arrays, key=lambda p: names.index(p.array))]
        dim = ["    dim = checked(name, given, dim)"] if "dim" in names else ["    checked(name, given, -1)"]
        return [
            f"def {entry.check}({', '.join(['name: str', *(f'{name}: Any' for name in names)])}) -> Any:",
            f'    """{demand_of(entry)}"""',
            f"    given = ({', '.join(args)},)",
            *dim,
            f"    return {tuple_of(names)}",
        ]

    def call(self, how: str) -> list[str]:
        """The kernel's function: `how` is the loop or names the module."""
        entry = self.entry
        if entry is None:
            return []
        numbers = tuple_of([p.name for p in self.program.of_kind("number")])
        return self._function(
            entry.identifier, entry.doc.strip(), f'run("{entry.schema.name}", {how}, given, {numbers}'
        )

    def plan(self) -> list[str]:
        names = self._arguments()
        positions = tuple_of([str(names.index(p.array)) for p in self.program.arrays])
        numbers = self.program.of_kind("number")
        floats = tuple_of([p.name for p in numbers if p.type == "float"])
        ints = tuple_of([p.name for p in numbers if p.type != "float"])
        doc = "How native code calls the loops, of arrays that lie as they are counted."
        return self._function("plan", doc, f"plan_of({self._loops}, given, {positions}, {floats}, {ints}")

    def shapes(self) -> list[str]:
        assert self.entry is not None
        lines = self._function("shapes", "The shapes of the results.", f'shapes_of("{self.entry.schema.name}", given')
        return [*lines, "", "", f"{self.entry.identifier}.shapes = shapes"]

    def _arguments(self) -> list[str]:
        assert self.entry is not None
        kinds = {p.array for p in self.program.parameters}
        return [a.name for a in self.entry.schema.arguments if a.name in {*kinds, *LAYOUT}]

    def _input(self, p: Parameter) -> str:
        default = f", {p.default}" if p.default is not None else ""
        return f'RowInput("{p.array}", {p.array}, "{p.kind}"{default})'

    def _function(self, name: str, doc: str, called: str) -> list[str]:
        names = self._arguments()
        args = [self._input(p) for p in self.program.arrays]
        outputs = [f'Output("{kind}", "{dtype}")' if dtype else f'Output("{kind}")' for kind, dtype in self.outputs]
        dims = f"{'dim' if 'dim' in names else '-1'}, {'keepdim' if 'keepdim' in names else 'False'}"
        dims += ", output_mask" if "output_mask" in names and name != "shapes" else ""
        return [
            f"def {name}({', '.join(names)}):",
            f'    """{doc}"""',
            f"    given = ({', '.join(args)},)",
            f"    return {called}, {tuple_of(outputs)}, {dims})",
        ]
