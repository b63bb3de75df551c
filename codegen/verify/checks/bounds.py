"""Check 0: kernels keep to their arrays. Each op runs once with hand-written kernels that look at every index.

That takes processes without native code and with SPECGRAD_BOUNDS=1. Fused kernels need no looking.
"""

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from specgrad.runtime.compiler.cache import precompile

from ..calls.findings import Report, forward_formula
from ..calls.point import Point, adopt, gradients
from ..calls.samples import points
from .forward import has_forward, tangents

# Kernels that a first training needs are no good to these processes, so none compiles them ahead.
ENVIRONMENT = {"SPECGRAD_BOUNDS": "1", "SPECGRAD_NATIVE": "0", precompile.SETTING: "0"}
OUTSIDE = "index is out of bounds"  # what numba's kernels say, whoever passes it on


def concerned(op: Any) -> bool:
    """Whether hand-written kernels may have to do with an op: all but those that fused kernels compute alone."""
    return op.kind != "elementwise" or (op.node is not None and not op.masks)


def check_bounds(op: Any) -> Report:
    report = Report()
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for text, hard, is_complex in points(op):
            try:
                _check_point(Point(op, text, hard, is_complex), report)
            except Exception:
                continue
    return report


def _check_point(point: Point, report: Report) -> None:
    for formula, subject, run in _parts(point):
        try:
            run()
        except Exception as error:
            if OUTSIDE in str(error):
                text = f"at {point} a kernel reads or writes outside of an array: {type(error).__name__}: {error}"
                report.find(point.op, formula, text, subject)
        else:
            report.checks += 1


def _parts(point: Point) -> Iterator[tuple[str, str, Callable[[], object]]]:
    yield "", "", lambda: point.call(point.tensors([False] * len(point.leaves)))
    if not any(output.requires_grad for output in point.outputs(point.tensors())):
        return
    for number, leaf in enumerate(point.leaves):
        output_mask = [i == number for i in range(len(point.leaves))]
        yield leaf.argument, f"gradient of {leaf.argument}", partial(_backward, point, output_mask)
    if len(point.leaves) > 1:
        yield "backward", "gradients", lambda: _backward(point, [True] * len(point.leaves))
    if has_forward(point.op):
        along = [adopt(point.random(tensor)) for tensor in point.tensors()]
        yield forward_formula(point.op), "forward mode", lambda: tangents(point, point.tensors(), along)


def _backward(point: Point, output_mask: list[bool]) -> None:
    tensors, outputs, seeds = point.recorded(output_mask)
    for create in (False, True):
        gradients(outputs, [tensor for tensor in tensors if tensor.requires_grad], seeds, create)
