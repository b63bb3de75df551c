"""NumPy's names of parameters, which public functions take besides PyTorch's, by keyword."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .model import Argument

NUMPY_NAMES = {"dim": "axis", "keepdim": "keepdims"}


def numpy_names(arguments: Sequence[Argument]) -> tuple[tuple[str, str], ...]:
    """(NumPy's name, the schema's) of the arguments that have one."""
    return tuple((NUMPY_NAMES[a.name], a.name) for a in arguments if a.name in NUMPY_NAMES)


def possibly_missing(arguments: Sequence[Argument]) -> list[Argument]:
    """The arguments, of which a required `dim`, which may come as `axis`, and what follows by place have defaults.

    Their checks find out what is missing.
    """
    required = [a.name for a in arguments if not a.keyword_only and a.default is None]
    missing = required[required.index("dim") :] if "dim" in required else []
    return [replace(a, default="None") if a.name in missing else a for a in arguments]
