"""Runs every check on one op, at each of its points: those of the entry, and variants that nobody listed."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np

from specgrad.runtime.errors import NotDifferentiableError

from .calls.entries import spec_entry
from .calls.findings import Report, error_message, forward_formula, key_of, nan_advice, on_purpose
from .calls.interpreted import all_plain
from .calls.point import Point, concatenated, formulas_alone, gradients, shown
from .calls.samples import points
from .calls.variants import variant_points, varied
from .checks.accuracy import check_accuracy
from .checks.batch import check_batch
from .checks.dtypes import check_autocast, check_dtypes
from .checks.elementwise import check_elementwise
from .checks.errors_and_examples import check_refuses
from .checks.forward import check_forward, check_forward_again, check_forward_over_reverse
from .checks.kernels import check_program
from .checks.layouts import (
    check_commutative,
    check_displaced,
    check_inplace,
    check_layouts,
    check_number,
    check_results,
)
from .checks.masks import BACKWARD, check_backward, check_fused, check_inputs, check_outputs
from .checks.memory import (
    check_aliases,
    check_memory,
    check_replaces,
    check_without_memory,
    check_writes,
    report_damage,
)
from .checks.precision import check_precision
from .checks.reference import check_kinds, check_reference, check_unlisted
from .checks.reverse import check_kink, check_reverse
from .checks.second import check_second
from .dtype_tables import check_golden

Check = Callable[[Point, Report], None]

ONCE = "once_differentiable"
SECOND_ORDER: tuple[Check, ...] = (check_second, check_forward_again, check_forward_over_reverse)
OF_GRADIENTS: tuple[Check, ...] = (check_inputs, check_outputs, check_fused)
IN_OTHER_WAYS: tuple[Check, ...] = (check_inplace, check_number, check_commutative, check_layouts)
MEANING: tuple[Check, ...] = (check_reference, check_program)
EVERYWHERE: tuple[Check, ...] = (
    *(*MEANING, check_writes, check_memory, check_without_memory, check_reverse, check_backward, check_forward),
    *(*SECOND_ORDER, *OF_GRADIENTS, *IN_OTHER_WAYS, check_displaced, check_batch),
)
UNRECORDED: tuple[Check, ...] = (  # nothing has a gradient
    *(*MEANING, check_writes, check_memory, check_without_memory, *IN_OTHER_WAYS, check_batch),
)
OF_FIRST_ORDER: tuple[Check, ...] = (check_reverse, check_backward, check_forward)
AT_VARIANTS: tuple[Check, ...] = (check_memory, *OF_FIRST_ORDER, check_inputs, check_inplace)


def verify_op(op: Any, report: Report | None = None) -> Report:
    """All checks at all points of one op, and its refusals; the findings go into `report`, where one is given.

    Points that nobody listed, calls made from the entry's and numbers read off its expressions, come where those of the
    entry show nothing wrong: what both show is shown once.
    """
    report = Report() if report is None else report
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of arguments that are going away, and of what a call has too little of
        for text, hard, is_complex in points(op):
            verify_point(op, text, hard, is_complex, report)
            report_damage(op, shown(text, is_complex), report)
        with all_plain(op):  # integers and bools are no reason to compile
            check_kinds(op, report)
        check_refuses(op, report)
        for check in (check_dtypes, check_golden, check_replaces, check_aliases, check_autocast):
            _attempt_full(check, op, report)
        check_kink(op, report)
        if not report.concerns(op.name):
            for text, is_complex in variant_points(op):
                verify_variant(op, text, is_complex, report)
                report_damage(op, shown(text, is_complex), report)
            for check in (check_elementwise, check_precision, check_accuracy):
                _attempt_full(check, op, report)
    return report


def _attempt_full(check: Callable[[Any, Report], None], op: Any, report: Report) -> None:
    try:
        check(op, report)
    except Exception as error:
        key = key_of(op, error)
        if not report.concerns(op.name):
            report.find(op, key, error_message(error))


def verify_variant(op: Any, text: str, is_complex: bool, report: Report) -> None:
    report.advice = nan_advice(varied(op, text))
    try:
        point = Point(op, text, hard=True, is_complex=is_complex)
        outputs = point.outputs(point.tensors())
    except Exception as error:
        of_python = op.kind == "composite" and isinstance(error, IndexError)  # of `self.shape[dim]`
        if not on_purpose(error) and not of_python:
            report.find(op, key_of(op, error), f"at ({text}): {error_message(error)}")
    else:
        _check_variant(point, outputs, report)
    finally:
        report.advice = ""


def _check_variant(point: Point, outputs: list[Any], report: Report) -> None:
    attempt(check_unlisted, point, report)
    is_finite = all(np.isfinite(output.detach().array).all() for output in outputs)
    for check in AT_VARIANTS if any(output.requires_grad for output in outputs) else ():
        if is_finite or check is not check_backward:  # of a result that is not finite either is right
            attempt(check, point, report)


def verify_point(op: Any, text: str, hard: bool, is_complex: bool, report: Report) -> None:
    try:
        point = Point(op, text, hard, is_complex)
        check_results(point, report)
        recorded = any(output.requires_grad for output in point.outputs(point.tensors()))
    except Exception as error:  # whatever is wrong with an op becomes a line of the report
        report.find(op, key_of(op, error), f"at {shown(text, is_complex)}: {error_message(error)}")
        return
    for check in EVERYWHERE if recorded else UNRECORDED:
        attempt(check, point, report)


def attempt(check: Check, point: Point, report: Report) -> None:
    """Run one check; where the kernel for backward is wrong or not meant, by the formulas alone."""
    alone = BACKWARD in point.op.formulas and (check is check_reverse or report.has(point.op.name, BACKWARD))
    with formulas_alone() if alone else nullcontext():
        _attempt(check, point, report)


def _attempt(check: Check, point: Point, report: Report) -> None:
    op = point.op
    once = check in SECOND_ORDER and is_once_differentiable(op)
    try:
        check(point, report)
        if once and check is check_second and point.leaves:
            report.find(op, ONCE, f"at {point} it can be differentiated twice: leave the flag out")
    except Exception as error:
        if once and isinstance(error, NotDifferentiableError):
            report.checks += 1  # the error that the entry promises
            return
        subject, key = _at_fault(check, point, error)
        meant = check in SECOND_ORDER and isinstance(error, NotDifferentiableError)
        hint = f" (where that is meant the entry has the flag `{ONCE}`)" * meant
        report.find(op, key, f"at {point}: {error_message(error)}{hint}", subject)


def is_once_differentiable(op: Any) -> bool:
    entry = spec_entry(op)
    return entry is not None and entry.once_differentiable


def _at_fault(check: Check, point: Point, error: Exception) -> tuple[str, str]:
    with formulas_alone():
        formula = next(_raising(point), "")
    if formula:
        return f"gradient of {formula}", formula
    if BACKWARD in point.op.formulas and next(_raising(point), ""):
        return BACKWARD, BACKWARD
    about = check.__name__.removeprefix("check_").replace("_", " ")
    if about == "batch":
        return "batching", "batch"
    key = forward_formula(point.op) if about.startswith("forward") else key_of(point.op, error)
    return f"{about} check", key


def _raising(point: Point) -> Iterator[str]:
    for number, leaf in enumerate(point.leaves):
        tensors = point.tensors([i == number for i in range(len(point.leaves))])
        try:
            outputs = point.outputs(tensors)
            concatenated(gradients(outputs, [tensors[number]], point.seeds(outputs)))
        except Exception:
            yield leaf.argument
