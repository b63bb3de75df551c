"""16-bit floats: LLVM code that makes a float32 of their bits and rounds one to them, ties to even, and arrays of them
as kernels see them: an element is read as float32, and rounded once where it is written. float16 is converted by the
processor where it can; what stands in its place gives the same bits."""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.datamodel import register_default
from numba.core.datamodel.models import StructModel
from numba.core.imputils import lower_builtin
from numba.np.arrayobj import basic_indexing, getitem_array_tuple, getitem_arraynd_intp, make_array, normalize_indices

from .target import converts_halves

HALF, WORD, SINGLE = ir.IntType(16), ir.IntType(32), ir.FloatType()
QUIET = 0x7FC0 << 16  # a nan of no other bits, but for its sign
SHIFT = 13  # bits that float32 has more than float16 behind the point
BIAS = 127 - 15  # between their exponents


def widened(builder: Any, bits: Any, half: str) -> Any:
    """The float32 of the bits of a `half`, "bfloat16" or "float16"; or a vector of these of a vector."""
    word, single = like(bits, WORD), like(bits, SINGLE)
    if half == "bfloat16":
        return builder.bitcast(builder.shl(builder.zext(bits, word), of(word, 16)), single)
    if converts_halves():
        return builder.fpext(builder.bitcast(bits, like(bits, ir.HalfType())), single)
    return _widened_by_integers(builder, builder.zext(bits, word))


def like(value: Any, kind: Any) -> Any:
    return ir.VectorType(kind, value.type.count) if isinstance(value.type, ir.VectorType) else kind


def of(kind: Any, number: int) -> Any:
    return ir.Constant(kind, [number] * kind.count if isinstance(kind, ir.VectorType) else number)


def narrowed(builder: Any, value: Any, half: str) -> Any:
    """The bits of the `half` that is nearest to a float32, the even one of two; or a vector of these of a vector."""
    stored = like(value, HALF)
    if half == "bfloat16":
        return builder.trunc(_narrowed_to_bfloat16(builder, value), stored)
    if converts_halves():
        return builder.bitcast(builder.fptrunc(value, like(value, ir.HalfType())), stored)
    return builder.trunc(_narrowed_by_integers(builder, builder.bitcast(value, like(value, WORD))), stored)


def _narrowed_to_bfloat16(builder: Any, value: Any) -> Any:
    word = like(value, WORD)
    bits = builder.bitcast(value, word)
    odd = builder.and_(builder.lshr(bits, of(word, 16)), of(word, 1))
    rounded = builder.add(bits, builder.add(odd, of(word, 0x7FFF)))
    quiet = builder.or_(builder.and_(bits, of(word, 1 << 31)), of(word, QUIET))
    return builder.lshr(builder.select(builder.fcmp_unordered("uno", value, value), quiet, rounded), of(word, 16))


def _widened_by_integers(builder: Any, bits: Any) -> Any:
    """Normal numbers get another bias; the rest is found by arithmetic: a subnormal one is an exact difference."""
    word, single = bits.type, like(bits, SINGLE)
    sign = builder.shl(builder.and_(bits, of(word, 0x8000)), of(word, 16))
    shifted = builder.shl(builder.and_(bits, of(word, 0x7FFF)), of(word, SHIFT))
    normal = builder.add(shifted, of(word, BIAS << 23))
    special = builder.add(normal, of(word, BIAS << 23))  # infinity and nan, whose exponent is the greatest in both
    is_nan = builder.icmp_unsigned(">", shifted, of(word, 0x1F << 23))
    special = builder.select(is_nan, builder.or_(special, of(word, 1 << 22)), special)
    smallest = builder.bitcast(of(word, (BIAS + 1) << 23), single)
    small = builder.fsub(builder.bitcast(builder.add(normal, of(word, 1 << 23)), single), smallest)
    is_small = builder.icmp_unsigned("<", shifted, of(word, 1 << 23))
    is_special = builder.icmp_unsigned(">=", shifted, of(word, 0x1F << 23))
    result = builder.select(is_small, builder.bitcast(small, word), builder.select(is_special, special, normal))
    return builder.bitcast(builder.or_(result, sign), single)


