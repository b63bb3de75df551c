"""What tests and documentation are told of an entry (registry.jsonl), and signatures for type checkers."""

import ast
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from ..spec.fields import CHOICES
from ..spec.names import BINARY, COMPARISONS, REFLECTED, UNARY
from ..spec.reference import statements
from .op import OpCode
from .saved_tensors import differentiable_formulas

# What the fields of `runtime.dispatch.registry.Op` are where a record does not say: left out of a line.
DEFAULTS: dict[str, Any] = {
    "inputs": (),
    "outputs": (True,),
    "result_dtype": ("same",),
    "samples": (),
    "hard": (),
    "domain": {},
    "dtypes": CHOICES["dtypes"],
    "dtype": "promote",
    "kink": ("average",),
    "complex": True,
    "formulas": {},
    "masks": (),
    "commutative": False,
    "replaces": False,
    "gives": {},
    "expression": "",
    "unvaried": (),
    "unverified": "",
    "takes_number": False,
    "reference": "",
    "onnx": "",
    "check": "",
    "shape": "",
    "refuses": (),
    "autocast": {},
    "sparse": "",
    "conj_rule": "",
    "example": "",
}


def lines(codes: Iterable[OpCode]) -> str:
    return "".join(f"{json.dumps(record(code))}\n" for code in codes)


def record(code: OpCode) -> dict[str, Any]:
    entry = code.entry
    functions = {"function": code.name}
    functions |= {"inplace": code.inplace_name} if code.has_inplace else {}
    functions |= {"node": code.node.class_name} if code.node else {}
    formulas = {**entry.gradients, **entry.forward} | ({"backward": entry.backward} if entry.backward else {})
    expression = entry.compute.tree if entry.compute.kind == "elementwise" else None
    spelled = " ".join(entry.compute.text.split()) if entry.compute.written is None else ""
    others: dict[str, Any] = {
        "inputs": tuple(differentiable_formulas(entry)),
        "outputs": entry.output_differentiability,
        "samples": tuple(sample.text for sample in entry.samples),
        "hard": tuple(sample.text for sample in entry.hard),
        "formulas": {name: " ".join(formula.text.split()) for name, formula in formulas.items()},
        "masks": tuple(code.node.fused) if code.node else (),
        "expression": "" if expression is None else spelled or ast.unparse(expression),
        "unvaried": tuple(entry.unvaried),
        "takes_number": code.fast.takes_number,
        "reference": "\n".join(statements(entry.reference)),
        "onnx": "\n".join(statements(entry.onnx)),
        "refuses": tuple((refusal.call.text, refusal.error) for refusal in entry.refuses),
    }
    values = {name: others[name] if name in others else getattr(entry, name) for name in DEFAULTS}
    fields = {"kind": entry.compute.kind, "schema": entry.schema.text, "arguments": code.matching}
    non_default = {name: v for name, v in values.items() if v is not None and v != DEFAULTS[name]}
    return {"name": entry.name} | functions | fields | non_default


ANYTHING = "self, *args: Any, **kwargs: Any"  # of methods that take the ints of a list one by one


@dataclass(frozen=True)
class Signature:
    name: str
    parameters: str
    returns: str
    overload: bool = False


def stub_functions(ops: Iterable[OpCode]) -> list[Signature]:
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
    groups: dict[str, dict[Signature, None]] = {}
    for signature in signatures:
        groups.setdefault(signature.name, {})[signature] = None
    return [signature for group in groups.values() for signature in distinct(list(group))]


def distinct(group: list[Signature]) -> list[Signature]:
    if len(group) == 1:
        return group
    if any(s.parameters == ANYTHING for s in group):
        return [s for s in group if s.parameters == ANYTHING]
    plain = [replace(s, parameters=s.parameters.replace("Tensor | Number", "Tensor"), overload=True) for s in group]
    takes_numbers = any(": Number" in s.parameters for s in plain)
    return plain if takes_numbers else [replace(s, overload=True) for s in group]
