"""Functions of several overloads where PyTorch's own modules find them: those of the package."""

from importlib import import_module as _import_module
from typing import Any as _Any


def __getattr__(name: str) -> _Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_import_module(__name__.partition(".")[0]), name)
