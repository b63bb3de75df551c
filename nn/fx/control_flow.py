"""How a traced program asks for the items of a value: `a, b = x` says how many there are, a loop does not."""

from __future__ import annotations

import dis
import sys
from types import FrameType

_PACKAGE_FILE = __file__.rpartition("/")[0]


def iterated_count() -> int | None:
    """How many names the program that is traced unpacks a value into where it stands; None where it does something
    else."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE_FILE):
        frame = frame.f_back
    if frame is None:
        return None
    match = next((i for i in dis.get_instructions(frame.f_code) if i.offset == frame.f_lasti), None)
    if match is not None and match.opname == "UNPACK_SEQUENCE":
        return match.argval if isinstance(match.argval, int) else match.arg
    return None
