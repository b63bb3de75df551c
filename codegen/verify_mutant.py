"""Judging one mutant: its entry alone is validated, rendered, run from memory and verified, up to the first finding.

Nothing is written. The process has no native code and hand-written kernels that look at every index: a wrong call of
one is a finding, and the next mutant finds memory whole.
"""

from __future__ import annotations

import ast
import functools
import itertools
import sys
import types
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from .context import Context
from .helpers import RUNTIME, Known
from .homes import read_known
from .load import load_spec
from .model import Entry, Spec
from .proof.report import disproved
from .render import OUTSIDE, Renderer
from .rendered import NotPython
from .scope import Ops
from .taken import read_taken
from .validate import CHECKS
from .verify import verify_op
from .verify_equivalence import equivalent
from .verify_example import check_examples
from .verify_interpreted import Interpreted
from .verify_processes import Package, guarded, prepared
from .verify_report import Finding, Report

PACKAGE = Package("specgrad.generated")
SPEC = RUNTIME.parent / "derivatives.yaml"
_numbers = itertools.count()


class Found(BaseException):
    """A finding, which is all that a mutant is asked for; no `except Exception` keeps it."""


class First(Report):
    """A report that ends with its first finding."""

    def add(self, finding: Finding) -> None:
        raise Found(str(finding))


def judge(entry: Entry) -> str:
    """What is found wrong with an entry in the place of the tree's of its name; empty where nothing is."""
    ops = prepared(PACKAGE)
    try:
        if problem := invalid(entry):
            return problem
        with imported(entry) as op, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            verify_op(op, First())
            guarded(op, First())
            return check_examples(op, ops[entry.name], examples(entry))
    except Found as found:
        return str(found)
    except (Exception, NotPython) as error:  # no package could be made of it
        return f"{entry.name}: {type(error).__name__}: {error}"


def examples(entry: Entry) -> list[str]:
    """The entry's example, and those of the overloads that share its function."""
    return [other.example for other in base()[0].entries if other.schema.name == entry.schema.name]


def weigh(entry: Entry, mutant: Entry, key: str, trees: tuple[ast.expr, ast.expr] | None) -> tuple[str, str]:
    """(what is found wrong with a mutant, why nothing can be): a survivor has neither."""
    if found := judge(mutant):
        return found, ""
    if key in {*entry.gradients, *entry.forward, "backward"} and code(entry) == code(mutant):
        return "", "the same generated code"
    return "", (equivalent(entry, *trees, renderer().inliner) or "") if trees else ""


def code(entry: Entry) -> list[str]:
    """What is generated for an entry, docstrings and the record of its statements apart."""
    files = OneEntry(renderer(), entry).rendered()
    trees = {name: ast.parse(text) for name, text in files.items() if name.endswith(".py") and "registry" not in name}
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and ast.get_docstring(node) is not None:
                del node.body[0]
    return [ast.dump(tree) for _, tree in sorted(trees.items())]


def invalid(entry: Entry) -> str:
    """The first problem that needs no samples: of sense, or of a formula that algebra disproves."""
    spec, known = base()
    entries = [entry if other.name == entry.name else other for other in spec.entries]
    context = Context(entry, Ops(entries, spec.broken), known)
    if problem := next((str(problem) for check in CHECKS for problem in check(context)), ""):
        return problem
    return next(map(str, disproved(Spec(spec.file, (entry,)), replace(spec, entries=tuple(entries)))), "")


@functools.cache
def base() -> tuple[Spec, Known]:
    """The tree's spec, and what it may name."""
    spec, _ = load_spec(SPEC, SPEC.name)
    return spec, replace(read_known(), taken=read_taken(SPEC.parent / "generated", spec))


@functools.cache
def renderer() -> Renderer:
    return Renderer(base()[0], OUTSIDE)


class OneEntry(Renderer):
    """Renders one entry, which stands for the tree's of its name: all others are called as they are."""

    def __init__(self, whole: Renderer, entry: Entry) -> None:
        kept = ("target", "library", "calls", "environment", "bases", "home")
        self.__dict__.update({name: vars(whole)[name] for name in kept})
        entries = tuple(entry if other.name == entry.name else other for other in whole.spec.entries)
        self.spec = replace(whole.spec, entries=(entry,))
        self.entries = {other.name: other for other in entries}
        self.inliner = type(whole.inliner)(self.entries)

    def package_init(self) -> str:
        """Nothing: it says what the package is for, and no package is written."""
        return ""

    def overloads(self, entry: Entry) -> list[Entry]:
        return [other for other in self.entries.values() if other.schema.name == entry.schema.name]

    def ops_context(self) -> dict[str, Any]:
        """Without what stands for several overloads: aliases, and the names of the package's public functions."""
        own = [name for code in self.ops for name in (code.name, *[code.inplace_name] * code.has_inplace)]
        return {**super().ops_context(), "aliases": [], "public": [], "functions": own}


@contextmanager
def imported(entry: Entry) -> Iterator[Any]:
    """The op's record in a package of its entry alone, which is in memory as long as this lasts."""
    package = f"mutant_{next(_numbers)}"
    files = OneEntry(renderer(), entry).rendered()
    order = ("__init__", "kernels/__init__", f"kernels/cpu/{entry.identifier}", "functions", "ops", "registry")
    sys.modules[f"{package}.kernels.cpu"] = types.ModuleType(f"{package}.kernels.cpu")
    try:
        for file in order:
            if file == "__init__":
                vars(_module(package, "", "__init__"))["_spec_file"] = str(SPEC)  # what an entry does not say is there
            elif f"{file}.py" in files:
                module = _module(package, files[f"{file}.py"], file)
                if file == "kernels/__init__":
                    _interpret(module, entry)
        yield sys.modules[f"{package}.registry"].OPS[0]
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == package]:
            del sys.modules[name]


def _module(package: str, source: str, file: str) -> types.ModuleType:
    """Run a rendered file as a module of a package in memory."""
    path = f"{package}/{file}".removesuffix("/__init__")
    name = path.replace("/", ".")
    module = types.ModuleType(name)
    module.__file__ = f"<{name}>"
    is_package = file.endswith("__init__")
    module.__package__ = name if is_package else name.rpartition(".")[0]
    if is_package:
        module.__path__ = []
    sys.modules[name] = module
    parent, _, own = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], own, module)
    exec(compile(source, module.__file__, "exec"), vars(module))
    return module


def _interpret(kernels: types.ModuleType, entry: Entry) -> None:
    """Let the op's own kernels be interpreted where they are not the tree's."""
    name = entry.identifier.upper()
    if hasattr(kernels, name):
        tree = getattr(sys.modules[f"{PACKAGE.place}.kernels"], name)
        own = getattr(kernels, name)
        own.kernels = Interpreted(own.kernels.module, tree.kernels)
