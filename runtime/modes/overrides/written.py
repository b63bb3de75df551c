"""Which arguments a program gave by name, where a function that has been entered does not know that any more."""

from __future__ import annotations

import dis
import functools
import sys
from types import CodeType, FrameType

_PACKAGE = __name__.partition(".")[0]
_ON_THE_WAY = tuple(
    f"{_PACKAGE}.{subpackage}" for subpackage in ("generated.", "runtime.modes.", "runtime.modes.overrides.")
) + (f"{_PACKAGE}.runtime.dispatch.overloads",)


def named_arguments() -> tuple[str, ...]:
    """The names that stand in the call of the op that is asked for; none where the call does not tell."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and str(frame.f_globals.get("__name__")).startswith(_ON_THE_WAY):
        frame = frame.f_back
    return () if frame is None else _names_at(frame.f_code, frame.f_lasti)


@functools.lru_cache(maxsize=4096)
def _names_at(code: CodeType, offset: int) -> tuple[str, ...]:
    """The names in the call at an instruction: a constant of the code, which stands before it."""
    names: tuple[str, ...] = ()
    constant: object = None
    for instruction in dis.get_instructions(code):
        if instruction.offset > offset:  # while a call runs, its frame may stand at what is cached behind it
            break
        if instruction.opname == "KW_NAMES":  # Python 3.11 and 3.12: an instruction just before the call
            names = code.co_consts[instruction.arg or 0]
        elif instruction.opname == "CALL_KW":  # from 3.13 on: a constant on the stack
            names = constant if isinstance(constant, tuple) else ()
        elif instruction.opname not in ("PRECALL", "CALL", "CACHE"):
            names = ()
        constant = instruction.argval if instruction.opname == "LOAD_CONST" else None
    return names
