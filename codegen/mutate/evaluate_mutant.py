"""Judges one mutant: its entry alone is validated, rendered, run from memory and verified, up to the first finding.

The process has no native code and kernels that look at every index, so the next mutant finds memory whole.
"""

import argparse
import ast
import functools
import gc
import itertools
import sys
import types
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any, NamedTuple

from specgrad.runtime.compiler.jit import LazyKernel
from specgrad.runtime.spec_lines import generated_package

from ..check.scope import Context, Ops
from ..check.validate import CHECKS
from ..emit.files import Files, NotPython
from ..emit.op import OpCode
from ..emit.render import OUTSIDE, Renderer
from ..library.families import modules
from ..library.kernels import with_row_kernels
from ..project.project import Project, read_project
from ..proof.derive import completed
from ..proof.formula_derivative import FullInliner
from ..spec.model import Entry, Spec
from ..verify.calls.findings import Finding, Report
from ..verify.calls.interpreted import Interpreted
from ..verify.checks.errors_and_examples import check_examples
from ..verify.command import package_of
from ..verify.op import verify_op
from ..verify.processes import guarded, prepared
from ..verify.proofs import disproved
from .difference import difference
from .equivalence import alike, equivalent, same_call, tangent

OF_DTYPES = ("dtype", "dtypes", "result_dtype", "output_differentiability")  # what dtypes alone decide on
_numbers = itertools.count()


class Origin(NamedTuple):
    """Where the entries under change come from, as processes are told: the options that name their spec."""

    spec: Path | None = None  # the tree's for None
    out: Path | None = None
    base: str | None = None


class Verdict(NamedTuple):
    """The finding about a mutant, why it is equivalent, or a call that shows the mistake; or none of `calls` does."""

    finding: str = ""
    equal: str = ""
    call: str = ""
    calls: int = 0


class Killed(BaseException):
    """A finding, which is all that a mutant is asked for; no `except Exception` keeps it."""


class First(Report):
    def add(self, finding: Finding) -> None:
        raise Killed(str(finding))


def evaluate_mutant(origin: Origin, entry: Entry) -> str:
    project = project_of(origin)
    ops = settled(origin)
    if entry.name not in ops:
        return f"{entry.name} is not generated yet"
    generated = generated_package(ops[entry.name].function.__module__)
    try:
        entry = completed(entry)
        if problem := invalid(project, entry):
            return problem
        with imported(origin, entry, generated) as op, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            verify_op(op, First())
            guarded(op, First())
            shown = [other.example for other in project.spec.entries if other.schema.name == entry.schema.name]
            return check_examples(op, ops[entry.name], shown, generated, project.renderer.package)
    except Killed as result:
        return str(result)
    except (Exception, NotPython) as error:  # no package could be made of it
        return f"{entry.name}: {type(error).__name__}: {error}"


@functools.cache
def settled(origin: Origin) -> dict[str, Any]:
    """The records of a project, when all that stays is loaded: the collector need not look at it after each mutant."""
    ops = prepared(package_of(project_of(origin)))
    gc.collect()
    gc.freeze()
    return ops


Trees = tuple[ast.expr, ast.expr] | None


def weigh(origin: Origin, entry: Entry, mutant: Entry, key: str, trees: Trees) -> Verdict:
    if result := evaluate_mutant(origin, mutant):
        return Verdict(result)
    if equal := _why_equal(origin, entry, mutant, key, trees):
        return Verdict(equal=equal)
    with _beside(origin, completed(mutant)) as (tree, op):
        call, calls = difference(tree, op)
    return Verdict(call=call, calls=calls)


def _why_equal(origin: Origin, entry: Entry, mutant: Entry, key: str, trees: Trees) -> str:
    if key in {*entry.gradients, *entry.forward, "backward"} and code(origin, entry) == code(origin, mutant):
        return "the same generated code"
    if key == "commutative" and entry.commutative:
        return "operands that change places are another way to the same, which was checked"
    if key == "replaces":
        why = "the entry may say so" if mutant.replaces else "without the key more is kept than is needed"
        return f"each element keeps its value or is replaced, which was checked: {why}"
    if key in OF_DTYPES:
        with _beside(origin, completed(mutant)) as (tree, op):
            count = alike(tree, op)
        return f"no input tells them apart: {count} calls" if count else ""
    if trees is None and key in entry.forward and key in mutant.forward:
        rules = tangent(entry, entry.forward[key]), tangent(entry, mutant.forward[key])
        trees = None if rules[0] is None or rules[1] is None else (rules[0], rules[1])
    if trees is None:
        return ""
    entries = renderer_of(origin).entries
    if key not in entry.definitions and (result := equivalent(entry, *trees, FullInliner(entries))):
        return result
    return same_call([*entries.values()], settled(origin), *trees)


@contextmanager
def _beside(origin: Origin, mutant: Entry) -> Iterator[tuple[Any, Any]]:
    tree = settled(origin)[mutant.name]
    generated = generated_package(tree.function.__module__)
    with imported(origin, mutant, generated) as op, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield tree, op


def code(origin: Origin, entry: Entry) -> list[str]:
    files = OneEntry(renderer_of(origin), entry).rendered()
    trees = {name: ast.parse(text) for name, text in files.items() if name.endswith(".py") and "registry" not in name}
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and ast.get_docstring(node) is not None:
                del node.body[0]
    return [ast.dump(tree) for _, tree in sorted(trees.items())]


