"""Files of many entries, mapped into memory. A head says how long the table is and what all entries were compiled with;
the table has the sorted keys and where their entries begin and end, which tell whether they are whole."""

import hashlib
import json
import mmap
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

KERNEL_MAGIC = b"specgrad-kernel-1\n"
DIGEST = 32  # bytes of a key, and of a checksum
HEAD = len(KERNEL_MAGIC) + 2 * DIGEST
LEVEL = 1  # of compression, where somebody waits


def seal(key: bytes, data: bytes, level: int = LEVEL) -> bytes:
    """An entry: key, checksum, data compressed at zlib's first level; the best one saves little more."""
    packed = zlib.compress(data, level)
    return KERNEL_MAGIC + key + _checksum(key, packed) + packed


def unseal(key: bytes, entry: bytes) -> bytes | None:
    packed = entry[HEAD:]
    full = entry[:HEAD] == KERNEL_MAGIC + key + _checksum(key, packed)
    return zlib.decompress(packed) if full else None


def key_of(entry: bytes) -> bytes:
    return entry[len(KERNEL_MAGIC) : len(KERNEL_MAGIC) + DIGEST]


def _checksum(key: bytes, packed: bytes) -> bytes:
    return hashlib.sha256(key + packed).digest()


MAGIC = b"specgrad-archive-1\n"
COUNTS = struct.Struct("<QQ")  # bytes of the words, and entries
INDEX_NAME = struct.Struct("<QQ")
ROW = DIGEST + INDEX_NAME.size


class Archive:
    """The entries of one file that is mapped into memory; there are none where the file is not one of ours."""

    def __init__(self, path: Path, names: Sequence[str]) -> None:
        self.memory: mmap.mmap | bytes = b""
        self.count = self.table = 0
        begin = len(MAGIC) + COUNTS.size
        if path.stat().st_size < begin:
            return
        with open(path, "rb") as file:
            memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if memory[: len(MAGIC)] == MAGIC:
            length, count = COUNTS.unpack_from(memory, len(MAGIC))
            if memory[begin : begin + length] == _encoded_head(names) and begin + length + count * ROW <= len(memory):
                self.memory, self.count, self.table = memory, count, begin + length

    def keys(self) -> Iterator[bytes]:
        for start in range(self.table, self.table + self.count * ROW, ROW):
            yield self.memory[start : start + DIGEST]

    def get(self, key: bytes) -> bytes | None:
        low, high = 0, self.count
        while low < high:
            midpoint = (low + high) // 2
            start = self.table + midpoint * ROW
            entry = self.memory[start : start + DIGEST]
            if entry == key:
                first, last = INDEX_NAME.unpack_from(self.memory, start + DIGEST)
                return self.memory[first:last]
            low, high = (midpoint + 1, high) if entry < key else (low, midpoint)
        return None


def pack(entries: Mapping[bytes, bytes], names: Sequence[str]) -> bytes:
    text = _encoded_head(names)
    head = MAGIC + COUNTS.pack(len(text), len(entries)) + text
    position = len(head) + len(entries) * ROW
    rows, bodies = [], []
    for key, entry in sorted(entries.items()):
        rows.append(key + INDEX_NAME.pack(position, position + len(entry)))
        bodies.append(entry)
        position += len(entry)
    return b"".join([head, *rows, *bodies])


def _encoded_head(names: Sequence[str]) -> bytes:
    return json.dumps(list(names)).encode()
