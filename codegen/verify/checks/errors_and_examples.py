"""An entry's example, run as users read it, and the calls that it says are refused: on purpose, before computing.

Numbers that a decomposition cannot do with are found by computing: `LinAlgError` may come from there. The error of a
public op has its name in it: whoever calls `linalg.vector_norm` does not know that `norm` computes it.
"""

import doctest
import functools
import importlib
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from specgrad.runtime.dispatch.overloads import Overloads
from specgrad.runtime.spec_lines import generated_package

from ...spec.model import legible
from ..calls.entries import has_key, spec_entry
from ..calls.findings import LONGEST, Report, computes, error_message, is_proper, key_of, on_purpose
from ..calls.point import Point
from ..calls.variants import is_internal

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def check_example(op: Any, report: Report) -> None:
    if not op.example:
        return
    report.checks += 1
    with registered(op) as names:
        if shown := _failure(op.name, op.example, names):
            report.find(op, "example", legible(shown, LONGEST))


@contextmanager
def registered(op: Any) -> Iterator[dict[str, Any]]:
    package_name = generated_package(op.function.__module__)
    package = importlib.import_module(package_name)
    if package_name.startswith("specgrad."):
        yield {}
        return
    register, unregister = (getattr(package, name, lambda: None) for name in ("register", "unregister"))
    register()
    try:
        public = {name: getattr(package, name) for name in package.__all__}
        yield {**public, Path(op.spec).stem: package, package_name.partition(".")[0]: package}
    finally:
        unregister()


def check_examples(op: Any, tree: Any, examples: Sequence[str], generated: str, package: str) -> str:
    names = {package: sys.modules[generated]} if package else {}
    with standing_in(op, tree, generated):
        for example in filter(None, examples):
            shown = _failure(op.name, example, names)
            if shown:
                return f"{op.where}: {op.name}, example: {shown}"
    return ""


def _failure(name: str, example: str, names: Mapping[str, Any] = MappingProxyType({})) -> str:
    sg = importlib.import_module("specgrad")
    test = doctest.DocTestParser().get_doctest(f"{example}\n", {"sg": sg, "specgrad": sg, **names}, name, None, 0)
    shown: list[str] = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
    runner.run(test, out=shown.append)
    text = " ".join("".join(shown).split()) if runner.failures else ""
    return text.partition("Failed example: ")[2] or text


@contextmanager
def standing_in(op: Any, tree: Any, generated: str) -> Iterator[None]:
    arguments = {id(tree.function): op.function, id(tree.inplace): op.inplace or tree.inplace}
    done: list[tuple[Any, str, Any]] = []
    try:
        for before in filter(None, (tree.function, tree.inplace)):
            for holder, name in _holders(before, generated):
                setattr(holder, name, arguments[id(before)])
                done.append((holder, name, before))
        for table in _tables(generated):
            done += [(table, "overloads", table.overloads), (table, "by_types", {})]
            table.overloads = [(arguments.get(id(function), function), *rest) for function, *rest in table.overloads]
            table.by_types = {}
        yield
    finally:
        for holder, name, before in done:
            setattr(holder, name, before)


@functools.cache
def _holders(function: Any, generated: str) -> list[tuple[Any, str]]:
    owner = generated.removesuffix(".generated")
    modules = [module for name, module in list(sys.modules.items()) if f"{name}.".startswith(f"{owner}.")]
    holders = [*modules, importlib.import_module("specgrad").Tensor]
    return [(holder, name) for holder in holders for name, value in list(vars(holder).items()) if value is function]


@functools.cache
def _tables(generated: str) -> list[Any]:
    modules = [module for name, module in sys.modules.items() if name.startswith(f"{generated}.ops.")]
    return [value for module in modules for value in vars(module).values() if isinstance(value, Overloads)]


def check_refuses(op: Any, report: Report) -> None:
    reached = set()
    for text, requested in op.refuses:
        report.checks += 1
        try:
            point = Point(op, text)
        except Exception as error:
            report.find(op, "errors", f"({text}) cannot be made: {error_message(error)}")
            continue
        outcome = _outcome(point)
        if fault := _fault(outcome, requested) or _unnamed(op, outcome):
            report.find(op, "check" if has_key(op, "check") else "errors", f"({text}) {fault}")
        elif isinstance(outcome, Exception):
            reached.add(key_of(op, outcome))
    if op.refuses and op.check and "check" not in reached and not report.has(op.name, "check"):
        text = f"none of these calls is refused by the check '{op.check}', but before it or by what is called after it"
        report.find(op, "errors", text)


def _outcome(point: Point) -> Exception | str:
    try:
        result = point.call(point.tensors([False] * len(point.leaves)))
    except Exception as error:
        return error
    return " and ".join(f"{output._dtype.name} of shape {tuple(output.shape)}" for output in result) or "nothing"


def _fault(outcome: Exception | str, requested: str) -> str:
    if isinstance(outcome, str):
        return f"gives {outcome}, where an error is wanted"
    if computes(outcome) and requested != "LinAlgError":
        return f"is refused by what computes it, and not before: {error_message(outcome)}"
    if not is_proper(outcome) or not on_purpose(outcome):
        return f"fails by accident: {error_message(outcome)}"
    if requested and not any(each.__name__ == requested for each in type(outcome).__mro__):
        return f"is refused by {error_message(outcome)}, where {requested} is wanted"
    return "" if str(outcome).strip() else f"is refused by {type(outcome).__name__} without a word"


def _unnamed(op: Any, error: Exception | str) -> str:
    entry = spec_entry(op)
    if is_internal(op) or entry is None:
        return ""
    function = entry.schema.name
    names = {function, function.rstrip("_"), function.removeprefix(f"{entry.namespace}_")}
    if names & set(re.findall(r"\w+", str(error))):
        return ""
    return f"is refused by {error_message(error)}, which does not name the op"  # type: ignore[arg-type]
