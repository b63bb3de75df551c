"""Packages with hand-written parts that a spec may name (the runtime, or a user's), read with `ast`, not imported."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path

from ..language.row_programs import Program, programs_of
from ..language.scalar_functions import Functions
from ..proof.user_functions import Definition, read_functions
from ..spec.formula import location
from ..spec.memo import digest_of_files
from ..spec.model import Entry, Problem, Spec, Where
from .modules import RUNTIME, Arity, Parameters, arity_of, defined_nodes, offered_nodes, parameters_of, siblings
from .reserved_names import ReservedNames

FilePatterns = Mapping[str, tuple[str, ...]]  # kind -> patterns of files below the package's folder

RUNTIME_RULE_FILES: FilePatterns = {
    "kernel": ("ops/*/cpu*.py",),
    "plan": ("ops/*/plans*.py",),
    "check": ("ops/*/checks*.py",),
    "helper": ("ops/*/formulas*.py", "autograd/as_strided_formulas.py"),
    "function for ONNX": ("extensions/onnx/rules_*.py",),
    "view": ("tensor/view_shapes.py",),
    "batching rule": ("extensions/vmap/rules_*.py",),
    "shape rule": ("dispatch/shape_rules.py", "ops/*/shapes*.py"),
    "rule for sparse tensors": ("extensions/sparse/rules_*.py",),
    "rule for conjugates and negatives": ("extensions/lazy_conj/rules.py",),
    "scalar function": ("kernels/scalar/__init__.py",),
    "scalar function of complex numbers": ("kernels/scalar/complex.py",),
}
RULE_FILES: FilePatterns = {
    "kernel": ("kernels.py", "kernels/*.py"),
    "plan": ("plans.py", "plans/*.py", "recipes.py", "recipes/*.py"),
    "check": ("checks.py", "checks/*.py"),
    "helper": ("formulas.py", "formulas_*.py"),
    "function for ONNX": ("onnx.py",),
    "view": ("views.py",),
    "batching rule": ("batching.py", "batching/*.py"),
    "shape rule": ("shapes.py", "shapes/*.py"),
    "rule for sparse tensors": (),  # an op of a user's may have one of the runtime's
    "rule for conjugates and negatives": (),
    "scalar function": ("scalars.py",),
    "scalar function of complex numbers": ("scalars_complex.py",),
}
KEYS = {  # that name functions
    "kernel": "kernel",
    "check": "check",
    "batch": "batching rule",
    "meta": "shape rule",
    "sparse": "rule for sparse tensors",
    "conj": "rule for conjugates and negatives",
    "view": "view",
}
WITH_SIBLINGS = ("scalar function",)  # kinds whose modules also offer what they take from modules beside them
# Kinds that formulas call: functions alone.
CALLED = ("helper", "function for ONNX", *WITH_SIBLINGS, "scalar function of complex numbers")


@dataclass(frozen=True)
class Known:
    """The functions that a spec may name. A table that is None or missing is not there: such names are not checked."""

    helpers: dict[str, Arity] | None = None  # functions for formulas
    scalars: dict[str, Arity] | None = None  # functions for elementwise expressions
    complex_scalars: dict[str, Arity] | None = None
    onnx: dict[str, Arity] | None = None  # functions of formulas in ONNX operators, which they take first
    named: Mapping[str, frozenset[str]] = field(default_factory=dict)  # by the key that names functions
    by_hand: frozenset[str] = frozenset()  # kernels that are written by hand, where others are made of row programs
    parameters: Mapping[str, Mapping[str, Parameters]] = field(default_factory=dict)  # by the same keys
    reserved: ReservedNames = field(default_factory=ReservedNames)
    beside: Mapping[str, str] = field(default_factory=dict)  # names that are out of reach, and where they are defined
    digest: str = field(default="", compare=False)  # of the files that all this was read from
    files: Mapping[str, str] = field(default_factory=dict)  # by the same keys, where a new one goes


@dataclass(frozen=True)
class OpLibrary:
    """A package with hand-written parts; `path` is its import path, if `relative` from the generated one's package.

    `label` begins the names of its modules in generated code; the runtime has none.
    """

    folder: Path
    path: str
    relative: bool
    locations: FilePatterns = field(default_factory=lambda: RULE_FILES)
    label: str = ""

    @cached_property
    def tables(self) -> "dict[str, list[Part]]":
        return {kind: list(self._read(kind)) for kind in self.locations}

    def _read(self, kind: str) -> "Iterator[Part]":
        for path in self.files(kind):
            for name, node in offered_nodes(path) if kind in WITH_SIBLINGS else defined_nodes(path):
                if kind not in CALLED or isinstance(node, ast.FunctionDef):
                    yield Part(self, kind, name, path, node)

    @cached_property
    def parameters(self) -> dict[str, dict[str, Parameters]]:
        results: dict[str, dict[str, Parameters]] = {}
        for kind in KEYS.values():
            modules: dict[Path, list[ast.stmt]] = {}
            for part in self.tables[kind]:
                modules.setdefault(part.file, []).append(part.node)
            results[kind] = {name: each for body in modules.values() for name, each in parameters_of(body).items()}
        return results

    @cached_property
    def definitions(self) -> list[Definition]:
        parts = self.tables["scalar function"]
        files = [siblings(part.file).get(part.name, (part.file, ""))[0] for part in parts]
        pairs = zip(parts, files, strict=True)
        return [Definition(p.name, file, p.node) for p, file in pairs if isinstance(p.node, ast.FunctionDef)]

    @cached_property
    def digest(self) -> str:
        """Of the files that it is read from, and of those beside them, which they may import from."""
        folders = {path.parent for kind in self.locations for path in self.files(kind)}
        files = (path for folder in sorted(folders) for path in sorted(folder.glob("*.py")))
        return digest_of_files(self.folder, files)

    def files(self, kind: str) -> list[Path]:
        result = (path for pattern in self.locations[kind] for path in sorted(self.folder.glob(pattern)))
        return [path for path in result if self.label == "" or path.name != "__init__.py"]

    def file_for(self, kind: str) -> str:
        """The file for a new function: of the tree in `runtime`, else beside the spec."""
        pattern = next(iter(self.locations[kind]), "").replace("/*/", "/<family>/").replace("_*", "_<family>")
        if not self.label:
            return f"runtime/{pattern.replace('*', '')}" if self.relative else ""
        return pattern and f"{self.folder.name}/{pattern}"

    def module_path(self, module: tuple[str, ...], depth: int) -> str:
        dots = "." * (depth + 1) if self.relative else ""
        return dots + ".".join(filter(None, (self.path, *module)))


@dataclass(frozen=True, eq=False)
class Part:
    """One function or variable that a spec may name."""

    op_library: OpLibrary
    kind: str
    name: str
    file: Path
    node: ast.stmt

    @cached_property
    def module(self) -> tuple[str, ...]:
        parts = self.file.relative_to(self.op_library.folder).with_suffix("").parts
        return parts[:-1] if parts[-1] == "__init__" else parts

    @property
    def shown(self) -> str:
        folder = "runtime" if not self.op_library.label else self.op_library.folder.name
        return "/".join((folder, *self.file.relative_to(self.op_library.folder).parts))

    @property
    def location(self) -> str:
        return f"{self.shown}:{self.node.lineno}"

    @cached_property
    def alias(self) -> str:
        """The name of its module in generated code. No argument begins with an underscore."""
        if self.op_library.label:
            return "_".join(("", self.op_library.label, *self.module))
        return "_".join(self.module[1:] or self.module)  # reduction_cpu_backward for ops/reduction/cpu_backward.py

    @property
    def spelling(self) -> str:
        return f"{self.alias}.{self.name}"

    @cached_property
    def rejects(self) -> str:
        return self._declared("rejects")

    @cached_property
    def writes(self) -> str:
        return self._declared("writes")

    def _declared(self, decorator: str) -> str:
        for node in self.node.decorator_list if isinstance(self.node, ast.FunctionDef) else ():
            match node:
                case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str(word))]) if name == decorator:
                    return word
        return ""

    @property
    def where(self) -> Where:
        return location(str(self.file), self.node)

    @property
    def arity(self) -> Arity:
        assert isinstance(self.node, ast.FunctionDef)
        return arity_of(self.node.args)

    def import_line(self, depth: int) -> str:
        package, last = self.op_library.module_path(self.module[:-1], depth), self.module[-1]
        return f"from {package} import {last}" + (f" as {self.alias}" if self.alias != last else "")


@dataclass(frozen=True)
class Library:
    """The hand-written parts of some packages; what an earlier one has stands."""

    op_libraries: tuple[OpLibrary, ...]
    made: tuple[Part, ...] = ()  # kernels that are made of row programs

    @cached_property
    def parts(self) -> dict[str, dict[str, Part]]:
        results: dict[str, dict[str, Part]] = {kind: {} for kind in RULE_FILES}
        for op_library in self.op_libraries:
            for kind, table in results.items():
                results[kind] = {part.name: part for part in reversed(op_library.tables[kind])} | table
        for part in self.made:
            results[part.kind][part.name] = part
        return results

    def get(self, kind: str, name: str | None) -> Part | None:
        return self.parts[kind].get(name or "")

    def __getitem__(self, key: tuple[str, str]) -> Part:
        kind, name = key
        return self.parts[kind][name]

    @cached_property
    def writers(self) -> dict[tuple[str, str], Part]:
        kinds = ("kernel", "helper")
        return {(kind, part.writes): part for kind in kinds for part in self.parts[kind].values() if part.writes}

    def parameters(self, kind: str) -> dict[str, Parameters]:
        results: dict[str, Parameters] = {}
        for op_library in self.op_libraries:
            results = op_library.parameters[kind] | results
        return results

    def known(self) -> Known:
        arities = {kind: {name: part.arity for name, part in self.parts[kind].items()} or None for kind in CALLED}
        return Known(
            helpers=arities["helper"],
            onnx=arities["function for ONNX"],
            scalars=arities["scalar function"],
            complex_scalars=arities["scalar function of complex numbers"],
            named={key: frozenset(table) for key, kind in KEYS.items() if (table := self.parts[kind])},
            parameters={key: result for key, kind in KEYS.items() if (result := self.parameters(kind))},
            digest=self.digest,
            files={
                key: text
                for op_library in self.op_libraries[-1:]
                for key, kind in KEYS.items()
                if (text := op_library.file_for(kind))
            },
        )

    @property
    def digest(self) -> str:
        return " ".join(op_library.digest for op_library in self.op_libraries)

    @cached_property
    def programs(self) -> tuple[Program, ...]:
        runtime = (op_library for op_library in self.op_libraries if not op_library.label)
        paths = (path for each in runtime for path in sorted(each.folder.glob("ops/*/rows*.py")))
        scalars = {name: part.arity for name, part in self.parts["scalar function"].items()}
        return tuple(program for path in paths for program in programs_of(path, scalars).values())

    @cached_property
    def functions(self) -> tuple[Functions, list[Problem]]:
        result: tuple[Functions, list[Problem]] = {}, []
        for op_library in self.op_libraries:
            if op_library.label:
                known, problems = read_functions(op_library.definitions, result[0])
                result = known, result[1] + problems
        return result

    def scalar_imports(self, names: Iterable[str]) -> list[str]:
        modules: dict[str, list[str]] = {}
        for part in (self["scalar function", name] for name in names):
            modules.setdefault(part.op_library.module_path(part.module, depth=3), []).append(part.name)
        return [f"from {module} import {', '.join(result)}" for module, result in modules.items()]

    def clashes(self, ops: Mapping[str, Where]) -> Iterator[Problem]:
        for index, op_library in enumerate(self.op_libraries):
            if op_library.label:
                before = Library(self.op_libraries[:index])
                for kind in RULE_FILES:
                    yield from _clashes(op_library, kind, before, ops if kind == "helper" else {})


def _clashes(op_library: OpLibrary, kind: str, before: Library, ops: Mapping[str, Where]) -> Iterator[Problem]:
    first: dict[str, Part] = {}
    for part in op_library.tables[kind]:
        other = first.setdefault(part.name, part)
        earlier = before.get(kind, part.name) or (other if other is not part else None)
        location = earlier.location if earlier else ops.get(part.name)
        if location is not None:
            what = f"a {kind}" if earlier else "an op"
            message = f"there is {what} of this name at {location}: rename it, or let its name begin with an underscore"
            yield Problem(part.where, part.name, "", message)


@cache
def runtime_library(relative: bool = False) -> OpLibrary:
    return OpLibrary(RUNTIME, "runtime" if relative else "specgrad.runtime", relative, RUNTIME_RULE_FILES)


def read_known(runtime: Path = RUNTIME) -> Known:
    op_library = runtime_library() if runtime == RUNTIME else OpLibrary(runtime, "runtime", False, RUNTIME_RULE_FILES)
    return Library((op_library,)).known()


def import_lines(parts: Iterable[Part | None]) -> list[str]:
    return sorted({part.import_line(depth=2) for part in parts if part is not None})


def op_locations(*specs: Spec) -> dict[str, Where]:
    return {name: e.where for spec in specs for e in spec.entries for name in e.names}


# Checks and shape rules that entries do not name: functions of the op's name, `max_dim` or `max` for `max.dim`.
BY_NAME = {"check": "check", "shape": "meta"}  # fields of an entry, and the keys that name them


def with_parts_by_name(spec: Spec, op_library: OpLibrary | None) -> Spec:
    if op_library is None:
        return spec
    names = {part: {own.name for own in op_library.tables[KEYS[key]]} for part, key in BY_NAME.items()}
    return replace(spec, entries=tuple(_with_parts(entry, names) for entry in spec.entries))


def _with_parts(entry: Entry, names: dict[str, set[str]]) -> Entry:
    results = {part: name for part in BY_NAME if (name := _own_part(entry, part, names[part])) is not None}
    locations = entry.key_locations | {BY_NAME[part]: entry.where for part in results}
    return replace(entry, key_locations=locations, **results) if results else entry  # type: ignore[arg-type]


def _own_part(entry: Entry, part: str, names: set[str]) -> str | None:
    if BY_NAME[part] in entry.key_locations or (part == "shape" and entry.compute.kind != "kernel"):
        return None
    return next((name for name in (entry.identifier, entry.schema.name) if name in names), None)
