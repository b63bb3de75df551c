"""The kernels of element-wise ops, copies and fills: those in float32 and all copies are carried, others measured."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np

from specgrad.generated.registry import OPS
from specgrad.runtime.cuda.launching.elementwise import between
from specgrad.runtime.kernels.cuda.element import copy_kernel, element_kernel, element_signature
from specgrad.runtime.kernels.cuda.kernel import Array
from specgrad.runtime.kernels.cuda.storage import in_registers

from ..verify.checks.cuda import RESULTS
from ..verify.checks.cuda import Kernel as Generated
from ..verify.checks.cuda import kernels as generated
from .known import Known

FLOAT32 = np.dtype(np.float32)
FLOAT64 = np.dtype(np.float64)
PASSED = {"int": FLOAT64, "bool": np.dtype(np.bool_)}  # numbers by their types; `as_number` makes floats of whole ones
LAYOUTS = {0: "flat", 3: "strided"}
INT64 = np.dtype(np.int64)
OTHERS = [np.dtype(t) for t in (np.float16, ml_dtypes.bfloat16, np.float64)]
COPIED = [np.dtype(t) for t in (np.bool_, np.int32, np.int64, np.float16, ml_dtypes.bfloat16, np.float32, np.float64)]


def element_kernels() -> Iterator[Known]:
    for op in OPS:
        for kernel in generated(op, "specgrad.generated"):
            if not kernel.is_complex:
                yield from of_arrays(kernel)
                yield from with_number(kernel)
                yield from of_other_dtypes(kernel)
    yield from copies()


def of_arrays(kernel: Generated) -> Iterator[Known]:
    for dims in LAYOUTS:
        yield known_elementwise(kernel, kernel.inputs, dims)


def of_other_dtypes(kernel: Generated) -> Iterator[Known]:
    """The function of an op in the dtypes that it takes besides."""
    if kernel.name == "forward":
        for stored in OTHERS if "float" in kernel.op.dtypes else ():
            yield known_elementwise(kernel, kernel.inputs, 0, stored=stored)
        if "int" in kernel.op.dtypes and kernel.op.result_dtype[0] in ("same", "bool"):
            yield known_elementwise(kernel, kernel.inputs, 0, stored=INT64)


def with_number(kernel: Generated) -> Iterator[Known]:
    """The kernel where one operand of an operator is a number, as in `2 - x`."""
    arrays = [name for name in kernel.inputs if kernel.is_array(name) and not kernel.is_mask(name)]
    if kernel.op.takes_number:
        operands = [name for name in arrays if kernel.type_of(name) != "Tensor" or name in ("self", "other")]
        for number in operands if len(arrays) > 1 else ():
            yield known_elementwise(kernel, [name for name in kernel.inputs if name != number], 0, f" number {number}")


def known_elementwise(
    kernel: Generated, arrays: list[str], dims: int, text: str = "", stored: np.dtype = FLOAT32
) -> Known:
    """A kernel of arrays of these names, which hold a dtype, and of numbers for the others."""
    own = tuple(not kernel.is_array(name) or kernel.is_mask(name) for name in kernel.inputs)
    operands = tuple(operand(kernel, name, name in arrays, stored) for name in kernel.inputs)
    single = element_kernel(kernel.package, kernel.file, kernel.name, in_registers(stored), own)
    signature = element_signature(operands, results(kernel, stored), dims)
    dtype = "" if stored == FLOAT32 else f" {stored}"
    label = f"{kernel.file}.{kernel.name}{text}{dtype} {LAYOUTS[dims]}"
    return Known(label, single, signature, stored == FLOAT32)


def operand(kernel: Generated, name: str, is_array: bool, stored: np.dtype) -> Any:
    if not kernel.is_array(name):
        return PASSED.get(kernel.type_of(name), FLOAT64)
    if kernel.is_mask(name):
        return Array(np.dtype(np.bool_))
    return Array(stored) if is_array else stored


def results(kernel: Generated, stored: np.dtype) -> tuple[Array, ...]:
    if kernel.name == "forward":
        kind = RESULTS.get(kernel.op.result_dtype[0], stored)
        return (Array(stored if kind == np.float64 else np.dtype(kind)),)
    return (Array(stored),) * len(kernel.results())


def copies() -> Iterator[Known]:
    for source, to, dims in product(COPIED, COPIED, LAYOUTS):
        signature = element_signature((Array(source),), (Array(to),), dims)
        yield Known(f"copy {source} to {to} {LAYOUTS[dims]}", copy_kernel(between(source, to)), signature, True)
    for to, dims in product(COPIED, LAYOUTS):
        computed = in_registers(to)
        signature = element_signature((computed,), (Array(to),), dims)
        yield Known(f"fill {to} {LAYOUTS[dims]}", copy_kernel(computed), signature, True)
