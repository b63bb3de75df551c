"""Signatures for type checkers: every function and method with its parameters, overloads one by one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..spec.operators import BINARY, COMPARISONS, REFLECTED, UNARY
from .op_code import OpCode

ANYTHING = "self, *args: Any, **kwargs: Any"  # of methods that take the ints of a list one by one


@dataclass(frozen=True)
class Signature:
    """One `def` of a stub file; `overload` marks those that share a name with another."""

    name: str
    parameters: str
    returns: str
    overload: bool = False


def stub_functions(ops: Iterable[OpCode]) -> list[Signature]:
    """All functions of ops/, aliases included; of a base's entry only what it adds to one of these functions."""
    matches = []
    for code in ops:
        schema = code.entry.schema
        parameters = code.parameters(out=True)
        for name in (schema.name,) if code.origin else code.entry.names:
            matches.append(Signature(name, parameters, code.returns))
            if code.has_inplace:
                matches.append(Signature(f"{name}_", code.parameters(inplace=True), code.returns))
        if code.name != schema.name and not code.origin:
            matches.append(Signature(code.name, parameters, code.returns))
    return flagged_overloads(matches)


def stub_methods(ops: Iterable[OpCode]) -> list[Signature]:
    matches = []
    for code in ops:
        parameters = ANYTHING if code.is_variadic else code.parameters(method=True)
        for name in code.entry.names:
            if "method" in code.entry.variants:
                matches.append(Signature(name, parameters, code.returns))
            if code.has_inplace:
                matches.append(Signature(f"{name}_", parameters, code.returns))
        matches += operator_methods(code)
    return flagged_overloads(matches)


def operator_methods(code: OpCode) -> list[Signature]:
    symbol = code.entry.operator or ""
    names = list(UNARY.get(symbol, ()))
    if names:
        return [Signature(name, "self", "Tensor") for name in names]
    if symbol in COMPARISONS:
        return [Signature(COMPARISONS[symbol], "self, other: Any", "Tensor")]
    if symbol not in BINARY:
        return []
    stems = ["", *(["r"] if symbol in REFLECTED else []), *(["i"] if code.has_inplace else [])]
    return [Signature(f"__{stem}{BINARY[symbol]}__", "self, other: Any", "Tensor") for stem in stems]


def flagged_overloads(signatures: list[Signature]) -> list[Signature]:
    """Grouped by name, each once, with `overload` where a name has several."""
    groups: dict[str, dict[Signature, None]] = {}
    for signature in signatures:
        groups.setdefault(signature.name, {})[signature] = None
    return [signature for group in groups.values() for signature in distinct(list(group))]


def distinct(group: list[Signature]) -> list[Signature]:
    """Overloads that do not hide one another: a tensor parameter takes numbers only where no other overload does."""
    if len(group) == 1:
        return group
    if any(s.parameters == ANYTHING for s in group):
        return [s for s in group if s.parameters == ANYTHING]
    plain = [replace(s, parameters=s.parameters.replace("Tensor | Number", "Tensor"), overload=True) for s in group]
    takes_numbers = any(": Number" in s.parameters for s in plain)
    return plain if takes_numbers else [replace(s, overload=True) for s in group]
