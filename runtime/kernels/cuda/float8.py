"""Floats of eight bits in memory, float32 in registers. A byte is a sign, an exponent and a fraction: shifted to where
float32 has these, it is the number but for a power of two. Stored numbers are rounded, ties to even: large ones in the
bits, small ones by adding a power of two, behind which float32 has just as many places."""

from typing import Any

from .language import float32, float32_bits, from_bits, int32, int64, uint8


def load_e4m3(x: Any, i: Any) -> Any:
    """Exponents are biased by 7, and there is one nan, but no infinity."""
    byte = int32(x[i])
    size = byte & int32(127)
    value = from_bits(float32(0), int32(size << int32(20))) * float32(2.0**120)
    if size == int32(127):
        value = from_bits(float32(0), int32(0x7FC00000))
    return value if byte < int32(128) else -value


def load_e5m2(x: Any, i: Any) -> Any:
    """Exponents are biased by 15; the largest one is of infinity and nan."""
    byte = int32(x[i])
    size = byte & int32(127)
    value = from_bits(float32(0), int32(size << int32(21))) * float32(2.0**112)
    if size >= int32(124):
        value = from_bits(float32(0), int32(0x7F800000 | (size & int32(3)) << int32(21)))
    return value if byte < int32(128) else -value


def put_e4m3(x: Any, i: Any, value: Any) -> None:
    """What is too large becomes 448, the largest number."""
    pattern = float32_bits(float32(value))
    size = int32(pattern & int32(0x7FFFFFFF))
    if size > int32(0x7F800000):
        code = int32(127)
    elif size < int32(0x3C800000):  # 2^-6
        code = int32(float32_bits(from_bits(float32(0), size) + float32(2.0**14)) - int32(0x46800000))
    else:
        code = int32((int64(size) + int64(0x7FFFF) + int64((size >> int32(20)) & int32(1))) >> int64(20)) - int32(960)
        code = int32(126) if code > int32(126) else code
    x[i] = uint8(((pattern >> int32(24)) & int32(128)) | code)


def put_e5m2(x: Any, i: Any, value: Any) -> None:
    """What is too large becomes infinite."""
    pattern = float32_bits(float32(value))
    size = int32(pattern & int32(0x7FFFFFFF))
    if size > int32(0x7F800000):
        code = int32(126)
    elif size < int32(0x38800000):  # 2^-14
        code = int32(float32_bits(from_bits(float32(0), size) + float32(2.0**7)) - int32(0x43000000))
    else:
        code = int32((int64(size) + int64(0xFFFFF) + int64((size >> int32(21)) & int32(1))) >> int64(21)) - int32(448)
        code = int32(124) if code > int32(124) else code
    x[i] = uint8(((pattern >> int32(24)) & int32(128)) | code)
