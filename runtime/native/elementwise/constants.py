"""Numbers of Python's in the place of tensors, as arrays of one number: for ops whose kernels take no number there."""

from __future__ import annotations

from ...kernels.llvm.native_code.element_kinds import BOOL, INTEGERS, holds, holds_most, is_float, is_whole, itemsize
from ...kernels.llvm.native_code.memory import (
    bits,
    load,
    load_eighth,
    load_half,
    load_quarter,
    single_bits,
    store,
    store_eighth,
    store_half,
    store_quarter,
)
from ...kernels.llvm.native_code.typed import NULL, cast, native, new
from .. import c_functions as c
from ..interned import default_dtype, false, float_type, int_type, true
from ..kernel_calls import MAGNITUDE, Size
from ..layout import Array, Float, Object
from ..references import Owned, own_new
from ..tensors import kind_of, new_flat

UNKNOWN = -1
MOST = 1 << 15  # elements of an array of one number
DOUBLE = 1
INFINITY, MOST_SINGLE = 0x7FF0000000000000, 0x47EFFFFFE0000000  # the bits of inf, and of the largest float32


@native
def is_bool(thing: Object) -> bool:
    """Whether an object is True or False."""
    return thing is true or thing is false


@native
def is_constant(thing: Object) -> bool:
    """Whether an operand is a number of Python's, or True or False."""
    return thing.type is float_type or thing.type is int_type or is_bool(thing)


@native
def kind_of_constants(first: Object, second: Object) -> int:
    """The kind of an op on two of Python's numbers alone; UNKNOWN where one is none."""
    if not is_constant(first) or not is_constant(second):
        return UNKNOWN
    if first.type is float_type or second.type is float_type:
        return kind_of(c.list_item(default_dtype, 0))
    return BOOL if is_bool(first) and is_bool(second) else INTEGERS


@native
def fits_kind(kind: int, thing: Object) -> bool:
    """Whether a number is of a kind without changing it: no fraction for whole numbers, no number for bools."""
    if kind == BOOL:
        return is_bool(thing)
    if is_whole(kind):
        return is_bool(thing) or thing.type is int_type
    return kind <= DOUBLE and is_constant(thing)


@native
def float_of(thing: Object) -> float:
    """The number that an operand is, as a float; -1 and an error where it has none."""
    if is_bool(thing):
        return 1.0 if thing is true else 0.0
    return cast(Float, thing).value if thing.type is float_type else c.as_double(thing)


@native
def word_of(kind: int, thing: Object) -> int:
    """The bits of a number of a kind; an error is set where the kind has no such number."""
    if is_bool(thing) and not is_float(kind):
        return int(thing is true)
    if is_whole(kind):
        return c.as_int(thing)
    number = float_of(thing)
    return bits(number) if kind == DOUBLE else single_bits(number)


@native
def is_single(thing: Object) -> bool:
    """Whether float32 has a number that is as large, or it is inf or nan."""
    size = bits(float_of(thing)) & MAGNITUDE
    return size <= MOST_SINGLE or size >= INFINITY


@native
def fill(memory: int, word: int, count: int, width: int) -> None:
    """Write a word's lower bytes to one place after another."""
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
def constant_array(kind: int, thing: Object, count: int, owned: Owned) -> Array:
    """A flat array, owned, of so many times one number; NULL where the kind has no such number, or for large arrays."""
    if count > MOST or not fits_kind(kind, thing):
        return cast(Array, NULL)
    word = word_of(kind, thing)
    if c.error_set() is not NULL:
        c.clear_error()
        return cast(Array, NULL)
    if (kind == 0 and not is_single(thing)) or (is_whole(kind) and not holds(kind, word)):
        return cast(Array, NULL)
    flat = own_new(owned, new_flat(new(Size).items, count, kind))
    if flat is NULL:
        c.clear_error()
        return flat
    fill(flat.memory, word, count, itemsize(kind))
    return flat


@native
def are_positive(memory: int, count: int, kind: int) -> bool:
    """Whether all of so many integers of a kind are greater than 0."""
    others, width = 0, itemsize(kind)
    if kind == INTEGERS:
        for i in range(count):
            others += load(memory, 8 * i) <= 0
        return others == 0
    most = holds_most(kind)
    for i in range(count):
        place = memory + width * i
        word = load_half(place) if width == 4 else load_quarter(place) if width == 2 else load_eighth(place)
        others += word == 0 or word > most
    return others == 0
