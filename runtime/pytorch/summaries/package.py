"""The package `tensorboard`, which is loaded when the first summary is written."""

from __future__ import annotations

import importlib
from typing import Any


def part(name: str) -> Any:
    """A module of the package; an ImportError where it is not installed."""
    try:
        return importlib.import_module(f"tensorboard.{name}")
    except ImportError as error:
        raise ImportError(
            "specgrad.utils.tensorboard needs the package tensorboard: pip install tensorboard "
            f"(importing tensorboard.{name} failed: {error})"
        ) from error


def proto(name: str) -> Any:
    return part(f"compat.proto.{name}_pb2")
