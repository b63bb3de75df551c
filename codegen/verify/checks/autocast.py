"""Check of the key `autocast`: inside autocast on the CPU an op gives what it gives of tensors cast by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from specgrad.runtime.modes.amp.autocast_mode import autocast
from specgrad.runtime.tensor import dtypes

from ...spec.autocast import LIKE, REFUSE
from ..interpreted import all_plain
from ..point import TypedCall, typed_calls
from ..report import Report

HALF, SINGLE = dtypes.bfloat16, dtypes.float32
PROMOTE = "promote"

# What tensors are given of which dtypes, the last for all that follow, and what they are cast to.
CASES = {
    "lower": ([SINGLE, HALF], HALF),
    "float32": ([HALF], SINGLE),
    "widest": ([HALF, SINGLE], SINGLE),
    PROMOTE: ([HALF, SINGLE], SINGLE),
}


def check_autocast(op: Any, report: Report) -> None:
    """One of an op's calls, in the dtypes that its word for the CPU changes."""
    word, call = op.autocast.get("cpu", ""), next(iter(typed_calls(op)), None)
    if call is None or not call.tensors or not word:
        return
    with all_plain(op):
        if word.startswith(REFUSE):
            _check_autocast_raises(call, report)
        else:
            _check_cast(call, *_case(call, word), report)


def _case(call: TypedCall, word: str) -> tuple[list[Any], Any]:
    """The dtypes of tensors, and the one that they are cast to."""
    if not word.startswith(LIKE):
        return CASES.get(word, ([SINGLE], SINGLE))
    argument = call.arguments[word.removeprefix(LIKE)]
    like = [id(each) for each in (argument if isinstance(argument, list) else [argument])]
    return [HALF if id(sample) in like else SINGLE for sample in call.tensors], HALF


def _check_autocast_raises(call: TypedCall, report: Report) -> None:
    report.checks += 1
    try:
        with autocast("cpu"):
            call.outputs(call.values([SINGLE]))
    except RuntimeError as error:
        if "autocast" in str(error):
            return
    report.find(call.op, "autocast", f"({call.text}) is not refused inside autocast")


def _check_cast(call: TypedCall, kinds: Sequence[Any], target: Any, report: Report) -> None:
    """Both the dtypes and the bits are those of the call with tensors of the other dtype."""
    report.checks += 1
    value = call.leaves(call.values(kinds))
    with autocast("cpu", dtype=HALF):
        result = call.given(value)
    alike = [tensor.detach().to(target) for tensor in value]
    with autocast("cpu", dtype=HALF, enabled=call.op.autocast["cpu"] == PROMOTE):  # which leaves the rest to other ops
        requested = call.given(alike)
    for number, (one, other) in enumerate(zip(result, requested, strict=True)):
        if one._dtype is not other._dtype:
            text = f"({call.text}) inside autocast gives {one._dtype.name}, where tensors of {target.name} give "
            report.find(call.op, "autocast", f"{text}{other._dtype.name}: output {number}")
        elif not np.array_equal(_in_float64(one), _in_float64(other), equal_nan=True):
            text = f"({call.text}) inside autocast gives other numbers than tensors of {target.name}: output {number}"
            report.find(call.op, "autocast", text)


def _in_float64(tensor: Any) -> np.ndarray:
    values = np.asarray(tensor.detach().array)
    return values.astype(np.complex128 if np.iscomplexobj(values) else np.float64)
