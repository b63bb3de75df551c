"""Checks of aliasing and of tensors without memory (check 17), which give the shape, strides and dtype of the CPU's.

A result has memory of its own unless the schema says `Tensor(a)`, or the key `identity` that the op returns its input.
Under `replaces` each element of a tensor that is written to keeps its value, or gets one that does not depend on it.
"""

import gc
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from specgrad.runtime.errors import NoDataError
from specgrad.runtime.extensions.lazy_conj.memory import stored
from specgrad.runtime.tensor.grad_mode import no_grad
from specgrad.runtime.tensor.tensor import adopt

from ...spec.model import Entry, Return
from ..calls.entries import has_key, spec_entry
from ..calls.findings import Finding, Report, both, error_message
from ..calls.point import Point, listed_points
from ..guards import new_damage
from ..isolation import spoil


def report_damage(op: Any, call: str, report: Report) -> None:
    """Memory outside of arrays that has been written to: it is seen when the arrays have been freed."""
    gc.collect(1)  # what the call has left behind in cycles: older objects are not looked at
    for text in new_damage():
        spoil(f"{op.name}: {text}")  # first: some reports end at their first finding
        report.find(op, op.kind, f"at {call} {text}", "memory", level=0)


def check_writes(point: Point, report: Report) -> None:
    """An argument that the schema does not mark as written to keeps its elements."""
    if point.op.kind != "kernel" or "(a!)" in point.op.schema:
        return
    report.checks += 1
    if labels := written(point):
        text = f"at {point} it writes to its argument {' and '.join(map(repr, labels))}, which it must copy first"
        report.find(point.op, point.op.kind, text, "arguments", level=0)


def written(point: Point) -> list[str]:
    """The labels of the arguments that a call changes."""
    tensors = point.tensors([False] * len(point.leaves))
    labels = [leaf.label for leaf in point.leaves]
    before = [tensor.array.copy() for tensor in tensors]
    with no_grad():
        point.call(tensors)
    after = [tensor.array for tensor in tensors]
    return [label for label, a, b in zip(labels, before, after, strict=True) if not _equal(a, b).all()]


def check_memory(point: Point, report: Report) -> None:
    op, entry = point.op, spec_entry(point.op)
    if entry is None or entry.identity:
        return
    report.checks += 1
    for number, shared in enumerate(_shared(point)):
        if shared and _returned(entry, number).type.alias is None:
            text = f"at {point} `{_returned(entry, number).name}` lies in the memory of an argument, where the schema "
            report.find(op, op.kind, f"{text}has a new tensor: copy it, or write Tensor(a) for both")
            return


def check_aliases(op: Any, report: Report) -> None:
    entry = spec_entry(op)
    if entry is None or not any(r.type.alias and not r.type.writes for r in entry.schema.returns):
        return
    report.checks += 1
    if not any(any(_shared(point)) for point in listed_points(op)):
        text = "the schema has Tensor(a) for a result that lies in the memory of an argument at no sample"
        report.add(Finding(str(entry.where), op.name, "name", text))


def _returned(entry: Entry, number: int) -> Return:
    returns = entry.schema.returns
    return returns[number if len(returns) > 1 else 0]


def _shared(point: Point) -> list[bool]:
    tensors = point.tensors([False] * len(point.leaves))
    args = [t.array for t in (*tensors, *point.constants)]
    matches = [stored(output).array for output in point.call(tensors)]
    return [any(np.may_share_memory(output, own) for own in args) for output in matches]


def check_replaces(op: Any, report: Report) -> None:
    for point in listed_points(op) if op.replaces else ():
        if not any(isinstance(value, bool) for value in point.arguments.values()):
            report.checks += 1
            if refuted := _refuting(point):
                report.find(op, "replaces", refuted)
                return


def _refuting(point: Point) -> str | None:
    """An element that neither keeps its value nor gets one that does not depend on it; None where none is seen."""
    tensors = (*point.leaves, *point.constants)
    first = next((own for own in tensors if own is point.arguments.get("self")), None)
    if first is None:
        return None
    before = first.array
    try:
        after = _written(point, before)
    except RuntimeError:  # the result does not fit into the tensor
        return None
    for other in others(before, [own.array for own in tensors if own is not first]):
        changed = _written(point, other)
        if after.shape != before.shape:
            return f"at {point} the shape becomes {list(after.shape)}"
        unchanged = _equal(after, before) & _equal(changed, other)
        wrong = np.argwhere(~(unchanged | _equal(after, changed)))
        if len(wrong):
            index = tuple(map(int, wrong[0]))
            numbers = [*both(after[index], before[index]), *both(changed[index], other[index])]
            return "at {} element {} becomes {} from {}, and {} from {}".format(point, list(index), *numbers)
    return None


def others(array: np.ndarray, args: Sequence[np.ndarray]) -> Iterator[np.ndarray]:
    yield from (own for own in args if own.shape == array.shape and own.dtype == array.dtype)
    if array.dtype.kind == "b":
        yield ~array
        return
    yield array + np.array([2, -3] * array.size)[: array.size].reshape(array.shape).astype(array.dtype)
    yield np.asarray(-array)
    yield np.zeros_like(array)


def _written(point: Point, values: np.ndarray) -> np.ndarray:
    first = point.arguments["self"]
    leaves = [adopt((values if leaf is first else leaf.array).copy()) for leaf in point.leaves]
    constants = [adopt((values if own is first else own.array).copy()) for own in point.constants]
    with no_grad(), np.errstate(all="ignore"):
        entry = point.call(leaves, point.op.inplace, constants)[0]
    return np.asarray(entry.array)


def _equal(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray((a == b) | ((a != a) & (b != b)))


def check_without_memory(point: Point, report: Report) -> None:
    tensors = point.tensors([False] * len(point.leaves))
    expected = [_layout(output) for output in point.call(tensors)]
    report.checks += 1
    key = "meta" if has_key(point.op, "meta") else point.op.kind
    try:
        matches = [_layout(output) for output in point.call(_without(tensors), constants=_without(point.constants))]
    except NoDataError:
        return
    except Exception as error:
        report.find(point.op, key, f"at {point} on the device meta: {error_message(error)}")
        return
    if matches != expected:
        report.find(point.op, key, f"at {point} on the device meta it gives {matches}, on the CPU {expected}")


def _without(tensors: Sequence[Any]) -> list[Any]:
    return [tensor.to("meta") for tensor in tensors]


def _layout(tensor: Any) -> tuple[Any, ...]:
    return tuple(tensor.shape), tensor.stride(), tensor.dtype.name
