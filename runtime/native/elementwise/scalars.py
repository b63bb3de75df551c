"""Numbers of Python's in the place of tensors, as arrays of one number: for ops whose kernels take no number there."""

from __future__ import annotations

from ...compiler.language.functions import NULL, cast, native
from ...compiler.language.memory import (
    BOOL,
    INTEGERS,
    bits,
    holds,
    is_float,
    is_integral,
    itemsize,
    load,
    load_eighth,
    load_half,
    load_quarter,
    max_value_of,
    single_bits,
    store,
    store_eighth,
    store_half,
    store_quarter,
)
from ..objects import c_api as c
from ..objects.interned import default_dtype, false, float_type, int_type, true
from ..objects.kernel_call import MAGNITUDE
from ..objects.layout import Array, Float, Object
from ..objects.references import Owned
from ..objects.tensors import kind_of, owned_flat

UNKNOWN = -1
MAX_CONSTANT_ELEMENTS = 1 << 15  # elements of an array of one number
DOUBLE = 1
INFINITY, MAX_F32 = 0x7FF0000000000000, 0x47EFFFFFE0000000  # the bits of inf, and of the largest float32


@native
def is_bool(obj: Object) -> bool:
    return obj is true or obj is false


@native
def is_constant(obj: Object) -> bool:
    return obj.type is float_type or obj.type is int_type or is_bool(obj)


@native
def kind_of_constants(first: Object, second: Object) -> int:
    if not is_constant(first) or not is_constant(second):
        return UNKNOWN
    if first.type is float_type or second.type is float_type:
        return kind_of(c.list_item(default_dtype, 0))
    return BOOL if is_bool(first) and is_bool(second) else INTEGERS


@native
def fits_kind(kind: int, obj: Object) -> bool:
    """Whether a number is of a kind without changing it: no fraction for whole numbers, no number for bools."""
    if kind == BOOL:
        return is_bool(obj)
    if is_integral(kind):
        return is_bool(obj) or obj.type is int_type
    return kind <= DOUBLE and is_constant(obj)


@native
def float_of(obj: Object) -> float:
    """The number that an operand is, as a float; -1 and an error where it has none."""
    if is_bool(obj):
        return 1.0 if obj is true else 0.0
    return cast(Float, obj).value if obj.type is float_type else c.as_double(obj)


@native
def word_of(kind: int, obj: Object) -> int:
    """The bits of a number of a kind; an error is set where the kind has no such number."""
    if is_bool(obj) and not is_float(kind):
        return int(obj is true)
    if is_integral(kind):
        return c.as_int(obj)
    number = float_of(obj)
    return bits(number) if kind == DOUBLE else single_bits(number)


@native
def is_single(obj: Object) -> bool:
    """Whether float32 has a number that is as large, or it is inf or nan."""
    size = bits(float_of(obj)) & MAGNITUDE
    return size <= MAX_F32 or size >= INFINITY


@native
def fill(memory: int, word: int, count: int, width: int) -> None:
    if width == 8:
        for i in range(count):
            store(memory, 8 * i, word)
    elif width == 4:
        for i in range(count):
            store_half(memory + 4 * i, word)
    elif width == 2:
        for i in range(count):
            store_quarter(memory + 2 * i, word)
    else:
        for i in range(count):
            store_eighth(memory + i, word)


@native
def constant_array(kind: int, obj: Object, count: int, owned: Owned) -> Array:
    """A flat array, owned, of so many times one number; NULL where the kind has no such number, or for large arrays."""
    if count > MAX_CONSTANT_ELEMENTS or not fits_kind(kind, obj):
        return cast(Array, NULL)
    word = word_of(kind, obj)
    if c.error_set() is not NULL:
        c.clear_error()
        return cast(Array, NULL)
    if (kind == 0 and not is_single(obj)) or (is_integral(kind) and not holds(kind, word)):
        return cast(Array, NULL)
    flat = owned_flat(count, kind, owned)
    if flat is not NULL:
        fill(flat.memory, word, count, itemsize(kind))
    return flat


@native
def are_positive(memory: int, count: int, kind: int) -> bool:
    others, width = 0, itemsize(kind)
    if kind == INTEGERS:
        for i in range(count):
            others += load(memory, 8 * i) <= 0
        return others == 0
    max_value = max_value_of(kind)
    for i in range(count):
        address = memory + width * i
        word = load_half(address) if width == 4 else load_quarter(address) if width == 2 else load_eighth(address)
        others += word == 0 or word > max_value
    return others == 0
