"""Machine code by the digest of what it was compiled from: carried with specgrad, or kept from an earlier run.

`lookup` and `keep` know nothing of what compiles. The digest has all that the code depends on but the processor: this
module knows for which one code is looked up, and for which one it is compiled.

Kernels as numba has lowered them: LLVM modules that come with specgrad, for whoever has no machine code yet.

To type and lower a kernel takes numba several times as long as LLVM then takes to optimise it and to emit its machine
code, and what comes of it is the same on each machine of a kind. A module is found by the text of all that it was
lowered from, so it serves every version of Python, and one of a text that has changed is never used.
"""

from __future__ import annotations

import functools
import hashlib
import lzma
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from ..passes.target import Target, host, levels, versions
from . import directory
from .archive import Archive, pack, seal, unseal

PREBUILT = Path(__file__).parent / "machine_code"
SUFFIX = ".kernels"
PAUSE = 0.005  # seconds between two looks at what another process compiles


def lookup(digest: bytes) -> bytes | None:
    """Code that was compiled from what has this digest, for this processor or a level of its; None if there is none."""
    for target, archive in archives():
        result = _unsealed(digest, target, archive.get(key(digest, target)))
        if result is not None:
            return result
    path = _path(digest)
    return None if path is None else _unsealed(digest, host(), directory.read(path))


def pause() -> None:
    """Let another process go on for a moment."""
    time.sleep(PAUSE)


def obtain(digest: bytes, meanwhile: Callable[[], object] = pause) -> bytes | None:
    """As `lookup`, but another process that compiles it is waited for; who gets None calls `keep`, or `give_up`.

    `meanwhile` is called again and again while there is one.
    """
    result, path = lookup(digest), _path(digest)
    if result is not None or path is None:
        return result
    while not directory.claim(path):
        meanwhile()
    result = _unsealed(digest, host(), directory.read(path))
    if result is not None:
        directory.release(path)
    return result


def keep(digest: bytes, code: bytes) -> None:
    """Keep code that was compiled for this processor; where that is not possible nothing happens."""
    path = _path(digest)
    if path is not None:
        directory.write(path, seal(key(digest, host()), code))
        directory.release(path)


def give_up(digest: bytes) -> None:
    """Nothing is kept: it could not be compiled, or holds something of this process."""
    path = _path(digest)
    if path is not None:
        directory.release(path)


def cache_folder() -> Path | None:
    """The folder of what this user's programs have compiled."""
    return directory.cache_path("kernels")


def key(digest: bytes, target: Target) -> bytes:
    """The name of code for one processor or level."""
    return hashlib.sha256(digest + repr((target, versions())).encode()).digest()


def described(target: Target) -> tuple[str, ...]:
    """What an archive says of itself."""
    return (*target, *versions())


@functools.cache
def archives() -> tuple[tuple[Target, Archive], ...]:
    """The archives that come with specgrad, of levels whose code runs here, the best first."""
    if not PREBUILT.is_dir():
        return ()
    named = [(target, PREBUILT / f"{target.name}{SUFFIX}") for target in levels()]
    return tuple((target, Archive(path, described(target))) for target, path in named if path.is_file())


def _path(digest: bytes) -> Path | None:
    above = cache_folder()
    return None if above is None else above / key(digest, host()).hex()


def _unsealed(digest: bytes, target: Target, entry: bytes | None) -> bytes | None:
    return None if entry is None else unseal(key(digest, target), entry)


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
