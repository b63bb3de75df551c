"""Checks that a named function takes what an entry passes to it, and that something reads each argument."""

import ast
from collections.abc import Iterator, Sequence

from ..language.syntax import did_you_mean
from ..library.modules import Parameters, shown_arity
from ..library.op_library import KEYS
from ..spec.formula import called, names
from ..spec.model import Argument, Compute, Entry, Formula, Problem
from .scope import Context

NO_ARRAYS = ("ScalarType", "MemoryFormat")  # what decides how a kernel's results are made, and is not passed to it
LAYOUT = ("shape", "strides", "offset")  # what a view is made of
SIZES = ("itemsize before", "itemsize after")


def check_signatures(context: Context) -> Iterator[Problem]:
    entry = context.entry
    for key, name, own, value in _calls(entry):
        parameters = context.known.parameters.get(key, {}).get(name)
        if parameters is not None:
            yield from (context.at(key, message) for message in _faults(name, parameters, own, value))
    yield from _check_rule(context, "batch", entry.batch, "the batch")
    yield from _check_rule(context, "sparse", entry.sparse)
    yield from _check_rule(context, "conj", entry.conj_rule)
    formula = entry.backward
    call = formula.tree if formula else None
    if formula is None or not isinstance(call, ast.Call):
        return
    name, value = called(call), [a.id if isinstance(a, ast.Name) else "" for a in call.args]
    parameters = context.known.parameters.get("kernel", {}).get(name)
    if parameters is None:
        return
    if call.keywords or not parameters.takes(len(value)):
        message = f"{name} takes {_shown(parameters)} by place, got {len(value) + len(call.keywords)}"
        yield context.problem(call, message, "backward")
    elif _in_another_order(value, parameters.names):
        message = f"{name} takes its arguments in another order: {_listed(parameters.names)}"
        yield context.problem(call, message, "backward")


def _calls(entry: Entry) -> Iterator[tuple[str, str, Sequence[str], list[str]]]:
    arguments, compute = entry.schema.arguments, entry.compute
    if compute.kind == "kernel":
        array_args = [a.name for a in arguments if a.type.base not in NO_ARRAYS]
        yield "kernel", compute.text, (), array_args
        if entry.shape is not None:
            yield "meta", entry.shape, (), array_args
    if compute.kind == "view":
        retyped = any(a.type.base == "ScalarType" for a in arguments) or entry.result_dtype[0] != "same"
        passed = [a.name for a in arguments if a.type.base not in ("Tensor", "ScalarType")]
        yield "view", compute.text, (*LAYOUT, *SIZES) if retyped else LAYOUT, passed
    if entry.check is not None:
        yield "check", entry.check, ("the op's name",), [a.name for a in arguments]


def _faults(name: str, parameters: Parameters, own: Sequence[str], args: list[str]) -> Iterator[str]:
    count, theirs = len(own) + len(args), parameters.names[len(own) :]
    if not parameters.takes(count):
        yield f"{name} takes {_shown(parameters)}, the schema gives it {count}: {_listed([*own, *args])}"
    elif _in_another_order(args, theirs):
        yield f"{name} takes its arguments in another order, {_listed(theirs)}: the schema has {_listed(args)}"


def _check_rule(context: Context, key: str, rule: str | None, what: str = "them") -> Iterator[Problem]:
    parameters = context.known.parameters.get(key, {}).get(rule or "")
    if parameters is None:
        return
    if not (parameters.takes(1) and parameters.first_hint in ("", "Call") and parameters.gives in ("", "Any")):
        yield context.at(key, f"{rule} is no {KEYS[key]}: a rule takes the call and gives what the op gives for {what}")


def _in_another_order(args: Sequence[str], names: Sequence[str]) -> bool:
    both = list(dict.fromkeys(name for name in args if name in names))
    return both != [name for name in names if name in both]


def _shown(parameters: Parameters) -> str:
    return f"{shown_arity((parameters.required, parameters.max_args))} {_listed(parameters.names)}"


def _listed(names: Sequence[str]) -> str:
    return f"({', '.join(names)})"


