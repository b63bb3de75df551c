"""Check 17: tensors without memory. Of them an op gives the shape, strides and dtype that it gives on the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from specgrad.runtime.errors import NoDataError

from ..entries import has_key
from ..errors import error_message
from ..point import Point
from ..report import Report


def check_without_memory(point: Point, report: Report) -> None:
    """The op on the device `meta`, where what it gives does not depend on what the elements are."""
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
