"""Every generated CUDA kernel compiles for real: to PTX of the version that current drivers take, and to a cubin.

Their values are `verify`'s business: it runs the same kernels in the simulator beside the CPU's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from specgrad.codegen.verify.checks.cuda import Kernel, kernels
from specgrad.generated.registry import OPS
from specgrad.runtime.kernels.cuda.compile import to_cubin, to_ptx

PACKAGE = "specgrad.generated"
NARROW = {np.dtype(np.float64): np.dtype(np.float32), np.dtype(np.complex128): np.dtype(np.complex64)}
KERNELS = [kernel for op in OPS for kernel in kernels(op, PACKAGE)]


def named(kernel: Kernel) -> str:
    return f"{kernel.file}.{kernel.name}"


def ptx_of(kernel: Kernel) -> str:
    """The PTX for arguments in single precision."""
    signature: list[Any] = []
    for value in kernel.arguments().values():
        is_array = isinstance(value, np.ndarray)
        signature.append(NARROW.get(value.dtype, value.dtype) if is_array else type(value))
    return to_ptx(PACKAGE, kernel.file, kernel.name, tuple(signature))


@pytest.mark.parametrize("kernel", [k for k in KERNELS if not k.is_complex], ids=named)
def test_compiles_to_ptx_and_machine_code(kernel: Kernel) -> None:
    """In float32, forward kernels with a number operand included."""
    ptx = ptx_of(kernel)
    assert float(ptx.split(".version ")[1].split()[0]) <= 9.0
    assert to_cubin(ptx)[:4] == b"\x7fELF"


@pytest.mark.parametrize("kernel", [k for k in KERNELS if k.is_complex and k.name == "forward"], ids=named)
def test_compiles_for_complex_numbers(kernel: Kernel) -> None:
    """The complex versions of the scalar functions compile for the device too."""
    assert ".visible .entry" in ptx_of(kernel)


def test_there_are_kernels_of_every_kind() -> None:
    """The table is not empty, so the tests above cannot pass by testing nothing."""
    names = {kernel.name for kernel in KERNELS}
    assert {"forward", "forward_number", "backward_1", "backward_3"} <= names
    assert len(KERNELS) > 300
