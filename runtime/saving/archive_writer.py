"""Writing the ZIP archives that `archive.py` reads: members one after the other, neither packed nor encrypted.

The checksum of a member is known before it is written, so nothing is written twice, and no place is gone back to.
Python's `zipfile` makes the same files, but goes back to each header for the checksum.
The format: PKWARE, APPNOTE.TXT 6.3.
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

_LOCAL = struct.Struct("<4s5H3L2H")
_WRITTEN_ENTRY = struct.Struct("<4s4B4H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR = struct.Struct("<4sLQL")
_VERSION, _WIDE_VERSION = 20, 45  # of a reader that files need
_UNIX = 3  # the system whose permissions an entry holds
_READABLE = 0o600 << 16
_UTF8 = 0x0800  # what names are written in
_DATE = (1 << 5) | 1  # the first day of 1980: entries carry no time of writing, so equal objects make equal files
_ZIP64_SIZE, _ZIP64_COUNT = 0xFFFFFFFF, 0xFFFF  # they mean that the number is found where it has more bits
_PADDING = 0x4246  # kind of an extra field


class Written(NamedTuple):
    name: bytes
    header: int
    size: int
    checksum: int


class ArchiveWriter:
    """Writes members to a file; `close` makes an archive of them.

    Args:
        file: an object with `write`.
        position: where the file stands.
    """

    def __init__(self, file: Any, position: int) -> None:
        self._file = file
        self._position = position
        self._members: list[Written] = []

    def add(self, name: str, data: np.ndarray, alignment: int = 1) -> None:
        """Write a member, which begins at a multiple of `alignment`.

        Args:
            name: that of the member.
            data: a contiguous array of bytes.
            alignment: in bytes; at most 2^15.
        """
        member = Written(name.encode(), self._position, data.size, crc32(data.data))
        wide = member.size >= _ZIP64_SIZE
        extra = struct.pack("<2H2Q", 1, 16, member.size, member.size) if wide else b""
        begin = self._position + _LOCAL.size + len(member.name) + len(extra)
        if begin % alignment:
            missing = -(begin + 4) % alignment
            extra += struct.pack("<2H", _PADDING, missing) + bytes(missing)
        size, version = min(member.size, _ZIP64_SIZE), _WIDE_VERSION if wide else _VERSION
        header = b"PK\x03\x04", version, _UTF8, 0, 0, _DATE, member.checksum, size, size, len(member.name), len(extra)
        self._write(_LOCAL.pack(*header) + member.name + extra)
        if data.size:
            self._write(data.data)
        self._members.append(member)

    def close(self) -> None:
        begin, count = self._position, len(self._members)
        self._write(b"".join(map(_entry, self._members)))
        end, size = self._position, self._position - begin
        if begin >= _ZIP64_SIZE or size >= _ZIP64_SIZE or count >= _ZIP64_COUNT:
            versions = _WIDE_VERSION, _WIDE_VERSION
            self._write(_END64.pack(b"PK\x06\x06", _END64.size - 12, *versions, 0, 0, count, count, size, begin))
            self._write(_LOCATOR.pack(b"PK\x06\x07", 0, end, 1))
        count = min(count, _ZIP64_COUNT)
        self._write(_END.pack(b"PK\x05\x06", 0, 0, count, count, min(size, _ZIP64_SIZE), min(begin, _ZIP64_SIZE), 0))

    def _write(self, data: Any) -> None:
        self._file.write(data)
        self._position += len(data)


def _entry(member: Written) -> bytes:
    numbers = member.size, member.size, member.header
    zip64_numbers = [number for number in numbers if number >= _ZIP64_SIZE]
    extra = (
        struct.pack(f"<2H{len(zip64_numbers)}Q", 1, 8 * len(zip64_numbers), *zip64_numbers) if zip64_numbers else b""
    )
    version = _WIDE_VERSION if zip64_numbers else _VERSION
    size, _, header = (min(number, _ZIP64_SIZE) for number in numbers)
    lengths = len(member.name), len(extra), 0
    fields = b"PK\x01\x02", version, _UNIX, version, 0, _UTF8, 0, 0, _DATE, member.checksum, size, size, *lengths, 0, 0
    return _WRITTEN_ENTRY.pack(*fields, _READABLE, header) + member.name + extra
