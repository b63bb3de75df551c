"""Packages with hand-written parts that a spec may name: where they keep each kind, and how generated code imports it.

specgrad's runtime is such a package, a package of a user's ops another. What a name stands for is read with `ast`;
nothing is imported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from ..proof.axioms import Functions
from ..proof.own_functions import Definition, read_functions
from ..rows.functions import programs_of
from ..rows.language import Program
from ..spec.formula import place
from ..spec.model import Problem, Spec, Where
from .modules import (
    RUNTIME,
    Arity,
    Parameters,
    arity_of,
    defined_nodes,
    offered_nodes,
    parameters_of,
    siblings,
)
from .taken import Taken

Places = Mapping[str, tuple[str, ...]]  # kind -> patterns of files below the package's folder

RUNTIME_PLACES: Places = {
    "kernel": ("ops/*/cpu*.py",),
    "plan": ("ops/*/plans*.py",),
    "check": ("ops/*/checks*.py",),
    "helper": ("ops/*/formulas*.py", "autograd/as_strided_formulas.py"),
    "function for ONNX": ("pytorch/exporting/vocabulary.py", "ops/*/onnx*.py"),
    "view": ("tensor/views.py",),
    "batching rule": ("batching/rules/*.py", "ops/*/batching*.py"),
    "shape rule": ("dispatch/shape_rules.py", "ops/*/shapes*.py"),
    "sparse rule": ("representations/sparse/rules/*.py",),
    "rule for marked tensors": ("representations/marked/rules.py",),
    "scalar function": ("kernels/scalar/__init__.py",),
    "scalar function of complex numbers": ("kernels/scalar/complex.py",),
}
PLACES: Places = {
    "kernel": ("kernels.py", "kernels/*.py"),
    "plan": ("plans.py", "plans/*.py", "recipes.py", "recipes/*.py"),
    "check": ("checks.py", "checks/*.py"),
    "helper": ("formulas.py", "formulas_*.py"),
    "function for ONNX": ("onnx.py",),
    "view": ("views.py",),
    "batching rule": ("batching.py", "batching/*.py"),
    "shape rule": ("shapes.py", "shapes/*.py"),
    "sparse rule": (),  # an op of a user's may have one of the runtime's
    "rule for marked tensors": (),
    "scalar function": ("scalars.py",),
    "scalar function of complex numbers": ("scalars_complex.py",),
}
KEYS = {  # that name functions
    "kernel": "kernel",
    "check": "check",
    "batch": "batching rule",
    "meta": "shape rule",
    "sparse": "sparse rule",
    "conj": "rule for marked tensors",
    "view": "view",
}
WITH_SIBLINGS = ("scalar function",)  # kinds whose modules also offer what they take from modules beside them
CALLED = (
    "helper",
    "function for ONNX",
    *WITH_SIBLINGS,
    "scalar function of complex numbers",
)  # kinds that formulas call: functions alone


@dataclass(frozen=True)
class Known:
    """The functions that a spec may name. None stands for a table that is not there: such names are not checked."""

    helpers: dict[str, Arity] | None = None  # functions for formulas
    scalars: dict[str, Arity] | None = None  # functions for elementwise expressions
    complex_scalars: dict[str, Arity] | None = None
    onnx: dict[str, Arity] | None = None  # functions of formulas in ONNX operators, which they take first
    kernels: frozenset[str] | None = None
    by_hand: frozenset[str] = frozenset()  # kernels that are written by hand, where others are made of row programs
    checks: frozenset[str] | None = None
    batches: frozenset[str] | None = None
    shapes: frozenset[str] | None = None
    sparse_rules: frozenset[str] | None = None
    marked_rules: frozenset[str] | None = None
    views: frozenset[str] | None = None
    parameters: Mapping[str, Mapping[str, Parameters]] = field(default_factory=dict)  # by the key that names functions
    taken: Taken = field(default_factory=Taken)
    beside: Mapping[str, str] = field(default_factory=dict)  # names that are out of reach, and where they are defined


@dataclass(frozen=True)
class Home:
    """A package with hand-written parts.

    `path` is its import path, if `relative` seen from the package that the generated one lies in. `label` begins the
    names of its modules in generated code; the runtime has none.
    """

    folder: Path
    path: str
    relative: bool
    places: Places = field(default_factory=lambda: PLACES)
    label: str = ""

    @cached_property
    def tables(self) -> dict[str, list[Part]]:
        return {kind: list(self._read(kind)) for kind in self.places}

    def _read(self, kind: str) -> Iterator[Part]:
        for path in self.files(kind):
            for name, node in offered_nodes(path) if kind in WITH_SIBLINGS else defined_nodes(path):
                if kind not in CALLED or isinstance(node, ast.FunctionDef):
                    yield Part(self, kind, name, path, node)

    @cached_property
    def parameters(self) -> dict[str, dict[str, Parameters]]:
        found: dict[str, dict[str, Parameters]] = {}
        for kind in KEYS.values():
            modules: dict[Path, list[ast.stmt]] = {}
            for part in self.tables[kind]:
                modules.setdefault(part.file, []).append(part.node)
            found[kind] = {name: each for body in modules.values() for name, each in parameters_of(body).items()}
        return found

    @cached_property
    def definitions(self) -> list[Definition]:
        """The scalar functions, each where it is defined."""
        parts = self.tables["scalar function"]
        files = [siblings(part.file).get(part.name, (part.file, ""))[0] for part in parts]
        pairs = zip(parts, files, strict=True)
        return [Definition(p.name, file, p.node) for p, file in pairs if isinstance(p.node, ast.FunctionDef)]

    def files(self, kind: str) -> list[Path]:
        found = (path for pattern in self.places[kind] for path in sorted(self.folder.glob(pattern)))
        return [path for path in found if self.label == "" or path.name != "__init__.py"]

    def module_path(self, module: tuple[str, ...], depth: int) -> str:
        """A module as one of the generated package imports it that lies `depth` folders deep."""
        dots = "." * (depth + 1) if self.relative else ""
        return dots + ".".join(filter(None, (self.path, *module)))


@dataclass(frozen=True, eq=False)
class Part:
    """One function or variable that a spec may name."""

    home: Home
    kind: str
    name: str
    file: Path
    node: ast.stmt

    @cached_property
    def module(self) -> tuple[str, ...]:
        """The module below its package: ("ops", "reduction", "cpu")."""
        parts = self.file.relative_to(self.home.folder).with_suffix("").parts
        return parts[:-1] if parts[-1] == "__init__" else parts

    @property
    def shown(self) -> str:
        folder = "runtime" if not self.home.label else self.home.folder.name
        return "/".join((folder, *self.file.relative_to(self.home.folder).parts))

    @property
    def place(self) -> str:
        return f"{self.shown}:{self.node.lineno}"

    @cached_property
    def alias(self) -> str:
        """The name of its module in generated code. No argument begins with an underscore."""
        if self.home.label:
            return "_".join(("", self.home.label, *self.module))
        return "_".join(self.module[1:] or self.module)  # reduction_cpu_backward for ops/reduction/cpu_backward.py

    @property
    def spelling(self) -> str:
        return f"{self.alias}.{self.name}"

    @cached_property
    def rejects(self) -> str:
        """All that a check rejects, as the decorator `rejects` says; empty where it may reject anything."""
        return self._declared("rejects")

    @cached_property
    def writes(self) -> str:
        """The function whose result this one writes in place, as the decorator `writes` says; else empty."""
        return self._declared("writes")

    def _declared(self, decorator: str) -> str:
        """The word that a decorator is given."""
        for node in self.node.decorator_list if isinstance(self.node, ast.FunctionDef) else ():
            match node:
                case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str(word))]) if name == decorator:
                    return word
        return ""

    @property
    def where(self) -> Where:
        return place(str(self.file), self.node)

    @property
    def arity(self) -> Arity:
        assert isinstance(self.node, ast.FunctionDef)
        return arity_of(self.node.args)

    def import_line(self, depth: int) -> str:
        """The statement that gives a module its alias, in a module of generated code that lies so deep."""
        package, last = self.home.module_path(self.module[:-1], depth), self.module[-1]
        return f"from {package} import {last}" + (f" as {self.alias}" if self.alias != last else "")


@dataclass(frozen=True)
class Library:
    """The hand-written parts of some packages; what an earlier one has stands."""

    homes: tuple[Home, ...]
    made: tuple[Part, ...] = ()  # kernels that are made of row programs

    @cached_property
    def parts(self) -> dict[str, dict[str, Part]]:
        found: dict[str, dict[str, Part]] = {kind: {} for kind in PLACES}
        for home in self.homes:
            for kind, table in found.items():
                found[kind] = {part.name: part for part in reversed(home.tables[kind])} | table
        for part in self.made:
            found[part.kind][part.name] = part
        return found

    def get(self, kind: str, name: str | None) -> Part | None:
        return self.parts[kind].get(name or "")

    def __getitem__(self, key: tuple[str, str]) -> Part:
        kind, name = key
        return self.parts[kind][name]

    @cached_property
    def writers(self) -> dict[tuple[str, str], Part]:
        """The functions that write in place, by their kind and by that whose result they write."""
        kinds = ("kernel", "helper")
        return {(kind, part.writes): part for kind in kinds for part in self.parts[kind].values() if part.writes}

    def parameters(self, kind: str) -> dict[str, Parameters]:
        found: dict[str, Parameters] = {}
        for home in self.homes:
            found = home.parameters[kind] | found
        return found

    def known(self) -> Known:
        """The functions that a spec may name, as its checks take them."""
        names = {kind: frozenset(table) or None for kind, table in self.parts.items()}
        arities = {kind: {name: part.arity for name, part in self.parts[kind].items()} or None for kind in CALLED}
        return Known(
            helpers=arities["helper"],
            onnx=arities["function for ONNX"],
            scalars=arities["scalar function"],
            complex_scalars=arities["scalar function of complex numbers"],
            kernels=names["kernel"],
            checks=names["check"],
            batches=names["batching rule"],
            shapes=names["shape rule"],
            sparse_rules=names["sparse rule"],
            marked_rules=names["rule for marked tensors"],
            views=names["view"],
            parameters={key: found for key, kind in KEYS.items() if (found := self.parameters(kind))},
        )

    @cached_property
    def programs(self) -> tuple[Program, ...]:
        """The row programs of kernels that are written by hand for the CPU."""
        paths = (path for home in self.homes for path in sorted(home.folder.glob("ops/*/rows*.py")) if not home.label)
        scalars = {name: part.arity for name, part in self.parts["scalar function"].items()}
        return tuple(program for path in paths for program in programs_of(path, scalars).values())

    @cached_property
    def functions(self) -> tuple[Functions, list[Problem]]:
        """The scalar functions of users' packages with their derivatives and meanings, and the problems with these."""
        found: tuple[Functions, list[Problem]] = {}, []
        for home in self.homes:
            if home.label:
                known, problems = read_functions(home.definitions, found[0])
                found = known, found[1] + problems
        return found

    def scalar_modules(self) -> tuple[Path, ...]:
        kinds = ("scalar function", "scalar function of complex numbers")
        return tuple(path for home in self.homes if home.label for kind in kinds for path in home.files(kind))

    def scalar_imports(self, names: Iterable[str]) -> list[str]:
        """The statements by which the file of a kernel has the scalar functions that it calls."""
        modules: dict[str, list[str]] = {}
        for part in (self["scalar function", name] for name in names):
            modules.setdefault(part.home.module_path(part.module, depth=3), []).append(part.name)
        return [f"from {module} import {', '.join(found)}" for module, found in modules.items()]

    def clashes(self, ops: Mapping[str, Where]) -> Iterator[Problem]:
        """Names that a user's package gives a second meaning; `ops` are those that formulas call, and their places."""
        for index, home in enumerate(self.homes):
            if home.label:
                for kind in PLACES:
                    yield from _clashes(home, kind, Library(self.homes[:index]), ops if kind == "helper" else {})


