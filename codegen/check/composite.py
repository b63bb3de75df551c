"""Checks of composite ops, which may not be made of themselves, and that every overload of a function can be reached.

An overload is out of reach where an earlier one (a package's come before its base's) takes all that it takes, under
the same names and in the same places. Types are told apart as runtime/dispatch/overloads.py does it.
"""

import ast
from collections.abc import Iterator
from dataclasses import replace

from ..spec.formula import called, value_reads
from ..spec.model import Argument, Entry, Problem, Schema, Type
from ..spec.names import SYMBOLS, chooses_by_types, special_methods
from .scope import Context, fits


def check_composite(context: Context) -> Iterator[Problem]:
    entry = context.entry
    if entry.compute.kind != "composite":
        return
    for name, formula in {**entry.gradients, **entry.forward}.items():
        yield context.problem(formula.where, "a composite op is differentiated through: it takes no formula", name)
    if entry.compute.tree is not None:
        yield from (context.problem(node, message, "composite") for node, message in context.expression_faults)
        yield from _check_count(context, entry.compute.tree)
        if circle := _circle(context):
            message = f"the op would call itself without end: {' calls '.join(circle)}"
            yield context.problem(entry.compute.where, message, "composite")


def _check_count(context: Context, tree: ast.expr) -> Iterator[Problem]:
    returns = context.entry.schema.returns
    if any(output.type.is_list for output in returns):
        return
    for branch in _branches(tree):
        count = _count(context, branch)
        if count is not None and count != len(returns):
            message = f"{len(returns)} output{'s' * (len(returns) > 1)} in the schema, the composite gives {count}"
            yield context.problem(branch, message, "composite")


def _branches(tree: ast.expr) -> list[ast.expr]:
    return [*_branches(tree.body), *_branches(tree.orelse)] if isinstance(tree, ast.IfExp) else [tree]


def _count(context: Context, tree: ast.expr) -> int | None:
    """How many outputs an expression gives; None where it depends on what is computed."""
    match tree:
        case ast.Tuple(elts=elements):
            return len(elements)
        case ast.Name(id=name):
            return 1 if any(a.name == name and not a.type.is_list for a in context.entry.tensor_arguments) else None
        case ast.BinOp() | ast.UnaryOp() | ast.Compare():
            return 1
        case ast.Call(func=function):
            ops, bound = context.ops, int(isinstance(function, ast.Attribute))
            overloads = (ops.methods if bound else ops.functions).get(called(tree), [])
            fitting = [schema.returns for schema in overloads if fits(tree, schema, bound)]
            counts = {None if any(r.type.is_list for r in returns) else len(returns) for returns in fitting}
            return counts.pop() if len(counts) == 1 else None
    return None


def _circle(context: Context) -> list[str]:
    start = context.entry
    todo: list[tuple[Entry, list[str]]] = [(start, [start.name])]
    seen: set[str] = set()
    while todo:
        entry, way = todo.pop()
        for name in _called(context, entry):
            if name == start.name:
                return [*way, name]
            if name not in seen:
                seen.add(name)
                todo.append((context.ops.entries[name], [*way, name]))
    return []


def _called(context: Context, entry: Entry) -> Iterator[str]:
    if entry.compute.kind != "composite" or entry.compute.tree is None:
        return
    matches = [*_called_by_name(context, entry, entry.compute.tree), *_called_by_operator(context, entry)]
    yield from (each for each in matches if context.ops.entries[each].compute.kind == "composite")


def _called_by_name(context: Context, entry: Entry, tree: ast.expr) -> Iterator[str]:
    arguments = [a.name for a in entry.schema.arguments]
    for call, name in context.calls(tree):
        if name in arguments:
            continue
        value = int(isinstance(call.func, ast.Attribute))
        overloads = (context.ops.methods if value else context.ops.functions).get(name, ())
        matches = [each for each in overloads if fits(call, each, value) and _types_fit(entry, call, each, value)]
        yield from [schema.full_name for schema in matches[:1]]


def _types_fit(entry: Entry, call: ast.Call, schema: Schema, value: int) -> bool:
    tensors = [a.name for a in entry.tensor_arguments if not a.type.is_list and entry.check is None]
    pairs = zip(call.args, schema.arguments[value:], strict=False)
    return not any(isinstance(a, ast.Name) and a.id in tensors and not to.type.is_tensor for a, to in pairs)


