"""Which of the results of a search for distinct elements are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def chosen_outputs(found: Sequence[Tensor], inverse: bool, counts: bool) -> Any:
    """The distinct elements, with which each one is and how often, where wanted."""
    outputs = [found[0], *([found[1]] if inverse else []), *([found[2]] if counts else [])]
    return tuple(outputs) if len(outputs) > 1 else outputs[0]
