"""Machine code of kernels."""

from __future__ import annotations

from .signature import Make, Signature


def cubin(make: Make, signature: Signature, cc: tuple[int, int]) -> bytes:
    from .compile import compile_cubin

    return compile_cubin(make, signature, cc)
