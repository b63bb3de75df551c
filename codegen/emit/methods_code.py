"""The methods and operators of Tensor, as data for tensor.py.j2."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..spec.model import Type
from ..spec.operators import BINARY, COMPARISONS, REFLECTED, UNARY
from .call_code import behind
from .op_code import OpCode
from .operator_code import operator, operator_in_place, reflected


def unique(items: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(items))


def methods_context(ops: Sequence[OpCode]) -> dict[str, Any]:
    """(name, function or source) of methods and operators, by how the template writes them."""
    kinds = ("methods", "variadic", "operators", "binary", "comparisons", "reflected", "reordered")
    results: dict[str, list[Any]] = {kind: [] for kind in kinds}
    for code in ops:
        for kind, item in (*_methods(code, ops), *_operators(code, ops)):
            results[kind].append(item)
    variadic = {name for name, *_ in results["variadic"]}
    results["methods"] = [method for method in results["methods"] if method[0] not in variadic]
    return {kind: unique(items) for kind, items in results.items()}


def _methods(code: OpCode, ops: Sequence[OpCode]) -> Iterator[tuple[str, Any]]:
    entry, name = code.entry, code.entry.schema.name
    if "method" in entry.variants and code.arguments[0].name != "self" and entry.schema.argument("self"):
        yield "reordered", (name, *reordered_call(code))
    elif "method" in entry.variants and code.is_variadic:
        takes_int = has_overload_of_int(code, ops)
        yield from (("variadic", (method, name, code.name, takes_int)) for method in entry.names)
    elif "method" in entry.variants:
        yield from (("methods", (method, name)) for method in entry.names)
    if code.has_inplace:
        yield from (("methods", (f"{method}_", f"{name}_")) for method in entry.names)


def _operators(code: OpCode, ops: Sequence[OpCode]) -> Iterator[tuple[str, Any]]:
    symbol, name = code.entry.operator or "", code.entry.schema.name
    yield from (("operators", (method, name)) for method in UNARY.get(symbol, ()))
    if symbol in COMPARISONS:
        yield "comparisons", (COMPARISONS[symbol], name)
    if symbol in BINARY:
        yield "binary", operator(f"__{BINARY[symbol]}__", code, ops)
        if code.has_inplace:
            yield "binary", operator_in_place(f"__i{BINARY[symbol]}__", code, ops)
        if symbol in REFLECTED:
            source, intercepted = reflected_call(code, ops)
            yield "reflected", (f"__r{BINARY[symbol]}__", source, intercepted, reflected(code) if intercepted else ())


def registered(ops: Sequence[OpCode]) -> dict[str, dict[str, str]]:
    """Place -> name -> source of what `register()` of a package outside the tree adds: methods, and namespaces."""
    context = methods_context(ops)
    methods = {name: f"ops.{function}" for name, function in context["methods"]}
    methods |= {name: f"ops.{function}" for name, function, *_ in context["variadic"]}
    methods |= {name: f"lambda self, {value}: ops.{name}({handed})" for name, value, handed in context["reordered"]}
    results = {"Tensor": methods}
    for code in ops:
        if code.entry.namespace and "function" in code.entry.variants:
            results.setdefault(code.entry.namespace, {}).update({name: f"ops.{name}" for name in code.entry.names})
    return {location: functions for location, functions in results.items() if functions}


def has_overload_of_int(code: OpCode, ops: Sequence[OpCode]) -> bool:
    """Whether one int is no list of ints of one item, but what another overload takes: `x.hsplit(2)`."""
    others = [c for c in ops if c.entry.schema.name == code.entry.schema.name and c is not code]
    return any([a.type for a in other.arguments[1:2]] == [Type("int")] for other in others)


def reordered_call(code: OpCode) -> tuple[str, str]:
    """(parameters, arguments) of a method whose tensor is not the function's first: `x.where(condition, y)`."""
    names = [a.name for a in code.arguments]
    return ", ".join(n for n in names if n != "self"), ", ".join(names)


def reflected_call(code: OpCode, ops: Sequence[OpCode]) -> tuple[str, str]:
    """The call for `other <operator> self` with no Tensor `other`, the arguments of `intercept` on a general path."""
    name = code.entry.schema.name
    overloads = [c.entry for c in ops if c.entry.schema.name == name]
    if any(not e.schema.arguments[0].type.is_tensor for e in overloads):
        return f"ops.{name}(other, self)", ""
    if code.entry.commutative:
        return f"ops.{name}(self, other)", ""
    value = f'"{name}", other, self{behind(str(a.default) for a in code.arguments[2:])}'
    return f"_{code.name}({value})", f'"{code.entry.name}", _{code.name}, "{code.batch_rule}", {value}'


def general_paths(families: Mapping[str, Sequence[OpCode]]) -> dict[str, list[str]]:
    """Family -> what operators call that ops/ does not offer: general paths, and what a composite tries first."""
    ops = [code for codes in families.values() for code in codes]
    called = {
        family: [
            *(f"_{c.name}" for c in codes if c.entry.operator in REFLECTED and reflected_call(c, ops)[1]),
            *(each for c in codes if c.entry.operator in BINARY for each in c.fast.tried),
        ]
        for family, codes in families.items()
    }
    return {family: names for family, names in called.items() if names}
