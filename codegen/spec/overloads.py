"""Whether the function of several overloads chooses by the types of the parameters, which are the same for all."""

from __future__ import annotations

from collections.abc import Sequence

from .model import Argument
from .numpy_code import numpy_names


def chooses_by_types(overloads: Sequence[Sequence[Argument]]) -> bool:
    """Whether all overloads have the same parameters, and their types tell those with a default from those without."""
    if len({tuple((a.python_name, a.keyword_only) for a in arguments) for arguments in overloads}) > 1:
        return False
    for same in zip(*overloads, strict=True):
        required = {a.type for a in same if a.default is None}
        optional = {a.type for a in same if a.default is not None}
        if required & optional or (required and optional and numpy_names(overloads[0])):
            return False
    return True
