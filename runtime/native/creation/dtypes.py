"""Elements of any dtype in native code: how wide they are, and the bits of a number in each.

Numbers are taken that the general path converts without a word, and for 16-bit floats those that lose nothing."""

from __future__ import annotations

from ...compiler.language.functions import NULL, Half, cast, external, native
from ...compiler.language.memory import bits, single_bits, store, store_eighth, store_half, store_quarter
from ...compiler.language.structs import Items, Struct, capacity
from ..objects import c_api as c
from ..objects.interned import false, float_type, int_type, true
from ..objects.layout import DType, Float, Object
from ..objects.result_memory import copy_memory, set_bytes

# How a number stands in memory.
SINGLE, DOUBLE, BFLOAT, HALF, BOOL, INTEGER, COMPLEX, DOUBLE_COMPLEX = range(8)
DTYPES = 12
TRUTH, INTEGER_KIND, FRACTION = range(3)  # what numbers are, the lesser first
LARGE = 2.0**62  # floats below have a whole part that a word holds
BEGUN, MAX_COPY_BYTES = 512, 8192  # bytes that are written word by word, and that are copied at once
TINY = 2.0**-14  # the least normal number of float16

set_halves = external("wmemset", int, int, Half, int)  # a wide character has four bytes wherever there is native code


class Element(Struct):
    ours: DType
    numpy: Object
    size: int  # bytes
    form: int
    min_value: int  # of integers
    max_value: int
    largest: float  # of floats that are finite


class Elements(Struct):
    items: Items[Element] = capacity(DTYPES)


class Number(Struct):
    rank: int
    int_value: int
    real: float


class Pattern(Struct):
    """The bits of an element; `second` has those of the imaginary part of a complex128."""

    first: int
    second: int


@native
def element_of(elements: Elements, dtype: Object) -> Element:
    for i in range(DTYPES):
        if elements.items[i].ours is dtype:
            return elements.items[i]
    return cast(Element, NULL)


@native
def read_number(obj: Object, number: Number) -> bool:
    """Read a bool, a float or an int of 64 bits; False for others."""
    if obj.type is float_type:
        number.rank = FRACTION
        number.real = cast(Float, obj).value
        return True
    number.rank = INTEGER_KIND
    if obj.type is int_type:
        number.int_value = c.as_int(obj)
        if number.int_value == -1 and c.error_set() is not NULL:
            c.clear_error()
            return False
    elif obj is true or obj is false:
        number.rank = TRUTH
        number.int_value = obj is true
    else:
        return False
    number.real = number.int_value
    return True


@native
def fits_floats(element: Element, real: float) -> bool:
    """Whether a number is not too large for a dtype of floats; infinities and nan are not."""
    return (real <= element.largest and real >= -element.largest) or real - real != 0.0


@native
def put_half(form: int, real: float, pattern: Pattern) -> bool:
    """The bits of a 16-bit float that a number is equal to; False where there is none, and for the least ones."""
    single, lost = single_bits(real), 0xFFFF if form == BFLOAT else 0x1FFF
    if real == 0.0:
        pattern.first = single >> 16
        return True
    if bits(real) & 0x1FFFFFFF != 0 or single & lost != 0 or (real < TINY and real > -TINY):
        return False
    infinite = single >> 23 & 255 == 255
    exponent = 31 if infinite else (single >> 23 & 255) - 112
    half = single >> 31 << 15 | exponent << 10 | single >> 13 & 0x3FF
    pattern.first = single >> 16 if form == BFLOAT else half
    return real == real  # whose bits are NumPy's choice for nan


@native
def put_integer(element: Element, number: Number, pattern: Pattern) -> bool:
    int_value, real = number.int_value, number.real
    if number.rank == FRACTION:
        if not (real < LARGE and real > -LARGE):
            return False
        int_value = int(real)
    pattern.first = int_value
    return int_value >= element.min_value and int_value <= element.max_value


@native
def put_number(element: Element, number: Number, pattern: Pattern) -> bool:
    form, real = element.form, number.real
    pattern.second = 0
    if form == INTEGER:
        return put_integer(element, number, pattern)
    if form == BOOL:
        pattern.first = real != 0.0
        return True
    if not fits_floats(element, real):
        return False
    if form in (BFLOAT, HALF):
        return put_half(form, real, pattern)
    pattern.first = bits(real) if form in (DOUBLE, DOUBLE_COMPLEX) else single_bits(real)
    return True


@native
def write_element(memory: int, position: int, size: int, pattern: Pattern) -> None:
    address = memory + position * size
    if size == 4:
        store_half(address, pattern.first)
    elif size == 8:
        store(address, 0, pattern.first)
    elif size == 1:
        store_eighth(address, pattern.first)
    elif size == 2:
        store_quarter(address, pattern.first)
    else:
        store(address, 0, pattern.first)
        store(address, 8, pattern.second)


@native
def repeated(size: int, pattern: Pattern) -> int:
    if size == 4:
        return (pattern.first & 0xFFFFFFFF) * 0x100000001
    if size == 1:
        return (pattern.first & 0xFF) * 0x0101010101010101
    return (pattern.first & 0xFFFF) * 0x0001000100010001 if size == 2 else pattern.first


@native
def fill(memory: int, count: int, size: int, pattern: Pattern) -> None:
    """Write one element to all places, by what C has for it: that knows the processor's widest registers."""
    if size == 16:
        for i in range(count):
            write_element(memory, i, 16, pattern)
        return
    word, total = repeated(size, pattern), count * size
    if word == (word & 0xFF) * 0x0101010101010101:
        set_bytes(memory, word & 0xFF, total)
    elif word & 0xFFFFFFFF == word >> 32 & 0xFFFFFFFF:
        set_halves(memory, word & 0xFFFFFFFF, total >> 2)
        for i in range(total & -4, total):
            store_eighth(memory + i, word >> 8 * (i & 3))
    else:
        copy_by_slot(memory, word, total)


@native
def copy_by_slot(memory: int, word: int, total: int) -> None:
    """Write a word to all places, for elements of 8 bytes."""
    begun = total if total < BEGUN else BEGUN
    for i in range(begun >> 3):
        store(memory, 8 * i, word)
    while begun < total:  # copies of what is there, twice as much each time, as long as that stays near
        more = begun if begun < MAX_COPY_BYTES else MAX_COPY_BYTES
        more = more if more < total - begun else total - begun
        copy_memory(memory + begun, memory, more)
        begun += more