def invalid(project: Project, entry: Entry) -> str:
    own = [entry if other.name == entry.name else other for other in project.spec.entries]
    entries = (*project.below.entries, *own)
    known = with_row_kernels(project.known, replace(project.spec, entries=tuple(own)))
    context = Context(entry, Ops(entries, project.spec.broken), known)
    if problem := next((str(problem) for check in CHECKS for problem in check(context)), ""):
        return problem
    spec = project.spec
    return next(map(str, disproved(Spec(spec.file, (entry,)), replace(spec, entries=entries))), "")


@functools.cache
def project_of(origin: Origin) -> Project:
    project, problems = read_project(argparse.Namespace(**origin._asdict()))
    assert project is not None, problems
    return project


@functools.cache
def renderer_of(origin: Origin) -> Renderer:
    project = project_of(origin)
    return Renderer(project.spec, OUTSIDE) if project.in_tree else project.renderer


class OneEntry(Renderer):
    """Renders one entry, which stands for the one of its name: all others are called as they are in `generated`."""

    def __init__(self, full: Renderer, entry: Entry, generated: str = "") -> None:
        saved_fields = ("target", "library", "environment", "bases", "op_library")
        self.__dict__.update({name: vars(full)[name] for name in saved_fields})
        self.calls = replace(full.calls, own=frozenset((entry.name,)))
        self.own = [entry if other.name == entry.name else other for other in full.spec.entries]
        self.spec = replace(full.spec, entries=(entry,))
        self.entries = {**full.entries, entry.name: entry}
        self.inliner = type(full.inliner)(self.entries)
        self.generated = generated

    @property
    def base_namespace(self) -> str:
        return f"{self.generated}.namespace" if self.bases else super().base_namespace

    def package_init(self, modules: Files) -> str:
        return ""

    def overloads(self, entry: Entry) -> list[Entry]:
        return [other for other in self.own if other.schema.name == entry.schema.name]

    @property
    def public(self) -> list[str]:
        return []

    def ops_context(self, ops: Sequence[OpCode]) -> dict[str, Any]:
        own = [name for code in ops for name in (code.name, *[code.inplace_name] * code.has_inplace)]
        return {**super().ops_context(ops), "aliases": [], "names": own}


@contextmanager
def imported(origin: Origin, entry: Entry, generated: str) -> Iterator[Any]:
    """The op's record in a package of its entry alone, in memory, beside the generated one: imports there work here."""
    above = generated.rpartition(".")[0] if project_of(origin).op_library else ""
    package = f"{above}.mutant_{next(_numbers)}".removeprefix(".")
    files = OneEntry(renderer_of(origin), entry, generated).rendered()
    (family,) = modules([entry])
    order = ["kernels/__init__", f"kernels/cpu/{family}", "namespace"]
    order += [f"kernels/programs/{device}_{entry.identifier}" for device in ("cpu", "cuda")]
    order += [f"checks/{entry.identifier}"]
    order += [f"{folder}/{module}" for folder in ("nodes", "ops") for module in (family, "__init__")]
    try:
        root = _module(package, "", "__init__")
        vars(root)["_spec_file"] = str(project_of(origin).path)
        root.__spec__ = ModuleSpec(package, _Data(files["registry.jsonl"].encode()))  # type: ignore[arg-type]
        for folder in ("kernels", "kernels/cpu", "kernels/programs", "checks", "nodes", "ops"):
            _module(package, "", f"{folder}/__init__")
        for file in [*order, "registry"]:
            if f"{file}.py" in files:
                module = _module(package, files[f"{file}.py"], file)
                if file == "kernels/__init__":
                    _interpret(module, entry, generated)
                for value in vars(module).values():
                    if isinstance(value, LazyKernel) and value.function.__module__ == module.__name__:
                        value.options["cache"] = False  # there is no file to keep it beside
        yield sys.modules[f"{package}.registry"].OPS[0]
    finally:
        for name in [name for name in sys.modules if f"{name}.".startswith(f"{package}.")]:
            del sys.modules[name]


class _Data(NamedTuple):
    """What a package in memory has for a loader: its registry's data."""

    content: bytes

    def get_data(self, path: str) -> bytes:
        return self.content


def _module(package: str, source: str, file: str) -> types.ModuleType:
    path = f"{package}/{file}".removesuffix("/__init__")
    name = path.replace("/", ".")
    module = sys.modules.setdefault(name, types.ModuleType(name))
    module.__file__ = f"<{package}>/{file}.py"
    module.__spec__ = ModuleSpec(name, None)  # which who looks for modules beside it asks for
    is_package = file.endswith("__init__")
    module.__package__ = name if is_package else name.rpartition(".")[0]
    if is_package:
        module.__path__ = []
    parent, _, own = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], own, module)
    exec(compile(source, module.__file__, "exec"), vars(module))
    return module


def _interpret(kernels: types.ModuleType, entry: Entry, generated: str) -> None:
    name = entry.identifier.upper()
    if hasattr(kernels, name):
        tree = getattr(sys.modules[f"{generated}.kernels"], name)
        own = getattr(kernels, name)
        own.kernels = Interpreted(own.kernels, tree.kernels)
