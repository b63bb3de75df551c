"""Tensors without marks, for code that keeps a tensor's memory or hands it to others; see representations/marked/."""

from __future__ import annotations

from typing import Any

from ..namespace import op


def unmarked(tensor: Any) -> Any:
    """What a conjugate or negative shows, in memory of its own; another tensor as it is."""
    return op.resolve_neg(op.resolve_conj(tensor)) if tensor.lazy_conj else tensor
