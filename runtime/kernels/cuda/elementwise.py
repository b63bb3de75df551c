"""The one loop of all element-wise kernels, around a scalar function generated for the op. Kernels get tuples, for
which functions are put together from those for their first part and for the rest: numba gives each part its own
type."""

import dis
import importlib
import inspect
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from .kernel import Kernel
from .language import compute, cuda, get, multi_index, offset, put, read, rest, uint32, uint64, write
from .signature import Array, Signature, Target
from .storage import getter, in_registers, putter

THREADS = 256  # of a block
PER_THREAD = 4  # elements of a thread
PER_BLOCK = THREADS * PER_THREAD


def element_wise(operands: Any, results: Any, steps: Any, sizes: Any, size: Any) -> None:
    """Four elements a thread, all read before the first is written. `steps`: of arrays and of results."""
    i = uint32(uint32(cuda.blockIdx.x) * uint32(1024) + uint32(cuda.threadIdx.x))
    if uint32(i + uint32(768)) < size:
        p0 = multi_index(sizes, i)
        p1 = multi_index(sizes, uint32(i + uint32(256)))
        p2 = multi_index(sizes, uint32(i + uint32(512)))
        p3 = multi_index(sizes, uint32(i + uint32(768)))
        x0 = read(operands, steps[0], p0)
        x1 = read(operands, steps[0], p1)
        x2 = read(operands, steps[0], p2)
        x3 = read(operands, steps[0], p3)
        write(results, steps[1], p0, compute(*x0))
        write(results, steps[1], p1, compute(*x1))
        write(results, steps[1], p2, compute(*x2))
        write(results, steps[1], p3, compute(*x3))
    else:
        while i < size:
            p = multi_index(sizes, i)
            write(results, steps[1], p, compute(*read(operands, steps[0], p)))
            i = uint32(i + uint32(256))


def read_array(operands: Any, steps: Any, p: Any) -> Any:
    return (get(operands[0], offset(steps[0], p)), *rest(operands[1:], steps[1:], p))


def read_number(operands: Any, steps: Any, p: Any) -> Any:
    return (operands[0], *rest(operands[1:], steps, p))


def read_nothing(operands: Any, steps: Any, p: Any) -> Any:
    return ()


def reader(target: Target, operands: Sequence[Any], read_dtypes: Sequence[np.dtype], dims: int) -> Any:
    made = target.device(read_nothing)
    for part, dtype in zip(reversed(operands), reversed(read_dtypes), strict=True):
        if isinstance(part, Array):
            value = getter(target, part.dtype, dtype)
            made = target.device(read_array, get=value, offset=offset_of(target, dims), rest=made)
        else:
            made = target.device(read_number, rest=made)
    return made


def write_one(results: Any, steps: Any, p: Any, value: Any) -> None:
    put(results[0], offset(steps[0], p), value)


def write_first(results: Any, steps: Any, p: Any, values: Any) -> None:
    put(results[0], offset(steps[0], p), values[0])
    rest(results[1:], steps[1:], p, values[1:])


def write_last(results: Any, steps: Any, p: Any, values: Any) -> None:
    put(results[0], offset(steps[0], p), values[0])


def writer(target: Target, results: Sequence[Array], dims: int) -> Any:
    where = offset_of(target, dims)
    puts = [putter(target, part.dtype) for part in results]
    made = target.device(write_one if len(puts) == 1 else write_last, put=puts[-1], offset=where)
    for each in reversed(puts[:-1]):
        made = target.device(write_first, put=each, offset=where, rest=made)
    return made


def multi_index_flat(sizes: Any, i: Any) -> Any:
    return i


def multi_index_outermost(sizes: Any, i: Any) -> Any:
    return (i,)


def multi_index_inner(sizes: Any, i: Any) -> Any:
    """The index along the innermost dim, of n elements, and those along the rest; see `divisor`."""
    n, factor, shift = sizes[0]
    ratio = uint32(uint32(uint32((uint64(i) * uint64(factor)) >> uint64(32)) + i) >> shift)
    return (uint32(i - uint32(ratio * n)), *rest(sizes[1:], ratio))


def multi_index_of(target: Target, dims: int) -> Any:
    """The function (sizes, i) that says where the i-th element lies: indices, the innermost first; i itself for 0."""
    return by_dims(target, dims, multi_index_outermost if dims else multi_index_flat, multi_index_inner)


