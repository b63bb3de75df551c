"""Where in the user's program a collective was called."""

from __future__ import annotations

import os
import sys

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__))))
_OURS = tuple(os.path.join(_PACKAGE, subpackage) + os.sep for subpackage in ("runtime", "nn", "generated", "specgrad"))


def location() -> tuple[str, int]:
    """File and line of the innermost frame outside this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OURS):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno
