"""Check 10: an element-wise op beside mpmath: values, first and second derivatives over all that its dtypes hold.

It is made where the entry has the flag `precise`, as entries of the tree have, at few points of the grid and by kernels
that run as plain Python; `python -m codegen accuracy` has all points, by compiled ones.
"""

import itertools
from importlib.util import find_spec
from typing import Any

from ..calls.entries import Meaning, meaning_of
from ..calls.findings import Report, on_purpose
from ..calls.interpreted import all_plain
from ..calls.special_values import settings

REMEDY = "`accuracy` names an exception, `flags: [precise: false]` leaves such points out"
SETTINGS = 2  # of numbers: those of the first sample, and others
IS_INSTALLED = find_spec("mpmath") is not None


def measured_meaning(op: Any) -> Meaning | None:
    """What the op means, where that can be told exactly."""
    meaning = meaning_of(op) if "float" in op.dtypes and op.result_dtype[0] == "same" else None
    if meaning is None or not meaning.entry.precise or not IS_INSTALLED:
        return None
    from ...proof.mpmath_functions import is_known

    return meaning if is_known(meaning.expression) else None


def check_accuracy(op: Any, report: Report) -> None:
    meaning = measured_meaning(op)
    if meaning is None:
        return
    from ...proof.grid import SPARSE
    from ..calls.units import measured

    for setting in itertools.islice(settings(op, meaning), SETTINGS):
        try:
            with all_plain(op):
                for errors in measured(op, meaning, setting, density=SPARSE):
                    report.checks += 1
                    report_errors(op, errors, report)
        except Exception as error:
            if not on_purpose(error):
                raise


def report_errors(op: Any, errors: Any, report: Report) -> None:
    units, limit = errors.units[errors.worst], errors.limits[errors.worst]
    if errors.is_beyond:
        key = errors.argument if errors.kind != "value" else "elementwise"
        subject = f"{errors.kind} of {errors.argument}" if errors.argument else "result"
        off = "" if units == float("inf") else f"{units:.3g} units of the last digit; {limit:.3g} are allowed; "
        report.find(op, key, f"{errors.shown(errors.worst)} ({off}{REMEDY})", f"{subject} in {errors.dtype}", size=0.2)
