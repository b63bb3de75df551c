"""A kernel that is compiled ahead of time."""

from __future__ import annotations

from typing import NamedTuple

from specgrad.runtime.kernels.cuda.kernel import Kernel, Signature


class Known(NamedTuple):
    """A kernel for a signature, what the table of registers calls it, and whether its machine code is carried."""

    label: str
    kernel: Kernel
    signature: Signature
    is_prebuilt: bool = False
