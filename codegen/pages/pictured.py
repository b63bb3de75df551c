"""Which entries have a picture: the element-wise functions of one real number. Arguments with defaults are held."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from ..spec.formula import called
from ..spec.model import Entry


def picture_files(entries: Mapping[str, Entry]) -> dict[str, str]:
    return {name: f"{entry.identifier}.svg" for name, entry in entries.items() if is_pictured(entry, entries)}


def is_pictured(entry: Entry, entries: Mapping[str, Entry]) -> bool:
    """Whether a curve in the plane says what the op does: a real number in, a real number with a derivative out."""
    public = entry.variants != ("formula",) and not entry.schema.arguments[0].type.writes
    real = "float" in entry.dtypes and entry.result_dtype in (("same",), ("real",))
    has_defaults = all(a.type.is_tensor or a.default is not None for a in entry.schema.arguments)
    return public and real and has_defaults and is_pointwise(entry, entries)


def is_pointwise(entry: Entry, entries: Mapping[str, Entry]) -> bool:
    """Whether an element of the result depends on that element of the one tensor alone."""
    tensors = entry.tensor_arguments
    if len(tensors) != 1 or tensors[0].type.is_list or len(entry.schema.returns) != 1:
        return False
    if entry.compute.kind == "composite":
        return is_made_of_pointwise(entry, entries)
    return entry.compute.kind == "elementwise" and bool(entry.gradients)


def is_made_of_pointwise(entry: Entry, entries: Mapping[str, Entry]) -> bool:
    """Whether a composite calls element-wise ops only, as functions or as methods, and takes nothing apart."""
    plain = {e.schema.name for e in entries.values() if e.compute.kind == "elementwise"}
    nodes = list(ast.walk(entry.compute.tree or ast.Module([], [])))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    functions = [call.func for call in calls]
    others = [n for n in nodes if isinstance(n, ast.Subscript | ast.Attribute | ast.Tuple) and n not in functions]
    return not others and all(called(call) in plain for call in calls)


def plain_values(entry: Entry) -> dict[str, ast.expr]:
    """The arguments of the first sample beside the tensor: the picture shows the function for these."""
    first = entry.samples[0].arguments if entry.samples else {}
    tensors = {a.name for a in entry.tensor_arguments}
    return {name: value for name, value in first.items() if name not in tensors}
