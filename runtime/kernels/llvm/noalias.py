"""How numba compiles kernels in which each place of the result depends on the same place of the operands alone."""

from __future__ import annotations

import functools
from typing import Any


@functools.cache
def placewise() -> Any:
    """A numba compiler that tells LLVM that no two arguments of a kernel share memory.

    Without being told, LLVM compares the arrays' addresses at run time and takes a slow loop, without vectors, where
    they meet: so it did in every in-place op, whose result is its first operand. What LLVM does when it is told
    (reading several places ahead of writing any) is right for such an operand as well, as long as the kernel writes
    a place after its last read of that place, and arrays that meet are the same places in the same order. The ops see
    to the latter: see `check_apart`.
    """
    from numba.core.compiler import Compiler

    class Placewise(Compiler):
        def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, kinds: Any):
            flags.noalias = True
            super().__init__(typing, target, library, args, result, flags, kinds)

    return Placewise
