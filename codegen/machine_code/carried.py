"""The kernels whose machine code comes with specgrad: those of element-wise ops in float32, copies and fills."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from specgrad.generated.registry import OPS
from specgrad.runtime.cuda.elementwise import between
from specgrad.runtime.kernels.cuda.element import copy_kernel, element_kernel, element_signature
from specgrad.runtime.kernels.cuda.kernel import Array, Kernel, Signature
from specgrad.runtime.kernels.cuda.storage import in_registers

from ..verify.checks.cuda import RESULTS
from ..verify.checks.cuda import Kernel as Generated
from ..verify.checks.cuda import kernels as generated

FLOAT32 = np.dtype(np.float32)
FLOAT64 = np.dtype(np.float64)
PASSED = {"int": FLOAT64, "bool": np.dtype(np.bool_)}  # numbers by their types; `as_number` makes floats of whole ones
LAYOUTS = {0: "flat", 3: "strided"}
COPIED = [np.dtype(t) for t in (np.bool_, np.int32, np.int64, np.float16, ml_dtypes.bfloat16, np.float32, np.float64)]


class Carried(NamedTuple):
    """A kernel for a signature, and what the table of registers calls it."""

    label: str
    kernel: Kernel
    signature: Signature


def carried() -> Iterator[Carried]:
    """All of them."""
    for op in OPS:
        for kernel in generated(op, "specgrad.generated"):
            if not kernel.is_complex:
                yield from of_arrays(kernel)
                yield from with_number(kernel)
    yield from copies()


def of_arrays(kernel: Generated) -> Iterator[Carried]:
    """The kernel of float32 arrays, flat and in any layout."""
    for dims in LAYOUTS:
        yield made(kernel, kernel.inputs, dims)


def with_number(kernel: Generated) -> Iterator[Carried]:
    """The kernel where one operand of an operator is a number, as in `2 - x`."""
    arrays = [name for name in kernel.inputs if kernel.is_array(name) and not kernel.is_mask(name)]
    if kernel.op.takes_number:
        operands = [name for name in arrays if kernel.type_of(name) != "Tensor" or name in ("self", "other")]
        for number in operands if len(arrays) > 1 else ():
            yield made(kernel, [name for name in kernel.inputs if name != number], 0, f" number {number}")


def made(kernel: Generated, arrays: list[str], dims: int, text: str = "") -> Carried:
    """A kernel that computes in float32, of arrays of these names and numbers for the others."""
    own = tuple(not kernel.is_array(name) or kernel.is_mask(name) for name in kernel.inputs)
    operands = tuple(operand(kernel, name, name in arrays) for name in kernel.inputs)
    single = element_kernel(kernel.package, kernel.file, kernel.name, FLOAT32, own)
    signature = element_signature(operands, results(kernel), dims)
    return Carried(f"{kernel.file}.{kernel.name}{text} {LAYOUTS[dims]}", single, signature)


def operand(kernel: Generated, name: str, is_array: bool) -> Any:
    if not kernel.is_array(name):
        return PASSED.get(kernel.type_of(name), FLOAT64)
    if kernel.is_mask(name):
        return Array(np.dtype(np.bool_))
    return Array(FLOAT32) if is_array else FLOAT32


def results(kernel: Generated) -> tuple[Array, ...]:
    if kernel.name == "forward":
        kind = RESULTS.get(kernel.op.result_dtype[0], FLOAT32)
        return (Array(FLOAT32 if kind == np.float64 else np.dtype(kind)),)
    return (Array(FLOAT32),) * len(kernel.results())


def copies() -> Iterator[Carried]:
    """Copies between dtypes, and fills."""
    for source, to, dims in product(COPIED, COPIED, LAYOUTS):
        signature = element_signature((Array(source),), (Array(to),), dims)
        yield Carried(f"copy {source} to {to} {LAYOUTS[dims]}", copy_kernel(between(source, to)), signature)
    for to, dims in product(COPIED, LAYOUTS):
        computed = in_registers(to)
        signature = element_signature((computed,), (Array(to),), dims)
        yield Carried(f"fill {to} {LAYOUTS[dims]}", copy_kernel(computed), signature)
