"""Compiled scalar functions, and whether what they give is what is wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from specgrad.runtime.compiler.passes.scalar_library import cpu_library


def compiled(name: str) -> Callable[..., Any]:
    """A scalar function for real numbers, as kernels on the CPU call it."""
    function: Callable[..., Any] = cpu_library(False).get(name)
    return function


def equal(found: Any, requested: Any) -> bool:
    """The same number, the sign of zero included."""
    same = found == requested and np.signbit(found) == np.signbit(requested)
    return bool(same or (found != found and requested != requested))
