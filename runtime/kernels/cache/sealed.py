"""Entries as bytes that tell what they are, and whether they are whole."""

from __future__ import annotations

import hashlib
import zlib

KERNEL_MAGIC = b"specgrad-kernel-1\n"
DIGEST = 32  # bytes of a key, and of a checksum
HEAD = len(KERNEL_MAGIC) + 2 * DIGEST
LEVEL = 1  # of compression, where somebody waits


def seal(key: bytes, data: bytes, level: int = LEVEL) -> bytes:
    """An entry: its key, the checksum of all that follows, and the data, compressed.

    Machine code shrinks to a third at zlib's first level, and the best one saves little more; unpacking is faster than
    reading what was saved.
    """
    packed = zlib.compress(data, level)
    return KERNEL_MAGIC + key + _checksum(key, packed) + packed


def unseal(key: bytes, entry: bytes) -> bytes | None:
    """What was kept under a key; None where the entry is another one's, cut off or damaged."""
    packed = entry[HEAD:]
    full = entry[:HEAD] == KERNEL_MAGIC + key + _checksum(key, packed)
    return zlib.decompress(packed) if full else None


def key_of(entry: bytes) -> bytes:
    """The key of an entry."""
    return entry[len(KERNEL_MAGIC) : len(KERNEL_MAGIC) + DIGEST]


def _checksum(key: bytes, packed: bytes) -> bytes:
    return hashlib.sha256(key + packed).digest()
