"""Check 0: kernels keep to their arrays. Each op runs once with hand-written kernels that look at every index.

That takes processes without native code and with SPECGRAD_BOUNDS=1. Fused kernels need no looking. Calls that nobody
listed follow: with sizes, words and numbers changed, and with one tensor of another shape than goes with the rest, or
with indices beyond it. They may be rejected, but no array may be left.
"""

import contextlib
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from specgrad.runtime.compiler.cache import precompile

from ..calls.findings import Report, forward_formula
from ..calls.point import Point, adopt, gradients, listed_points
from ..calls.unequal import unequal_points
from ..calls.variants import variant_points
from .forward import has_forward, tangents
from .memory import report_damage

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
        for each in (listed_points, other_points):
            with contextlib.suppress(Exception):  # what is wrong with a sample is said by the other checks
                for point in each(op):
                    called = str(point)
                    with contextlib.suppress(Exception):
                        _check_point(point, report)
                    del point  # its memory is looked at when it is freed
                    report_damage(op, called, report)
    return report


def other_points(op: Any) -> Iterator[Point]:
    if op.kind == "kernel":  # others call kernels, whose entries are looked at themselves
        yield from (Point(op, text, True, is_complex) for text, is_complex in variant_points(op))
        yield from unequal_points(op)


def _check_point(point: Point, report: Report) -> None:
    for formula, subject, run in _parts(point):
        _check_part(point, formula, subject, run, report)


def _check_part(point: Point, formula: str, subject: str, run: Callable[[], object], report: Report) -> None:
    try:
        run()
    except Exception as error:
        if OUTSIDE in str(error):
            text = f"at {point} a kernel reads or writes outside of an array: IndexError: {OUTSIDE}"
            rejected = "" if point.listed else " (a `check` has to reject such a call before)"
            report.find(point.op, formula or point.op.kind, text + rejected, subject)
    else:
        report.checks += 1


def _parts(point: Point) -> Iterator[tuple[str, str, Callable[[], object]]]:
    yield "", "", lambda: point.call(point.tensors([False] * len(point.leaves)))
    if not any(output.requires_grad for output in point.outputs(point.tensors())):
        return
    everything = [True] * len(point.leaves)
    if not point.listed:  # formulas call ops, each of which is given such calls itself
        yield "backward", "gradients", lambda: _backward(point, everything)
        return
    for number, leaf in enumerate(point.leaves):
        output_mask = [i == number for i in range(len(point.leaves))]
        yield leaf.argument, f"gradient of {leaf.argument}", partial(_backward, point, output_mask, twice=True)
    if len(point.leaves) > 1:
        yield "backward", "gradients", lambda: _backward(point, everything, twice=True)
    if has_forward(point.op):
        along = [adopt(point.random(tensor)) for tensor in point.tensors()]
        yield forward_formula(point.op), "forward mode", lambda: tangents(point, point.tensors(), along)


def _backward(point: Point, output_mask: list[bool], twice: bool = False) -> None:
    tensors, outputs, seeds = point.recorded(output_mask)
    for create in (False, True) if twice else (False,):
        gradients(outputs, [tensor for tensor in tensors if tensor.requires_grad], seeds, create)
