"""Check 8: dtypes, and the key `autocast`, by which an op gives what it gives of tensors cast by hand.

Integers give the numbers that float64 gives, so a promotion that loses what the op computes needs no statement to be
found; complex numbers are refused where the entry leaves them out. An op that is meant to round states under
`dtype_table` that it gives integers. Which of two harmless rules an op follows is a convention, stated there too.
"""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from specgrad.runtime.extensions.amp.autocast import autocast
from specgrad.runtime.tensor import dtypes

from ...spec.autocast import LIKE, REFUSE
from ...spec.fields import COMPUTED, NUMBERS, REFUSED
from ..calls.entries import has_key
from ..calls.findings import PROPER, Report, close, largest, worst
from ..calls.interpreted import all_plain, has_loops, plain
from ..calls.point import TypedCall, typed_calls
from ..calls.samples import generated_calls, in_domain

FAILED = "an error"  # a word for a call that does not end as it should
LARGE_SHAPE = "12, 12"  # pairs of numbers enough that what is rounded to an integer shows in a comparison
CLOSE = 1e-4  # of the largest, or of 1: what float32 may lose in any op of samples of this size


def check_dtypes(op: Any, report: Report) -> None:
    call = next(iter(typed_calls(op)), None)
    if call is None or not call.tensors:
        return
    with plain(op) if has_loops(op) else all_plain(op):  # to compile for so many dtypes would take minutes
        if "ScalarType?" in [type_ for name, type_, *_ in op.arguments if name == "dtype"] and "float" in op.dtypes:
            report.checks += 1
            for output in call.outputs(call.values([dtypes.float32]), {"dtype": dtypes.float64}):
                if output._dtype is not dtypes.float64:
                    text = f"({call.text}, dtype=float64) gives {output._dtype.name} for float32"
                    report.find(call.op, "", text, "dtypes")
        for expected_dtypes, requested in op.gives.items():
            report.checks += 1
            result = answer(call, expected_dtypes)
            right = requested.split() if " " in requested or requested == REFUSED else [requested] * len(result)
            if result != right:
                shown = " ".join(result if " " in requested else dict.fromkeys(result))
                text = f"({call.text}) gives {shown} for {expected_dtypes}, where the entry says {requested}"
                report.find(call.op, "dtype_table", f"{text} (see keys dtype, dtypes, result_dtype)", "dtypes")
        for kind, word in (("int", "int32"), ("bool", "bool")):  # a conversion that was left out shows nowhere else
            if kind in op.dtypes and word not in op.gives and has_key(op, "dtypes"):
                report.checks += 1
                if answer(call, word) == [REFUSED]:
                    text = f"({call.text}) is refused for {word}, which dtypes has: leave it out, or say so in "
                    report.find(call.op, "dtypes", f"{text}`dtype_table`")
        if op.kind in ("elementwise", "kernel"):
            if "complex" not in call.op.dtypes:
                report.checks += 1
                result = answer(call, "complex64")
                if result != [REFUSED]:
                    text = f"({call.text}) gives {' '.join(result)} for complex64"
                    report.find(call.op, "dtypes", f"{text}, which dtypes leaves out (see key dtype)")
            _check_half(call, report)
            for expected_dtypes in ("int32", "bool", "int32 int", "int32 float32"):
                _check_integers(call, expected_dtypes, report)
        if op.kind == "elementwise" and not op.samples and len(call.tensors) > 1:
            _check_integers(TypedCall(op, generated_calls(op, LARGE_SHAPE)[0]), "int32 float32", report)


def answer(call: TypedCall, expected_dtypes: str) -> list[str]:
    try:
        outputs = call.outputs(call.values(_tensor_kinds(expected_dtypes)), _numbers(call, expected_dtypes))
        return [output._dtype.name for output in outputs]
    except PROPER as error:
        return [REFUSED if type(error) is not RuntimeError else FAILED]


def _tensor_kinds(expected_dtypes: str) -> list[Any]:
    return [dtypes.from_name(word) for word in expected_dtypes.split() if word not in NUMBERS]


def _numbers(call: TypedCall, expected_dtypes: str) -> dict[str, Any]:
    args = [NUMBERS[word] for word in expected_dtypes.split() if word in NUMBERS]
    pairs = zip(call.scalars, [*args, *args[-1:] * len(call.scalars)], strict=False)
    return {name: in_domain(call.op, name, [number])[0] for name, number in pairs}


def _check_half(call: TypedCall, report: Report) -> None:
    single = answer(call, "float32")
    if "float32" not in single or "complex64" in single:
        return
    report.checks += 1
    result, rules = answer(call, "float16"), zip_longest(single, call.op.result_dtype, fillvalue="same")
    right = ["float16" if name == "float32" and rule != COMPUTED else name for name, rule in rules]
    if result != right:
        text = f"({call.text}) gives {' '.join(result)} for float16, and {' '.join(single)} for float32 (see key dtype)"
        report.find(call.op, "dtype", text, "dtypes")


def _check_integers(call: TypedCall, expected_dtypes: str, report: Report) -> None:
    values, numbers = call.values(_tensor_kinds(expected_dtypes)), _numbers(call, expected_dtypes)
    try:
        result = call.outputs(values, numbers)
        right = call.outputs([value.astype(np.float64) for value in values], numbers)
    except PROPER:  # it takes integers alone, or none
        return
    report.checks += 1
    for got, requested in zip(result, right, strict=True):
        if not (expected_dtypes == "bool" and got._dtype.kind == "b"):
            _compare(call, expected_dtypes, got, requested.detach().array, report)


def _compare(call: TypedCall, expected_dtypes: str, got: Any, requested: np.ndarray, report: Report) -> None:
    a, b = got.detach().array, requested
    stated = {expected_dtypes, expected_dtypes.split()[0]} & {*call.op.gives}
    if a.shape == b.shape and got._dtype.kind in "bi" and stated:
        # The elements that an integer result can hold: where the right one is whole, and small enough for int32
        fits = np.isfinite(b) & (b == np.rint(b.real)) & (np.abs(b) < 2**31)
        a, b = a[fits], b[fits]
    if a.shape == b.shape and same(a, b):
        return
    text = f"its shape is {a.shape}, with the same numbers as float64 {b.shape}"
    if a.shape == b.shape:
        index, shown, right = worst(a, b)
        text = f"element {list(index)} is {shown}, with the same numbers as float64 {right}"
    about = f"({call.text}) in {expected_dtypes} gives {got._dtype.name}: {text} (see key dtype)"
    report.find(call.op, "dtype", about, "dtypes")


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return close(a, b, CLOSE, CLOSE * max(1.0, largest(b)))


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
    word, call = op.autocast.get("cpu", ""), next(iter(typed_calls(op)), None)
    if call is None or not call.tensors or not word:
        return
    with all_plain(op):
        if word.startswith(REFUSE):
            _check_autocast_raises(call, report)
        elif word.startswith(LIKE):
            argument = call.arguments[word.removeprefix(LIKE)]
            like = [id(each) for each in (argument if isinstance(argument, list) else [argument])]
            _check_cast(call, [HALF if id(sample) in like else SINGLE for sample in call.tensors], HALF, report)
        else:
            _check_cast(call, *CASES.get(word, ([SINGLE], SINGLE)), report)


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
    report.checks += 1
    value = call.leaves(call.values(kinds))
    with autocast("cpu", dtype=HALF):
        result = call.apply(value)
    alike = [tensor.detach().to(target) for tensor in value]
    with autocast("cpu", dtype=HALF, enabled=call.op.autocast["cpu"] == PROMOTE):  # which leaves the rest to other ops
        requested = call.apply(alike)
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
