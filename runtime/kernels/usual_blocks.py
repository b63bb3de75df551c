"""Kernels of one function of one operand, block by block: where all of a block is usual, by a shorter function.

Vector code computes what any argument may need for every argument, and chooses. Where a function has a shorter form
for usual arguments (`scalar/usual.py`), a block is looked at first; what is computed of an element are the same bits in
either form, so they do not depend on its neighbours.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compile.scalar_library import names_in, rebuilt
from .scalar.usual import USUAL

BLOCK = 512  # elements: what the loops over a block ask for ahead is the next one (`compile/prefetch.py`)


def whole(x: Any) -> Any:
    """The function of a kernel, for any argument; `in_blocks` puts it here, as the next three."""


def usual(x: Any) -> Any:
    """The same for usual arguments."""


def key(x: Any) -> Any:
    """What tells whether an argument is usual."""


def inside(like: Any, low: Any, high: Any) -> Any:
    """Whether arguments with keys from `low` to `high` are."""


def pattern(self: Any, result: Any) -> None:
    """What the text of a kernel is that is one function of one operand."""
    for i in range(result.size):
        result[i] = whole(self[i])


def blocks(self: Any, result: Any) -> None:
    """The same, block by block."""
    for block in range((result.size + BLOCK - 1) // BLOCK):
        start, size = np.uint64(block * BLOCK), min(BLOCK, result.size - block * BLOCK)
        low = high = key(self[start])
        for i in range(size):  # an unsigned place is none that Python would count from the end
            each = key(self[start + np.uint64(i)])
            low = each if each < low else low
            high = each if each > high else high
        if inside(result[start], low, high):
            for i in range(size):
                result[start + np.uint64(i)] = usual(self[start + np.uint64(i)])
        else:
            for i in range(size):
                result[start + np.uint64(i)] = whole(self[start + np.uint64(i)])


def in_blocks(kernel: Any) -> Any:
    """The kernel block by block where its function has a shorter form, else the kernel itself."""
    code = kernel.__code__
    functions = [kernel.__globals__.get(name) for name in sorted(names_in(code) - {"range"})]
    found = USUAL.get(functions[0]) if len(functions) == 1 else None
    if found is None or code.co_code != pattern.__code__.co_code:
        return kernel
    parts = {"whole": functions[0], "usual": found.function, "key": found.key, "inside": found.inside}
    return rebuilt(blocks, parts)
