"""Checks that the functions an entry names take what the entry will pass: how many arguments, and in which order."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..library.parameters import Parameters
from ..spec.formula import called
from ..spec.model import Entry, Problem, Where
from .context import Context

NO_ARRAYS = ("ScalarType", "MemoryFormat")  # what decides how a kernel's results are made, and is not passed to it
LAYOUT = ("shape", "strides", "offset")  # what a view is made of
SIZES = ("itemsize before", "itemsize after")


def check_signatures(context: Context) -> Iterator[Problem]:
    """The kernel, the view function, the check, the batching rule and the kernel for backward."""
    entry = context.entry
    for key, name, own, given in _calls(entry):
        parameters = context.known.parameters.get(key, {}).get(name)
        if parameters is not None:
            yield from _fault(context, (key, entry.key_places[key], name), parameters, own, given)
    yield from _check_batch(context)
    yield from _check_backward(context)


def _calls(entry: Entry) -> Iterator[tuple[str, str, Sequence[str], list[str]]]:
    """The key, the function that it names, what comes first of the generator's own, and the arguments behind that."""
    arguments, compute = entry.schema.arguments, entry.compute
    if compute.kind == "kernel":
        yield "kernel", compute.text, (), [a.name for a in arguments if a.type.base not in NO_ARRAYS]
    if compute.kind == "view":
        retyped = any(a.type.base == "ScalarType" for a in arguments) or entry.result_dtype[0] != "same"
        passed = [a.name for a in arguments if a.type.base not in ("Tensor", "ScalarType")]
        yield "view", compute.text, (*LAYOUT, *SIZES) if retyped else LAYOUT, passed
    if entry.check is not None:
        yield "check", entry.check, ("the op's name",), [a.name for a in arguments]


def _fault(
    context: Context, named: tuple[str, Where, str], parameters: Parameters, own: Sequence[str], given: list[str]
) -> Iterator[Problem]:
    """A function that does not take so many arguments, or has the names of some of them in another order."""
    key, where, name = named
    count = len(own) + len(given)
    if not parameters.takes(count):
        message = f"{name} takes {_shown(parameters)}, the schema gives it {count}: {_listed([*own, *given])}"
        yield context.problem(where, message, key)
        return
    theirs = parameters.names[len(own) :]
    both = list(dict.fromkeys(name for name in given if name in theirs))
    if both != [name for name in theirs if name in both]:
        message = f"{name} takes its arguments in another order, {_listed(theirs)}: the schema has {_listed(given)}"
        yield context.problem(where, message, key)


def _check_batch(context: Context) -> Iterator[Problem]:
    """A batching rule takes the call; other functions of the rules' modules do not."""
    rule = context.entry.batch
    parameters = context.known.parameters.get("batch", {}).get(rule or "")
    if parameters is None:
        return
    if not (parameters.takes(1) and parameters.first_hint in ("", "Call") and parameters.gives in ("", "Any")):
        message = f"{rule} is no batching rule: a rule takes the call and gives what the op gives for the batch"
        yield context.problem(context.entry.key_places["batch"], message, "batch")


def _check_backward(context: Context) -> Iterator[Problem]:
    """The kernel for backward, called as the entry writes the call; names mean the same in it and in the entry."""
    formula = context.entry.backward
    call = formula.tree if formula else None
    if formula is None or not isinstance(call, ast.Call):
        return
    name, given = called(call), [a.id if isinstance(a, ast.Name) else "" for a in call.args]
    parameters = context.known.parameters.get("kernel", {}).get(name)
    if parameters is None:
        return
    if call.keywords or not parameters.takes(len(given)):
        message = f"{name} takes {_shown(parameters)} by place, got {len(given) + len(call.keywords)}"
        yield context.problem(call, message, "backward")
        return
    both = list(dict.fromkeys(name for name in given if name in parameters.names))
    if both != [name for name in parameters.names if name in both]:
        message = f"{name} takes its arguments in another order: {_listed(parameters.names)}"
        yield context.problem(call, message, "backward")


def _shown(parameters: Parameters) -> str:
    """`2 arguments (x, dim)`, `2 to 3 arguments (x, dim, keepdim)`."""
    low, high = parameters.required, len(parameters.names)
    count = f"{low} or more" if parameters.most > high else str(low) if low == high else f"{low} to {high}"
    return f"{count} argument{'s' * (count != '1')} {_listed(parameters.names)}"


def _listed(names: Sequence[str]) -> str:
    return f"({', '.join(names)})"
