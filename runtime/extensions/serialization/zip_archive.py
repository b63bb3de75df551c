"""The ZIP archives that `save` writes: members one after the other, neither packed nor encrypted. Reading believes
nothing that does not follow from the length of the file: members lie inside it and apart from one another. Writing
knows the checksum of a member before it is written, so no place is gone back to, as Python's `zipfile` does. The
format: PKWARE, APPNOTE.TXT 6.3.
"""

import struct
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

import numpy as np

from ...errors import SerializationError
from ...kernels.cpu import allocate_and_fill

try:  # of weights in memory its CRC-32 took a ninth of zlib's time (8 MB on Zen 4): saving takes half as long
    from isal.isal_zlib import crc32
except ImportError:
    from zlib import crc32

_END = struct.Struct("<4s4H2LH")  # signature, disk numbers, counts, length and start of the directory, comment
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR = struct.Struct("<4sLQL")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_FLAGS = 0x0808  # sizes follow the member, its name is UTF-8: the others say that it is packed or encrypted
_IN_EXTRA = 0xFFFFFFFF  # the number is found among the extra fields, where it has 64 bits
_CHUNK = 1 << 20
_BYTE = np.dtype(np.uint8)
_OF_PROGRAMS = (b"/constants.pkl", b"/model.json")  # members of TorchScript's archives, some of which are packed
_PROGRAM = (
    "load(): the file is a TorchScript archive, a program that torch.jit.save has written, and no code of files is run "
    "here. Open it by torch.jit.load in PyTorch, write its state_dict() by torch.save, and load that into the module"
)


class Damage(ValueError):
    """The file is not what `save` writes."""


class Member(NamedTuple):
    """One file of the archive: where its bytes begin, how many there are, and their CRC-32."""

    start: int
    size: int
    checksum: int


class Archive:
    """The members of a seekable file, by name. Raises Damage: the file is no such archive, or it ends early."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._members: dict[str, Member] = {}
        self.is_checked = True
        directory, begin, base = self._directory()
        if any(name in directory for name in _OF_PROGRAMS):
            raise SerializationError(_PROGRAM)
        end = 0
        for name, header, size, checksum in _entries(directory):
            header += base
            if header < end or header + _LOCAL.size > begin:
                raise Damage(f"{name} does not lie between its neighbours")
            start = header + _LOCAL.size + self._length_of_names(header, name)
            end = start + size
            if end > begin:
                raise Damage(f"{name} reaches beyond the members")
            if name in self._members:
                raise Damage(f"{name} is there twice")
            self._members[name] = Member(start, size, checksum)

    def leave_unchecked(self) -> None:
        """Believe members without checksums, if no member at all has one: PyTorch can be told to write none."""
        self.is_checked = any(member.checksum for member in self._members.values())

    def locate(self, name: str) -> tuple[int, int]:
        return self._member(name)[:2]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def read(self, name: str) -> np.ndarray:
        start, size, checksum = self._member(name)
        result, position, computed = allocate_and_fill.empty(size, _BYTE), 0, 0
        self._file.seek(start)
        while position < size:
            part = result[position : min(position + _CHUNK, size)]
            count = self._read_into(part)
            if not count:
                raise Damage(f"{name} ends after {position} of {size} bytes")
            computed = crc32(part[:count].data, computed)
            position += count
        if self.is_checked and computed != checksum:
            raise Damage(f"{name} does not have the checksum that it had")
        return result

    def _read_into(self, part: np.ndarray) -> int:
        if hasattr(self._file, "readinto"):
            return int(self._file.readinto(part) or 0)
        data = self._file.read(part.size)
        part[: len(data)] = np.frombuffer(data, np.uint8)
        return len(data)

    def _member(self, name: str) -> Member:
        if name not in self._members:
            raise Damage(f"there is no {name}")
        return self._members[name]

    def _exactly(self, start: int, size: int) -> bytes:
        self._file.seek(start)
        parts, missing = [], size
        while missing and (part := self._file.read(missing)):
            parts.append(part)
            missing -= len(part)
        if missing:
            raise Damage(f"it ends at {start + size - missing}, where {missing} more bytes belong")
        return b"".join(parts)

    def _directory(self) -> tuple[bytes, int, int]:
        """The directory's bytes, where it begins, and how many bytes before the archive belong to something else."""
        self._file.seek(0, 2)
        end = self._file.tell() - _END.size
        if end < 0:
            raise Damage("it is shorter than an empty archive")
        signature, *_, size, start, comment = _END.unpack(self._exactly(end, _END.size))
        if signature != b"PK\x05\x06" or comment:
            raise Damage("it does not end as an archive does")
        wide = self._wide_end(end - _LOCATOR.size - _END64.size)
        if wide is not None:
            end -= _LOCATOR.size + _END64.size
            size, start = wide
        begin = end - size
        if begin < start:
            raise Damage("its directory is not where it should be")
        return self._exactly(begin, size), begin, begin - start

    def _wide_end(self, start: int) -> tuple[int, int] | None:
        if start < 0:
            return None
        record, locator = _END64.size, self._exactly(start, _END64.size + _LOCATOR.size)
        if _LOCATOR.unpack_from(locator, record)[0] != b"PK\x06\x07":
            return None
        signature, *_, size, begin = _END64.unpack_from(locator)
        if signature != b"PK\x06\x06":
            raise Damage("it does not end as a large archive does")
        return size, begin

    def _length_of_names(self, header: int, name: str) -> int:
        """The bytes between the header that lies before a member and the member."""
        fields = _LOCAL.unpack(self._exactly(header, _LOCAL.size))
        signature, _, flags, packing, *_, name_length, extra_length = fields
        if signature != b"PK\x03\x04" or packing or flags & ~_FLAGS:
            raise Damage(f"{name} does not begin as a member does that is neither packed nor encrypted")
        if self._exactly(header + _LOCAL.size, name_length) != name.encode():
            raise Damage(f"{name} has another name where it lies")
        return name_length + extra_length


def _entries(directory: bytes) -> Iterator[tuple[str, int, int, int]]:
    """Name, place of the header, size and checksum of each member."""
    position = 0
    while position < len(directory):
        if len(directory) - position < _ENTRY.size:
            raise Damage("its directory ends early")
        fields = _ENTRY.unpack_from(directory, position)
        signature, _, _, flags, packing, _, _, checksum, packed, size, *lengths, _, _, _, header = fields
        position += _ENTRY.size
        strings = []
        for length in lengths:
            strings.append(directory[position : position + length])
            position += length
        if signature != b"PK\x01\x02" or position > len(directory):
            raise Damage("its directory is no directory")
        name = strings[0].decode("utf-8", "backslashreplace")
        size, packed, header = _wide([size, packed, header], strings[1])
        if packing or flags & ~_FLAGS or size != packed:
            raise Damage(f"{name} is packed or encrypted, which save never does")
        yield name, header, size, checksum


def _wide(numbers: list[int], extra: bytes) -> list[int]:
    """The numbers, those that have no place in 32 bits from the extra field for them."""
    if _IN_EXTRA not in numbers:
        return numbers
    position = 0
    while position + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, position)
        position += 4
        if kind == 1:
            result: Any = iter(struct.unpack_from(f"<{min(length, len(extra) - position) // 8}Q", extra, position))
            return [next(result, n) if n == _IN_EXTRA else n for n in numbers]
        position += length
    return numbers


_WRITTEN_ENTRY = struct.Struct("<4s4B4H3L5H2L")
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
