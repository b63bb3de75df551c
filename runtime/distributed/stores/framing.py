"""Fields of bytes one behind the other, in a file or a stream: how many, and each with its length before it."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

_COUNT = struct.Struct("!I")
_LENGTH = struct.Struct("!Q")
MAX_FIELDS = 1 << 20
MAX_FIELD_BYTES = 1 << 31  # of one field: more is not a store's, and a length that is damaged asks for any number


class Ended(Exception):
    """The bytes end within fields, or before them."""


class Malformed(Exception):
    """The bytes are no fields."""


def packed(fields: Sequence[bytes]) -> bytes:
    parts = [_COUNT.pack(len(fields))]
    for field in fields:
        parts += [_LENGTH.pack(len(field)), field]
    return b"".join(parts)


def unpacked(read: Callable[[int], bytes]) -> list[bytes]:
    """The fields that come next.

    Args:
        read: gives as many bytes as it is asked for, or fewer at the end.

    Raises:
        Ended: there are fewer bytes than the fields have.
        Malformed: more than a store ever has is announced.
    """
    (count,) = _COUNT.unpack(_exactly(read, _COUNT.size))
    if count > MAX_FIELDS:
        raise Malformed(f"{count} fields are announced")
    return [_field(read) for _ in range(count)]


def _field(read: Callable[[int], bytes]) -> bytes:
    (length,) = _LENGTH.unpack(_exactly(read, _LENGTH.size))
    if length > MAX_FIELD_BYTES:
        raise Malformed(f"a field of {length} bytes is announced")
    return _exactly(read, length)


def _exactly(read: Callable[[int], bytes], size: int) -> bytes:
    data = read(size)
    if len(data) != size:
        raise Ended(f"{len(data)} of {size} bytes")
    return data
