"""Texts of losses that are no row programs (`kernels/cuda/indexed.py`)."""

from __future__ import annotations

from typing import Any

from ...kernels.cuda.vocabulary import cuda, int64

# Texts name these; a kernel has its own in their place.
index: Any = None
get_target: Any = None


def noted(target: Any, word: Any, ticket: Any, classes: Any, ignored: Any, total: Any) -> None:
    """The first target that is neither a class nor ignored is noted in a word."""
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        given = get_target(target, i)
        if given != ignored and not 0 <= given < classes and cuda.atomic.cas(word, 0, int64(0), ticket) == int64(0):
            word[1] = int64(given)
            word[2] = int64(classes)