def _called_by_operator(context: Context, entry: Entry) -> Iterator[str]:
    assert entry.compute.tree is not None
    tensors = [a.name for a in entry.tensor_arguments]
    for node in ast.walk(entry.compute.tree):
        for symbol in getattr(node, "ops", [getattr(node, "op", None)]):
            for method in special_methods(SYMBOLS.get(type(symbol), "")):
                if method in context.ops.operators and value_reads(node, tensors):
                    yield context.ops.operators[method].name


# Of these types any value will do that is neither None nor a tensor.
OBJECTS = ("ScalarType", "Device", "Generator", "MemoryFormat", "ProcessGroup")
NUMBERS = ("Scalar", "float", "int", "bool")
WIDER = {  # the types whose values a type takes, besides its own
    "Scalar": ("float", "int", "bool"),
    "float": ("Scalar", "int", "bool"),
    **dict.fromkeys(OBJECTS, ("bool", "str", *OBJECTS)),
}


def check_overloads(context: Context) -> Iterator[Problem]:
    entry = context.entry
    overloads = context.ops.overloads[entry.schema.name]
    by_types = chooses_by_types([each.schema.arguments for each in overloads])
    for earlier in overloads:
        if earlier is entry:
            return
        if earlier.where.file != entry.where.file:
            yield from _check_base(context, earlier, by_types)
            continue
        if earlier.name != entry.name and _takes_all(earlier, entry, by_types):
            message = f"no call can reach this overload: {earlier.name}, at {earlier.where}, takes all of them"
            yield context.problem(entry.where, message)
            return


def _check_base(context: Context, other: Entry, by_types: bool) -> Iterator[Problem]:
    """An overload that a package adds to a function of its base: it comes first, so it may hide none of the base's."""
    entry = context.entry
    types, theirs = ([argument.type for argument in each.schema.arguments] for each in (entry, other))
    if types == theirs or _takes_all(entry, other, by_types):
        message = f"nothing tells its arguments from those of {other.name} at {other.where}, which it would hide"
        yield context.problem(entry.where, message)
    if {"method", "inplace"} & {*entry.variants}:
        name = entry.schema.name
        message = f"Tensor.{name} stays as it is: an overload that a package adds needs `variants: [function]`"
        yield context.problem(entry.key_locations.get("variants", entry.where), message, "variants")


def _takes_all(earlier: Entry, later: Entry, by_types: bool) -> bool:
    ours, theirs = later.schema.arguments, earlier.schema.arguments
    needed = {a.python_name for a in ours if a.default is None}
    if any(a.default is None and a.python_name not in needed for a in theirs):
        return False
    return all(_takes(earlier, later, argument, by_types) for argument in ours)


def _takes(earlier: Entry, later: Entry, argument: Argument, by_types: bool) -> bool:
    other = next((a for a in earlier.schema.arguments if a.python_name == argument.python_name), None)
    if other is None:
        return False
    is_same_position = earlier.schema.arguments.index(other) == later.schema.arguments.index(argument)
    if not argument.keyword_only and (other.keyword_only or not is_same_position):
        return False
    if by_types:
        return _is_wider((_plain(other.type), False), (_plain(argument.type), False))
    return _is_wider((other.type, _takes_numbers(earlier, other)), (argument.type, _takes_numbers(later, argument)))


def _plain(type_: Type) -> Type:
    return replace(type_, base="Scalar") if type_.base in NUMBERS and not type_.is_list else type_


def _takes_numbers(entry: Entry, argument: Argument) -> bool:
    first = entry.tensor_arguments[0] if entry.tensor_arguments else None
    operand = argument.type.is_tensor and argument is not first and argument.name not in entry.masks
    return entry.compute.kind == "elementwise" and operand


def _is_wider(wide: tuple[Type, bool], narrow: tuple[Type, bool]) -> bool:
    (one, with_numbers), (other, also_numbers) = wide, narrow
    if other.optional and not one.optional:
        return False
    if one.is_list:
        if other.is_list:
            items = not other.optional_items or one.optional_items
            return items and (one.size is not None or other.size is None) and _bases(one.base, other.base)
        return one.size is not None and _bases(one.base, other.base)
    if other.is_list:
        return one.base in OBJECTS
    if one.is_tensor:
        return (other.is_tensor and (with_numbers or not also_numbers)) or (with_numbers and other.base in NUMBERS)
    return not also_numbers and _bases(one.base, other.base)


def _bases(wide: str, narrow: str) -> bool:
    return wide == narrow or narrow in WIDER.get(wide, ())