def _narrowed_by_integers(builder: Any, bits: Any) -> Any:
    """Normal numbers are rounded by a carry into the bits that stay; a subnormal one by a sum that has just these."""
    word, single = bits.type, like(bits, SINGLE)
    size = builder.and_(bits, of(word, 0x7FFFFFFF))
    odd = builder.and_(builder.lshr(size, of(word, SHIFT)), of(word, 1))
    rebased = builder.sub(builder.add(size, of(word, (1 << SHIFT - 1) - 1)), of(word, BIAS << 23))
    normal = builder.lshr(builder.add(rebased, odd), of(word, SHIFT))
    half = builder.bitcast(of(word, 126 << 23), single)  # 0.5, whose last place is that of the subnormal numbers
    small = builder.sub(builder.bitcast(builder.fadd(builder.bitcast(size, single), half), word), of(word, 126 << 23))
    fraction = builder.and_(builder.lshr(size, of(word, SHIFT)), of(word, 0x3FF))
    is_nan = builder.icmp_unsigned(">", size, of(word, 0xFF << 23))
    great = builder.select(is_nan, builder.or_(fraction, of(word, 0x7E00)), of(word, 0x7C00))
    is_small = builder.icmp_unsigned("<", size, of(word, (BIAS + 1) << 23))
    is_great = builder.icmp_unsigned(">=", size, of(word, (127 + 16) << 23))
    result = builder.select(is_small, small, builder.select(is_great, great, normal))
    return builder.or_(result, builder.lshr(builder.and_(bits, of(word, 1 << 31)), of(word, 16)))


STORED = types.uint16


class HalfArray(types.Array):
    """An array whose elements are stored as the 16-bit float called `half`."""

    def __init__(self, half: str, ndim: int = 1, layout: str = "C") -> None:
        self.half = half
        super().__init__(types.float32, ndim, layout, name=f"{half} array({ndim}d, {layout})")

    @property
    def key(self) -> Any:
        return self.half, self.ndim, self.layout

    @property
    def mangling_args(self) -> Any:
        return type(self).__name__, [self.half, self.ndim, self.layout]

    def copy(self, dtype: Any = None, ndim: Any = None, layout: Any = None, readonly: Any = None) -> Any:
        if dtype not in (None, self.dtype):
            return super().copy(dtype, ndim, layout, readonly)
        return HalfArray(self.half, self.ndim if ndim is None else ndim, layout or self.layout)

    def unify(self, typingctx: Any, other: Any) -> Any:
        """The common type with another array: none, but with one that is stored alike."""
        return self if self == other else None

    def can_convert_to(self, typingctx: Any, other: Any) -> Any:
        """Nothing takes one for an array of float32."""
        return None


def stored(array: Any) -> Any:
    return STORED if isinstance(array, HalfArray) else array.dtype


@register_default(HalfArray)
class HalfArrayModel(StructModel):
    """As numba lays an array out, with a pointer to what is stored."""

    def __init__(self, dmm: Any, fe_type: Any) -> None:
        members = [
            ("meminfo", types.MemInfoPointer(STORED)),
            ("parent", types.pyobject),
            ("nitems", types.intp),
            ("itemsize", types.intp),
            ("data", types.CPointer(STORED)),
            ("shape", types.UniTuple(types.intp, fe_type.ndim)),
            ("strides", types.UniTuple(types.intp, fe_type.ndim)),
        ]
        super().__init__(dmm, fe_type, members)


def _element_pointer(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    kind, index = signature.args[:2]
    array = make_array(kind)(context, builder, args[0])
    if isinstance(index, types.BaseTuple):
        values = [builder.extract_value(args[1], i) for i in range(len(index.types))]
        kinds, positions = normalize_indices(context, builder, index.types, values)
    else:
        kinds, positions = (index,), (args[1],)
    return basic_indexing(context, builder, kind, array, kinds, positions, boundscheck=context.enable_boundscheck)[0]


@lower_builtin(operator.getitem, HalfArray, types.Integer)
@lower_builtin(operator.getitem, HalfArray, types.BaseTuple)
def get_element(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    if isinstance(signature.return_type, types.Array):
        is_tuple = isinstance(signature.args[1], types.BaseTuple)
        return (getitem_array_tuple if is_tuple else getitem_arraynd_intp)(context, builder, signature, args)
    return widened(builder, builder.load(_element_pointer(context, builder, signature, args)), signature.args[0].half)


@lower_builtin(operator.setitem, HalfArray, types.Integer, types.Any)
@lower_builtin(operator.setitem, HalfArray, types.BaseTuple, types.Any)
def set_element(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    kind, _, arg = signature.args
    value = context.cast(builder, args[2], arg, types.float32)
    builder.store(narrowed(builder, value, kind.half), _element_pointer(context, builder, signature, args))
    return context.get_dummy_value()
