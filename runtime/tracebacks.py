"""Tracebacks of errors that leave the package: frames of a program are kept, those of the package are left out.

A public function ends with `except Exception as error: hide_internal_frames(error); raise`. That costs nothing while
nothing fails, and a bare `raise` adds no frame, so its own is left out too. `SPECGRAD_TRACEBACK=full` keeps all.
"""

import os
import sys
from types import FrameType, TracebackType

from .errors import PACKAGE

full = os.environ.get("SPECGRAD_TRACEBACK") == "full"

_NAME = __name__.partition(".")[0]
_INTERNAL = (f"{_NAME}.", "codegen.")  # modules; the generator has other names in and out of the tree
_BELOW = (_NAME, "numpy", "numba", "scipy", "llvmlite", "ml_dtypes")
_STANDARD = os.path.dirname(os.__file__) + os.sep


def hide_internal_frames(error: BaseException) -> None:
    """Leave frames of the package out, in the `except` block of a function that a program calls.

    A function that the package itself has called leaves them: who explains the error looks at all of them."""
    caller = sys._getframe(1).f_back
    if not full and not (caller is not None and is_internal(caller)):
        error.__traceback__ = _outside(error.__traceback__)


def is_internal(frame: FrameType) -> bool:
    """Whether the code is the package's, or generated: packages of users' ops have it too."""
    names = frame.f_globals
    return str(names.get("__name__")).startswith(_INTERNAL) or hide_internal_frames.__name__ in names


def is_below(frame: FrameType) -> bool:
    """Whether the code is the package's, or of what it is built on."""
    file = frame.f_code.co_filename
    if file.startswith((PACKAGE, "<frozen ")) or str(frame.f_globals.get("__name__")).partition(".")[0] in _BELOW:
        return True
    return file.startswith(_STANDARD) and "-packages" not in file


def _outside(traceback: TracebackType | None) -> TracebackType | None:
    """The entries of a program: its own, and what is called from there that is no part of the package."""
    outside: list[TracebackType] = []
    inside = True
    while traceback is not None:
        inside = is_internal(traceback.tb_frame) or (inside and is_below(traceback.tb_frame))
        if not inside:
            outside.append(traceback)
        traceback = traceback.tb_next
    result: TracebackType | None = None
    for entry in reversed(outside):
        result = TracebackType(result, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return result
