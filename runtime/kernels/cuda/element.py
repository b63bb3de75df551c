"""The kernels of element-wise ops, and of copies: a scalar function, generated for the op, in the loop of all."""

from __future__ import annotations

import dis
import importlib
import inspect
from functools import cache
from typing import Any

import numpy as np

from .kernel import Kernel
from .loops import loop
from .signature import Array, Signature, Target
from .storage import in_registers

UINT32 = np.dtype(np.uint32)


@cache
def element_kernel(package: str, op: str, name: str, computed: np.dtype, own: tuple[bool, ...]) -> Kernel:
    """The kernel of a generated scalar function.

    Args:
        package: the generated package, `specgrad.generated` or a user's.
        op: the module in its `kernels.cuda`.
        name: the function in that: "forward", "backward_3".
        computed: the dtype `T` that the function computes in.
        own: of each operand, whether it is read in a dtype of its own: masks, and numbers that are not promoted.
    """

    def make(target: Target, signature: Signature) -> Any:
        function = getattr(importlib.import_module(f"{package}.kernels.cuda.{op}"), name)
        read_dtypes = [own_dtype(part) if keeps else computed for part, keeps in zip(signature[0], own, strict=True)]
        return loop(target, signature, scalar(target, function, computed), read_dtypes)

    return Kernel(f"{op}.{name}", make)


@cache
def source_kernel(function: Any, computed: np.dtype) -> Kernel:
    """The kernel of a scalar function that is written by hand: it gets all its operands in the dtype `T`."""

    def make(target: Target, signature: Signature) -> Any:
        return loop(target, signature, scalar(target, function, computed), [computed] * len(signature[0]))

    return Kernel(function.__name__, make)


def scalar(target: Target, function: Any, computed: np.dtype) -> Any:
    """A scalar function for a target, computing in a dtype."""
    return target.device(function, T=computed.type, **target.scalars(function, computed.kind == "c"))


@cache
def operands_read(package: str, op: str, name: str) -> frozenset[int]:
    """The places of the parameters that a generated scalar function reads; that of `copy_` does not look at `self`."""
    function = getattr(importlib.import_module(f"{package}.kernels.cuda.{op}"), name)
    read = {step.argval for step in dis.get_instructions(function) if "LOAD_FAST" in step.opname}
    names = {name for result in read for name in (result if isinstance(result, tuple) else (result,))}
    return frozenset(i for i, name in enumerate(inspect.signature(function).parameters) if name in names)


def own_dtype(part: Any) -> np.dtype:
    """The dtype that a number, or an element of an array, has in registers."""
    stored: np.dtype = part.dtype if isinstance(part, Array) else part
    return in_registers(stored)


def same(x: Any) -> Any:
    return x


@cache
def copy_kernel(computed: np.dtype) -> Kernel:
    """The kernel that copies elements by way of a dtype."""

    def make(target: Target, signature: Signature) -> Any:
        return loop(target, signature, target.device(same), [computed])

    return Kernel(f"copy by {computed.name}", make)


def element_signature(operands: tuple[Any, ...], results: tuple[Array, ...], dims: int) -> Signature:
    """The signature of a loop over arrays that are flat, for 0 dims, or have steps in so many dims."""
    arrays = sum(isinstance(part, Array) for part in operands)
    steps = (UINT32,) * dims
    sizes = ((UINT32,) * 3,) * max(dims - 1, 0)
    return operands, results, ((steps,) * arrays, (steps,) * len(results)), sizes, UINT32