EXPRESSIONS = ("elementwise", "composite")  # the kinds of ops that are computed by one
UNUSED = "nothing reads this argument: use it, take it out of the schema, or name it in 'ignores'"


def check_unused(context: Context) -> Iterator[Problem]:
    entry = context.entry
    if not _is_integral(entry) or context.expression_faults:
        return
    for name in entry.definitions.keys() - _definitions_used(entry):
        yield context.problem(entry.definitions[name].where, "nothing uses this definition", name)
    arguments = [argument.name for argument in entry.schema.arguments]
    unused = [a.name for a in entry.schema.arguments if not (a.type.writes or _is_read(context, a))]
    yield from (context.problem(entry.where, UNUSED, name) for name in unused if name not in entry.ignores)
    for name in entry.ignores:
        if name not in arguments:
            yield context.at("ignores", f"the op has no argument '{name}'{did_you_mean(name, arguments)}")
        elif name not in unused:
            yield context.at("ignores", f"'{name}' is read: it is not ignored")


def check_layout(context: Context) -> Iterator[Problem]:
    entry = context.entry
    tensors = [a.name for a in entry.schema.arguments if a.type.is_tensor and not a.type.is_list]
    lists = [a.name for a in entry.schema.arguments if a.type.is_tensor and a.type.is_list]
    for name in entry.memory_format_of:
        if entry.compute.kind not in ("kernel", "rows"):
            yield context.at("memory_format_of", "only what a kernel gives is laid out")
        elif name not in tensors + lists:
            yield context.at("memory_format_of", f"the op has no tensor '{name}'{did_you_mean(name, tensors)}")


def check_hooked(context: Context) -> Iterator[Problem]:
    entry = context.entry
    for i, name in enumerate(entry.hooked):
        if any(a.type.is_tensor and a.type.is_list for a in entry.schema.arguments):
            yield context.at("hook_order", "which edges lead to the tensors of a list is not known here")
        elif name not in entry.gradients:
            hint = did_you_mean(name, list(entry.gradients))
            yield context.at("hook_order", f"the entry has no gradient for '{name}'{hint}")
        elif name in entry.hooked[:i]:
            yield context.at("hook_order", f"'{name}' stands there twice")


def _is_integral(entry: Entry) -> bool:
    if entry.compute.kind == "missing" or (entry.compute.kind in EXPRESSIONS and entry.compute.tree is None):
        return False
    formulas = (*entry.gradients.values(), *entry.forward.values(), *entry.definitions.values())
    return all(formula.tree is not None or formula.keyword is not None for formula in formulas)


def _is_read(context: Context, argument: Argument) -> bool:
    entry = context.entry
    args = {argument.name, f"{argument.name}_p", f"{argument.name}_t"}
    if argument.type.base == "MemoryFormat":  # the result is laid out so
        return True
    read = {node.id for part in _parts(entry) if part.tree is not None for node in names(part.tree)}
    return bool(args & read) or _reaches_function(entry, argument) or _is_checked(context, argument)


def _parts(entry: Entry) -> list[Compute | Formula]:
    return [each for each in entry.expressions if each not in entry.definitions.values()]


def _definitions_used(entry: Entry) -> set[str]:
    matches = {node.id for part in _parts(entry) if part.written is not None for node in names(part.written)}
    for name, definition in reversed(entry.definitions.items()):
        if name in matches and definition.written is not None:
            matches |= {node.id for node in names(definition.written)}
    return matches


def _reaches_function(entry: Entry, argument: Argument) -> bool:
    if entry.compute.kind == "view":
        return not argument.type.is_tensor or argument is entry.tensor_arguments[0]
    return entry.compute.kind == "kernel" and argument.type.base != "MemoryFormat"


def _is_checked(context: Context, argument: Argument) -> bool:
    entry = context.entry
    parameters = context.known.parameters.get("check", {}).get(entry.check or "")
    if parameters is None:
        return entry.check is not None
    position = entry.schema.arguments.index(argument) + 1
    return (parameters.names[position] if position < len(parameters.names) else parameters.rest) in parameters.read
