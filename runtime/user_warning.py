"""Warnings that point at the user's line, however many of this package's functions lie between."""

from __future__ import annotations

import os
import sys
import warnings

PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


_said: set[str] = set()


def warn_once(message: str) -> None:
    """Warn the first time that a program comes here, at the innermost line outside this package."""
    if message not in _said:
        _said.add(message)
        warn_user(message)


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the innermost line outside this package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
