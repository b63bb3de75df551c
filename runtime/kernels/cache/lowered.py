"""Kernels as numba has lowered them: LLVM modules that come with specgrad, for whoever has no machine code yet.

To type and lower a kernel takes numba several times as long as LLVM then takes to optimise it and to emit its machine
code, and what comes of it is the same on each machine of a kind. A module is found by the text of all that it was
lowered from, so it serves every version of Python, and one of a text that has changed is never used.
"""

from __future__ import annotations

import functools
import lzma
from collections.abc import Mapping
from pathlib import Path

from .archive import Archive, pack
from .sealed import seal, unseal
from .target import host, versions

FOLDER = Path(__file__).parent / "llvm_modules"
MODULES_SUFFIX = ".modules"


def find(digest: bytes) -> bytes | None:
    """What is carried under a digest; None where nothing is."""
    result = archive()
    entry = None if result is None else result.get(digest)
    full = None if entry is None else unseal(digest, entry)
    return None if full is None else lzma.decompress(full)


@functools.cache
def archive() -> Archive | None:
    """What is carried for machines of this kind."""
    path = cache_path()
    return Archive(path, lowering_described()) if path.is_file() else None


def cache_path() -> Path:
    """The file for machines of this kind."""
    return FOLDER / f"{host().triple}{MODULES_SUFFIX}"


def lowering_described() -> tuple[str, ...]:
    """What the file says of itself: what decides how kernels are lowered, besides their text."""
    return host().triple, *versions()[1:]


def packed(entries: Mapping[bytes, bytes]) -> bytes:
    """The file of entries by their digests."""
    return pack({digest: seal(digest, lzma.compress(entry)) for digest, entry in entries.items()}, lowering_described())