def _clashes(home: Home, kind: str, before: Library, ops: Mapping[str, Where]) -> Iterator[Problem]:
    first: dict[str, Part] = {}
    for part in home.tables[kind]:
        other = first.setdefault(part.name, part)
        earlier = before.get(kind, part.name) or (other if other is not part else None)
        place = earlier.place if earlier else ops.get(part.name)
        if place is not None:
            what = f"a {kind}" if earlier else "an op"
            message = f"there is {what} of this name at {place}: rename it, or let its name begin with an underscore"
            yield Problem(part.where, part.name, "", message)


@cache
def runtime_home(relative: bool = False) -> Home:
    """specgrad's own package of hand-written parts, as generated code in the tree or outside it imports it."""
    return Home(RUNTIME, "runtime" if relative else "specgrad.runtime", relative, RUNTIME_PLACES)


def read_known(runtime: Path = RUNTIME) -> Known:
    home = runtime_home() if runtime == RUNTIME else Home(runtime, "runtime", False, RUNTIME_PLACES)
    return Library((home,)).known()


def import_lines(parts: Iterable[Part | None]) -> list[str]:
    """The statements by which a generated module of ops or nodes has the modules of some parts."""
    return sorted({part.import_line(depth=2) for part in parts if part is not None})


def op_places(*specs: Spec) -> dict[str, Where]:
    return {name: e.where for spec in specs for e in spec.entries for name in e.names}
