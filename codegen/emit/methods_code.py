"""The methods and operators of Tensor, as data for tensor.py.j2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..spec.model import Type
from ..spec.operators import BINARY, COMPARISONS, REFLECTED, UNARY
from .op_code import OpCode


def unique(items: Iterable[Any]) -> list[Any]:
    """The items in order, each once."""
    return list(dict.fromkeys(items))


def methods_context(ops: Sequence[OpCode]) -> dict[str, Any]:
    """(name, function or source) of methods and operators, by how the template writes them."""
    methods: list[tuple[str, str]] = []
    variadic: list[tuple[str, str, str, bool]] = []
    operators, comparisons, reflected, reordered = [], [], [], []
    for code in ops:
        entry, name = code.entry, code.entry.schema.name
        if "method" in entry.variants and code.arguments[0].name != "self" and entry.schema.argument("self"):
            reordered.append((name, *reordered_call(code)))
        elif "method" in entry.variants:
            if code.is_variadic:
                variadic += [(m, name, code.name, has_overload_of_int(code, ops)) for m in entry.names]
            else:
                methods += [(m, name) for m in entry.names]
        if code.has_inplace:
            methods += [(f"{m}_", f"{name}_") for m in entry.names]
        operators += [(d, name) for d in UNARY.get(entry.operator or "", ())]
        if entry.operator in COMPARISONS:
            comparisons.append((COMPARISONS[entry.operator], name))
        if entry.operator in BINARY:
            dunder = BINARY[entry.operator]
            operators.append((f"__{dunder}__", name))
            operators += [(f"__i{dunder}__", f"{name}_")] if code.has_inplace else []
            reflected += [(f"__r{dunder}__", *reflected_call(code, ops))] if entry.operator in REFLECTED else []
    return {
        "methods": unique(m for m in methods if m[0] not in {v[0] for v in variadic}),
        "variadic": unique(variadic),
        "operators": unique(operators),
        "comparisons": unique(comparisons),
        "reflected": unique(reflected),
        "reordered": unique(reordered),
    }


def registered(ops: Sequence[OpCode]) -> dict[str, dict[str, str]]:
    """Place -> name -> source of what `register()` of a package outside the tree adds: methods, and namespaces."""
    context = methods_context(ops)
    methods = {name: f"ops.{function}" for name, function in context["methods"]}
    methods |= {name: f"ops.{function}" for name, function, *_ in context["variadic"]}
    methods |= {name: f"lambda self, {given}: ops.{name}({handed})" for name, given, handed in context["reordered"]}
    found = {"Tensor": methods}
    for code in ops:
        if code.entry.namespace and "function" in code.entry.variants:
            found.setdefault(code.entry.namespace, {}).update({name: f"ops.{name}" for name in code.entry.names})
    return {place: functions for place, functions in found.items() if functions}


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
    rest = "".join(f", {a.default}" for a in code.arguments[2:])
    given = f'"{name}", other, self{rest}'
    return f"_{code.name}({given})", f'"{code.entry.name}", _{code.name}, "{code.batch_rule}", {given}'


def general_paths(families: Mapping[str, Sequence[OpCode]]) -> dict[str, list[str]]:
    """Family -> the general paths that reflected operators call, which ops/ does not offer."""
    ops = [code for codes in families.values() for code in codes]
    called = {
        family: [f"_{c.name}" for c in codes if c.entry.operator in REFLECTED and reflected_call(c, ops)[1]]
        for family, codes in families.items()
    }
    return {family: names for family, names in called.items() if names}
