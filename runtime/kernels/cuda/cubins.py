"""Machine code of kernels."""

from __future__ import annotations

from .kernel import Kernel, Signature


def cubin(kernel: Kernel, signature: Signature, cc: tuple[int, int]) -> bytes:
    from .compile import compile_cubin

    return compile_cubin(kernel, signature, cc)
