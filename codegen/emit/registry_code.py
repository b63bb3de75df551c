"""The lines of registry.jsonl: what tests, checks and documentation are told of an entry."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable
from typing import Any

from ..spec.keys import CHOICES
from ..spec.model import Entry
from ..spec.reference import statements
from .op_code import OpCode
from .savings import differentiable_formulas

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
    """The file: an entry in a line, its name first."""
    return "".join(f"{json.dumps(record(code))}\n" for code in codes)


def record(code: OpCode) -> dict[str, Any]:
    """The fields of an entry's record that differ from their defaults; functions and the node's class by name."""
    entry = code.entry
    functions = {"function": code.name}
    functions |= {"inplace": code.inplace_name} if code.has_inplace else {}
    functions |= {"node": code.node.class_name} if code.node else {}
    plain: dict[str, Any] = {
        "kind": entry.compute.kind,
        "schema": entry.schema.text,
        "arguments": code.matching,
        "inputs": tuple(differentiable_formulas(entry)),
        "outputs": entry.output_differentiability,
        "result_dtype": entry.result_dtype,
        "samples": tuple(sample.text for sample in entry.samples),
        "hard": tuple(sample.text for sample in entry.hard),
        "domain": entry.domain,
        "dtypes": entry.dtypes,
        "dtype": entry.dtype,
        "kink": entry.kink,
        "complex": entry.complex,
        "formulas": _formulas(entry),
        "masks": tuple(code.node.fused) if code.node else (),
        "commutative": entry.commutative,
        "replaces": entry.replaces,
        "gives": entry.gives,
        "expression": _expression(entry),
        "unvaried": tuple(entry.unvaried),
        "takes_number": code.fast.takes_number,
        "reference": "\n".join(statements(entry.reference)),
        "onnx": "\n".join(statements(entry.onnx)),
        "check": entry.check or "",
        "shape": entry.shape or "",
        "refuses": tuple((refusal.call.text, refusal.error) for refusal in entry.refuses),
        "autocast": entry.autocast,
        "sparse": entry.sparse or "",
        "conj_rule": entry.conj_rule or "",
        "example": entry.example,
    }
    non_default = {name: value for name, value in plain.items() if name not in DEFAULTS or value != DEFAULTS[name]}
    return {"name": entry.name} | functions | non_default


def _expression(entry: Entry) -> str:
    """The expression of an element-wise op, definitions written out; empty for other ops."""
    compute = entry.compute
    if compute.kind != "elementwise" or compute.tree is None:
        return ""
    return " ".join(compute.text.split()) if compute.written is None else ast.unparse(compute.tree)


def _formulas(entry: Entry) -> dict[str, str]:
    """The formulas of both modes on one line each, and the call of the kernel that gives all gradients."""
    result = {**entry.gradients, **entry.forward} | ({"backward": entry.backward} if entry.backward else {})
    return {name: " ".join(formula.text.split()) for name, formula in result.items()}
