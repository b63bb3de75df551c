"""The calls that an entry says are refused: each raises a proper error on purpose, before anything is computed.

Numbers that a decomposition cannot do with are found by computing: `LinAlgError` may come from there.
The error of a public op has its name in it: whoever calls `linalg.vector_norm` does not know that `norm` computes it.
"""

from __future__ import annotations

import re
from typing import Any

from ..entries import has_key, spec_entry
from ..errors import computes, error_message, is_proper, key_of, on_purpose
from ..point import Point
from ..report import Report
from ..variants import is_internal


def check_refuses(op: Any, report: Report) -> None:
    """Each call of `errors`, and that the check has to do with one of them."""
    reached = set()
    for text, requested in op.refuses:
        report.checks += 1
        try:
            point = Point(op, text)
        except Exception as error:
            report.find(op, "errors", f"({text}) cannot be made: {error_message(error)}")
            continue
        outcome = _outcome(point)
        if fault := _fault(outcome, requested) or _unnamed(op, outcome):
            report.find(op, "check" if has_key(op, "check") else "errors", f"({text}) {fault}")
        elif isinstance(outcome, Exception):
            reached.add(key_of(op, outcome))
    if op.refuses and op.check and "check" not in reached and not report.has(op.name, "check"):
        text = f"none of these calls is refused by the check '{op.check}', but before it or by what is called after it"
        report.find(op, "errors", text)


def _outcome(point: Point) -> Exception | str:
    try:
        result = point.call(point.tensors([False] * len(point.leaves)))
    except Exception as error:
        return error
    return " and ".join(f"{output._dtype.name} of shape {tuple(output.shape)}" for output in result) or "nothing"


def _fault(outcome: Exception | str, requested: str) -> str:
    """Why a call is not refused as it should be; empty where it is."""
    if isinstance(outcome, str):
        return f"gives {outcome}, where an error is wanted"
    if computes(outcome) and requested != "LinAlgError":
        return f"is refused by what computes it, and not before: {error_message(outcome)}"
    if not is_proper(outcome) or not on_purpose(outcome):
        return f"fails by accident: {error_message(outcome)}"
    if requested and not any(each.__name__ == requested for each in type(outcome).__mro__):
        return f"is refused by {error_message(outcome)}, where {requested} is wanted"
    return "" if str(outcome).strip() else f"is refused by {type(outcome).__name__} without a word"


def _unnamed(op: Any, error: Exception | str) -> str:
    """Why an error is unclear: it does not name the public op that was called; empty where it does."""
    entry = spec_entry(op)
    if is_internal(op) or entry is None:
        return ""
    function = entry.schema.name
    names = {function, function.rstrip("_"), function.removeprefix(f"{entry.namespace}_")}
    if names & set(re.findall(r"\w+", str(error))):
        return ""
    return f"is refused by {error_message(error)}, which does not name the op"  # type: ignore[arg-type]
