"""Reading the ZIP archives that `save` writes: members one after the other, as they are, neither packed nor encrypted.

Nothing is believed that does not follow from the length of the file: members lie inside it and apart from one another,
so all of them together are no longer than it is. Anything else is refused before it is read.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import IO, Any, NamedTuple
from zlib import crc32

import numpy as np

from ..errors import SerializationError
from ..kernels.cpu import aligned

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
    """The members of a seekable file, by name.

    Raises:
        Damage: the file is no such archive, or it ends early.
    """

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
        """Where the bytes of a member begin in the file, and how many there are."""
        return self._member(name)[:2]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def read(self, name: str) -> np.ndarray:
        """The bytes of a member, as an array that can be written to."""
        start, size, checksum = self._member(name)
        result, position, computed = aligned.empty(size, _BYTE), 0, 0
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
        """Fill an array of bytes from where the file stands, as far as one read goes; how many bytes there were."""
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
        """Length and start of the directory of an archive that is too large for 32 bits."""
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
