"""Docstrings: every public name has one that says what it computes and what its arguments are, and its examples run."""

import doctest
import importlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import specgrad as sg
from specgrad.codegen.site.public import Public, public_objects
from tests.repository import ROOT

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

# What `forward` takes and gives is stated by the class: its Args, its Shape, its formula.
SAID_BY_THE_CLASS = {"forward"}
ARGUMENT = re.compile(r"^ {4}((?:\*{0,2}\w+, )*\*{0,2}\w+): ", re.MULTILINE)
ELSEWHERE = re.compile(r"arguments as of `([\w.]+)`")


def _modules_with_examples() -> list[str]:
    files = [path for folder in ("runtime", "nn", "generated") for path in sorted((ROOT / folder).rglob("*.py"))]
    names = [path.relative_to(ROOT).with_suffix("").parts for path in files if _has_examples(path)]
    return [".".join(["specgrad", *name]).removesuffix(".__init__") for name in names]


def _has_examples(path: Path) -> bool:
    """Whether a docstring shows what something prints; lines of other text begin with a quote."""
    return any(line.lstrip().startswith(">>> ") for line in path.read_text(encoding="utf-8").splitlines())


def _documented_arguments(doc: str) -> set[str]:
    """The names that the section Args explains, here or where it says to look."""
    section = re.search(r"^Args:\n((?: {4}.*\n?|\n)+)", doc, re.MULTILINE)
    names = ARGUMENT.findall(section[1]) if section else []
    named = [BY_PATH.get(f"specgrad.{path}", BY_NAME[path.rpartition(".")[2]]) for path in ELSEWHERE.findall(doc)]
    there = [_documented_arguments(public.doc) for public in named]
    return {name.strip("*") for group in names for name in group.split(", ")}.union(*there)


PUBLIC = public_objects()
BY_PATH = {public.path: public for public in PUBLIC}
BY_NAME = {public.path.rpartition(".")[2]: public for public in reversed(PUBLIC)}


def _lacking(requested: Callable[[Public], bool], missing: Callable[[Public], Any]) -> list[str]:
    """What is missing, for those public things that it is wanted of."""
    found = [(public.path, missing(public)) for public in PUBLIC if requested(public)]
    return [f"{path}: {what}" for path, what in found if what]


class Finder(doctest.DocTestFinder):
    """Functions whose arguments are guarded are their module's, too."""

    def _from_module(self, module: Any, object: Any) -> bool:
        function = inspect.unwrap(object) if inspect.isfunction(object) else object
        return super()._from_module(module, function)  # type: ignore[misc]


@pytest.mark.parametrize("name", _modules_with_examples())
def test_examples_run(name: str) -> None:
    """The module's examples give the output that they show; `sg` and `specgrad` are there without an import."""
    module, shown = importlib.import_module(name), []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for test in Finder().find(module, extraglobs={"sg": sg, "specgrad": sg}):
        runner.run(test, out=shown.append)
    assert runner.tries > 0
    assert runner.failures == 0, "".join(shown)


def test_the_walk_finds_all_parts() -> None:
    """The tests below look at everything that a user can reach."""
    paths = {public.path for public in PUBLIC}
    assert {"specgrad.matmul", "specgrad.zeros", "specgrad.Tensor.backward", "specgrad.Tensor.item"} <= paths
    assert {"specgrad.nn.Linear", "specgrad.nn.functional.cross_entropy", "specgrad.nn.init.xavier_normal_"} <= paths
    assert {"specgrad.optim.Adam", "specgrad.utils.data.DataLoader", "specgrad.autograd.Function.apply"} <= paths


def test_every_public_name_says_what_it_is() -> None:
    """The docstring begins with a sentence."""

    def missing(public: Public) -> str:
        first = public.doc.strip().partition("\n\n")[0]
        return "" if len(first.split()) > 1 and first.endswith((".", ":", "?")) else f"begins with {first!r}"

    assert _lacking(lambda public: True, missing) == []


def test_functions_and_classes_explain_their_arguments() -> None:
    """What is written by hand, and can be called with arguments, has a section Args with all of them."""

    def missing(public: Public) -> list[str]:
        return [name for name in public.parameters if name not in _documented_arguments(public.doc)]

    assert _lacking(lambda public: public.kind in ("function", "class") and not public.generated, missing) == []


def test_layers_state_formula_shapes_and_an_example() -> None:
    """So does everything that computes: layers, and the functions of `nn.functional`."""
    modules = [p for p in PUBLIC if p.kind == "class" and issubclass(p.object, sg.nn.Module)]
    layers = {p.path for p in modules if p.object.forward is not sg.nn.Module.forward}
    functions = {p.path for p in PUBLIC if p.path.startswith("specgrad.nn.functional.") and not p.generated}

    def missing(public: Public) -> list[str]:
        titles = ["Shape:", "Example:", *(["Formula:"] if public.path in layers else [])]
        return [title for title in titles if f"\n{title}" not in public.doc]

    assert len(layers) > 20 and len(functions) > 20
    assert _lacking(lambda public: public.path in layers | functions, missing) == []


def test_methods_name_their_arguments() -> None:
    """A method's docstring names every argument, in a section Args or in its sentences."""

    def missing(public: Public) -> list[str]:
        there = _documented_arguments(public.doc)
        return [n for n in public.parameters if n not in there and not re.search(rf"\b{n}\b", public.doc)]

    def requested(public: Public) -> bool:
        message = public.path.rpartition(".")[2] in SAID_BY_THE_CLASS
        return public.kind == "method" and not public.generated and not message

    assert _lacking(requested, missing) == []


def _is_op(public: Public) -> bool:
    """In-place functions refer to the plain ones."""
    return public.generated and public.kind == "function" and not public.path.endswith("_")


def test_ops_have_examples() -> None:
    """Every op that is offered has an `example:` in the spec."""
    assert _lacking(_is_op, lambda public: "" if ">>> " in public.doc else "no example") == []


def test_ops_explain_their_arguments() -> None:
    """Every op that is offered has its arguments in the docstring, all overloads' in that of the common function."""

    def missing(public: Public) -> list[str]:
        documented = _documented_arguments(public.doc) | ({"args", "kwargs"} if "Overloads:" in public.doc else set())
        return [name for name in public.parameters if name not in documented]

    assert _lacking(_is_op, missing) == []
