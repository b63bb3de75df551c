"""What the texts of CUDA kernels may name: a compiler or the simulator puts its own in the place of each, so nothing
here is ever called. And instructions that only a GPU has, made for its compiler."""

from __future__ import annotations

from typing import Any

from ...compiler.passes.primitive_code import Target

GLOBAL = 1  # the address space of a device's memory


def make_bfloat16_bits(target: Target) -> Any:
    """The bits of the nearest bfloat16: sm_80 and later have an instruction for that."""
    return rounded_bits(target, "cvt.rn.bf16.f32 $0, $1;")


def make_float16_bits(target: Target) -> Any:
    return rounded_bits(target, "cvt.rn.f16.f32 $0, $1;")


def rounded_bits(target: Target, instruction: str) -> Any:
    def bits_of_half(context: Any, x: Any) -> Any:
        from llvmlite import ir

        def code(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
            convert = ir.FunctionType(ir.IntType(16), [ir.FloatType()])
            return builder.call(ir.InlineAsm(convert, instruction, "=h,f"), arguments)

        return target.signature(target.types.uint16, target.types.float32), code

    return bits_of_half


def make_float16_number(target: Target) -> Any:
    def float16_number(context: Any, bits: Any) -> Any:
        from llvmlite import ir

        def code(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
            half = ir.IntType(16)
            convert = ir.FunctionType(ir.FloatType(), [half])
            return builder.call(
                ir.InlineAsm(convert, "cvt.f32.f16 $0, $1;", "=f,h"), [builder.trunc(arguments[0], half)]
            )

        return target.signature(target.types.float32, target.types.uint32), code

    return float16_number


def make_array_at(target: Target) -> Any:
    def array_at(context: Any, address: Any, size: Any, kind: Any) -> Any:
        from llvmlite import ir
        from numba.cuda.np.arrayobj import make_array, populate_array

        made = target.types.Array(kind.dtype, 1, "C")

        def code(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
            item = context.get_constant(target.types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
            element = context.get_data_type(kind.dtype)
            there = builder.inttoptr(arguments[0], ir.PointerType(element, GLOBAL))
            data = builder.addrspacecast(there, ir.PointerType(element))
            array = make_array(made)(context, builder)
            count = builder.zext(arguments[1], ir.IntType(64))
            populate_array(array, data=data, shape=[count], strides=[item], itemsize=item, meminfo=None)
            return array._getvalue()

        return target.signature(made, target.types.int64, target.types.uint32, kind), code

    return array_at


MAKERS = {
    "array_at": make_array_at,
    "bfloat16_bits": make_bfloat16_bits,
    "float16_bits": make_float16_bits,
    "float16_number": make_float16_number,
}  # by the names that texts have for them


cuda: Any = None  # threadIdx, blockIdx, shared, syncthreads, ...
T: Any = None  # the type that an element-wise kernel computes in: numpy.float32, ...
# Conversions to the types that numbers.py gives a meaning in Python.
int8: Any = None
int16: Any = None
int32: Any = None
int64: Any = None
uint8: Any = None
uint16: Any = None
uint32: Any = None
uint64: Any = None
float16: Any = None
float32: Any = None
float64: Any = None
complex64: Any = None
complex128: Any = None
float32_bits: Any = None  # (x): the bits of a float32 number as an int32
from_bits: Any = None  # (x, pattern): the number of the type of x with these bits
bfloat16_bits: Any = None  # (x): the bits of a float32 number rounded to bfloat16, the nearest, ties to even
float16_bits: Any = None  # (x): the same of float16
float16_number: Any = None  # (bits): the float32 number that is the float16 with the last 16 of these bits
array_at: Any = None  # (address, size, kind): the array of elements of a type that lies at an address of the device
integer: Any = None  # (x): a float cut to an int64; what is none in range is the hardware's business
# What many texts name, each kernel for itself.
get: Any = None  # (array, i): an element as a number
put: Any = None  # (array, i, number)
read: Any = None
write: Any = None
compute: Any = None
join: Any = None
rest: Any = None  # the same function of what is behind the first part of tuples
lost: Any = None
offset: Any = None  # (steps, multi-index): where an element lies
multi_index: Any = None  # (sizes, i)
position_at: Any = None
read_key: Any = None
index: Any = None  # (x): the type of places in memory
