"""Every generated CUDA kernel compiles for real: to PTX of the version that current drivers take, and to a cubin."""

from __future__ import annotations

import numpy as np
import pytest

from specgrad.runtime.kernels.cuda.compile import to_cubin, to_ptx

from .cuda_cases import PACKAGE, Case, arguments, cases

CASES = list(cases())


def signature(case: Case, dtype: type) -> tuple[object, ...]:
    """What `to_ptx` wants to know of each argument."""
    return tuple(v.dtype if isinstance(v, np.ndarray) else type(v) for v in arguments(case, dtype).values())


@pytest.mark.parametrize("case", CASES, ids=str)
def test_compiles_to_ptx_and_machine_code(case: Case) -> None:
    """In float32: PTX 9.0 or older, no 64-bit floating point arithmetic smuggled in by a constant, and a cubin."""
    ptx = to_ptx(PACKAGE, case.op, case.name, signature(case, np.float32))
    version = float(ptx.split(".version ")[1].split()[0])
    assert version <= 9.0
    assert to_cubin(ptx)[:4] == b"\x7fELF"


@pytest.mark.parametrize("case", [c for c in CASES if c.record.complex and c.name == "forward"], ids=str)
def test_compiles_for_complex_numbers(case: Case) -> None:
    """The complex versions of the scalar functions compile for the device too."""
    assert ".visible .entry" in to_ptx(PACKAGE, case.op, case.name, signature(case, np.complex64))


def test_there_are_cases() -> None:
    """The table is not empty, so the tests above cannot pass by testing nothing."""
    assert len(CASES) > 150
