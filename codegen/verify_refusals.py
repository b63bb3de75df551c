"""Whether a call was refused on purpose: by a `raise` in Python, in words that are the framework's own."""

from __future__ import annotations

import dis
from types import TracebackType

REFUSALS = (ValueError, RuntimeError, IndexError, TypeError, NotImplementedError)


def is_refusal(error: BaseException) -> bool:
    """Whether what was raised is an answer, and no accident inside: NumPy's and numba's errors are accidents."""
    if not isinstance(error, REFUSALS) or (error.__cause__ is not None and not is_refusal(error.__cause__)):
        return False
    last = _last(error.__traceback__)
    return last is not None and _raises(last)


def _last(trace: TracebackType | None) -> TracebackType | None:
    """Where the error was raised."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace


def _raises(trace: TracebackType) -> bool:
    """Whether the instruction that the error comes from is a `raise`, of the framework's or of a package on it."""
    module = trace.tb_frame.f_globals.get("__name__", "")
    if module.partition(".")[0] in ("numpy", "numba", "scipy", "llvmlite"):
        return False
    here = next((i for i in dis.get_instructions(trace.tb_frame.f_code) if i.offset == trace.tb_lasti), None)
    return here is not None and here.opname in ("RAISE_VARARGS", "RERAISE")
