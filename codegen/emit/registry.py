"""What tests and documentation are told of an entry: a line of registry.jsonl."""

import ast
import json
from collections.abc import Iterable
from functools import cache
from typing import Any

from ..library.kernels import definitions
from ..library.modules import RUNTIME
from ..spec.reference import statements
from .op import OpCode
from .saved_tensors import differentiable_formulas


@cache
def defaults() -> dict[str, Any]:
    """What the fields of the runtime's `Op` are where a record does not say: left out of a line."""
    op = definitions(RUNTIME / "dispatch" / "registry.py")["Op"]
    fields = [node for node in ast.walk(op) if isinstance(node, ast.AnnAssign)]
    values = {ast.unparse(node.target): node.value for node in fields if node.value is not None}
    literals = {name: {} if isinstance(v, ast.Call) else ast.literal_eval(v) for name, v in values.items()}
    return {name: value for name, value in literals.items() if value is not None}


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
    is_placed = entry.namespace and "function" in entry.variants
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
        "qualified_names": tuple(f"{entry.namespace}.{name}" for name in entry.names) if is_placed else (),
        "refuses": tuple((refusal.call.text, refusal.error) for refusal in entry.refuses),
    }
    values = {name: others[name] if name in others else getattr(entry, name) for name in defaults()}
    fields = {"kind": entry.compute.kind, "schema": entry.schema.text, "arguments": code.matching}
    non_default = {name: v for name, v in values.items() if v is not None and v != defaults()[name]}
    return {"name": entry.name} | functions | fields | non_default