def offset_flat(steps: Any, p: Any) -> Any:
    return p


def offset_outermost(steps: Any, p: Any) -> Any:
    return uint32(p[0] * steps[0])


def offset_inner(steps: Any, p: Any) -> Any:
    return uint32(uint32(p[0] * steps[0]) + rest(steps[1:], p[1:]))


def offset_of(target: Target, dims: int) -> Any:
    return by_dims(target, dims, offset_outermost if dims else offset_flat, offset_inner)


def by_dims(target: Target, dims: int, outermost: Any, inner: Any) -> Any:
    """A function of tuples of so many parts: `inner` calls the function of the `rest`, up to the outermost dim."""
    made = target.device(outermost)
    for _ in range(dims - 1):
        made = target.device(inner, rest=made)
    return made


def divisor(n: int) -> tuple[int, int, int]:
    shift = (n - 1).bit_length()
    return n, ((1 << 32) * ((1 << shift) - n)) // n + 1, shift


def loop(target: Target, signature: Signature, function: Any, read_dtypes: Sequence[np.dtype]) -> Any:
    operands, results, steps, _, _ = signature
    arrays = [*steps[0], *steps[1]]
    dims = len(arrays[0])
    return target.kernel(
        element_wise,
        compute=function,
        multi_index=multi_index_of(target, dims),
        read=reader(target, operands, read_dtypes, dims),
        write=writer(target, results, dims),
    )


UINT32 = np.dtype(np.uint32)


@cache
def element_kernel(package: str, family: str, name: str, computed: np.dtype, own: tuple[bool, ...]) -> Kernel:
    """The kernel of a generated scalar function.

    Args:
        package: the generated package, `specgrad.generated` or a user's.
        family: the module in its `kernels.cuda`.
        name: the function in that, such as "mul_tensor_backward_3".
        computed: the dtype `T` that the function computes in.
        own: of each operand, whether it is read in a dtype of its own: masks, and numbers that are not promoted.
    """

    def make(target: Target, signature: Signature) -> Any:
        function = getattr(importlib.import_module(f"{package}.kernels.cuda.{family}"), name)
        read_dtypes = [own_dtype(part) if keeps else computed for part, keeps in zip(signature[0], own, strict=True)]
        return loop(target, signature, scalar(target, function, computed), read_dtypes)

    return Kernel(name, make)


@cache
def source_kernel(function: Any, computed: np.dtype) -> Kernel:
    def make(target: Target, signature: Signature) -> Any:
        return loop(target, signature, scalar(target, function, computed), [computed] * len(signature[0]))

    return Kernel(function.__name__, make)


def scalar(target: Target, function: Any, computed: np.dtype) -> Any:
    return target.device(function, T=computed.type, **target.scalars(function, computed.kind == "c"))


@cache
def operands_read(package: str, family: str, name: str) -> frozenset[int]:
    """The places of the parameters that a generated scalar function reads; that of `copy_` does not look at `self`."""
    function = getattr(importlib.import_module(f"{package}.kernels.cuda.{family}"), name)
    read = {step.argval for step in dis.get_instructions(function) if "LOAD_FAST" in step.opname}
    names = {name for result in read for name in (result if isinstance(result, tuple) else (result,))}
    return frozenset(i for i, name in enumerate(inspect.signature(function).parameters) if name in names)


def own_dtype(part: Any) -> np.dtype:
    stored: np.dtype = part.dtype if isinstance(part, Array) else part
    return in_registers(stored)


def same(x: Any) -> Any:
    return x


@cache
def copy_kernel(computed: np.dtype) -> Kernel:
    def make(target: Target, signature: Signature) -> Any:
        return loop(target, signature, target.device(same), [computed])

    return Kernel(f"copy by {computed.name}", make)


def element_signature(operands: tuple[Any, ...], results: tuple[Array, ...], dims: int) -> Signature:
    arrays = sum(isinstance(part, Array) for part in operands)
    steps = (UINT32,) * dims
    sizes = ((UINT32,) * 3,) * max(dims - 1, 0)
    return operands, results, ((steps,) * arrays, (steps,) * len(results)), sizes, UINT32
