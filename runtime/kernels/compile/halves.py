"""Arrays of 16-bit floats as kernels see them: an element is read as float32, and rounded once where it is written.

So a kernel's text, and what it computes, is that for float32. Rounding is to nearest, ties to even; nan stays nan.
"""

from __future__ import annotations

import operator
from typing import Any

from numba import types
from numba.core.datamodel import register_default
from numba.core.datamodel.models import StructModel
from numba.core.imputils import lower_builtin
from numba.np.arrayobj import basic_indexing, getitem_array_tuple, getitem_arraynd_intp, make_array, normalize_indices

from .half_bits import narrowed, widened

STORED = types.uint16


class HalfArray(types.Array):
    """An array whose elements are stored as the 16-bit float called `half`."""

    def __init__(self, half: str, ndim: int = 1, layout: str = "C") -> None:
        self.half = half
        super().__init__(types.float32, ndim, layout, name=f"{half} array({ndim}d, {layout})")

    @property
    def key(self) -> Any:
        """What tells it from other types."""
        return self.half, self.ndim, self.layout

    @property
    def mangling_args(self) -> Any:
        """Its part of a function's name."""
        return type(self).__name__, [self.half, self.ndim, self.layout]

    def copy(self, dtype: Any = None, ndim: Any = None, layout: Any = None, readonly: Any = None) -> Any:
        """The type of a part of such an array, or of one seen in another shape."""
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
    """The type of what an array has in memory for an element."""
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
    """The address of the one element that is indexed."""
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
    """x[i], as float32; or a part of x."""
    if isinstance(signature.return_type, types.Array):
        is_tuple = isinstance(signature.args[1], types.BaseTuple)
        return (getitem_array_tuple if is_tuple else getitem_arraynd_intp)(context, builder, signature, args)
    return widened(builder, builder.load(_element_pointer(context, builder, signature, args)), signature.args[0].half)


@lower_builtin(operator.setitem, HalfArray, types.Integer, types.Any)
@lower_builtin(operator.setitem, HalfArray, types.BaseTuple, types.Any)
def set_element(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """x[i] = y, rounded from float32."""
    kind, _, arg = signature.args
    value = context.cast(builder, args[2], arg, types.float32)
    builder.store(narrowed(builder, value, kind.half), _element_pointer(context, builder, signature, args))
    return context.get_dummy_value()
