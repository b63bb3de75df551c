"""The methods and binary operators of Tensor, as data for tensor.py.j2."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..spec.model import Argument, Type
from ..spec.names import BINARY, COMPARISONS, REFLECTED, UNARY
from .calls import behind
from .op import OpCode
from .overloads import has_type, takes

OPERANDS = ("self", "other")


@dataclass(frozen=True)
class Operator:
    """What a special method tries first, and its op; that raises where an operator gives NotImplemented instead."""

    method: str
    op: str
    fast: tuple[str, ...]


def operator(method: str, code: OpCode, ops: Sequence[OpCode]) -> Operator:
    codes = _overloads(code, ops)
    fast = [c for c in codes if c.fast.tried or (c.fast.applies and not c.fast.condition)]
    lines = [line for c in fast for line in _launched(c, len(codes) > 1)]
    return Operator(method, code.entry.schema.name, tuple(lines))


def reflected(code: OpCode) -> tuple[str, ...]:
    fast = code.fast
    if not fast.applies or fast.condition or code.entry.autocast or code.numbers or "float" not in code.entry.dtypes:
        return ()
    return (
        "if not watch.every and (first := standing_for(other, self)) is not None:",
        f"    result = {code.kernel}.launch(first, self)",
        f"    return ops.{code.entry.schema.name}(first, self) if result is None else result",
    )


def _overloads(code: OpCode, ops: Sequence[OpCode]) -> list[OpCode]:
    named = [c for c in ops if c.entry.schema.name == code.entry.schema.name]
    return [c for c in named if takes(c, len(OPERANDS)) and c.arguments[0].type.is_tensor]


def _provided_args(code: OpCode) -> str:
    names = dict(zip((a.python_name for a in code.arguments), OPERANDS, strict=False))
    reserved: Sequence[Argument] = (*code.tensors, *code.numbers)
    return ", ".join(names.get(a.python_name, str(a.default)) for a in reserved)


def _condition(code: OpCode, chosen: bool) -> str:
    unwatched = "(not watch.casts or uncast())" if code.entry.autocast else "not watch.every"
    type_test = has_type(code.arguments[1]).replace(code.arguments[1].python_name, "other")
    return f"{unwatched} and {type_test}" if chosen else unwatched


def _launched(code: OpCode, chosen: bool) -> Iterator[str]:
    yield f"if {_condition(code, chosen)}:"
    for each in code.fast.tried or [code.kernel]:
        yield f"    result = {each}.launch({_provided_args(code)})"
        yield from ("    if result is not None:", "        return result")


def unique(items: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(items))


def methods_context(ops: Sequence[OpCode]) -> dict[str, Any]:
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
        names = [a.name for a in code.arguments]
        yield "reordered", (name, ", ".join(n for n in names if n != "self"), ", ".join(names))
    elif "method" in entry.variants and code.is_variadic:
        others = [c for c in ops if c.entry.schema.name == code.entry.schema.name and c is not code]
        takes_int = any([a.type for a in other.arguments[1:2]] == [Type("int")] for other in others)
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
            codes = [c for c in _overloads(code, ops) if c.has_inplace]
            alike = [c for c in codes if c.fast.applies and not c.fast.condition and c.entry.result_dtype[0] == "same"]
            tests = [f"{_condition(c, len(codes) > 1)} and {c.kernel}" for c in alike]
            calls = [f".launch_in_place({_provided_args(c)}) is not None" for c in alike]
            pairs = zip(tests, calls, strict=True)
            lines = [line for test, call in pairs for line in (f"if {test}{call}:", "    return self")]
            yield "binary", Operator(f"__i{BINARY[symbol]}__", f"{code.entry.schema.name}_", tuple(lines))
        if symbol in REFLECTED:
            source, intercepted = reflected_call(code, ops)
            yield "reflected", (f"__r{BINARY[symbol]}__", source, intercepted, reflected(code) if intercepted else ())


def registered(ops: Sequence[OpCode]) -> dict[str, dict[str, str]]:
    context = methods_context(ops)
    methods = {name: f"ops.{function}" for name, function in context["methods"]}
    methods |= {name: f"ops.{function}" for name, function, *_ in context["variadic"]}
    methods |= {name: f"lambda self, {value}: ops.{name}({handed})" for name, value, handed in context["reordered"]}
    results = {"Tensor": methods}
    for code in ops:
        if code.entry.namespace and "function" in code.entry.variants:
            results.setdefault(code.entry.namespace, {}).update({name: f"ops.{name}" for name in code.entry.names})
    return {location: functions for location, functions in results.items() if functions}


def reflected_call(code: OpCode, ops: Sequence[OpCode]) -> tuple[str, str]:
    name = code.entry.schema.name
    overloads = [c.entry for c in ops if c.entry.schema.name == name]
    if any(not e.schema.arguments[0].type.is_tensor for e in overloads):
        return f"ops.{name}(other, self)", ""
    if code.entry.commutative:
        return f"ops.{name}(self, other)", ""
    value = f'"{name}", other, self{behind(str(a.default) for a in code.arguments[2:])}'
    return f"_{code.name}({value})", f'"{code.entry.name}", _{code.name}, "{code.batch_rule}", {value}'


def general_paths(families: Mapping[str, Sequence[OpCode]]) -> dict[str, list[str]]:
    ops = [code for codes in families.values() for code in codes]
    called = {
        family: [
            *(f"_{c.name}" for c in codes if c.entry.operator in REFLECTED and reflected_call(c, ops)[1]),
            *(each for c in codes if c.entry.operator in BINARY for each in c.fast.tried),
        ]
        for family, codes in families.items()
    }
    return {family: names for family, names in called.items() if names}
