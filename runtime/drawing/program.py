"""Graphviz, where it is installed: its `dot` program, or the Python package that knows where that is."""

from __future__ import annotations

import importlib
import shutil
import subprocess
from typing import Any

_SECONDS = 10.0  # that a picture may take before it is laid out here instead


def render(dot: str, kind: str, wait: float | None = _SECONDS) -> bytes | None:
    """Dot text as a file of a kind ("svg", "png", "pdf", ...); None when Graphviz is not there or takes too long."""
    program = shutil.which("dot")
    if program is None:
        return _by_package(dot, kind)
    try:
        done = subprocess.run([program, f"-T{kind}"], input=dot.encode(), capture_output=True, timeout=wait)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _by_package(dot: str, kind: str) -> bytes | None:
    try:
        package: Any = importlib.import_module("graphviz")
    except ImportError:
        return None
    try:
        return package.Source(dot).pipe(format=kind)
    except (package.ExecutableNotFound, package.CalledProcessError):
        return None
