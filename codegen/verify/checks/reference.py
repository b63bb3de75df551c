"""Check 0: values. What an op gives is what the entry's `reference` gives: numbers, shapes and kinds of dtypes."""

import contextlib
import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from specgrad.runtime.tensor.dtypes import dtype
from specgrad.runtime.tensor.tensor import TensorBase

from ...spec.reference import evaluate
from ..calls.findings import Report, close, error_message, is_refusal, largest, worst
from ..calls.point import Leaf, Point
from ..calls.samples import sample_calls

RELATIVE = 1e-10  # of results in double precision
ROUNDINGS = 64  # of others
DOUBLE = 2.0**-52  # the distance of 1 from the next number in it
Arrays = Sequence[np.ndarray]
KINDS = {"f": "a float", "c": "complex", "i": "an integer", "u": "an integer", "b": "a bool"}


def check_reference(point: Point, report: Report) -> None:
    if point.op.reference:
        arrays = point.arrays
        compare(point, str(point), point.results(arrays), arrays, report)


def check_unlisted(point: Point, report: Report) -> None:
    if not point.op.reference:
        return
    arrays = point.arrays
    matches = point.results(arrays)
    right: Sequence[np.ndarray | None] = ()
    with contextlib.suppress(Exception):
        right = expected(point, arrays, len(matches))
    if right:
        report.checks += 1
        _look(point, str(point), matches, right, report)


def check_kinds(op: Any, report: Report) -> None:
    for kind in ("int", "bool"):
        if op.reference and kind in op.dtypes:
            for text in sample_calls(op):
                _check_kind(Point(op, text), kind, report)


def _check_kind(point: Point, kind: str, report: Report) -> None:
    if not point.leaves:
        return
    arrays = [integral(array, kind) for array in point.arrays]
    try:
        result = point.results(arrays)
    except Exception as error:
        if not is_refusal(error):
            report.find(point.op, point.op.kind, f"at {point} of {kind}: {error_message(error)}")
        return
    compare(point, f"{point} of {kind}", result, arrays, report)


def integral(array: np.ndarray, kind: str) -> np.ndarray:
    if kind == "bool":
        return np.asarray(np.round(array * 10) % 2 == 1)
    return np.asarray(np.where(array > 0, np.ceil(array), np.floor(array)).astype(np.int64))


def compare(point: Point, shown: str, result: Arrays, arrays: Arrays, report: Report) -> None:
    op = point.op
    report.checks += 1
    try:
        right = expected(point, arrays, len(result))
    except Exception as error:
        report.find(op, "reference", f"at {shown}: {error_message(error)}")
        return
    if all(each is None for each in right):
        report.find(op, "reference", f"at {shown} it leaves all open")
        return
    _look(point, shown, result, right, report)


def expected(point: Point, arrays: Arrays, count: int) -> list[np.ndarray | None]:
    value = evaluate(point.op.reference, values(point, arrays))
    return [None if each is None else np.asarray(each) for each in _outputs(value, count)]


def _look(point: Point, shown: str, result: Arrays, right: Sequence[np.ndarray | None], report: Report) -> None:
    if len(right) != len(result):
        text = f"at {shown} it gives {len(right)} values to compare, and the op {len(result)}"
        report.find(point.op, "reference", text)
        return
    for number, (got, requested) in enumerate(zip(result, right, strict=True)):
        if requested is not None and (text := difference(got, requested)):
            about = f" output {number}:" if len(result) > 1 else ""
            report.find(point.op, point.op.kind, f"at {shown}{about} {text} of the reference")


def values(point: Point, arrays: Arrays) -> dict[str, Any]:
    arguments = {id(leaf): array for leaf, array in zip(point.leaves, arrays, strict=True)}

    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [plain(v) for v in value]
        if isinstance(value, Leaf):
            return arguments[id(value)].copy()
        if isinstance(value, TensorBase):
            return value.array.copy()
        return value.np if isinstance(value, dtype) else value

    parameters = inspect.signature(point.op.function).parameters
    results = {}
    for name, type_, *_ in point.op.arguments:
        own = "self" if name == "input" and name not in point.arguments else name
        results[own] = _listed(plain(point.arguments.get(own, parameters[name].default)), type_)
    return results


def _listed(value: Any, type_: str) -> Any:
    inside, _, size = type_.rstrip("?]").partition("[")
    if inside == "Tensor" or "[" not in type_ or value is None:
        return value
    outputs = tuple(value) if isinstance(value, list | tuple) else (value,)
    return outputs * int(size) if size and len(outputs) == 1 else outputs


def _outputs(value: Any, count: int) -> list[Any]:
    return list(value) if isinstance(value, tuple) or (isinstance(value, list) and count != 1) else [value]


def difference(got: np.ndarray, right: np.ndarray) -> str:
    kinds = [KINDS.get(array.dtype.kind, str(array.dtype)) for array in (got, right)]
    if kinds[0] != kinds[1]:
        return f"the result is {kinds[0]}, not {kinds[1]} as that"
    if got.shape != right.shape:
        return f"its shape is {got.shape}, not the {right.shape}"
    if agree(got, right):
        return ""
    index, shown, requested = worst(got, right)
    return f"element {list(index)} is {shown}, not the {requested}"


def agree(got: np.ndarray, right: np.ndarray) -> bool:
    if got.dtype.kind in "iub" and right.dtype.kind in "iub":
        return np.array_equal(got, right)
    narrow = [ROUNDINGS * _unit(array) for array in (got, right) if _unit(array) > DOUBLE]
    scale = largest(right)
    bound, scale = (max(narrow), max(scale, 1.0)) if narrow else (RELATIVE, scale)
    return close(got, right, bound, bound * scale * 0.01)


def _unit(array: np.ndarray) -> float:
    return float(np.finfo(array.dtype).eps) if array.dtype.kind in "fc" else 0.0
